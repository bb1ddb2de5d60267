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
async def client(bridge: Bridge) -> AsyncGenerator[ConversationClient]:
    async with page_of(bridge, bridge.local_user.id, products), open_conversation(bridge) as made:
        yield made


def sent(provider: ScriptedProvider, request: int = -1) -> list[Any]:
    """What the model was sent: texts of messages, and the kinds of the rest."""
    found: list[Any] = []
    for item in provider.requests[request].body["input"]:
        kind = item.get("type", "message")
        found.append(item["content"][0]["text"] if kind == "message" else kind)
    return found


async def add(client: ConversationClient, **message: Any) -> Any:
    return (await client.of("POST", "/messages", message, status=201))["message"]


async def test_messages_are_added_listed_and_deleted(client: ConversationClient) -> None:
    """S3-02, W-32: the last one can be deleted, too; one that is not there is gone already."""
    first = await add(client, role="user", content="Hello")
    second = await add(client, role="assistant", content="Hi")
    assert await client.messages() == [first, second]
    gone = await client.of("DELETE", f"/messages/{first['id']}")
    assert (gone["success"], gone["deleted"]) == (True, [first["id"]])
    assert await client.messages() == [{**second, "parent_id": None}]
    await client.of("DELETE", f"/messages/{second['id']}")
    listed = await client.of("GET", "/messages")
    assert (listed["messages"], listed["count"]) == ([], 0)
    assert (await client.of("DELETE", f"/messages/{second['id']}"))["deleted"] == []
    await ConversationClient(client.base_url, client.http, client.key, "conv-x").of(
        "GET", "/messages", status=404
    )


async def test_messages_that_would_break_a_history_are_refused(client: ConversationClient) -> None:
    """S3-01, W-32: an output belongs to a call, and comes before anybody says something else."""
    call = {"id": "call_1", "type": "function", "function": {"name": "listProducts", "arguments": "{}"}}
    await client.of(
        "POST", "/messages", {"role": "tool", "content": "x", "tool_call_id": "call_1"}, status=400
    )
    await client.of("POST", "/messages", {"role": "user", "content": "x", "colour": "red"}, status=400)
    await client.of("POST", "/messages", {"role": "assistant"}, status=400)
    await client.of("POST", "/messages", {"role": "user", "content": "x", "tool_calls": [call]}, status=400)
    await add(client, role="user", content="Look")
    called = await add(client, role="assistant", tool_calls=[call])
    assert (called["content"], called["tool_calls"]) == (None, [call])
    await client.of("POST", "/messages", {"role": "user", "content": "x"}, status=400)
    output = await add(client, role="tool", content="tea", tool_call_id="call_1")
    assert (output["name"], output["content"]) == ("listProducts", "tea")
    await client.of(
        "POST", "/messages", {"role": "tool", "content": "x", "tool_call_id": "call_1"}, status=400
    )


async def test_a_call_goes_with_its_outputs(client: ConversationClient, provider: ScriptedProvider) -> None:
    """S3-13: whichever half is deleted; what is below stands under the question then."""
    provider.play(LIST, text("There is tea."), text("Yes."))
    await client.say("What is there?")
    question, called, output, said = await client.messages()
    gone = await client.of("DELETE", f"/messages/{output['id']}")
    assert gone["deleted"] == [called["id"], output["id"]]
    assert [each["id"] for each in await client.messages()] == [question["id"], said["id"]]
    await client.say("Sure?")
    assert sent(provider) == ["What is there?", "There is tea.", "Sure?"]


async def test_an_edit_is_a_branch_and_both_stay(
    client: ConversationClient, provider: ScriptedProvider
) -> None:
    """What was said before can be gone back to, and the model is sent one branch only."""
    provider.play(text("Tea."), text("Milk."), text("Green."))
    await client.say("What is hot?")
    hot, tea = await client.messages()
    await client.of("PATCH", f"/messages/{tea['id']}", {"content": "No"}, status=400)
    await client.of("PATCH", "/messages/msg-0000000000000000", {"content": "No"}, status=404)
    cold = (await client.of("PATCH", f"/messages/{hot['id']}", {"content": "What is cold?"}, status=201))[
        "message"
    ]
    assert cold["siblings"] == [hot["id"], cold["id"]]
    assert await client.messages() == [cold]
    milk = (await client.say(None))["assistant_message"]
    assert milk["content"] == "Milk."
    assert sent(provider) == ["What is cold?"]
    assert [each["id"] for each in await client.messages()] == [cold["id"], milk["id"]]
    back = await client.of("PATCH", "", {"head_id": hot["id"]})
    assert back["conversation"]["head_id"] == tea["id"]
    await client.say("Which?")
    assert sent(provider) == ["What is hot?", "Tea.", "Which?"]
    other = (await client.of("GET", f"/messages?branch={cold['id']}"))["messages"]
    assert [each["content"] for each in other] == ["What is cold?", "Milk."]
    await client.of("PATCH", "", {"head_id": "msg-0000000000000000"}, status=400)


async def test_an_answer_can_be_asked_for_again(
    client: ConversationClient, provider: ScriptedProvider
) -> None:
    """Another one stands beside the first, and the talk goes on from it."""
    provider.play(text("One."), text("Two."))
    await client.say("Count")
    question, one = await client.messages()
    again = await client.say(None, parent_id=question["id"])
    assert again["user_message"] is None
    assert again["assistant_message"]["siblings"] == [one["id"], again["assistant_message"]["id"]]
    assert sent(provider) == ["Count"]
    assert [each["content"] for each in await client.messages()] == ["Count", "Two."]


async def test_the_window_holds_the_newest_messages_and_no_output_without_its_call(
    client: ConversationClient, provider: ScriptedProvider
) -> None:
    """S3-13: by number and by size; what does not fit is not sent, and is kept."""
    provider.play(LIST, text("There is tea."), text("Yes."), text("Still."), text("Long."))
    await client.say("What is there?")
    await client.of("PATCH", "", {"max_messages": 3})
    answer = await client.say("Sure?")
    assert sent(provider) == ["There is tea.", "Sure?"]
    assert answer["messages_in_context"] == 2
    assert answer["tokens_sent"] < answer["token_count"]
    await client.of("PATCH", "", {"max_messages": 100, "max_tokens": 13})
    await client.say("And now?")
    assert sent(provider) == ["Yes.", "And now?"]
    await client.of("PATCH", "", {"max_tokens": 1})
    await client.say("This alone is longer than what may be sent.")
    assert sent(provider) == ["This alone is longer than what may be sent."]
    assert len(await client.messages()) == 10


async def test_another_model_is_not_sent_reasoning_of_the_first(
    client: ConversationClient, provider: ScriptedProvider
) -> None:
    """Its provider would refuse them; calls and texts go on."""
    provider.play(reasoning("Hm.") + LIST, text("Tea."), text("Yes."), text("No."))
    await client.say("What is there?", model="scripted-small")
    await client.say("Sure?", model="scripted-small")
    assert "reasoning" in sent(provider)
    await client.say("Really?", model="scripted-large")
    assert provider.requests[-1].body["model"] == "scripted-large"
    assert sent(provider)[:4] == ["What is there?", "function_call", "function_call_output", "Tea."]
    assert "reasoning" not in sent(provider)


async def test_the_context_stands_in_the_prompt(bridge: Bridge, provider: ScriptedProvider) -> None:
    """S3-12: what the user gave, beside the system prompt and the list of tools."""
    provider.play(text("Hi."))
    context = ["It is spring.", {"city": "Bern"}]
    async with open_conversation(bridge, tools=[], system_prompt="Be brief.", context=context) as client:
        await client.say("Hello")
        assert (await client.facts())["context"] == context
    prompt = provider.requests[0].body["instructions"]
    assert prompt.startswith("Be brief.\n\n## Available Tools\n\n")
    assert "## Context Information\n\n- It is spring.\n- " in prompt
    assert json.dumps({"city": "Bern"}, separators=(",", ":")) in prompt
