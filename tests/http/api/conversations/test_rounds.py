"""How many rounds a run of a conversation has."""

import json
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
import pytest_asyncio

from bridge.app.server import Bridge
from tests.support.conversation_client import ConversationClient, open_conversation
from tests.support.models.model_answers import calls, text
from tests.support.models.model_bridge import products, shop_bridge
from tests.support.models.scripted_provider import ScriptedProvider
from tests.support.running_bridge import page_of

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


async def test_ten_requests_are_the_most_and_leave_a_valid_history(
    client: ConversationClient, provider: ScriptedProvider
) -> None:
    """S3-06, W-32: a model that calls for ever ends as `max_iterations`, with a text and a valid history."""
    provider.play(*[LIST] * 9, text("That is all I know."), text("Yes."))
    answer = await client.say("Look again and again")
    assert len(provider.requests) == 10
    assert answer["state"] == "max_iterations"
    assert answer["assistant_message"]["content"].startswith("That is all I know.")
    assert "limit" in answer["assistant_message"]["content"]
    assert provider.requests[-1].body.get("tool_choice") == "none"
    assert (await client.facts())["run"]["state"] == "max_iterations"
    assert (await client.say("Really?"))["state"] == "completed"
    sent = provider.requests[-1].body["input"]
    called = [item["call_id"] for item in sent if item.get("type") == "function_call"]
    answered = [item["call_id"] for item in sent if item.get("type") == "function_call_output"]
    assert called == answered
    assert len(called) == 9
    assert "Tool step limit" not in json.dumps(sent)


async def test_the_limit_of_rounds_holds_in_conversations_once_it_is_set(
    bridge: Bridge, client: ConversationClient, provider: ScriptedProvider
) -> None:
    """S3-06, S3-17, S0-56: one limit for all endpoints; the notice names it, and raising it has an effect."""
    await bridge.components.controls.limits.change_limits({"MAX_FUNCTION_CALL_LOOPS": 12})
    provider.play(*[LIST] * 12, text("That is all I know."))
    answer = await client.say("Look again and again")
    assert len(provider.requests) == 13
    assert answer["state"] == "max_iterations"
    assert "raise `TOOL_BRIDGE_MAX_FUNCTION_CALL_LOOPS`" in answer["assistant_message"]["content"]
