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
from bench.peer import play_page
from bench.report import print_table
from bench.shop_bridge import ShopBridge, start_shop
from bridge.app.server import Bridge
from bridge.operating_system import raise_descriptor_limit

SECONDS, QUICK_SECONDS, WARM_UP_S = 6.0, 3.0, 1.0
ALONE = "nothing"
ATTACKERS = {"half-open": 4}
"""Processes; one alone has not enough descriptors everywhere."""


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
    async with _running() as (shop, http), _attacked(shop, kind):
        return await _notice(shop.bridge, http, seconds)


@asynccontextmanager
async def _running() -> AsyncGenerator[tuple[ShopBridge, aiohttp.ClientSession]]:
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        shop = await start_shop(Path(folder))
        async with aiohttp.ClientSession() as http:
            page = await play_page(http, await shop.page_of(shop.bridge.local_user))
            await _notice(shop.bridge, http, WARM_UP_S)
            yield shop, http
            page.cancel()
        await shop.bridge.close()


@asynccontextmanager
async def _attacked(shop: ShopBridge, kind: str) -> AsyncGenerator[None]:
    if kind == ALONE:
        yield
        return
    bridge = shop.bridge
    _, token = await shop.open_session(await bridge.components.users.ensure_user("eve"))
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
