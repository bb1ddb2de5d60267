"""Conversations over HTTP: what a client sees of the whole of them, and of one talk with tools."""

import asyncio
import json
import re
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from bridge.app.server import Bridge
from tests.support.conversation_client import ConversationClient, listen_to_events, open_conversation
from tests.support.models.model_answers import calls, reasoning, text
from tests.support.models.model_bridge import MODEL, products, shop_bridge
from tests.support.models.scripted_provider import ScriptedProvider, script
from tests.support.running_bridge import page_of
from tests.support.stores.databases import Where
from tests.support.waiting import eventually

pytestmark = [pytest.mark.asyncio, pytest.mark.both_databases]

LIST = calls(("listProducts", {"limit": 2}))


@pytest_asyncio.fixture
async def bridge(tmp_path: Path, database: Where, provider: ScriptedProvider) -> AsyncGenerator[Bridge]:
    async with shop_bridge(tmp_path, provider, database=database) as running:
        yield running


@pytest_asyncio.fixture
async def client(bridge: Bridge) -> AsyncGenerator[ConversationClient]:
    async with page_of(bridge, bridge.local_user.id, products), open_conversation(bridge) as made:
        yield made


async def test_a_conversation_with_a_tool_is_four_messages(
    client: ConversationClient, provider: ScriptedProvider
) -> None:
    """S3-01, S3-03, S3-05, S3-07, W-32: each has the shape of its role; the user's goes out once."""
    provider.play(reasoning("Let me look.") + LIST, text("There is ", "tea."))
    answer = await client.say("What is there?")
    assert answer["success"] is True
    assert answer["message"] == "Chat completed successfully"
    assert answer["state"] == "completed"
    assert answer["messages_in_context"] == 1
    assert answer["tokens_sent"] == answer["token_count"] > 0
    user, called, output, said = await client.messages()
    assert answer["user_message"] == user
    assert answer["assistant_message"] == said
    assert all(re.fullmatch(r"msg-[0-9a-f]{16}", each["id"]) for each in (user, called, output, said))
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", user["timestamp"])
    assert (user["role"], user["content"], user["parent_id"]) == ("user", "What is there?", None)
    assert (called["role"], called["content"], called["reasoning"]) == ("assistant", None, "Let me look.")
    [call] = called["tool_calls"]
    assert call["type"] == "function"
    assert call["function"]["name"] == "listProducts"
    assert json.loads(call["function"]["arguments"]) == {"limit": 2}
    assert (output["role"], output["tool_call_id"], output["name"]) == ("tool", call["id"], "listProducts")
    assert json.loads(output["content"]) == {"products": ["tea"]}
    assert (said["role"], said["content"]) == ("assistant", "There is tea.")
    assert "tool_calls" not in said
    assert [each["parent_id"] for each in (called, output, said)] == [user["id"], called["id"], output["id"]]
    sent = [json.dumps(asked.body["input"]).count("What is there?") for asked in provider.requests]
    assert sent == [1, 1]


async def test_nothing_is_callable_until_it_is_enabled(bridge: Bridge, provider: ScriptedProvider) -> None:
    """S3-08, S3-10, S3-12: a new conversation has no tools; one that is enabled is the only one."""
    provider.play(text("None."), text("One."), text("None again."))
    async with (
        page_of(bridge, bridge.local_user.id, products),
        open_conversation(bridge, tools=[]) as client,
    ):
        await client.say("Hi")
        available = await client.of("GET", "/tools/available")
        [tool] = [each for each in available["tools"] if each["tool_name"] == "listProducts"]
        assert tool.keys() >= {"server_id", "server_slug", "server_name", "tool_name", "tool_description"}
        wanted = {"server_id": tool["server_id"], "tool_name": "listProducts"}
        for _ in range(2):
            enabled = await client.of("POST", "/tools", wanted)
            assert (enabled["enabled_tools"], enabled["count"]) == ([wanted], 1)
        await client.say("Hi again")
        path = f"/tools?server_id={tool['server_id']}&tool_name=listProducts"
        assert (await client.of("DELETE", path))["count"] == 0
        await client.say("Hi at last")
    none, one, again = (asked.body for asked in provider.requests)
    assert "tools" not in none
    assert "tools" not in again
    assert [each["name"] for each in one["tools"]] == ["listProducts", "read_result"]
    assert "no tools" in none["instructions"]
    assert "- listProducts" in one["instructions"]


async def test_two_listeners_hear_the_same_while_it_is_said(
    client: ConversationClient, provider: ScriptedProvider
) -> None:
    """S3-15, S3-17, S3-F1, W-32: tokens and calls, to both; the first words come before the model is done."""
    release = asyncio.Event()
    provider.play(LIST, script(text("One ", "two ", "three.")).held(release, after=5))
    async with (
        listen_to_events(client) as one,
        listen_to_events(client, path="/sse/conversations/{id}") as other,
    ):
        begun = await client.begin("Count")
        await eventually(lambda: one.has("text_delta") and other.has("text_delta"))
        assert one.text == "One "
        release.set()
        await eventually(lambda: one.has("run_ended") and other.has("run_ended"))
    assert one.events[1:] == other.events[1:]
    assert one.text == "One two three."
    kinds = [kind for kind in one.types if kind not in ("text_delta", "tool_state")]
    assert kinds == [
        "connected",
        "run_started",
        "message",
        "message",
        "tool_call",
        "tool_response",
        "message",
        "message",
        "run_ended",
    ]
    [call] = one.of("tool_call")
    [response] = one.of("tool_response")
    assert call["tool_name"] == "listProducts"
    assert call["tool_call_id"] == response["tool_call_id"]
    states = [each["state"] for each in one.of("tool_state")]
    assert states == ["queued", "sent", "running", "succeeded"]
    assert json.loads(response["result"]) == {"products": ["tea"]}
    assert response["duration_ms"] > 0
    assert [each["message"] for each in one.of("message")] == await client.messages()
    [ended] = one.of("run_ended")
    assert (ended["run_id"], ended["state"], ended["error"]) == (begun["run_id"], "completed", None)
    assert ended["usage"]["turn_count"] == 2
    numbers = [event["id"] for event in one.events]
    assert numbers == sorted(numbers)


async def test_a_stop_ends_model_and_call_at_once(bridge: Bridge, provider: ScriptedProvider) -> None:
    """S3-F2: the page aborts, the run is cancelled, the history is valid and can be gone on from."""
    begun = asyncio.Event()

    async def never(_call: dict[str, Any]) -> None:
        begun.set()

    provider.play(text("Wait. ") + LIST, text("Nothing came."))
    async with (
        page_of(bridge, bridge.local_user.id, never) as page,
        open_conversation(bridge) as client,
        listen_to_events(client) as heard,
    ):
        run_id = (await client.begin("What is there?"))["run_id"]
        await asyncio.wait_for(begun.wait(), 20)
        async with asyncio.timeout(30):  # half the deadline of the call
            stopped = await client.of("POST", "/stop")
            await eventually(lambda: page.cancelled and heard.has("run_ended"))
        assert stopped["run"] == {"run_id": run_id, "state": "cancelled"}
        assert page.cancelled[0]["call_id"] == page.calls[0]["id"]
        roles = [each["role"] for each in await client.messages()]
        assert roles == ["user", "assistant", "tool"]
        assert heard.of("run_ended")[0]["state"] == "cancelled"
        assert (await client.of("POST", "/stop"))["run"] is None
        answer = await client.say("And now?")
    assert answer["assistant_message"]["content"] == "Nothing came."
    kinds = [item["type"] for item in provider.requests[1].body["input"]]
    assert kinds == ["message", "message", "function_call", "function_call_output", "message"]


async def test_a_stop_while_the_model_speaks_keeps_what_it_said(
    client: ConversationClient, provider: ScriptedProvider
) -> None:
    """S3-F2: the stream of the model is closed, and its half answer is a message."""
    release = asyncio.Event()
    provider.play(script(text("Half ", "an answer.")).held(release, after=5), text("Whole."))
    async with listen_to_events(client) as heard:
        await client.begin("Speak")
        await eventually(lambda: heard.has("text_delta"))
        async with asyncio.timeout(30):
            await client.of("POST", "/stop")
            await provider.requests[0].hung_up.wait()
    user, said = await client.messages()
    assert (said["content"], said["incomplete"]) == ("Half ", True)
    assert said["parent_id"] == user["id"]
    assert (await client.facts())["run"]["state"] == "cancelled"
    assert (await client.say("Again"))["assistant_message"]["content"] == "Whole."


async def test_conversations_are_made_found_changed_and_deleted(client: ConversationClient) -> None:
    """S3-11: with the defaults of the source, for their own user."""
    facts = await client.facts()
    assert (facts["max_tokens"], facts["max_messages"]) == (20000, 100)
    assert facts["system_prompt"] == "You are a helpful AI assistant."
    changed = await client.of("PATCH", "", {"title": "Tea", "description": "What there is", "model": MODEL})
    assert changed["conversation"]["title"] == "Tea"
    assert (await client.of("PUT", "", {"max_tokens": 500}))["conversation"]["title"] == "Tea"
    listed = (await client.ask("GET", "/conversations"))[1]
    assert [each["id"] for each in listed["conversations"]] == [client.id]
    for query, count in (("tea", 1), ("WHAT THERE", 1), ("coffee", 0)):
        assert (await client.ask("GET", f"/conversations/search?q={query}"))[1]["count"] == count
    await client.of("DELETE")
    answer = await client.of("GET", status=404)
    assert answer["error"]["message"] == f"Conversation '{client.id}' not found."
    assert (await client.ask("GET", "/conversations"))[1]["count"] == 0
