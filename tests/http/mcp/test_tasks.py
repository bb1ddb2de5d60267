"""The tasks extension over real HTTP: handles, polling, cancelling, and what survives a restart."""

import asyncio
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from bridge.app.server import Bridge
from bridge.storage.users import UserTables
from bridge.timings import Timings
from tests.support.documents.compiled import document_text
from tests.support.mcp_messages import modern_request, post_message, read_events
from tests.support.running_bridge import json_answer, page_of, running_bridge
from tests.support.stores.databases import Where
from tests.support.waiting import eventually

pytestmark = [pytest.mark.asyncio, pytest.mark.both_databases, pytest.mark.timings(task_after_s=0.2)]

EXTENSION = "io.modelcontextprotocol/tasks"
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
DECLARED: dict[str, Any] = {CAPABILITIES: {"extensions": {EXTENSION: {}}}}


class SlowPage:
    """A page that answers when it may."""

    def __init__(self) -> None:
        self.may_answer = asyncio.Event()

    async def answer(self, _call: dict[str, Any]) -> dict[str, Any]:
        await self.may_answer.wait()
        return json_answer({"done": True})


def call_request() -> tuple[dict[str, Any], dict[str, str]]:
    """A call of a client that knows tasks."""
    return modern_request("tools/call", {"name": "listProducts"}, **DECLARED)


async def ask(bridge: Bridge, http: aiohttp.ClientSession, method: str, task_id: str, **options: Any) -> Any:
    """The answer to a request about a task."""
    meta = options.pop("meta", DECLARED)
    message = modern_request(method, {"taskId": task_id}, **meta)
    return await post_message(bridge, http, *message, **options)


async def test_a_call_that_takes_long_is_answered_by_a_handle(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """The handle is the call's id; polling gives the same result that the call would have given."""
    slow = SlowPage()
    async with page_of(bridge, bridge.local_user.id, slow.answer) as page:
        _, answer = await post_message(bridge, http, *call_request())
        handle = answer["result"]
        assert (handle["resultType"], handle["status"]) == ("task", "working")
        assert handle["taskId"] == page.calls[0]["id"]
        _, working = await ask(bridge, http, "tasks/get", handle["taskId"])
        assert (working["result"]["resultType"], working["result"]["status"]) == ("complete", "working")
        assert "bridge page" in working["result"]["statusMessage"]
        slow.may_answer.set()

        async def has_ended() -> bool:
            return (await ask(bridge, http, "tasks/get", handle["taskId"]))[1]["result"][
                "status"
            ] != "working"

        await eventually(has_ended)
        _, ended = await ask(bridge, http, "tasks/get", handle["taskId"])
    assert ended["result"]["status"] == "completed"
    assert ended["result"]["result"]["structuredContent"] == {"done": True}


@pytest.mark.timings(told_after_s=0.05)
async def test_a_client_with_a_token_is_told_of_its_call_until_it_has_the_handle(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """On one stream, whose last message is the handle; from then on it polls."""
    async with page_of(bridge, bridge.local_user.id, SlowPage().answer) as page:
        body, headers = modern_request("tools/call", {"name": "listProducts"}, progressToken="p", **DECLARED)
        headers["Authorization"] = f"Bearer {bridge.key}"
        async with http.post(f"{bridge.base_url}/mcp", json=body, headers=headers) as response:
            *told, handle = read_events(await response.read())
        assert {each["method"] for each in told} == {"notifications/progress"}
        assert (handle["result"]["resultType"], handle["result"]["taskId"]) == ("task", page.calls[0]["id"])
        assert page.cancelled == []


async def test_a_call_that_ends_soon_is_answered_at_once(bridge: Bridge, http: aiohttp.ClientSession) -> None:
    """A client that knows tasks has to poll only where that saves it a long wait."""
    slow = SlowPage()
    slow.may_answer.set()
    async with page_of(bridge, bridge.local_user.id, slow.answer):
        _, answer = await post_message(bridge, http, *call_request())
    assert answer["result"]["resultType"] == "complete"
    _, unknown = await post_message(
        bridge, http, *modern_request("tools/call", {"name": "noSuchTool"}, **DECLARED)
    )
    assert unknown["error"]["code"] == -32602


async def test_a_task_is_cancelled_by_its_client_alone(bridge: Bridge, http: aiohttp.ClientSession) -> None:
    """The page is told to abort; the task says that it was cancelled."""
    slow = SlowPage()
    async with page_of(bridge, bridge.local_user.id, slow.answer) as page:
        _, answer = await post_message(bridge, http, *call_request())
        task_id = answer["result"]["taskId"]
        _, acknowledged = await ask(bridge, http, "tasks/cancel", task_id)
        assert acknowledged["result"] == {"resultType": "complete"}
        await eventually(lambda: [each["call_id"] for each in page.cancelled] == [task_id])

        async def is_cancelled() -> bool:
            return (await ask(bridge, http, "tasks/get", task_id))[1]["result"]["status"] == "cancelled"

        await eventually(is_cancelled)


async def test_another_keys_task_is_not_found(bridge: Bridge, http: aiohttp.ClientSession) -> None:
    """-32602 for every method, for another key of the same user and for another user's key."""
    slow, store = SlowPage(), bridge.components.store
    _, second_key = await UserTables(store).add_key(bridge.local_user.id, "printed at start")
    other = await UserTables(store).ensure_user("other")
    _, others_key = await UserTables(store).add_key(other.id, "other")
    async with page_of(bridge, bridge.local_user.id, slow.answer) as page:
        _, answer = await post_message(bridge, http, *call_request())
        task_id = answer["result"]["taskId"]
        for key in (second_key, others_key):
            for method in ("tasks/get", "tasks/update", "tasks/cancel"):
                status, refused = await ask(bridge, http, method, task_id, key=key)
                assert (status, refused["error"]["code"]) == (400, -32602)
        assert page.cancelled == []
        _, own = await ask(bridge, http, "tasks/update", task_id)
        assert own["result"] == {"resultType": "complete"}
        slow.may_answer.set()


async def test_a_client_that_does_not_declare_tasks_gets_none(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """-32021 with what it would have to declare, and no handle."""
    status, answer = await ask(bridge, http, "tasks/get", "call_0", meta={})
    assert (status, answer["error"]["code"]) == (400, -32021)
    assert EXTENSION in answer["error"]["data"]["requiredCapabilities"]["extensions"]


@pytest.mark.timings(task_after_s=60.0)
async def test_a_client_that_leaves_before_it_has_the_handle_cancels_the_call(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """Nobody could ever ask for that task."""
    async with page_of(bridge, bridge.local_user.id, SlowPage().answer) as page:
        calling = asyncio.create_task(post_message(bridge, http, *call_request()))
        await eventually(lambda: page.calls)
        calling.cancel()
        await eventually(lambda: len(page.cancelled) == 1)


async def test_a_result_is_there_after_a_restart_and_so_is_what_is_known_of_a_lost_one(
    tmp_path: Path, database: Where, timings: Timings, http: aiohttp.ClientSession
) -> None:
    """Durable: the first task ended before the stop, the second was cut off by it."""
    slow = SlowPage()
    async with running_bridge(tmp_path, database=database, timings=timings) as bridge:
        await bridge.components.registry.share_document("shop.json", document_text(), source_url=None)
        async with page_of(bridge, bridge.local_user.id, slow.answer):
            _, first = await post_message(bridge, http, *call_request())
            slow.may_answer.set()

            async def is_completed() -> bool:
                _, told = await ask(bridge, http, "tasks/get", first["result"]["taskId"])
                return told["result"]["status"] == "completed"

            await eventually(is_completed)
            slow.may_answer.clear()
            _, second = await post_message(bridge, http, *call_request())
    async with running_bridge(tmp_path, database=database, timings=timings) as bridge:
        _, told = await ask(bridge, http, "tasks/get", first["result"]["taskId"])
        assert told["result"]["result"]["structuredContent"] == {"done": True}
        _, lost = await ask(bridge, http, "tasks/get", second["result"]["taskId"])
        assert lost["result"]["status"] == "completed"
        assert lost["result"]["result"]["isError"] is True
