"""A model behind Anthropic's Messages API, by each way to the bridge: it acts, and its thinking goes back."""

import base64
import json
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from bridge.settings.chat.memory import MemorySettings
from bridge.settings.chat.models import ModelSettings, ModelsFile, ProviderApi, ProviderSettings
from tests.support.conversation_client import open_conversation
from tests.support.documents.compiled import document_text
from tests.support.models.model_answers import Answer, calls, looks_up, reasoning, text
from tests.support.models.model_bridge import (
    MODEL,
    PNG,
    client_of,
    image_answer,
    model_bridge,
    models_file,
    products,
    shop_bridge,
)
from tests.support.models.scripted_provider import ScriptedProvider
from tests.support.running_bridge import page_of

pytestmark = pytest.mark.asyncio

LIST: Answer = reasoning("I ", "look.") + text("Let me see. ") + calls(("listProducts", {"limit": 2}))


def thinking_sent(provider: ScriptedProvider, request: int = -1) -> list[dict[str, Any]]:
    """The blocks of thinking in a request."""
    messages = provider.requests[request].body["messages"]
    blocks = [block for message in messages for block in message["content"]]
    return [block for block in blocks if block["type"] == "thinking"]


def thought(provider: ScriptedProvider) -> list[dict[str, Any]]:
    """The blocks of thinking of all answers, in order."""
    return [block for _, blocks in provider.thought for block in blocks]


async def test_chat_completions_act_and_tell_the_thinking(tmp_path: Path, provider: ScriptedProvider) -> None:
    """Issue 42: `/v1/chat/completions`; the second round has the thinking of the first, unchanged."""
    async with shop_bridge(tmp_path, provider, "messages") as bridge, client_of(bridge) as client:
        provider.play(LIST, text("Tea."))
        async with page_of(bridge, bridge.local_user.id, products):
            answer = await client.chat.completions.create(
                model=MODEL, messages=[{"role": "user", "content": "What is there?"}]
            )
    message = answer.choices[0].message
    assert (message.content or "").endswith("Tea.")
    assert "I look." in str(message.model_extra)
    assert thinking_sent(provider) == thought(provider) != []
    result = provider.requests[1].body["messages"][-1]["content"][0]
    assert (result["type"], result["tool_use_id"]) == ("tool_result", "call_0_2")
    assert "tea" in str(result["content"])


async def test_a_stored_response_goes_on_after_a_restart(tmp_path: Path, provider: ScriptedProvider) -> None:
    """Issue 42: thinking blocks with their signatures replayed unchanged, stored with the response."""
    async with shop_bridge(tmp_path, provider, "messages") as bridge, client_of(bridge) as client:
        provider.play(LIST, text("Tea."))
        async with page_of(bridge, bridge.local_user.id, products):
            first = await client.responses.create(model=MODEL, input="What is there?")
    assert first.output_text.endswith("Tea.")
    async with shop_bridge(tmp_path, provider, "messages") as bridge, client_of(bridge) as client:
        provider.play(text("Green tea."))
        await client.responses.create(model=MODEL, input="Which?", previous_response_id=first.id)
    assert thinking_sent(provider) == thought(provider)[:1]


async def test_a_client_that_keeps_its_items_brings_the_thinking_back(
    tmp_path: Path, provider: ScriptedProvider
) -> None:
    """Issue 42: `/v1/responses` with `store: false`, and a tool of the caller's."""
    tool: Any = {"type": "function", "name": "mine", "parameters": {"type": "object", "properties": {}}}
    async with shop_bridge(tmp_path, provider, "messages") as bridge, client_of(bridge) as client:
        provider.play(reasoning("Mine.") + calls(("mine", {})), text("Done."))
        history: list[Any] = [{"role": "user", "content": "Go"}]
        first = await client.responses.create(model=MODEL, input=history, tools=[tool], store=False)
        history += [item.model_dump(exclude_none=True) for item in first.output]
        history.append({"type": "function_call_output", "call_id": "call_0_1", "output": "ok"})
        await client.responses.create(model=MODEL, input=history, tools=[tool], store=False)
    assert thinking_sent(provider) == thought(provider)[:1] != []


async def test_thinking_and_reasoning_go_back_to_their_own_protocol_alone(
    tmp_path: Path, provider: ScriptedProvider
) -> None:
    """Issue 42: a client that keeps its items changes models; each API refuses what the other has signed."""
    apis: tuple[ProviderApi, ...] = ("messages", "responses")
    file = ModelsFile(
        provider=tuple(
            ProviderSettings(name=api, base_url=provider.base_url, api_key_env="SCRIPTED_KEY", api=api)
            for api in apis
        ),
        model=tuple(ModelSettings(id=api, provider=api) for api in apis),
    )
    history: list[Any] = [{"role": "user", "content": "Go"}]
    async with model_bridge(tmp_path, provider, models=file) as bridge, client_of(bridge) as client:
        for model in ("messages", "responses", "messages", "responses"):
            provider.play(reasoning(f"By {model}.") + text("Done."))
            answer = await client.responses.create(model=model, input=history, store=False)
            assert [item.type for item in answer.output] == ["reasoning", "message"]
            history += [item.model_dump(exclude_none=True) for item in answer.output]
            history[-2].setdefault("encrypted_content", "gAAAA")
            history.append({"role": "user", "content": "Go on"})
    assert thinking_sent(provider, 2) == thought(provider)[:1] != []
    kept = [item for item in provider.requests[3].body["input"] if item.get("type") == "reasoning"]
    assert [item["encrypted_content"] for item in kept] == ["gAAAA"]


async def test_a_provider_of_chat_completions_never_reads_the_thinking(
    tmp_path: Path, provider: ScriptedProvider
) -> None:
    """Issue 42: `return_reasoning` returns a provider its own; a caller changes models in mid-turn."""
    named: tuple[ProviderApi, ...] = ("messages", "chat")
    file = ModelsFile(
        provider=tuple(
            ProviderSettings(
                name=api,
                base_url=provider.base_url,
                api_key_env="SCRIPTED_KEY",
                api=api,
                return_reasoning=api == "chat",
            )
            for api in named
        ),
        model=tuple(ModelSettings(id=api, provider=api) for api in named),
    )
    tool: Any = {"type": "function", "name": "mine", "parameters": {"type": "object", "properties": {}}}
    async with model_bridge(tmp_path, provider, models=file) as bridge, client_of(bridge) as client:
        provider.play(reasoning("Secret.") + calls(("mine", {})), text("Done."))
        history: list[Any] = [{"role": "user", "content": "Go"}]
        first = await client.responses.create(model="messages", input=history, tools=[tool], store=False)
        history += [item.model_dump(exclude_none=True) for item in first.output]
        history.append({"type": "function_call_output", "call_id": "call_0_1", "output": "ok"})
        assert "Secret." in json.dumps(history)
        await client.responses.create(model="chat", input=history, tools=[tool], store=False)
    assert [message["role"] for message in provider.requests[1].body["messages"]] == [
        "user",
        "assistant",
        "tool",
    ]
    assert "Secret." not in json.dumps(provider.requests[1].body)


@pytest.mark.parametrize("apis", [("messages", "responses"), ("responses", "messages")])
async def test_a_provider_that_changes_its_api_reads_no_reasoning_of_the_other(
    tmp_path: Path, provider: ScriptedProvider, apis: tuple[ProviderApi, ProviderApi]
) -> None:
    """Issue 42: the model keeps its name, so that what is stored of it counts as its own."""
    more: dict[str, Any] = {}
    for api in apis:
        async with model_bridge(tmp_path, provider, api) as bridge, client_of(bridge) as client:
            provider.play(reasoning("Hm.") + text("Done."))
            create: Any = client.responses.create
            answer = await create(model=MODEL, input="Go", **more)
            more = {"previous_response_id": answer.id}
    assert "Hm." not in json.dumps(provider.requests[1].body)
    assert "Done." in json.dumps(provider.requests[1].body)


async def test_a_conversation_keeps_the_thinking(tmp_path: Path, provider: ScriptedProvider) -> None:
    """Issue 42: conversations, and with them the page's chat."""
    async with (
        shop_bridge(tmp_path, provider, "messages") as bridge,
        page_of(bridge, bridge.local_user.id, products),
        open_conversation(bridge) as client,
    ):
        provider.play(LIST, text("Tea."), text("Green."))
        assert (await client.say("What is there?"))["state"] == "completed"
        assert thinking_sent(provider) == thought(provider)[:1] != []
        assert (await client.say("Which?"))["state"] == "completed"
        assert thinking_sent(provider) == thought(provider)[:1]


@pytest.mark.parametrize(("memory", "kept"), [("disabled", 0), ("next_reply", 0), ("conversation", 1)])
async def test_thinking_is_pruned_whole(
    tmp_path: Path, provider: ScriptedProvider, memory: Any, kept: int
) -> None:
    """Issue 42: by the setting of memory; a block is there with its signature, or not at all."""
    settings = {"memory": MemorySettings(reasoning=memory)}
    async with shop_bridge(tmp_path, provider, "messages", **settings) as bridge, client_of(bridge) as client:
        provider.play(LIST, text("Tea."), text("Green."), text("Black."))
        async with page_of(bridge, bridge.local_user.id, products):
            response = await client.responses.create(model=MODEL, input="What is there?")
        for words in ("Which?", "No other?"):
            response = await client.responses.create(
                model=MODEL, input=words, previous_response_id=response.id
            )
    assert thinking_sent(provider) == thought(provider)[:kept]


SEARCH: Any = {"type": "web_search_20260209", "name": "web_search"}


@pytest.mark.parametrize("way", ["responses", "chat", "conversation"])
async def test_an_answer_that_was_paused_goes_on(
    tmp_path: Path, provider: ScriptedProvider, way: str
) -> None:
    """Issue 42: `pause_turn` of a search by the provider: it has back what it thought, asked and found."""
    options: Any = {"tools": [SEARCH]} if way == "responses" else {}
    async with shop_bridge(tmp_path, provider, "messages") as bridge:
        provider.play(
            (reasoning("Hm.") + text("I look. ") + looks_up("tea", "green")).ending_in("paused"),
            looks_up("coffee").ending_in("paused"),
            text("Tea."),
            text("Green."),
        )
        if way == "conversation":
            async with open_conversation(bridge) as talk:
                assert (await talk.say("What is there?"))["state"] == "completed"
                assert (await talk.say("Which?"))["state"] == "completed"
        else:
            async with client_of(bridge) as client:
                await _ask_twice(client, way, options)
    _, second, third, later = (asked.body["messages"] for asked in provider.requests)
    [_, answered] = second
    kinds = [block["type"] for block in answered["content"]]
    assert kinds == ["thinking", "text", "server_tool_use", "web_search_tool_result"]
    assert answered["content"][2]["input"] == {"query": "tea"}
    assert third[1]["content"][:4] == answered["content"]
    assert third[1]["content"][4]["input"] == {"query": "coffee"}
    said = [block for message in later for block in message["content"]]
    assert {block["type"] for block in said} <= {"text", "thinking"}
    assert "Tea." in str(said)


async def _ask_twice(client: Any, way: str, options: Any) -> None:
    if way == "responses":
        first = await client.responses.create(model=MODEL, input="What is there?", **options)
        assert (first.status, first.output_text) == ("completed", "I look. Tea.")
        await client.responses.create(model=MODEL, input="Which?", previous_response_id=first.id, **options)
        return
    history: Any = [{"role": "user", "content": "What is there?"}]
    answer = await client.chat.completions.create(model=MODEL, messages=history)
    [choice] = answer.choices
    assert (choice.finish_reason, "Tea." in str(choice.message.content)) == ("stop", True)
    history += [
        {"role": "assistant", "content": choice.message.content},
        {"role": "user", "content": "Which?"},
    ]
    await client.chat.completions.create(model=MODEL, messages=history)


async def test_an_image_of_a_tool_is_seen(tmp_path: Path, provider: ScriptedProvider) -> None:
    """Issue 42: images from tools stand within the result."""
    named = ModelSettings(id="seer", provider="scripted", model=MODEL, sees_images=True)
    file = models_file(provider, "messages", model=(named,))
    async with aiohttp.ClientSession() as http, shop_bridge(tmp_path, provider, models=file) as bridge:
        provider.play(calls(("listProducts", {})), text("A cat."))
        answer = image_answer(bridge, http)
        async with page_of(bridge, bridge.local_user.id, answer), client_of(bridge) as client:
            await client.responses.create(model="seer", input="Show me.")
    [result] = provider.requests[1].body["messages"][-1]["content"]
    data = base64.b64encode(PNG).decode()
    source = {"type": "base64", "media_type": "image/png", "data": data}
    assert result["content"][1] == {"type": "image", "source": source}


async def test_a_model_writes_as_much_as_its_settings_say(tmp_path: Path, provider: ScriptedProvider) -> None:
    """Issue 42: max_tokens is required; the model's own limit is asked for unless a caller asks for less."""
    named = ModelSettings(id="long", provider="scripted", model=MODEL, max_completion_tokens=64_000)
    file = models_file(provider, "messages", model=(named,))
    async with shop_bridge(tmp_path, provider, models=file) as bridge, client_of(bridge) as client:
        provider.play(text("Hi"), text("Hi"))
        await client.responses.create(model="long", input="Hello")
        await client.responses.create(model="long", input="Hello", max_output_tokens=50)
    assert [asked.body["max_tokens"] for asked in provider.requests] == [64_000, 50]


@pytest.mark.parametrize("api", ["messages", "responses", "chat"])
async def test_examples_of_a_tool_reach_the_provider_that_takes_them(
    tmp_path: Path, provider: ScriptedProvider, api: ProviderApi
) -> None:
    """Issue 42: `input_examples` where an edit sets them; any other provider would refuse the word."""
    document = json.loads(document_text())
    document["paths"]["/products"]["get"]["x-tool-bridge"] = {"examples": [{"limit": 3}, {"limit": "all"}]}
    async with model_bridge(tmp_path, provider, api) as bridge, client_of(bridge) as client:
        await bridge.components.registry.share_document("shop.json", json.dumps(document), source_url=None)
        provider.play(calls(("listProducts", {"limit": 2})), text("Tea."))
        async with page_of(bridge, bridge.local_user.id, products):
            await client.responses.create(model=MODEL, input="What is there?")
    first, second = (asked.body["tools"] for asked in provider.requests)
    assert first == second, "the cache of prompts holds"
    [listed] = [tool for tool in first if tool.get("function", tool)["name"] == "listProducts"]
    expected = [{"limit": 3}] if api == "messages" else None
    assert listed.get("input_examples") == expected
    assert "examples" not in json.dumps(first).replace("input_examples", "")
