"""Native tool search in conversations: stored, replayed after a restart, repeated, exported (issue 41, 6)."""

import json
from pathlib import Path

import pytest

from tests.support.conversation_client import listen_to_events, open_conversation
from tests.support.models.model_answers import loaded_call, text
from tests.support.models.scripted_provider import ScriptedProvider
from tests.support.models.search_bridge import PLAIN, SEARCHED, SEARCHER, asked, names_of, search_bridge, sent

pytestmark = pytest.mark.asyncio


async def test_what_was_loaded_in_a_conversation_is_called_after_a_restart(
    tmp_path: Path, provider: ScriptedProvider
) -> None:
    """The search and its output are messages as those of any call, and come back item by item."""
    provider.play(
        *SEARCHED, loaded_call("shop", "listProducts", {"limit": 3}), text("Tea again."), text("Yes.")
    )
    async with (
        search_bridge(tmp_path, provider) as bridge,
        asked(bridge),
        open_conversation(bridge, model=SEARCHER) as chat,
        listen_to_events(chat) as heard,
    ):
        await chat.say("What is there?")
        messages = await chat.messages()
        conversation_id = chat.id
        told = [(data["tool_name"], data["title"]) for data in heard.of("tool_call")]
    assert told == [("tool_search", "Tool search"), ("listProducts", "List products")]
    assert [message["role"] for message in messages] == ["user", *["assistant", "tool"] * 2, "assistant"]
    [search] = messages[1]["tool_calls"]
    assert search["function"]["name"] == messages[2]["name"] == "tool_search"
    assert "listProducts" in json.loads(messages[2]["content"])["loaded"]
    assert names_of(sent(provider, 0)["tools"]) == ["read_result", "tool_search"]
    async with search_bridge(tmp_path, provider) as bridge, asked(bridge), open_conversation(bridge) as chat:
        chat.id = conversation_id
        await chat.say("Again?")
        assert (await chat.messages())[-1]["content"] == "Tea again."
        before = sent(provider, 2)["input"]
        assert sent(provider, 3)["input"][: len(before)] == before
        assert sent(provider, 3)["tools"] == sent(provider, 0)["tools"]
        await chat.of("PATCH", "", {"model": PLAIN})
        await chat.say("Sure?")
    assert "tool_search" not in json.dumps(sent(provider, 5)["input"])
    assert "namespace" not in json.dumps(sent(provider, 5)["input"])


async def test_a_search_is_repeated_as_any_call(tmp_path: Path, provider: ScriptedProvider) -> None:
    """Its new output begins a branch, and loads tools again."""
    provider.play(*SEARCHED, text("Found."))
    async with (
        search_bridge(tmp_path, provider) as bridge,
        asked(bridge),
        open_conversation(bridge, model=SEARCHER) as chat,
    ):
        await chat.say("What is there?")
        [search] = (await chat.messages())[1]["tool_calls"]
        await chat.of("POST", f"/calls/{search['id']}/retry", {})
        messages = await chat.messages()
    assert messages[-1]["content"] == "Found."
    output = sent(provider, 3)["input"][-1]
    assert output["type"] == "tool_search_output"
    assert output["tools"]
