"""What an ended call or stream held is freed at once, by the counts of its references.

What ends in a cycle waits for the garbage collector, answers and whole requests with it: memory that nobody
uses, and milliseconds for everybody when it is searched.
"""

import asyncio
import gc
import json
from collections.abc import Awaitable, Callable, Generator
from types import MappingProxyType

import pytest

from bench.payloads import ARGUMENTS_TEXT
from bench.shop_bridge import TOOL
from bridge.calls.state_machine import CallState
from bridge.limits.settings import Deadline
from tests.cost.bridge_costs import Measured, measured_bridge
from tests.support.calls.dispatcher_harness import FreeSlot
from tests.support.mcp_messages import modern_request

TIMES = 20

CONNECTION = 16
"""Maximum number of objects that two connections leave: those of asyncio hold themselves, uvloop's do not."""

ONE_CONNECTION = CONNECTION / TIMES

OTHERS = 4
"""Maximum number of objects for each time that others leave meanwhile, as SQLAlchemy's first compilers do."""

Ask = Callable[[Measured], Awaitable[object]]


async def _ask_tool(measured: Measured) -> None:
    await measured.ask("POST", f"/tools/{TOOL}", ARGUMENTS_TEXT, times=TIMES)


async def _ask_mcp(measured: Measured) -> None:
    body, headers = modern_request("tools/call", {"name": TOOL, "arguments": json.loads(ARGUMENTS_TEXT)})
    await measured.ask("POST", "/mcp", json.dumps(body), headers, times=TIMES)


async def _ask_legacy_mcp(measured: Measured) -> None:
    params = {"name": TOOL, "arguments": json.loads(ARGUMENTS_TEXT)}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    headers = {"MCP-Protocol-Version": "2025-11-25"}
    await measured.ask("POST", "/mcp", json.dumps(body), headers, times=TIMES)


async def _dispatch_unsafe(measured: Measured) -> None:
    request = measured.compose_call(safe=False)
    for _ in range(TIMES):
        slot = FreeSlot(Deadline(30, "call"))
        outcome = await measured.bridge.components.dispatcher.dispatch_call(request, slot)
        assert outcome.state is CallState.SUCCEEDED, outcome


async def _read_response(measured: Measured) -> None:
    body = json.dumps({"model": "short", "stream": True, "input": "Hello"})
    for _ in range(TIMES):
        await measured.stream("/v1/responses", body)


async def _read_chat(measured: Measured) -> None:
    messages = [{"role": "user", "content": "Hello"}]
    body = json.dumps({"model": "short", "stream": True, "messages": messages})
    for _ in range(TIMES):
        await measured.stream("/v1/chat/completions", body)


MOST = MappingProxyType(
    {
        _ask_tool: ONE_CONNECTION,
        _ask_mcp: ONE_CONNECTION,
        _ask_legacy_mcp: ONE_CONNECTION,
        _dispatch_unsafe: 0,
        _read_response: CONNECTION,
        _read_chat: CONNECTION,
    }
)
"""Maximum number of objects that each leaves to the garbage collector."""


@pytest.fixture(scope="module")
def runner() -> Generator[asyncio.Runner]:
    with asyncio.Runner(loop_factory=asyncio.new_event_loop) as opened:
        yield opened


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory, runner: asyncio.Runner) -> Generator[Measured]:
    running = measured_bridge(tmp_path_factory.mktemp("garbage"))
    yield runner.run(running.__aenter__())
    runner.run(running.__aexit__(None, None, None))


@pytest.mark.parametrize(("ask", "most"), MOST.items(), ids=lambda ask: getattr(ask, "__name__", ""))
def test_what_has_ended_leaves_nothing_to_the_garbage_collector(
    measured: Measured, runner: asyncio.Runner, ask: Ask, most: float
) -> None:
    """Eleven objects a call were four per cent of all time, and kept its answer."""

    async def count() -> float:
        await ask(measured)
        await measured.settle()
        gc.collect()
        gc.disable()
        try:
            await ask(measured)
            await measured.settle()
            return gc.collect() / TIMES
        finally:
            gc.enable()

    assert runner.run(count()) <= most + OTHERS
