"""`python -m bench hostile`: what others notice of an attack, beside what they notice of nothing.

The bridge, a page of its own user and a caller are in this process; the attacker is another one. The caller
makes one call that may change something after the other, and asks `/healthz` in between.
"""

import asyncio
import os
import sys
import tempfile
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import aiohttp

from bench.attacker import ATTACKS
from bench.measure import percentile
from bench.peer import PageOrder, play_page
from bench.report import print_table
from bridge.app.server import Bridge, start_bridge
from bridge.auth.identity import SESSION
from bridge.browsers.gateway import SOCKET_PATH
from bridge.http.descriptors import raise_descriptor_limit
from bridge.settings.approvals import ApprovalSettings
from bridge.settings.bridge import BridgeSettings
from bridge.settings.limits import Limits
from bridge.settings.network import NetworkSettings
from bridge.storage.store import Store
from bridge.storage.users import User
from examples.document_files import read_document_text

SECONDS, QUICK_SECONDS, WARM_UP_S = 15.0, 3.0, 1.0
ALONE = "nothing"
ATTACKERS = {"half-open": 4}
"""Processes; one alone has not enough descriptors everywhere."""

LIMITS = Limits(calls_per_minute_per_user=1_000_000)
_SESSION_S = 3600.0


@dataclass(frozen=True, slots=True)
class Observed:
    """What the caller noticed."""

    calls_ms: list[float]
    health_ms: list[float]
    failed: int

    def row(self, name: str) -> tuple[object, ...]:
        """Percentiles, for the table."""
        calls, health = sorted(self.calls_ms) or [0.0], sorted(self.health_ms) or [0.0]
        of_calls = [percentile(calls, share) for share in (0.5, 0.99, 1.0)]
        return (name, len(self.calls_ms), self.failed, *of_calls, percentile(health, 0.99), health[-1])


async def measure_hostile(*, quick: bool) -> dict[str, object]:
    """Each attack on a bridge of its own."""
    raise_descriptor_limit()
    seconds = QUICK_SECONDS if quick else SECONDS
    found: dict[str, object] = {}
    rows: list[tuple[object, ...]] = []
    for kind in (ALONE, *ATTACKS):
        rows.append((await _under(kind, seconds)).row(kind))
        found[kind] = rows[-1][1:]
    head = ["attack", "calls", "failed", "p50 ms", "p99 ms", "max ms", "/healthz p99 ms", "max ms"]
    print_table("Unsafe calls of another user, one after the other", head, rows)
    return found


async def _under(kind: str, seconds: float) -> Observed:
    async with _running() as (bridge, http), _attacked(bridge, kind):
        return await _notice(bridge, http, seconds)


@asynccontextmanager
async def _running() -> AsyncGenerator[tuple[Bridge, aiohttp.ClientSession]]:
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        settings = BridgeSettings(
            data_dir=Path(folder),
            network=NetworkSettings(port=0),
            approvals=ApprovalSettings(approve="all"),
            limits=LIMITS,
        )
        bridge = await start_bridge(settings, Store.open_store(Path(folder) / "bridge.sqlite"))
        server = await bridge.components.registry.share_document(
            "shop.json", read_document_text("shop.json"), source_url="http://127.0.0.1:9/shop.json"
        )
        digests = {operation.key: operation.digest for operation in server.compiled.operations}
        await bridge.components.registry.accept_operations(bridge.local_user.id, server.record.id, digests)
        async with aiohttp.ClientSession() as http:
            socket_url = f"{bridge.base_url}{SOCKET_PATH}/?EIO=4&transport=websocket"
            page = await play_page(
                http,
                PageOrder(socket_url.replace("http://", "ws://"), await _session(bridge, bridge.local_user)),
            )
            await _notice(bridge, http, WARM_UP_S)
            yield bridge, http
            page.cancel()
        await bridge.close()


@asynccontextmanager
async def _attacked(bridge: Bridge, kind: str) -> AsyncGenerator[None]:
    if kind == ALONE:
        yield
        return
    token = await _session(bridge, await bridge.components.store.ensure_user("eve"))
    count = ATTACKERS.get(kind, 1)
    command = (sys.executable, "-m", "bench.attacker", kind, bridge.base_url.partition("//")[2], token)
    environ = {**os.environ, "ATTACKERS": str(count)}
    attackers = [
        await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE, env=environ)
        for _ in range(count)
    ]
    try:
        for attacker in attackers:
            if attacker.stdout is not None:
                await attacker.stdout.readline()
        yield
    finally:
        for attacker in attackers:
            attacker.kill()
            await attacker.wait()


async def _session(bridge: Bridge, user: User) -> str:
    device = await bridge.components.store.add_device(user.id, "{}", "bench")
    claims = {"sub": user.id, "name": user.name, "device": device.id}
    return bridge.components.identity.sign_token(SESSION, claims, _SESSION_S)


async def _notice(bridge: Bridge, http: aiohttp.ClientSession, seconds: float) -> Observed:
    noticed = Observed([], [], 0)
    failed, ends = 0, time.perf_counter() + seconds
    headers = {"Authorization": f"Bearer {bridge.key}"}
    body = {"name": "tea", "category": "drinks", "price": 1}
    while time.perf_counter() < ends:
        began = time.perf_counter()
        try:
            async with http.post(
                f"{bridge.base_url}/tools/addProduct", json=body, headers=headers
            ) as response:
                failed += response.status != 200
                await response.read()
            called = time.perf_counter()
            async with http.get(f"{bridge.base_url}/healthz") as response:
                await response.read()
        except aiohttp.ClientError:
            failed += 1
            continue
        noticed.calls_ms.append((called - began) * 1000)
        noticed.health_ms.append((time.perf_counter() - called) * 1000)
    return Observed(noticed.calls_ms, noticed.health_ms, failed)
