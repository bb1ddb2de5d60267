"""Batches of JSON-RPC, by revision 2025-03-26."""

from typing import Any

import aiohttp
import orjson
import pytest

from bridge.app.server import Bridge
from bridge.endpoints.mcp.batches import MAX_BATCH_MESSAGES
from tests.support.running_bridge import json_answer, page_of

pytestmark = pytest.mark.asyncio

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def call(request_id: int, name: str = "listProducts", **arguments: Any) -> dict[str, Any]:
    params = {"name": name, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": request_id, "method": "tools/call", "params": params}


async def post(
    bridge: Bridge,
    http: aiohttp.ClientSession,
    body: Any,
    version: str | None = "2025-03-26",
    path: str = "/mcp",
) -> tuple[int, Any]:
    headers = {"Authorization": f"Bearer {bridge.key}", "Accept": "application/json, text/event-stream"}
    if version is not None:
        headers["MCP-Protocol-Version"] = version
    async with http.post(bridge.base_url + path, data=orjson.dumps(body), headers=headers) as response:
        content = await response.read()
        return response.status, orjson.loads(content) if content else None


@pytest.mark.parametrize("version", ["2025-03-26", None])
async def test_each_request_of_a_batch_is_answered(
    bridge: Bridge, http: aiohttp.ClientSession, version: str | None
) -> None:
    """Finding W-46: that revision says MUST, and `initialize` agrees to it."""
    listed = {"jsonrpc": "2.0", "id": "l", "method": "tools/list", "params": {"cursor": None}}
    status, answers = await post(bridge, http, [PING, INITIALIZED, listed], version)
    assert (status, [answer["id"] for answer in answers]) == (200, [1, "l"])
    assert answers[0]["result"] == {}
    assert answers[1]["result"]["tools"][0]["name"] == "listProducts"


async def test_the_calls_of_a_batch_are_run_and_told_apart(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """Finding W-46: a number keeps its digits, and what is wrong with one call costs no other."""

    async def answer(sent: dict[str, Any]) -> dict[str, Any]:
        return json_answer({"params": sent["params"]})

    calls = [
        call(1, limit=12345678901234567890),
        call(2, name="gone"),
        call(3, limit="many"),
        call(4, limit=2),
    ]
    async with page_of(bridge, bridge.local_user.id, answer) as page:
        status, answers = await post(bridge, http, calls)
        assert len(page.calls) == 2
    assert (status, [answer["id"] for answer in answers]) == (200, [1, 2, 3, 4])
    assert "12345678901234567890" in answers[0]["result"]["content"][0]["text"]
    assert answers[1]["error"]["code"] == -32602
    assert answers[2]["result"]["isError"] is True
    assert answers[3]["result"]["structuredContent"] == {"params": '{"limit":2}'}


async def test_a_batch_of_notifications_has_no_answer(bridge: Bridge, http: aiohttp.ClientSession) -> None:
    """Finding W-46: 202, as for one of them."""
    assert await post(bridge, http, [INITIALIZED, INITIALIZED]) == (202, None)


@pytest.mark.parametrize(
    ("message", "code"),
    [
        (1, -32600),
        ([PING], -32600),
        ({"jsonrpc": "2.0", "id": 1}, -32600),
        ({**PING, "method": "initialize"}, -32600),
        ({**PING, "method": "server/discover"}, -32601),
        ({**PING, "params": {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}}}, -32600),
    ],
)
async def test_what_is_wrong_in_a_batch_costs_no_other_message(
    bridge: Bridge, http: aiohttp.ClientSession, message: Any, code: int
) -> None:
    """Finding W-46: each message has an answer of its own."""
    status, answers = await post(bridge, http, [message, {**PING, "id": 2}])
    assert (status, answers[0]["error"]["code"]) == (200, code)
    assert answers[1] == {"jsonrpc": "2.0", "id": 2, "result": {}}


async def test_what_the_bridge_refuses_to_one_message_costs_no_other(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """A server that is gone has no tools to list, and the whole batch was answered by that."""
    listed = {"jsonrpc": "2.0", "id": 0, "method": "tools/list"}
    status, answers = await post(bridge, http, [listed, PING], path="/servers/gone/mcp")
    assert (status, [each["id"] for each in answers]) == (200, [0, 1])
    assert "gone" in answers[0]["error"]["message"]
    assert answers[1]["result"] == {}


async def test_what_the_bridge_refuses_to_one_call_ends_no_other(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """Each counts for itself: those beyond a limit are refused, and the others answered."""
    await bridge.components.controls.limits.change_limits({"CALLS_PER_MINUTE_PER_USER": 1})

    async def answer(_sent: dict[str, Any]) -> dict[str, Any]:
        return json_answer([])

    async with page_of(bridge, bridge.local_user.id, answer):
        status, answers = await post(bridge, http, [call(number) for number in range(1, 9)])
    assert (status, [each["id"] for each in answers]) == (200, list(range(1, 9)))
    assert "result" in answers[0]
    assert "rate" in orjson.dumps(answers[-1]).decode()


async def test_a_batch_holds_the_list_of_tools_once(bridge: Bridge, http: aiohttp.ClientSession) -> None:
    """Fifty lists of thousands of tools are hundreds of megabytes, for one request of a few kilobytes."""
    lists = [{"jsonrpc": "2.0", "id": number, "method": "tools/list"} for number in (1, 2)]
    status, answers = await post(bridge, http, lists)
    assert (status, [answer["id"] for answer in answers]) == (200, [1, 2])
    assert answers[0]["result"]["tools"]
    assert (answers[1]["error"]["code"], "once" in answers[1]["error"]["message"]) == (-32600, True)


@pytest.mark.parametrize("batch", [[], [PING] * (MAX_BATCH_MESSAGES + 1)])
async def test_an_empty_batch_and_a_long_one_are_refused(
    bridge: Bridge, http: aiohttp.ClientSession, batch: list[Any]
) -> None:
    """Finding W-46: one request of a stranger's key must not stand for thousands."""
    status, answer = await post(bridge, http, batch)
    assert (status, answer["error"]["code"]) == (400, -32600)


@pytest.mark.parametrize("version", ["2025-06-18", "2025-11-25"])
async def test_later_revisions_have_no_batches(
    bridge: Bridge, http: aiohttp.ClientSession, version: str
) -> None:
    """Finding W-46: they were taken out again."""
    status, answer = await post(bridge, http, [PING], version)
    assert (status, answer["error"]["code"]) == (400, -32600)
