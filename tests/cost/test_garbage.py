"""What an ended call or stream held is freed at once, by the counts of its references.

What ends in a cycle waits for the garbage collector, answers and whole requests with it: memory that nobody
uses, and milliseconds for everybody when it is searched.
"""

import gc
import json
from collections.abc import Awaitable, Callable
from types import MappingProxyType

import pytest

from bench.payloads import ARGUMENTS_TEXT
from bench.shop_bridge import TOOL
from tests.cost.bridge_costs import CALL, TIMES, Measured, dispatch_calls
from tests.cost.scales import Scales
from tests.support.mcp_messages import legacy_request, modern_request

CONNECTION = 16
"""Maximum number of objects that two connections leave: those of asyncio hold themselves, uvloop's do not."""

ONE_CONNECTION = CONNECTION / TIMES

OTHERS = 4
"""Maximum number of objects for each time that others leave meanwhile, as SQLAlchemy's first compilers do."""

Ask = Callable[[Measured], Awaitable[object]]


async def _ask_tool(measured: Measured) -> None:
    await measured.ask("POST", f"/tools/{TOOL}", ARGUMENTS_TEXT)


async def _ask_mcp(measured: Measured) -> None:
    body, headers = modern_request("tools/call", CALL)
    await measured.ask("POST", "/mcp", json.dumps(body), headers)


async def _ask_legacy_mcp(measured: Measured) -> None:
    body, headers = legacy_request("tools/call", CALL)
    await measured.ask("POST", "/mcp", json.dumps(body), headers)


async def _dispatch_unsafe(measured: Measured) -> None:
    await dispatch_calls(measured, 0, safe=False)


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


@pytest.mark.parametrize(("ask", "most"), MOST.items(), ids=lambda ask: getattr(ask, "__name__", ""))
def test_what_has_ended_leaves_nothing_to_the_garbage_collector(
    scales: Scales, ask: Ask, most: float
) -> None:
    """Eleven objects a call were four per cent of all time, and kept its answer."""

    async def count(measured: Measured, _waste: int) -> float:
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

    left = scales.measure_cost(count)
    if left > most + OTHERS:  # what runs by the clock on a busy machine leaves something of its own
        left = min(left, scales.measure_cost(count))
    assert left <= most + OTHERS
