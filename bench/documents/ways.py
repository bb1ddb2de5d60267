"""How long a large document keeps everybody else waiting, each way that it passes, and its first calls.

A whole bridge with its worker process, in this process; requests are made by blocking code in a thread, so
that what the event loop's thread computes is the bridge's own. A probe that wants to run every millisecond
measures the most processor time between two of its runs. A first call is one of a tool whose validator does
not exist yet, and after a restart its schema neither; its time is that from the request to the message that
the page gets.
"""

import asyncio
import gc
import http.client
import json
import time
from collections.abc import AsyncGenerator, Awaitable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, TypeVar
from urllib.parse import urlsplit

import aiohttp

from bench.report import print_table
from bridge.app.server import Bridge
from bridge.app.start import start_bridge
from bridge.documents.sources import OWN_ONLY, read_document
from bridge.settings.approvals import ApprovalSettings
from bridge.settings.bridge import BridgeSettings
from bridge.settings.limits import Limits
from bridge.settings.network import NetworkSettings
from bridge.storage.database import open_database
from tests.support.running_bridge import FakePage, json_answer, pair_browser

_TICK_S = 0.001
_FIRST_CALLS = 15
_NOT_WARMED = 600
"""Operations at the beginning whose validators are compiled ahead."""

_T = TypeVar("_T")


@dataclass(slots=True)
class Probe:
    """What it saw of each way: seconds in all, and the longest hold of the event loop in milliseconds."""

    ways: dict[str, tuple[float, float]] = field(default_factory=dict[str, tuple[float, float]])
    _longest_s: float = 0.0

    async def watch(self, way: str, work: Awaitable[_T]) -> _T:
        """Await `work` beside the probe."""
        probing = asyncio.create_task(self._probe())
        await asyncio.sleep(0.02)
        self._longest_s, start = 0.0, time.perf_counter()
        try:
            return await work
        finally:
            await asyncio.sleep(2 * _TICK_S)
            self.ways[way] = time.perf_counter() - start, self._longest_s * 1000
            probing.cancel()
            with suppress(asyncio.CancelledError):
                await probing

    async def _probe(self) -> None:
        while True:
            computed = time.thread_time()
            await asyncio.sleep(_TICK_S)
            self._longest_s = max(self._longest_s, time.thread_time() - computed)


@dataclass(slots=True)
class _Client:
    """A page's requests, and those of a caller with a key, from a thread."""

    base_url: str
    token: str
    key: str

    async def ask(self, method: str, path: str, body: object = None, *, as_caller: bool = False) -> bytes:
        """The answer's content; the body is written before the clock runs if it is bytes."""
        content = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        token = self.key if as_caller else self.token
        return await asyncio.to_thread(self._ask, method, path, content, token)

    def _ask(self, method: str, path: str, content: bytes | None, token: str) -> bytes:
        parts = urlsplit(self.base_url)
        connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=300)
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        connection.request(method, path, content, headers)
        response = connection.getresponse()
        answer = response.read()
        connection.close()
        if response.status >= 300:
            raise RuntimeError(f"{method} {path}: {response.status} {answer[:300]!r}")
        return answer


async def measure_document_ways(text: str) -> dict[str, object]:
    """Lead `text` every way through a bridge, print two tables and give all figures."""
    gc.freeze()
    probe = Probe()
    first: dict[str, list[float]] = {}
    with TemporaryDirectory() as name:
        folder = Path(name)
        async with _bridge(folder) as bridge, _paired(bridge) as page:
            _, key = await bridge.components.users.add_key(bridge.local_user.id, "bench")
            shown = await _lead(probe, bridge, _Client(bridge.base_url, page.token, key), text)
            first["just added"] = await _first_calls(page, key, shown.reading)
        async with _bridge(folder, probe) as bridge, _paired(bridge) as page:
            first["after a restart"] = await _first_calls(page, key, shown.reading)
            client = _Client(bridge.base_url, page.token, key)
            await probe.watch("remove", client.ask("DELETE", f"/api/servers/{shown.id}"))
    rows: list[list[object]] = [[way, taken, held] for way, (taken, held) in probe.ways.items()]
    print_table("Ways of a document through the bridge", ["", "seconds", "longest hold ms"], rows)
    calls: list[list[object]] = [[when, median(taken), max(taken)] for when, taken in first.items()]
    print_table("First calls of a tool of this document", ["", "median ms", "longest ms"], calls)
    longest = max(held for _, held in probe.ways.values())
    return {"ways": probe.ways, "first_calls_ms": first, "longest_hold_ms": longest}


@asynccontextmanager
async def _bridge(folder: Path, probe: Probe | None = None) -> AsyncGenerator[Bridge]:
    settings = BridgeSettings(
        data_dir=folder,
        network=NetworkSettings(port=0),
        approvals=ApprovalSettings(approve="all"),
        limits=Limits(calls_per_minute_per_user=1_000_000),
    )
    starting = start_bridge(settings, open_database(folder / "bridge.sqlite"))
    bridge = await (starting if probe is None else probe.watch("restart", starting))
    try:
        yield bridge
    finally:
        await bridge.close()


@asynccontextmanager
async def _paired(bridge: Bridge) -> AsyncGenerator[FakePage]:
    async with aiohttp.ClientSession() as session:
        ticket = await bridge.components.users.add_ticket(bridge.local_user.id)
        page = await pair_browser(bridge.base_url, session, ticket)
        await page.open_session()
        yield page


@dataclass(slots=True)
class _Shown:
    """What is remembered of a server: the garbage collector must not have more to do than in a bridge."""

    id: str
    reading: list[str]
    """Names of tools that only read and whose validators are not compiled ahead."""
    acceptance: bytes
    """The body that accepts everything."""


def _remember(server_id: str, answer: bytes) -> _Shown:
    tools = json.loads(answer)["tools"]
    accepted = {tool["key"]: tool["digest"] for tool in tools}
    reading = [tool["name"] for tool in tools[_NOT_WARMED:] if tool["safe"]]
    return _Shown(server_id, reading, json.dumps({"operations": accepted}).encode())


async def _lead(probe: Probe, bridge: Bridge, client: _Client, text: str) -> _Shown:
    """Lead the document every way; gives what was shown of its server."""
    watch = probe.watch
    body = json.dumps({"text": text, "source_url": None}).encode()
    await watch("bundle, for a page", client.ask("POST", "/api/documents/bundle", body))
    added = json.loads(await watch("add, by a page", client.ask("POST", "/api/servers", body)))
    one = f"/api/servers/{added['id']}"
    await watch("the rest of loading", asyncio.sleep(2))
    await watch("list servers", client.ask("GET", "/api/servers"))
    shown = _remember(added["id"], await watch("show it", client.ask("GET", one)))
    await watch("accept everything", client.ask("PUT", f"{one}/acceptance", shown.acceptance))
    await watch("list tools", client.ask("GET", "/api/tools?schemas=no"))
    await watch("advertise 128 tools", client.ask("GET", "/openapi.json", as_caller=True))
    await watch(
        "find operations", client.ask("POST", "/tools/find_operations", {"query": "part"}, as_caller=True)
    )
    await _lead_all(probe, client, one)
    document = await _read_named(probe, bridge, text)
    named = bridge.components.registry.share_document("named", document, source_url=None)
    await watch("add, by a command", named)
    await watch("replace", client.ask("PUT", f"{one}/document", json.dumps({"text": text + " "}).encode()))
    await client.ask("PUT", f"{one}/acceptance", shown.acceptance)
    return shown


async def _lead_all(probe: Probe, client: _Client, one: str) -> None:
    """Ask for everything at once, once models may see every tool."""
    choice = {"max_tools": 20_000, "names": ["*"], "servers": [], "tags": [], "pinned": []}
    await probe.watch("select everything", client.ask("PUT", "/api/selection", choice))
    await probe.watch("advertise all tools", client.ask("GET", "/openapi.json", as_caller=True))
    message: dict[str, object] = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    await probe.watch("list all by MCP", client.ask("POST", "/mcp", message, as_caller=True))
    await probe.watch("show all plans", client.ask("GET", f"{one}/plans"))
    await probe.watch("list tools with schemas", client.ask("GET", "/api/tools"))


async def _read_named(probe: Probe, bridge: Bridge, text: str) -> str:
    """The text as a command reads it from a file, by the bridge's worker."""
    with TemporaryDirectory() as name:
        path = Path(name) / "large.json"
        path.write_text(text)
        bundle = bridge.components.documents.reader.bundle_document
        return (await probe.watch("read a file", read_document(str(path), OWN_ONLY, bundle))).text


async def _first_calls(page: FakePage, key: str, names: list[str]) -> list[float]:
    """Milliseconds from a request to the message to the page, each of another tool that was never called."""
    arrived: list[float] = []

    async def answer(_call: dict[str, Any]) -> dict[str, Any]:
        arrived.append(time.perf_counter())
        return json_answer({})

    await page.connect(answer)
    taken: list[float] = []
    for name in names[:: max(1, len(names) // _FIRST_CALLS)][:_FIRST_CALLS]:
        start = time.perf_counter()
        url = f"{page.base_url}/tools/{name}"
        headers = {"Authorization": f"Bearer {key}"}
        async with page.http.post(url, json={"item": 3}, headers=headers) as response:
            await response.read()
        taken.append((arrived[-1] - start) * 1000)
    await page.close()
    return taken
