"""Runs of conversations: rounds, parallel calls, failures, deadlines, approvals, calls made again, limits."""

import asyncio
import json
from collections.abc import AsyncGenerator
from functools import partial
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import pytest_asyncio
from aiohttp import web

from bridge.app.server import Bridge
from bridge.http.streaming import event_stream
from bridge.models.conversation_runs.event_feed import EventFeed
from bridge.timings import USUAL_TIMINGS
from tests.support.conversation_client import ConversationClient, listen_to_events, open_conversation
from tests.support.models.model_answers import calls, text
from tests.support.models.model_bridge import products, shop_bridge
from tests.support.models.scripted_provider import (
    ScriptedProvider,
    fails,
    script,
)
from tests.support.running_bridge import json_answer, page_of
from tests.support.waiting import eventually
from tests.support.web_servers import serving

pytestmark = pytest.mark.asyncio

LIST = calls(("listProducts", {"limit": 2}))


@pytest_asyncio.fixture
async def bridge(tmp_path: Path, provider: ScriptedProvider) -> AsyncGenerator[Bridge]:
    async with shop_bridge(tmp_path, provider) as running:
        yield running


@pytest_asyncio.fixture
async def client(bridge: Bridge) -> AsyncGenerator[ConversationClient]:
    async with page_of(bridge, bridge.local_user.id, products), open_conversation(bridge) as made:
        yield made


def kinds_of(provider: ScriptedProvider, request: int = -1) -> list[str]:
    """Types of the items that the model was sent."""
    return [item.get("type", "message") for item in provider.requests[request].body["input"]]


async def test_five_calls_of_a_round_run_at_once_and_stand_in_their_order(
    bridge: Bridge, provider: ScriptedProvider
) -> None:
    """S3-F3, S3-17: none waits for another; the outputs come in the order of the calls."""
    together = asyncio.Barrier(5)

    async def answer(call: dict[str, Any]) -> dict[str, Any]:
        await together.wait()
        return json_answer({"called": call["id"]})

    five = calls(*[("listProducts", {"limit": number}) for number in range(1, 6)])
    provider.play(five, text("Five."))
    async with page_of(bridge, bridge.local_user.id, answer), open_conversation(bridge) as client:
        async with asyncio.timeout(30):
            await client.say("All five")
        _, called, *outputs, _ = await client.messages()
    ids = [each["id"] for each in called["tool_calls"]]
    assert len(ids) == 5
    assert [each["tool_call_id"] for each in outputs] == ids


async def test_broken_arguments_are_an_error_for_the_model_and_no_end(
    client: ConversationClient, provider: ScriptedProvider
) -> None:
    """S3-09, W-32: the conversation goes on, and is not broken for ever."""
    provider.play(calls(("listProducts", '{"limit": ')), text("Sorry."), text("Fine."))
    assert (await client.say("Look"))["assistant_message"]["content"] == "Sorry."
    output = (await client.messages())[2]
    assert output["failed"] is True
    assert "error" in json.loads(output["content"])
    assert (await client.say("Again"))["assistant_message"]["content"] == "Fine."


@pytest.mark.parametrize(
    ("name", "answer", "content"),
    [
        ("listProducts", json_answer(3), "3"),
        ("listProducts", json_answer([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]), "ab"),
        ("listProducts", json_answer({"a": 1}), '{"a": 1}'),
        ("listProducts", json_answer("No.", 500), None),
        ("nothing", None, None),
    ],
)
async def test_outputs_are_text_and_failures_say_so(
    bridge: Bridge, provider: ScriptedProvider, name: str, answer: Any, content: str | None
) -> None:
    """S3-09: numbers and text parts as text, objects as JSON; a failure is `{"error": …}`."""

    async def answers(_call: dict[str, Any]) -> Any:
        return answer

    provider.play(calls((name, {})), text("Well."))
    async with (
        page_of(bridge, bridge.local_user.id, answers),
        open_conversation(bridge) as client,
        listen_to_events(client) as heard,
    ):
        await client.say("Look")
        output = (await client.messages())[2]
        await eventually(lambda: heard.has("run_ended"))
    if content is None:
        assert "error" in json.loads(output["content"])
        assert heard.of("tool_error")[0]["error"] == output["content"]
    else:
        assert output["content"] == content
        assert heard.of("tool_response")[0]["result"] == content


async def test_a_tool_that_never_answers_is_ended_by_its_own_deadline(
    bridge: Bridge, provider: ScriptedProvider
) -> None:
    """S3-14, S3-F5: the time of the tool beats the bridge's, and the run goes on."""

    async def never(_call: dict[str, Any]) -> None:
        return None

    provider.play(LIST, text("It hangs."))
    async with page_of(bridge, bridge.local_user.id, never) as page, open_conversation(bridge) as client:
        server = (await page.get("/api/servers"))["servers"][0]["id"]
        tool = next(
            each
            for each in (await page.get(f"/api/servers/{server}"))["tools"]
            if each["name"] == "listProducts"
        )
        chosen = {"server_id": server, "operation": tool["key"], "deadline_s": 1}
        status, told = await page.request("PUT", "/api/call-settings", chosen)
        assert status == 200, told
        async with asyncio.timeout(30):
            answer = await client.say("Look")
        output = (await client.messages())[2]
    assert answer["assistant_message"]["content"] == "It hangs."
    assert json.loads(output["content"])["error"]["code"] == "timeout"
    assert 900 < output["duration_ms"] < 30_000


async def test_a_call_is_made_again_in_a_branch_of_its_own(
    bridge: Bridge, provider: ScriptedProvider
) -> None:
    """S3-F6: only when its user wants it; the other outputs of its round are taken along."""
    statuses = iter([500, 200])

    async def answer(call: dict[str, Any]) -> dict[str, Any]:
        if call["name"].startswith("POST"):
            return json_answer({"added": True}, 201)
        return json_answer({"products": ["tea"]}, next(statuses))

    both = calls(("listProducts", {}), ("addProduct", {"name": "tea"}))
    provider.play(both, text("One failed."), text("Both worked."))
    async with page_of(bridge, bridge.local_user.id, answer) as page, open_conversation(bridge) as client:
        await client.say("Do both")
        before = await client.messages()
        failed = next(each for each in before if each.get("failed"))
        async with listen_to_events(client) as heard:
            path = f"/calls/{failed['tool_call_id']}/retry"
            retried = await client.of("POST", path, {})
            await eventually(lambda: heard.has("run_ended"))
        after = await client.messages()
        assert len(page.calls) == 3
        await client.of("POST", "/calls/call_that_is_not_there/retry", {}, status=404)
    assert retried["assistant_message"]["content"] == "Both worked."
    assert [each["role"] for each in after] == ["user", "assistant", "tool", "tool", "assistant"]
    assert after[:2] == before[:2]
    first, second = after[2:4]
    assert json.loads(first["content"]) == {"products": ["tea"]}
    assert (first["state"], second["content"]) == ("succeeded", before[3]["content"])
    assert (second["call_id"], first["call_id"] == failed["call_id"]) == (before[3]["call_id"], False)
    assert first["siblings"] == [before[2]["id"], first["id"]]
    assert [each["tool_call_id"] for each in heard.of("tool_call")] == [failed["tool_call_id"]]
    sent = provider.requests[2].body["input"]
    assert [item["type"] for item in sent[1:]] == [
        "function_call",
        "function_call",
        "function_call_output",
        "function_call_output",
    ]
    assert json.loads(sent[3]["output"]) == {"products": ["tea"]}


async def test_a_failed_call_that_may_have_changed_something_is_not_made_again_by_itself(
    bridge: Bridge, provider: ScriptedProvider
) -> None:
    """S3-F6: one call of the model is one request of the page."""

    async def answer(_call: dict[str, Any]) -> dict[str, Any]:
        return json_answer({"no": "room"}, 503)

    provider.play(calls(("addProduct", {"name": "tea"})), text("It failed."))
    async with page_of(bridge, bridge.local_user.id, answer) as page, open_conversation(bridge) as client:
        await client.say("Add tea")
        assert len(page.calls) == 1


async def test_what_the_model_is_shown_of_a_tool_is_what_the_document_says(
    client: ConversationClient, provider: ScriptedProvider
) -> None:
    """S3-16: no arguments are put among its own, as one version of the source did."""
    provider.play(text("Hm."))
    await client.say("Hi")
    [tool] = [each for each in provider.requests[0].body["tools"] if each["name"] == "listProducts"]
    assert list(tool["parameters"]["properties"]) == ["limit"]


async def test_errors_have_one_shape_and_say_what_to_do(
    client: ConversationClient, provider: ScriptedProvider
) -> None:
    """S3-04: unknown conversations, broken bodies, unknown models, and a model that fails."""
    cases: list[tuple[str, str, Any, int, str]] = [
        ("GET", "/conversations/conv-0000000000000000", None, 404, "not_found"),
        ("POST", "/conversations/conv-0000000000000000/chat", {"content": "Hi"}, 404, "not_found"),
        ("POST", f"/conversations/{client.id}/chat", {"content": 5}, 400, "invalid_request"),
        ("POST", f"/conversations/{client.id}/chat", {"words": "Hi"}, 400, "invalid_request"),
        ("POST", f"/conversations/{client.id}/chat", {"content": None}, 400, "invalid_request"),
        (
            "POST",
            f"/conversations/{client.id}/chat",
            {"content": "Hi", "model": "no"},
            400,
            "invalid_request",
        ),
        (
            "POST",
            f"/conversations/{client.id}/chat",
            {"content": "", "parent_id": "x"},
            400,
            "invalid_request",
        ),
        ("POST", "/conversations", {"colour": "red"}, 400, "invalid_request"),
        ("POST", f"/conversations/{client.id}/tools", {"server_id": "x", "tool_name": "y"}, 404, "not_found"),
        ("GET", "/conversations?limit=0", None, 400, "invalid_request"),
        ("GET", "/conversations/search", None, 400, "invalid_request"),
        ("GET", f"/conversations/{client.id}/events?after=x", None, 400, "invalid_request"),
    ]
    for method, path, body, status, code in cases:
        seen, answer = await client.ask(method, path, body)
        assert (seen, answer["error"]["code"]) == (status, code), (path, answer)
    assert await client.messages() == []
    provider.play(fails(500, "It broke."), fails(500, "It broke."), fails(500, "It broke."))
    answer = await client.say("Hi", status=502)
    assert answer["error"]["code"] == "model_failed"
    assert "It broke." in answer["error"]["message"]
    assert answer["error"]["detail"]["error_id"] == answer["error"]["detail"]["run_id"]
    assert [each["role"] for each in await client.messages()] == ["user"]
    assert (await client.facts())["run"]["state"] == "failed"
    provider.play(text("Here."))
    assert (await client.say(None))["assistant_message"]["content"] == "Here."
    assert [each["role"] for each in await client.messages()] == ["user", "assistant"]


async def test_a_stream_that_breaks_off_keeps_what_came(
    client: ConversationClient, provider: ScriptedProvider
) -> None:
    """S3-04: half an answer is kept, and the run has failed."""
    provider.play(script(text("Half ", "an answer.")).dropped(after=5))
    answer = await client.say("Speak", status=502)
    assert answer["error"]["code"] == "model_failed"
    user, half = await client.messages()
    assert (half["content"], half["incomplete"], half["parent_id"]) == ("Half ", True, user["id"])


async def test_two_clients_cannot_answer_at_once(
    client: ConversationClient, provider: ScriptedProvider
) -> None:
    """W-32: one of two that write at once is told to wait; nothing is lost and nothing stands twice."""
    release = asyncio.Event()
    provider.play(script(text("First.")).held(release, after=3), text("Second."))
    first = asyncio.create_task(client.ask("POST", f"/conversations/{client.id}/chat", {"content": "One"}))
    await eventually(lambda: provider.requests)
    path = f"/conversations/{client.id}"
    user = (await client.messages())[0]["id"]
    refused = [
        await client.ask("POST", f"{path}/chat", {"content": "Two"}),
        await client.ask("POST", f"{path}/messages", {"content": "Two"}),
        await client.ask("PATCH", f"{path}/messages/{user}", {"content": "Two"}),
        await client.ask("DELETE", f"{path}/messages/{user}"),
        await client.ask("PATCH", path, {"head_id": user}),
    ]
    assert [(status, body["error"]["code"]) for status, body in refused] == [(409, "conversation_busy")] * 5
    await client.of("PATCH", "", {"title": "Changed meanwhile"})
    release.set()
    assert (await first)[0] == 200
    assert [each["content"] for each in await client.messages()] == ["One", "First."]
    assert (await client.facts())["title"] == "Changed meanwhile"


async def test_of_twenty_who_begin_at_once_one_does(
    client: ConversationClient, provider: ScriptedProvider
) -> None:
    """W-32: however they race, there is one run, and every message stands once."""
    release = asyncio.Event()
    provider.play(script(text("One.")).held(release, after=1))
    async with asyncio.TaskGroup() as group:
        path = f"/conversations/{client.id}/chat"
        asked = [
            group.create_task(client.ask("POST", path, {"content": str(number), "background": True}))
            for number in range(20)
        ]
    statuses = sorted(task.result()[0] for task in asked)
    assert statuses == [202] + [409] * 19
    release.set()
    await eventually(lambda: _has_ended(client))
    assert len(await client.messages()) == 2


async def _has_ended(client: ConversationClient) -> bool:
    return (await client.facts())["run"]["state"] == "completed"


async def test_a_caller_that_hangs_up_stops_its_run(
    client: ConversationClient, provider: ScriptedProvider
) -> None:
    """S3-F2: nobody waits for the answer any more."""
    release = asyncio.Event()
    provider.play(script(text("Never.")).held(release, after=1))
    waiting = asyncio.create_task(client.ask("POST", f"/conversations/{client.id}/chat", {"content": "Hi"}))
    await eventually(lambda: provider.requests)
    waiting.cancel()
    await asyncio.wait_for(provider.requests[0].hung_up.wait(), 20)
    await eventually(lambda: _is_cancelled(client))


async def _is_cancelled(client: ConversationClient) -> bool:
    return (await client.facts())["run"]["state"] == "cancelled"


async def test_a_listener_that_comes_back_misses_nothing(
    client: ConversationClient, provider: ScriptedProvider
) -> None:
    """S3-F1: by the id of its last event; one that comes new hears the run from its beginning."""
    release = asyncio.Event()
    provider.play(script(text("One ", "two ", "three.")).held(release, after=5))
    async with listen_to_events(client) as whole:
        async with listen_to_events(client) as first:
            await client.begin("Count")
            await eventually(lambda: first.has("text_delta"))
        release.set()
        await eventually(lambda: whole.has("run_ended"))
        async with listen_to_events(client, after=first.last_id) as second:
            await eventually(lambda: second.has("run_ended"))
    assert second.events[0]["type"] == "connected"
    assert [*first.events[1:], *second.events[1:]] == whole.events[1:]
    async with listen_to_events(client, after=1) as lost:
        await eventually(lambda: lost.has("reset"))


async def test_who_comes_in_the_middle_hears_the_run_from_its_beginning(
    client: ConversationClient, provider: ScriptedProvider
) -> None:
    """S3-F1: a page that is loaded anew shows the half answer."""
    release = asyncio.Event()
    provider.play(script(text("One ", "two.")).held(release, after=5), text("Three."))
    run_id = (await client.begin("Count"))["run_id"]
    async with listen_to_events(client) as heard:
        await eventually(lambda: heard.has("text_delta"))
        assert heard.events[0]["data"]["run"] == {"run_id": run_id, "state": "running"}
        assert heard.types[1] == "run_started"
        release.set()
        await eventually(lambda: heard.has("run_ended"))
    async with listen_to_events(client) as later:
        await client.say("More")
        await eventually(lambda: later.has("run_ended"))
    assert later.text == "Three."


async def test_one_user_sees_nothing_of_another(
    bridge: Bridge, client: ConversationClient, provider: ScriptedProvider, http: aiohttp.ClientSession
) -> None:
    """What belongs to somebody else is not there."""
    provider.play(text("Secret."))
    await client.say("Tell")
    ann = await bridge.components.users.ensure_user("ann")
    _, key = await bridge.components.users.add_key(ann.id, "")
    other = ConversationClient(bridge.base_url, http, key, client.id)
    message = (await client.messages())[0]["id"]
    for method, path, body in [
        ("GET", "", None),
        ("PATCH", "", {"title": "Mine"}),
        ("DELETE", "", None),
        ("GET", "/messages", None),
        ("POST", "/messages", {"content": "Hi"}),
        ("PATCH", f"/messages/{message}", {"content": "Hi"}),
        ("DELETE", f"/messages/{message}", None),
        ("POST", "/chat", {"content": "Hi"}),
        ("POST", "/stop", None),
        ("POST", "/calls/x/retry", {}),
        ("GET", "/tools", None),
        ("DELETE", "/tools", None),
        ("GET", "/tools/available", None),
        ("GET", "/events", None),
    ]:
        await other.of(method, path, body, status=404)
    assert (await other.ask("GET", "/conversations"))[1]["count"] == 0
    assert (await other.ask("GET", "/conversations/search?q=secret"))[1]["count"] == 0
    assert len(await client.messages()) == 2


async def test_no_other_origin_is_answered(client: ConversationClient, http: aiohttp.ClientSession) -> None:
    """W-32: the source let every page of the web read its conversations."""
    headers = {"Authorization": f"Bearer {client.key}", "Origin": "https://evil.example"}
    async with http.get(f"{client.base_url}/conversations", headers=headers) as response:
        assert response.status == 403
        assert "Access-Control-Allow-Origin" not in response.headers


async def test_neither_arguments_nor_results_are_logged(
    client: ConversationClient, provider: ScriptedProvider, caplog: pytest.LogCaptureFixture
) -> None:
    """W-32: what is said and called is the user's affair."""
    caplog.set_level(0)
    provider.play(calls(("listProducts", {"limit": 424242})), text("There is tea, 868686."))
    await client.say("What costs 535353?")
    for secret in ("424242", "868686", "535353", '"tea"'):
        assert secret not in caplog.text


@pytest.mark.parametrize(("decision", "runs"), [("once", True), ("denied", False)])
async def test_a_call_waits_for_its_user(
    tmp_path: Path, provider: ScriptedProvider, decision: str, runs: bool
) -> None:
    """S3-F4: what changes something is asked for; a denial is an output, and nothing is sent to the API."""
    provider.play(calls(("addProduct", {"name": "tea"})), text("Well."))
    async with (
        shop_bridge(tmp_path, provider, approve="safe") as bridge,
        page_of(bridge, bridge.local_user.id, products) as page,
        open_conversation(bridge) as client,
        listen_to_events(client) as heard,
    ):

        async def asks(envelope: dict[str, Any]) -> dict[str, Any]:
            page.calls.append(envelope["data"]["data"])
            return {"call_id": page.calls[-1]["id"], "awaiting_approval": True}

        page.socket.on("events", asks)
        await client.begin("Add tea")
        await eventually(lambda: "awaiting_approval" in [each["state"] for each in heard.of("tool_state")])
        call_id = heard.of("tool_state")[-1]["call_id"]
        reply = await page.socket.call(
            "bridge:decision", {"call_id": call_id, "decision": decision}, timeout=20
        )
        assert reply["may_begin"] is runs
        if runs:
            result = {"call_id": call_id, "outcome": json_answer({"added": True}, 201)}
            await page.socket.emit("bridge:result", result)
        await eventually(lambda: heard.has("run_ended"))
        output = (await client.messages())[2]
    assert len(page.calls) == 1
    assert output["failed"] is not runs
    assert (output["duration_ms"] is not None) is runs, "the wait for its user is no time of a call"
    if not runs:
        assert json.loads(output["content"])["error"]["code"] == "denied"
        assert len(heard.of("tool_error")) == 1


async def test_a_silent_listener_is_told_that_the_bridge_lives(http: aiohttp.ClientSession) -> None:
    """S3-15: within 30 s, as an event that a reader can see; here after a hundredth of a second."""
    assert USUAL_TIMINGS.keep_alive_s <= 30
    feed = EventFeed("conv-1")

    async def handler(request: web.Request) -> web.StreamResponse:
        silence = partial(feed.build_frame, "keepalive", {})
        async with event_stream(request, {}, silence_s=0.01, silence=silence) as stream:
            await asyncio.Event().wait()
        return stream.response

    app = web.Application()
    app.router.add_get("/", handler)
    async with serving(app, notices_hang_up=True, shutdown_s=0) as url, http.get(url) as response:
        assert await response.content.readline() == b"event: keepalive\n"
        told = json.loads((await response.content.readline()).removeprefix(b"data: "))
    assert (told["type"], told["conversation_id"], told["data"]) == ("keepalive", "conv-1", {})
