"""The bridge is killed with -9 in the middle of an answer of a conversation, and started again."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import pytest_asyncio

from tests.faults.killed_bridge import KillableBridge, killable_bridge
from tests.support.conversation_client import ConversationClient, listen_to_events
from tests.support.models.model_answers import calls, text
from tests.support.models.scripted_provider import ScriptedProvider, script, scripted_provider
from tests.support.waiting import eventually

pytestmark = [pytest.mark.asyncio, pytest.mark.timeout(180), pytest.mark.slow]

ADD = calls(("addProduct", {"name": "tea"}))


@pytest_asyncio.fixture
async def provider() -> AsyncGenerator[ScriptedProvider]:
    async with scripted_provider() as running:
        yield running


async def silent(_tool: str) -> None:
    return None


async def new_conversation(bridge: KillableBridge, http: aiohttp.ClientSession) -> ConversationClient:
    client = ConversationClient(bridge.facts["base_url"], http, bridge.facts["key"])
    status, made = await client.ask("POST", "/conversations", {"tools": "accepted"})
    assert status == 201, made
    client.id = made["conversation"]["id"]
    return client


async def test_a_call_that_ran_when_the_bridge_was_killed_has_an_output_and_is_not_run_again(
    tmp_path: Path, provider: ScriptedProvider
) -> None:
    """W-32: the history is valid, the model is told that nobody knows, and the talk goes on."""
    provider.play(text("I add it. ") + ADD, text("I will look."))
    async with aiohttp.ClientSession() as http, killable_bridge(tmp_path, provider) as bridge:
        await bridge.open_page(silent)
        client = await new_conversation(bridge, http)
        async with listen_to_events(client) as before:
            await client.begin("Add tea")
            await eventually(lambda: bridge.ledger and before.has("tool_call"), within_s=20)
        await bridge.kill()
        await bridge.start()
        client.base_url, client.key = bridge.facts["base_url"], bridge.facts["key"]
        user, called, output = await client.messages()
        assert (user["content"], called["content"]) == ("Add tea", "I add it. ")
        assert output["tool_call_id"] == called["tool_calls"][0]["id"]
        assert "It may or may not have been performed." in output["content"]
        facts = await client.facts()
        assert (facts["run"]["state"], facts["head_id"]) == ("failed", output["id"])
        async with listen_to_events(client, after=before.last_id) as after:
            await eventually(lambda: after.has("reset"))
            assert after.events[0]["id"] > before.last_id
            answer = await client.say(None)
            await eventually(lambda: after.has("run_ended"))
    assert answer["assistant_message"]["content"] == "I will look."
    assert bridge.ledger == ["POST /products"]
    roles = [message["role"] for message in provider.requests[1].body["messages"]]
    assert roles == ["system", "user", "assistant", "tool"]


async def test_an_answer_that_was_said_when_the_bridge_was_killed_can_be_asked_for_again(
    tmp_path: Path, provider: ScriptedProvider
) -> None:
    """What had not ended is gone; the question stands, and is answered."""
    provider.play(script(text("One ", "two ", "three.")).held(asyncio.Event(), after=3), text("Again."))
    async with aiohttp.ClientSession() as http, killable_bridge(tmp_path, provider) as bridge:
        client = await new_conversation(bridge, http)
        async with listen_to_events(client) as heard:
            await client.begin("Count")
            await eventually(lambda: heard.has("text_delta"), within_s=20)
        await bridge.kill()
        await bridge.start()
        client.base_url = bridge.facts["base_url"]
        [question] = await client.messages()
        assert (await client.facts())["run"]["state"] == "failed"
        answer: Any = await client.say(None)
        assert answer["assistant_message"]["parent_id"] == question["id"]
    assert answer["assistant_message"]["content"] == "Again."
