"""Calls of legacy clients whose connection breaks: they run on, in whatever form their answer was begun."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from bridge.app.server import Bridge
from tests.support.documents.compiled import document_text
from tests.support.mcp_messages import LEGACY, legacy_request, post_message
from tests.support.running_bridge import FakePage, json_answer, page_of, running_bridge
from tests.support.waiting import eventually

pytestmark = pytest.mark.asyncio

CALL = {"name": "listProducts"}
CANCEL = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}}
VERSION = {"MCP-Protocol-Version": LEGACY}


class Shop:
    """A page whose API answers when it may."""

    def __init__(self) -> None:
        self.may_answer = asyncio.Event()

    async def answer(self, _call: dict[str, Any]) -> dict[str, Any]:
        await self.may_answer.wait()
        return json_answer({"done": True})


async def call_and_hang_up(
    bridge: Bridge, http: aiohttp.ClientSession, page: FakePage, **meta: Any
) -> Callable[[], bool]:
    """Send a call, and break its connection once the page has it; returns whether its answer has come."""
    message = legacy_request("tools/call", CALL, request_id=7, **meta)
    calling = asyncio.create_task(post_message(bridge, http, *message))
    await eventually(lambda: page.calls)
    calling.cancel()
    await asyncio.wait({calling})
    return lambda: page.receipts == [page.calls[0]["id"]]


def coroutines_with(*names: str) -> list[str]:
    """What the tasks that run now do, where it has one of the names."""
    running = [repr(task.get_coro()) for task in asyncio.all_tasks()]
    return [each for each in running if any(name in each for name in names)]


@pytest.mark.parametrize("accepted", ["application/json, text/event-stream", "application/json"])
@pytest.mark.timings(told_after_s=0.05, keep_alive_s=0.05, silence_s=0.05, space_s=0.05)
async def test_a_call_runs_on_although_nobody_reads_what_its_line_is_kept_open_by(
    bridge: Bridge,
    http: aiohttp.ClientSession,
    caplog: pytest.LogCaptureFixture,
    accepted: str,
) -> None:
    """What writes to nobody ends; it is no failure of the bridge, and ends no call."""
    shop = Shop()
    async with page_of(bridge, bridge.local_user.id, shop.answer) as page:
        body, headers = legacy_request("tools/call", CALL, progressToken="p")
        headers |= {"Authorization": f"Bearer {bridge.key}", "Accept": accepted}
        response = await http.post(f"{bridge.base_url}/mcp", json=body, headers=headers)
        await response.content.readany()
        response.close()
        await eventually(lambda: not coroutines_with("_stream_answer", "_write_spaces"))
        assert page.cancelled == []
        shop.may_answer.set()
        await eventually(lambda: page.receipts == [page.calls[0]["id"]])
    assert [record.getMessage() for record in caplog.records if record.levelname == "ERROR"] == []


async def test_a_connection_that_breaks_is_no_failure_of_the_bridge(
    bridge: Bridge, http: aiohttp.ClientSession, caplog: pytest.LogCaptureFixture
) -> None:
    """It happens every day, and the answer that nobody can take is no exception to log."""
    shop = Shop()
    async with page_of(bridge, bridge.local_user.id, shop.answer) as page:
        has_answer = await call_and_hang_up(bridge, http, page)
        shop.may_answer.set()
        await eventually(has_answer)
        _, pong = await post_message(bridge, http, *legacy_request("ping"))
    assert pong["result"] == {}
    assert [record.getMessage() for record in caplog.records if record.levelname == "ERROR"] == []


async def test_a_client_that_has_come_back_cancels_the_call_of_its_broken_connection(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """Its notification names the call by its id, on whatever connection."""
    async with page_of(bridge, bridge.local_user.id, Shop().answer) as page:
        await call_and_hang_up(bridge, http, page)
        assert page.cancelled == []
        assert (await post_message(bridge, http, CANCEL, VERSION))[0] == 202
        await eventually(lambda: [each["call_id"] for each in page.cancelled] == [page.calls[0]["id"]])


async def test_a_cancelled_call_leaves_its_connection_to_the_next_request(bridge: Bridge) -> None:
    """The call was done by what serves the connection, and is all that was cancelled."""
    call = legacy_request("tools/call", CALL, request_id=7)
    async with (
        page_of(bridge, bridge.local_user.id, Shop().answer) as page,
        aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=1)) as one_connection,
        aiohttp.ClientSession() as other,
    ):
        calling = asyncio.create_task(post_message(bridge, one_connection, *call))
        await eventually(lambda: page.calls)
        await post_message(bridge, other, CANCEL, VERSION)
        assert (await calling)[1]["error"]["message"] == "Its client cancelled the call."
        _, pong = await post_message(bridge, one_connection, *legacy_request("ping"))
    assert pong["result"] == {}


async def test_a_bridge_that_stops_ends_a_call_without_a_client(
    tmp_path: Path, http: aiohttp.ClientSession
) -> None:
    """What served its connection is known to aiohttp no more, and is owned by the bridge."""
    async with running_bridge(tmp_path) as bridge:
        await bridge.components.registry.share_document("shop.json", document_text(), source_url=None)
        async with page_of(bridge, bridge.local_user.id, Shop().answer) as page:
            await call_and_hang_up(bridge, http, page)
            assert page.cancelled == []
            await bridge.components.ground.tasks.close()
            await eventually(lambda: [each["call_id"] for each in page.cancelled] == [page.calls[0]["id"]])
