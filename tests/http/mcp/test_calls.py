"""Tool calls of MCP clients: results, content, progress, and what ends a call in each era."""

import asyncio
import json
from typing import Any

import aiohttp
import orjson
import pytest

from bridge.app.server import Bridge
from tests.support.mcp_messages import REQUESTS, legacy_request, modern_request, post_message, read_events
from tests.support.running_bridge import json_answer, page_of
from tests.support.waiting import eventually

pytestmark = pytest.mark.asyncio

ERAS = pytest.mark.parametrize("era", ["modern", "legacy"])


def always(outcome: dict[str, Any] | None) -> Any:
    async def answer(_call: dict[str, Any]) -> dict[str, Any] | None:
        return outcome

    return answer


@ERAS
async def test_a_call_is_performed_by_the_page_and_its_answer_returned(
    bridge: Bridge, http: aiohttp.ClientSession, era: str
) -> None:
    """The text equals the JSON answer, and so does `structuredContent`; no digit of an argument is lost."""
    async with page_of(bridge, bridge.local_user.id, always(json_answer({"products": []}))) as page:
        body, headers = REQUESTS[era]("tools/call", {"name": "listProducts"})
        body["params"]["arguments"] = {"limit": 1}
        text = json.dumps(body).replace('"limit": 1}', '"limit": 12345678901234567890}')
        status, answer = await post_message(bridge, http, text.encode(), headers)
        assert (status, page.calls[0]["params"]) == (200, '{"limit": 12345678901234567890}')
    result = answer["result"]
    assert result["content"] == [{"type": "text", "text": '{"products": []}'}]
    assert result["structuredContent"] == {"products": []}
    assert result["_meta"]["tool-bridge/call-id"] == page.calls[0]["id"]
    assert ("resultType" in result) == (era == "modern")


async def test_an_answer_whose_integers_a_client_would_round_has_no_second_form(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """A client that reads `structuredContent` alone, in JavaScript, would hand its model another number."""
    async with page_of(bridge, bridge.local_user.id, always(json_answer({"id": 12345678901234567890}))):
        _, answer = await post_message(bridge, http, *modern_request("tools/call", {"name": "listProducts"}))
    assert answer["result"]["content"][0]["text"] == '{"id": 12345678901234567890}'
    assert "structuredContent" not in answer["result"]


@ERAS
async def test_what_goes_wrong_with_a_call_is_told_to_the_model(
    bridge: Bridge, http: aiohttp.ClientSession, era: str
) -> None:
    """Errors that a model can act on are results with `isError`, not errors of the protocol."""
    seen: dict[str, str] = {}
    message = REQUESTS[era]("tools/call", {"name": "listProducts"})
    async with page_of(bridge, bridge.local_user.id, always(json_answer({"why": "x"}, 404))):
        _, answer = await post_message(bridge, http, *message)
        seen["api"] = answer["result"]["content"][0]["text"]
    _, answer = await post_message(bridge, http, *message)
    seen["no page"] = answer["result"]["content"][0]["text"]
    assert answer["result"]["isError"] is True
    errors = {name: orjson.loads(text)["error"] for name, text in seen.items()}
    assert errors["no page"]["code"] == "no_browser"
    assert "#ticket=" in errors["no page"]["detail"]["pairing_url"]
    assert (errors["api"]["code"], errors["api"]["detail"]["status"]) == ("http_status", 404)


async def test_closing_the_stream_cancels_a_modern_call(bridge: Bridge, http: aiohttp.ClientSession) -> None:
    """Ruling 38: the page is told to abort."""
    async with page_of(bridge, bridge.local_user.id, always(None)) as page:
        message = modern_request("tools/call", {"name": "listProducts"})
        calling = asyncio.create_task(post_message(bridge, http, *message))
        await eventually(lambda: page.calls)
        calling.cancel()
        await eventually(lambda: [each["call_id"] for each in page.cancelled] == [page.calls[0]["id"]])


async def test_a_broken_connection_does_not_cancel_a_legacy_call(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """Ruling 38: it runs to its end, and stays readable under `/api/calls`."""
    may_answer = asyncio.Event()

    async def answer_late(_call: dict[str, Any]) -> dict[str, Any]:
        await may_answer.wait()
        return json_answer({"done": True})

    async with page_of(bridge, bridge.local_user.id, answer_late) as page:
        message = legacy_request("tools/call", {"name": "listProducts"})
        calling = asyncio.create_task(post_message(bridge, http, *message))
        await eventually(lambda: page.calls)
        calling.cancel()
        with pytest.raises(asyncio.CancelledError):
            await calling
        may_answer.set()
        await eventually(lambda: page.receipts == [page.calls[0]["id"]])
        assert page.cancelled == []
        headers = {"Authorization": f"Bearer {bridge.key}"}
        url = f"{bridge.base_url}/api/calls/{page.calls[0]['id']}"
        async with http.get(url, headers=headers) as response:
            assert (response.status, (await response.json())["state"]) == (200, "succeeded")


async def test_a_legacy_client_cancels_by_a_notification(bridge: Bridge, http: aiohttp.ClientSession) -> None:
    """Only where one open request of the key has that id: two clients of one key may both begin at 1."""
    async with page_of(bridge, bridge.local_user.id, always(None)) as page:
        call = legacy_request("tools/call", {"name": "listProducts"}, request_id=7)
        cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}}
        async with asyncio.TaskGroup() as group:
            first = group.create_task(post_message(bridge, http, *call))
            second = group.create_task(post_message(bridge, http, *call))
            await eventually(lambda: len(page.calls) == 2)
            assert (await post_message(bridge, http, cancel, call[1]))[0] == 202
            assert page.cancelled == []
            first.cancel()
            second.cancel()
        alone = legacy_request("tools/call", {"name": "listProducts"}, request_id=8)
        async with asyncio.TaskGroup() as group:
            answered = group.create_task(post_message(bridge, http, *alone))
            await eventually(lambda: len(page.calls) == 3)
            cancel["params"] = {"requestId": 8}
            await post_message(bridge, http, cancel, alone[1])
        assert answered.result()[1]["error"]["code"] == -32000
        await eventually(lambda: [each["call_id"] for each in page.cancelled] == [page.calls[2]["id"]])


@pytest.mark.parametrize("whose", ["eve", "local"])
async def test_a_client_cancels_no_call_of_another_key(
    bridge: Bridge, http: aiohttp.ClientSession, whose: str
) -> None:
    """Keys may have the same label, whoever has them, and the ids of their requests begin alike."""
    user = await bridge.components.users.ensure_user(whose)
    _, key = await bridge.components.users.add_key(user.id, "printed at start")
    async with page_of(bridge, bridge.local_user.id, always(None)) as page:
        call = legacy_request("tools/call", {"name": "listProducts"}, request_id=7)
        cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}}
        async with asyncio.TaskGroup() as group:
            answered = group.create_task(post_message(bridge, http, *call))
            await eventually(lambda: len(page.calls) == 1)
            assert (await post_message(bridge, http, cancel, call[1], key=key))[0] == 202
            assert (await post_message(bridge, http, *legacy_request("ping"), key=key))[0] == 200
            assert (page.cancelled, answered.done()) == ([], False)
            await post_message(bridge, http, cancel, call[1])


@ERAS
async def test_a_client_with_a_token_reads_what_its_call_waits_for(
    bridge: Bridge, http: aiohttp.ClientSession, era: str
) -> None:
    """The stream is opened lazily; numbers only grow, and the last message is the answer."""
    may_answer = asyncio.Event()

    async def answer_late(_call: dict[str, Any]) -> dict[str, Any]:
        await may_answer.wait()
        return json_answer({"done": True})

    async with page_of(bridge, bridge.local_user.id, answer_late):
        body, headers = REQUESTS[era]("tools/call", {"name": "listProducts"}, progressToken="p")
        headers = {"Authorization": f"Bearer {bridge.key}", **headers}
        async with http.post(f"{bridge.base_url}/mcp", json=body, headers=headers) as response:
            assert response.content_type == "text/event-stream"
            assert response.headers["X-Accel-Buffering"] == "no"
            may_answer.set()
            messages = read_events(await response.read())
    assert messages[0]["method"] == "notifications/progress"
    assert messages[0]["params"]["progressToken"] == "p"
    assert "bridge page" in messages[0]["params"]["message"]
    assert messages[-1]["result"]["structuredContent"] == {"done": True}


TELLING = {"link": '<https://api.example/?page=2>; rel="next"', "x-total-count": "57", "date": "today"}
TOLD = {name: TELLING[name] for name in ("link", "x-total-count")}


@ERAS
@pytest.mark.parametrize(
    ("value", "shown"), [({"a": 1}, {"a": 1}), ([1, 2], {"result": [1, 2], "headers": TOLD})]
)
async def test_what_the_headers_of_an_answer_tell_is_in_its_meta(
    bridge: Bridge, http: aiohttp.ClientSession, era: str, value: object, shown: object
) -> None:
    """Finding O-8, W-27: an object stays as it is; a list has them beside it, too, where its model reads."""
    outcome = {**json_answer(value), "headers": TELLING}
    async with page_of(bridge, bridge.local_user.id, always(outcome)):
        _, answer = await post_message(bridge, http, *REQUESTS[era]("tools/call", {"name": "listProducts"}))
    result = answer["result"]
    assert result["_meta"]["tool-bridge/answer-headers"] == TOLD
    assert result["structuredContent"] == json.loads(result["content"][0]["text"]) == shown


async def test_an_answer_whose_headers_tell_nothing_has_no_place_for_them(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """Finding W-27: only where there is one."""
    async with page_of(bridge, bridge.local_user.id, always(json_answer([1]))):
        _, answer = await post_message(bridge, http, *modern_request("tools/call", {"name": "listProducts"}))
    assert set(answer["result"]["_meta"]) == {"tool-bridge/call-id"}


@ERAS
@pytest.mark.parametrize("arguments", [{"limit": "3"}, '{"limit":3}'])
async def test_arguments_that_were_encoded_once_too_often_are_read_and_told(
    bridge: Bridge, http: aiohttp.ClientSession, era: str, arguments: object
) -> None:
    """Finding W-8: clients of MCP do this, and no model can mend it."""
    async with page_of(bridge, bridge.local_user.id, always(json_answer({}))) as page:
        message = REQUESTS[era]("tools/call", {"name": "listProducts", "arguments": arguments})
        _, answer = await post_message(bridge, http, *message)
        assert [call["params"] for call in page.calls] == ['{"limit":3}']
    told = answer["result"]["_meta"].get("tool-bridge/decoded-arguments")
    assert told == (["limit"] if isinstance(arguments, dict) else None)


async def test_arguments_that_are_no_object_however_they_are_read_are_an_error(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """Finding W-8: as before."""
    for arguments in ("[1]", "x", [1]):
        message = modern_request("tools/call", {"name": "listProducts", "arguments": arguments})
        _, answer = await post_message(bridge, http, *message)
        assert answer["error"]["message"] == "params.arguments must be an object."
