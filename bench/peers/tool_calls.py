"""What one call of a tool costs the server, where every call ends in one request to the same API."""

import statistics
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from itertools import count

import aiohttp
import orjson

from bench.measure import Sample, drive
from bench.payloads import ARGUMENTS, ARGUMENTS_TEXT
from bench.peers.environments import FASTMCP, MCPO
from bench.peers.servers import MCP, run_fastmcp, run_mcpo, start_peer
from bench.peers.tool_servers import MARK, MODULE, PRODUCTS
from bench.plain_variants import CALL
from bench.report import print_table
from bench.servers import Server, run_server
from bench.shop_bridge import DOCUMENT, TOOL

IN_FLIGHT = (1, 16)
ROUNDS, QUICK_ROUNDS = 5, 2
SECONDS = 1.0
_IDLE_S = 1.0
"""Seconds after which an idle connection is not used again: uvicorn ends it after five."""
_MCP_VERSION = "2025-11-25"
_JSON = {"Content-Type": "application/json"}

Call = Callable[[], Awaitable[None]]
"""One call of the tool.

Raises:
    RuntimeError: the answer is not the API's.
"""


@dataclass(slots=True)
class Calls:
    """All calls of one server under one load."""

    samples: list[Sample] = field(default_factory=list[Sample])
    processor_s: float = 0.0
    """Of the server's process."""

    def summary(self) -> dict[str, float]:
        """Median time of a call, and what one costs the server."""
        calls = sum(sample.calls for sample in self.samples)
        return {
            "p50_ms": statistics.median(sample.p50_ms for sample in self.samples),
            "processor_ms": self.processor_s / calls * 1000,
        }


@dataclass(frozen=True, slots=True)
class Caller:
    """A server, and how its tool is called."""

    name: str
    server: Server
    call: Call


async def compare_tool_calls(*, quick: bool) -> dict[str, object]:
    """Bridge, FastMCP and mcpo beside the floor and the API alone; what does not start is left out."""
    async with AsyncExitStack() as stack:
        session = await stack.enter_async_context(
            aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=_IDLE_S))
        )
        callers = await _start_all(stack, session)
        found = await _call_in_turn(callers, QUICK_ROUNDS if quick else ROUNDS)
    figures = {key: calls.summary() for key, calls in found.items()}
    rows = [
        [name, *(figures[name, load][key] for key in ("p50_ms", "processor_ms") for load in IN_FLIGHT)]
        for name in dict.fromkeys(name for name, _ in figures)
    ]
    head = ["of", "p50 ms, 1 in flight", "16", "processor ms, 1 in flight", "16"]
    print_table("A tool whose call ends in one request to the API", head, rows)
    return {f"{name}/{load}": summary for (name, load), summary in figures.items()}


async def _start_all(stack: AsyncExitStack, session: aiohttp.ClientSession) -> list[Caller]:
    api = await stack.enter_async_context(run_server(MODULE, "api"))
    floor, bridge = [
        await stack.enter_async_context(run_server(MODULE, role, api.url)) for role in ("floor", "bridge")
    ]
    callers = [
        Caller("API", api, lambda: _expect(session.get(api.url + PRODUCTS))),
        Caller("floor", floor, _posting(session, floor, CALL)),
        Caller("bridge, /tools", bridge, _posting(session, bridge, f"/tools/{TOOL}")),
        Caller("bridge, /mcp", bridge, await _calling_mcp(session, bridge)),
    ]
    if fastmcp := await start_peer(stack, FASTMCP, _run_fastmcp(session, api)):
        callers.append(fastmcp)
        if mcpo := await start_peer(stack, MCPO, _run_mcpo(session, fastmcp.server)):
            callers.append(mcpo)
    return callers


@asynccontextmanager
async def _run_fastmcp(session: aiohttp.ClientSession, api: Server) -> AsyncGenerator[Caller]:
    async with run_fastmcp(api, DOCUMENT) as server:
        call = await _calling_mcp(session, server)
        await call()
        yield Caller(server.name, server, call)


@asynccontextmanager
async def _run_mcpo(session: aiohttp.ClientSession, mcp: Server) -> AsyncGenerator[Caller]:
    async with run_mcpo(mcp) as server:
        call = _posting(session, server, f"/{TOOL}")
        await call()
        yield Caller(server.name, server, call)


async def _call_in_turn(callers: Sequence[Caller], rounds: int) -> dict[tuple[str, int], Calls]:
    """Each server in turn, so that a busy moment of the machine meets all; the first round warms up."""
    found = {(caller.name, load): Calls() for caller in callers for load in IN_FLIGHT}
    for number in range(rounds + 1):
        for load in IN_FLIGHT:
            for caller in callers:
                before = caller.server.processor_s
                sample = await drive(caller.call, in_flight=load, seconds=SECONDS)
                if number:
                    calls = found[caller.name, load]
                    calls.samples.append(sample)
                    calls.processor_s += caller.server.processor_s - before
    return found


def _posting(session: aiohttp.ClientSession, server: Server, path: str) -> Call:
    """Calls whose arguments are the body, with a key."""
    headers = {"Authorization": f"Bearer {server.key}", **_JSON}
    return lambda: _expect(session.post(server.url + path, data=ARGUMENTS_TEXT, headers=headers))


async def _calling_mcp(session: aiohttp.ClientSession, server: Server) -> Call:
    """Calls of one client of MCP, each with a number of its own."""
    url = server.url + MCP
    headers = {
        "Authorization": f"Bearer {server.key}",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": _MCP_VERSION,
        **_JSON,
    }
    client = {"name": "bench", "version": "1"}
    hello = {"protocolVersion": _MCP_VERSION, "capabilities": {}, "clientInfo": client}
    async with session.post(url, data=_rpc("initialize", hello, 0), headers=headers) as answer:
        await answer.read()
        if session_id := answer.headers.get("Mcp-Session-Id"):
            headers["Mcp-Session-Id"] = session_id
    async with session.post(url, data=_rpc("notifications/initialized", {}), headers=headers):
        pass
    numbers = count(1)
    called = {"name": TOOL, "arguments": ARGUMENTS}
    return lambda: _expect(session.post(url, data=_rpc("tools/call", called, next(numbers)), headers=headers))


def _rpc(method: str, parameters: Mapping[str, object], number: int | None = None) -> bytes:
    """A request of JSON-RPC; without a number, a notification."""
    numbered = {} if number is None else {"id": number}
    return orjson.dumps({"jsonrpc": "2.0", **numbered, "method": method, "params": parameters})


async def _expect(asked: AbstractAsyncContextManager[aiohttp.ClientResponse]) -> None:
    async with asked as response:
        body = await response.read()
    if response.status != 200 or MARK not in body:
        raise RuntimeError(f"{response.url} answered {response.status}: {body[:300]!r}")
