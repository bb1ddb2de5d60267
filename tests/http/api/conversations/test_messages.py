"""Messages of conversations: added, edited, deleted, in branches; what of them a model is sent."""

import json
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from bridge.app.server import Bridge
from tests.support.conversation_client import ConversationClient, open_conversation
from tests.support.models.model_answers import calls, reasoning, text
from tests.support.models.model_bridge import products, shop_bridge
from tests.support.models.scripted_provider import ScriptedProvider
from tests.support.running_bridge import page_of
from tests.support.stores.databases import Where

pytestmark = [pytest.mark.asyncio, pytest.mark.both_databases]

LIST = calls(("listProducts", {"limit": 2}))


@pytest_asyncio.fixture
async def bridge(tmp_path: Path, database: Where, provider: ScriptedProvider) -> AsyncGenerator[Bridge]:
    async with shop_bridge(tmp_path, provider, database=database) as running:
        yield running


@pytest_asyncio.fixture
async def conversation(bridge: Bridge) -> AsyncGenerator[ConversationClient]:
    async with page_of(bridge, bridge.local_user.id, products), open_conversation(bridge) as made:
        yield made


def sent(provider: ScriptedProvider, request: int = -1) -> list[Any]:
    """What the model was sent: texts of messages, and the kinds of the rest."""
    found: list[Any] = []
    for item in provider.requests[request].body["input"]:
        kind = item.get("type", "message")
        found.append(item["content"][0]["text"] if kind == "message" else kind)
    return found


async def add(conversation: ConversationClient, **message: Any) -> Any:
    return (await conversation.of("POST", "/messages", message, status=201))["message"]


async def test_messages_are_added_listed_and_deleted(conversation: ConversationClient) -> None:
    """S3-02, W-32: the last one can be deleted, too; one that is not there is gone already."""
    first = await add(conversation, role="user", content="Hello")
    second = await add(conversation, role="assistant", content="Hi")
    assert await conversation.messages() == [first, second]
    gone = await conversation.of("DELETE", f"/messages/{first['id']}")
    assert (gone["success"], gone["deleted"]) == (True, [first["id"]])
    assert await conversation.messages() == [{**second, "parent_id": None}]
    await conversation.of("DELETE", f"/messages/{second['id']}")
    listed = await conversation.of("GET", "/messages")
    assert (listed["messages"], listed["count"]) == ([], 0)
    assert (await conversation.of("DELETE", f"/messages/{second['id']}"))["deleted"] == []
    await ConversationClient(conversation.base_url, conversation.http, conversation.key, "conv-x").of(
        "GET", "/messages", status=404
    )


async def test_messages_that_would_break_a_history_are_refused(conversation: ConversationClient) -> None:
    """S3-01, W-32: an output belongs to a call, and comes before anybody says something else."""
    call = {"id": "call_1", "type": "function", "function": {"name": "listProducts", "arguments": "{}"}}
    await conversation.of(
        "POST", "/messages", {"role": "tool", "content": "x", "tool_call_id": "call_1"}, status=400
    )
    await conversation.of("POST", "/messages", {"role": "user", "content": "x", "colour": "red"}, status=400)
    await conversation.of("POST", "/messages", {"role": "assistant"}, status=400)
    await conversation.of(
        "POST", "/messages", {"role": "user", "content": "x", "tool_calls": [call]}, status=400
    )
    await add(conversation, role="user", content="Look")
    called = await add(conversation, role="assistant", tool_calls=[call])
    assert (called["content"], called["tool_calls"]) == (None, [call])
    await conversation.of("POST", "/messages", {"role": "user", "content": "x"}, status=400)
    output = await add(conversation, role="tool", content="tea", tool_call_id="call_1")
    assert (output["name"], output["content"]) == ("listProducts", "tea")
    await conversation.of(
        "POST", "/messages", {"role": "tool", "content": "x", "tool_call_id": "call_1"}, status=400
    )


async def test_a_call_goes_with_its_outputs(
    conversation: ConversationClient, provider: ScriptedProvider
) -> None:
    """S3-13: whichever half is deleted; what is below stands under the question then."""
    provider.play(LIST, text("There is tea."), text("Yes."))
    await conversation.say("What is there?")
    question, called, output, said = await conversation.messages()
    gone = await conversation.of("DELETE", f"/messages/{output['id']}")
    assert gone["deleted"] == [called["id"], output["id"]]
    assert [each["id"] for each in await conversation.messages()] == [question["id"], said["id"]]
    await conversation.say("Sure?")
    assert sent(provider) == ["What is there?", "There is tea.", "Sure?"]


async def test_an_edit_is_a_branch_and_both_stay(
    conversation: ConversationClient, provider: ScriptedProvider
) -> None:
    """What was said before can be gone back to, and the model is sent one branch only."""
    provider.play(text("Tea."), text("Milk."), text("Green."))
    await conversation.say("What is hot?")
    hot, tea = await conversation.messages()
    await conversation.of("PATCH", f"/messages/{tea['id']}", {"content": "No"}, status=400)
    await conversation.of("PATCH", "/messages/msg-0000000000000000", {"content": "No"}, status=404)
    cold = (
        await conversation.of("PATCH", f"/messages/{hot['id']}", {"content": "What is cold?"}, status=201)
    )["message"]
    assert cold["siblings"] == [hot["id"], cold["id"]]
    assert await conversation.messages() == [cold]
    milk = (await conversation.say(None))["assistant_message"]
    assert milk["content"] == "Milk."
    assert sent(provider) == ["What is cold?"]
    assert [each["id"] for each in await conversation.messages()] == [cold["id"], milk["id"]]
    back = await conversation.of("PATCH", "", {"head_id": hot["id"]})
    assert back["conversation"]["head_id"] == tea["id"]
    await conversation.say("Which?")
    assert sent(provider) == ["What is hot?", "Tea.", "Which?"]
    other = (await conversation.of("GET", f"/messages?branch={cold['id']}"))["messages"]
    assert [each["content"] for each in other] == ["What is cold?", "Milk."]
    await conversation.of("PATCH", "", {"head_id": "msg-0000000000000000"}, status=400)


async def test_an_answer_can_be_asked_for_again(
    conversation: ConversationClient, provider: ScriptedProvider
) -> None:
    """Another one stands beside the first, and the talk goes on from it."""
    provider.play(text("One."), text("Two."))
    await conversation.say("Count")
    question, one = await conversation.messages()
    again = await conversation.say(None, parent_id=question["id"])
    assert again["user_message"] is None
    assert again["assistant_message"]["siblings"] == [one["id"], again["assistant_message"]["id"]]
    assert sent(provider) == ["Count"]
    assert [each["content"] for each in await conversation.messages()] == ["Count", "Two."]


async def test_the_window_holds_the_newest_messages_and_no_output_without_its_call(
    conversation: ConversationClient, provider: ScriptedProvider
) -> None:
    """S3-13: by number and by size; what does not fit is not sent, and is kept."""
    provider.play(LIST, text("There is tea."), text("Yes."), text("Still."), text("Long."))
    await conversation.say("What is there?")
    await conversation.of("PATCH", "", {"max_messages": 3})
    answer = await conversation.say("Sure?")
    assert sent(provider) == ["There is tea.", "Sure?"]
    assert answer["messages_in_context"] == 2
    assert answer["tokens_sent"] < answer["token_count"]
    await conversation.of("PATCH", "", {"max_messages": 100, "max_tokens": 13})
    await conversation.say("And now?")
    assert sent(provider) == ["Yes.", "And now?"]
    await conversation.of("PATCH", "", {"max_tokens": 1})
    await conversation.say("This alone is longer than what may be sent.")
    assert sent(provider) == ["This alone is longer than what may be sent."]
    assert len(await conversation.messages()) == 10


async def test_another_model_is_not_sent_thoughts_of_the_first(
    conversation: ConversationClient, provider: ScriptedProvider
) -> None:
    """Its provider would refuse them; calls and texts go on."""
    provider.play(reasoning("Hm.") + LIST, text("Tea."), text("Yes."), text("No."))
    await conversation.say("What is there?", model="scripted-small")
    await conversation.say("Sure?", model="scripted-small")
    assert "reasoning" in sent(provider)
    await conversation.say("Really?", model="scripted-large")
    assert provider.requests[-1].body["model"] == "scripted-large"
    assert sent(provider)[:4] == ["What is there?", "function_call", "function_call_output", "Tea."]
    assert "reasoning" not in sent(provider)


async def test_the_context_stands_in_the_prompt(bridge: Bridge, provider: ScriptedProvider) -> None:
    """S3-12: what the user gave, beside the system prompt and the list of tools."""
    provider.play(text("Hi."))
    context = ["It is spring.", {"city": "Bern"}]
    async with open_conversation(
        bridge, tools=[], system_prompt="Be brief.", context=context
    ) as conversation:
        await conversation.say("Hello")
        assert (await conversation.facts())["context"] == context
    prompt = provider.requests[0].body["instructions"]
    assert prompt.startswith("Be brief.\n\n## Available Tools\n\n")
    assert "## Context Information\n\n- It is spring.\n- " in prompt
    assert json.dumps({"city": "Bern"}, separators=(",", ":")) in prompt
