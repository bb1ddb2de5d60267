"""Calls that a client sends again, over real HTTP: never twice, never swallowed (ruling 39)."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from bridge.app.server import Bridge
from tests.support.documents.compiled import document_text
from tests.support.mcp_messages import REQUESTS, modern_request, next_message, post_message, read_events
from tests.support.running_bridge import FakePage, json_answer, page_of, running_bridge
from tests.support.waiting import eventually

pytestmark = pytest.mark.asyncio

ERAS = pytest.mark.parametrize("era", ["modern", "legacy"])
ADD = {"name": "addProduct", "arguments": {"name": "tea"}}
JOINED = "tool-bridge/joined"
KNOWS_TASKS: dict[str, Any] = {
    "io.modelcontextprotocol/clientCapabilities": {"extensions": {"io.modelcontextprotocol/tasks": {}}}
}


class Shop:
    """A page whose API answers when it may, each time with another number."""

    def __init__(self) -> None:
        self.sent = 0
        self.may_answer = asyncio.Event()

    async def answer(self, _call: dict[str, Any]) -> dict[str, Any]:
        self.sent += 1
        number = self.sent
        await self.may_answer.wait()
        return json_answer({"number": number})


@asynccontextmanager
async def shop(bridge: Bridge) -> AsyncGenerator[tuple[Shop, FakePage]]:
    """A shop that is open."""
    opened = Shop()
    async with page_of(bridge, bridge.local_user.id, opened.answer) as page:
        yield opened, page


async def hang_up(bridge: Bridge, http: aiohttp.ClientSession, opened: Shop, era: str) -> None:
    """Send a call, and break the connection once the API has the request."""
    sent_before = opened.sent
    call = asyncio.create_task(post_message(bridge, http, *REQUESTS[era]("tools/call", ADD)))
    await eventually(lambda: opened.sent > sent_before)
    call.cancel()
    await asyncio.wait({call})


@ERAS
async def test_a_call_sent_again_after_a_broken_connection_takes_the_ending_of_the_first(
    bridge: Bridge, http: aiohttp.ClientSession, era: str
) -> None:
    """One send; the answer says so and names the earlier call. The next equal call is a new one."""
    async with shop(bridge) as (opened, page):
        await hang_up(bridge, http, opened, era)
        opened.may_answer.set()
        _, again = await post_message(bridge, http, *REQUESTS[era]("tools/call", ADD, request_id=2))
        assert opened.sent == 1
        assert again["result"]["_meta"][JOINED] == page.calls[0]["id"]
        assert "Nothing was sent again" in again["result"]["content"][0]["text"]
        assert "structuredContent" not in again["result"]
        if era == "legacy":  # whose call ran on
            assert '{"number": 1}' in again["result"]["content"][1]["text"]
            _, third = await post_message(bridge, http, *REQUESTS[era]("tools/call", ADD, request_id=3))
            assert third["result"]["structuredContent"] == {"number": 2}
        else:  # whose call was cancelled while the API had it
            assert "outcome_unknown" in again["result"]["content"][1]["text"]


async def test_two_equal_calls_that_were_heard_are_two(bridge: Bridge, http: aiohttp.ClientSession) -> None:
    """Neither is swallowed, one after the other or both at once."""
    async with shop(bridge) as (opened, _page):
        opened.may_answer.set()
        numbers = [
            (await post_message(bridge, http, *modern_request("tools/call", ADD)))[1]["result"][
                "structuredContent"
            ]["number"]
            for _ in range(2)
        ]
        assert numbers == [1, 2]
        async with asyncio.TaskGroup() as group:
            both = [
                group.create_task(post_message(bridge, http, *modern_request("tools/call", ADD)))
                for _ in range(2)
            ]
        assert {each.result()[1]["result"]["structuredContent"]["number"] for each in both} == {3, 4}


@pytest.mark.parametrize("meta", [{}, KNOWS_TASKS], ids=["no tasks", "tasks"])
@pytest.mark.timings(told_after_s=0.1, task_after_s=0.1)
async def test_a_client_hears_while_its_call_waits_for_an_equal_one(
    bridge: Bridge, http: aiohttp.ClientSession, meta: dict[str, Any]
) -> None:
    """With progress: some clients give up what is silent. Without an id yet, it cannot be a task either."""
    async with shop(bridge) as (opened, _page), asyncio.TaskGroup() as group:
        group.create_task(post_message(bridge, http, *modern_request("tools/call", ADD)))
        await eventually(lambda: opened.sent == 1)
        body, headers = modern_request("tools/call", ADD, request_id=2, progressToken="p", **meta)
        headers["Authorization"] = f"Bearer {bridge.key}"
        async with (
            asyncio.timeout(20),
            http.post(f"{bridge.base_url}/mcp", json=body, headers=headers) as twin,
        ):
            told = await next_message(twin)
            assert (told["method"], told["params"]["progressToken"]) == ("notifications/progress", "p")
            assert opened.sent == 1
            opened.may_answer.set()
            last = read_events(await twin.read())[-1]
        assert last["id"] == 2
        is_task = last["result"]["resultType"] == "task"  # it has an id of its own by now, and is late
        assert (meta and is_task) or last["result"]["structuredContent"] == {"number": 2}
        await eventually(lambda: opened.sent == 2)


async def test_an_idempotency_key_alone_decides(bridge: Bridge, http: aiohttp.ClientSession) -> None:
    """The same key is the same call, though it was heard; other arguments under it are -32602."""
    named = {"tool-bridge/idempotency-key": "order 7"}
    async with shop(bridge) as (opened, _page):
        opened.may_answer.set()
        for _ in range(2):
            _, answer = await post_message(bridge, http, *modern_request("tools/call", ADD, **named))
            assert '{"number": 1}' in answer["result"]["content"][-1]["text"]
        other = {"name": "addProduct", "arguments": {"name": "coffee"}}
        status, refused = await post_message(bridge, http, *modern_request("tools/call", other, **named))
        assert (status, refused["error"]["code"]) == (400, -32602)
        named["tool-bridge/idempotency-key"] = ""
        status, refused = await post_message(bridge, http, *modern_request("tools/call", ADD, **named))
        assert (status, refused["error"]["code"]) == (400, -32602)
        assert opened.sent == 1


@pytest.mark.parametrize("whose", ["eve", "local"])
async def test_an_idempotency_key_is_of_its_user_and_key_alone(
    bridge: Bridge, http: aiohttp.ClientSession, whose: str
) -> None:
    """Whoever guesses it would be given another's answer, or have another's call taken for made."""
    users = bridge.components.users
    user = await users.ensure_user(whose)
    _, other_key = await users.add_key(user.id, "printed at start")
    message = modern_request("tools/call", ADD, **{"tool-bridge/idempotency-key": "order 9"})
    async with shop(bridge) as (opened, _page), AsyncExitStack() as stack:
        others = opened
        if user.id != bridge.local_user.id:
            others = Shop()
            await stack.enter_async_context(page_of(bridge, user.id, others.answer))
            others.may_answer.set()
        opened.may_answer.set()
        for key in (None, other_key):
            _, answer = await post_message(bridge, http, *message, key=key)
            assert JOINED not in answer["result"]["_meta"]
        assert opened.sent + others.sent == (2 if others is not opened else 4)


@pytest.mark.timings(task_after_s=0.1)
async def test_a_task_whose_handle_was_given_is_heard(bridge: Bridge, http: aiohttp.ClientSession) -> None:
    """Its client has the handle; an equal call waits for it and is then made."""
    async with shop(bridge) as (opened, _page):
        _, handle = await post_message(bridge, http, *modern_request("tools/call", ADD, **KNOWS_TASKS))
        assert handle["result"]["resultType"] == "task"
        second = asyncio.create_task(post_message(bridge, http, *modern_request("tools/call", ADD)))
        opened.may_answer.set()
        _, answer = await second
    assert answer["result"]["structuredContent"] == {"number": 2}


async def test_a_call_sent_again_after_a_restart_is_told_what_the_journal_knows(
    tmp_path: Path, http: aiohttp.ClientSession
) -> None:
    """By its idempotency key, heard or not; without one if it was not heard. A lost text is told so."""
    named = {"tool-bridge/idempotency-key": "order 8"}
    by_name = {"name": "addProduct", "arguments": {"name": "milk"}}
    async with running_bridge(tmp_path) as bridge:
        await bridge.components.registry.share_document("shop.json", document_text(), source_url=None)
        async with shop(bridge) as (opened, page):
            await hang_up(bridge, http, opened, "modern")
            opened.may_answer.set()
            await post_message(bridge, http, *modern_request("tools/call", by_name, **named))
            first, second = [call["id"] for call in page.calls]
    async with running_bridge(tmp_path) as bridge:
        await bridge.components.registry.share_document("shop.json", document_text(), source_url=None)
        async with shop(bridge) as (opened, _page):
            message = modern_request("tools/call", by_name, **named)
            _, known = await post_message(bridge, http, *message)
            _, unheard = await post_message(bridge, http, *modern_request("tools/call", ADD))
            assert opened.sent == 0
    assert [each["result"]["_meta"][JOINED] for each in (known, unheard)] == [second, first]
    assert "lost" in known["result"]["content"][1]["text"]
    assert "outcome_unknown" in unheard["result"]["content"][1]["text"]
