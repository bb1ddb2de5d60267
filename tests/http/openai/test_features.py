"""What providers are sent unasked, and what a model's settings change, through the model routes."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import openai
import pytest
from openai import AsyncOpenAI

from bridge.app.server import Bridge
from bridge.settings.chat.model_defaults import ModelDefaults
from bridge.settings.chat.models import ModelSettings, ModelsFile
from tests.support.models.model_answers import calls, reasoning, text
from tests.support.models.model_bridge import (
    MODEL,
    client_of,
    model_bridge,
    models_file,
    products,
    shop_bridge,
)
from tests.support.models.scripted_provider import ScriptedProvider, answers, events, fails
from tests.support.running_bridge import json_answer, page_of

pytestmark = pytest.mark.asyncio

HELLO: Any = [{"role": "user", "content": "What is new?"}]
LIST = calls(("listProducts", {"limit": 2}))
OPEN_WEBUI = {"X-OpenWebUI-Chat-Id": "c1"}


@dataclass
class Asking:
    """A bridge with one model, and what its provider was sent."""

    bridge: Bridge
    client: AsyncOpenAI
    provider: ScriptedProvider

    async def chat(self, **request: Any) -> dict[str, Any]:
        """What the provider is sent for a question."""
        self.provider.play(text("Much."))
        await self.client.chat.completions.create(model="m", messages=HELLO, extra_body=request)
        return self.provider.requests[-1].body


@asynccontextmanager
async def asking(
    folder: Path, provider: ScriptedProvider, defaults: ModelDefaults | None = None, **model: Any
) -> AsyncGenerator[Asking]:
    named = ModelSettings.model_validate({"id": "m", "provider": "scripted", "model": MODEL, **model})
    models = models_file(provider, model=(named,))
    settings: Any = {"models": models, "model_defaults": defaults or ModelDefaults()}
    async with model_bridge(folder, provider, **settings) as bridge, client_of(bridge) as client:
        yield Asking(bridge, client, provider)


async def test_the_web_plugin_goes_along_and_says_how_many_results(
    tmp_path: Path, provider: ScriptedProvider
) -> None:
    """S0-100, S0-101, S0-102: in `plugins`, not in `tools`; not beside minimal effort, nor for a title."""
    defaults = ModelDefaults(web_search_max_results=5)
    async with asking(tmp_path, provider, defaults, web_search="plugin") as now:
        sent = await now.chat()
        assert sent["plugins"] == [{"id": "web", "max_results": 5}]
        assert "tools" not in sent
        assert "plugins" not in await now.chat(reasoning_effort="minimal")
        assert "plugins" not in await now.chat(metadata={"task": "title_generation"})
        assert "plugins" not in await now.chat(features={"web_search": False})


async def test_a_search_that_is_off_can_be_asked_for(tmp_path: Path, provider: ScriptedProvider) -> None:
    """S0-100: by the request's feature, which no provider is sent."""
    defaults = ModelDefaults(enable_web_search_tool=False, web_search_max_results=None)
    async with asking(tmp_path, provider, defaults, web_search="plugin") as now:
        assert "plugins" not in await now.chat()
        sent = await now.chat(features={"web_search": True})
        assert sent["plugins"] == [{"id": "web"}]
        assert "features" not in sent


async def test_a_model_that_cannot_search_says_so_in_the_answers_head(
    tmp_path: Path, provider: ScriptedProvider
) -> None:
    """S0-100: a search that silently is none would be taken for one that found nothing."""
    async with asking(tmp_path, provider) as now:
        provider.play(text("Much."))
        raw = await now.client.chat.completions.with_raw_response.create(
            model="m", messages=HELLO, extra_body={"features": {"web_search": True}}
        )
        assert raw.headers["X-Tool-Bridge-Dropped"] == "features.web_search"
        assert "plugins" not in provider.requests[0].body


@pytest.mark.parametrize(
    ("form", "tool"),
    [
        ("tool", {"type": "web_search", "search_context_size": "medium"}),
        (
            "openrouter_tool",
            {
                "type": "openrouter:web_search",
                "parameters": {"max_results": 3, "search_context_size": "medium"},
            },
        ),
    ],
)
async def test_the_web_search_tool_stands_behind_the_other_tools(
    tmp_path: Path, provider: ScriptedProvider, form: str, tool: Any
) -> None:
    """S0-103, S4-05: as the provider writes it, without `plugins`."""
    mine: Any = {"type": "function", "function": {"name": "mine", "parameters": {"type": "object"}}}
    async with asking(tmp_path, provider, web_search=form) as now:
        sent = await now.chat(tools=[mine])
        assert [each.get("name") for each in sent["tools"][:-1]] == ["mine"]
        assert sent["tools"][-1] == tool
        assert "plugins" not in sent


async def test_a_providers_search_is_for_the_models_that_take_it(
    tmp_path: Path, provider: ScriptedProvider
) -> None:
    """S4-05: OpenAI refuses the whole request of a model that cannot."""
    provider.models = ["gpt-4.1", "gpt-4.1-nano"]
    [listing] = models_file(provider).provider
    models = ModelsFile(provider=(listing.model_copy(update={"web_search": "tool"}),))
    async with model_bridge(tmp_path, provider, models=models) as bridge, client_of(bridge) as client:
        provider.play(text("A"), text("B"))
        await client.responses.create(model="gpt-4.1", input="Hi")
        await client.responses.create(model="gpt-4.1-nano", input="Hi")
    first, second = (asked.body for asked in provider.requests)
    assert [tool["type"] for tool in first["tools"]] == ["web_search"]
    assert "tools" not in second


async def test_truncation_is_said_and_an_overflow_is_the_providers_error(
    tmp_path: Path, provider: ScriptedProvider
) -> None:
    """S4-09: `auto` unless somebody says otherwise; the limit of output goes along."""
    async with asking(tmp_path, provider) as now:
        sent = await now.chat(max_tokens=50)
        assert (sent["truncation"], sent["max_output_tokens"]) == ("auto", 50)
        provider.play(fails(400, "Your input exceeds the context window.", code="context_length_exceeded"))
        with pytest.raises(openai.BadRequestError) as refused:
            await now.client.responses.create(model="m", input="Hi", truncation="disabled")
        assert provider.requests[-1].body["truncation"] == "disabled"
        assert refused.value.code == "context_length_exceeded"
        assert "exceeds the context window" in refused.value.message


@pytest.mark.parametrize(
    ("asked", "options", "told"),
    [
        ({}, {}, "auto"),
        ({}, {"truncation": "disabled"}, "disabled"),
        ({"truncation": "disabled"}, {}, "disabled"),
    ],
)
async def test_a_response_tells_the_truncation_that_its_provider_was_sent(
    tmp_path: Path, provider: ScriptedProvider, asked: Any, options: Any, told: str
) -> None:
    """S4-09: a provider need not repeat it, and whoever reads `disabled` expects an error on overflow."""
    async with asking(tmp_path, provider, options=options) as now:
        provider.play(text("A"))
        stream = await now.client.responses.create(model="m", input="Hi", stream=True, **asked)
        responses = [getattr(event, "response", None) async for event in stream]
        shown = [response.truncation for response in responses if response]
    assert provider.requests[-1].body["truncation"] == told
    assert shown == [told] * 3


async def test_what_a_provider_does_not_take_is_not_said(tmp_path: Path, provider: ScriptedProvider) -> None:
    """S4-09: by a setting of the provider, and by one of the bridge."""
    [listing] = models_file(provider).provider
    for models, defaults in (
        (ModelsFile(provider=(listing.model_copy(update={"truncation": False}),)), ModelDefaults()),
        (ModelsFile(provider=(listing,)), ModelDefaults(truncation=None)),
    ):
        async with (
            model_bridge(tmp_path, provider, models=models, model_defaults=defaults) as bridge,
            client_of(bridge) as client,
        ):
            provider.play(text("A"))
            await client.responses.create(model=MODEL, input="Hi")
        assert "truncation" not in provider.requests[-1].body


async def test_reasoning_is_summed_up_shown_apart_and_never_read_again(
    tmp_path: Path, provider: ScriptedProvider
) -> None:
    """S4-02, S4-03: asked for, streamed as reasoning, and taken out of what comes back as text."""
    defaults = ModelDefaults(enable_reasoning_summary="detailed")
    shown = '<details type="reasoning" done="true">\n<summary>Done</summary>\nHm.\n</details>\nMuch.'
    async with asking(tmp_path, provider, defaults, reasons=True) as now:
        provider.play(reasoning("H", "m.") + text("Much."), text("More."))
        stream = await now.client.chat.completions.create(model="m", messages=HELLO, stream=True)
        deltas = [chunk.choices[0].delta.model_dump() async for chunk in stream if chunk.choices]
        assert "".join(delta.get("reasoning_content") or "" for delta in deltas) == "Hm."
        assert "".join(delta["content"] or "" for delta in deltas) == "Much."
        back: Any = [*HELLO, {"role": "assistant", "content": shown}, *HELLO]
        await now.client.chat.completions.create(model="m", messages=back)
    first, second = (asked.body for asked in provider.requests)
    assert first["reasoning"] == {"summary": "detailed"}
    assert (first["store"], first["include"]) == (False, ["reasoning.encrypted_content"])
    assert "Hm." not in json.dumps(second["input"])
    assert "Much." in json.dumps(second["input"])


async def test_encrypted_reasoning_goes_back_verbatim(tmp_path: Path, provider: ScriptedProvider) -> None:
    """S4-03, W-21: within a turn; without them a model that reasons begins anew in every round."""
    thought: Any = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAAA"}
    called: Any = {
        "type": "function_call",
        "id": "fc_1",
        "call_id": "call_1",
        "name": "listProducts",
        "arguments": "{}",
        "status": "completed",
    }
    done = [
        {"type": "response.output_item.done", "output_index": place, "item": item}
        for place, item in enumerate((thought, called))
    ]
    response = {"id": "resp_1", "status": "completed", "output": [thought, called]}
    named = ModelSettings(id="m", provider="scripted", model=MODEL, reasons=True)
    models = models_file(provider, model=(named,))
    async with shop_bridge(tmp_path, provider, models=models) as bridge, client_of(bridge) as client:
        provider.play(events(*done, {"type": "response.completed", "response": response}), text("Tea."))
        async with page_of(bridge, bridge.local_user.id, products):
            await client.responses.create(model="m", input="Hi")
    assert provider.requests[1].body["input"][1:3] == [thought, called]


async def test_pseudo_models_stand_beside_the_models_they_are(
    tmp_path: Path, provider: ScriptedProvider
) -> None:
    """S4-11: listed, asked with their options, and not where the operator does not want them."""
    provider.models = ["o4-mini", "vendor/gpt-5", "gpt-4o"]
    async with model_bridge(tmp_path, provider) as bridge, client_of(bridge) as client:
        listed = [model.id async for model in client.models.list()]
        assert listed == [
            "o4-mini",
            "vendor/gpt-5",
            "gpt-4o",
            "o4-mini-high",
            "vendor/gpt-5-thinking",
            "vendor/gpt-5-thinking-minimal",
            "vendor/gpt-5-thinking-high",
        ]
        provider.play(text("A"), text("B"))
        answer = await client.responses.create(model="o4-mini-high", input="Hi")
        await client.responses.create(model="vendor/gpt-5-thinking-minimal", input="Hi")
    first, second = (asked.body for asked in provider.requests)
    assert (answer.model, first["model"], first["reasoning"]) == (
        "o4-mini-high",
        "o4-mini",
        {"effort": "high"},
    )
    assert (second["model"], second["reasoning"]) == ("vendor/gpt-5", {"effort": "minimal"})
    [listing] = models_file(provider).provider
    models = ModelsFile(provider=(listing.model_copy(update={"pseudo_models": False}),))
    async with model_bridge(tmp_path, provider, models=models) as bridge, client_of(bridge) as client:
        assert [model.id async for model in client.models.list()] == ["o4-mini", "vendor/gpt-5", "gpt-4o"]


async def test_what_a_providers_list_says_of_a_model_holds(
    tmp_path: Path, provider: ScriptedProvider
) -> None:
    """S0-01, S4-01: its catalog knows who can call functions; who cannot is told so before it is asked."""
    rows: Any = [
        {"id": "talker", "supported_parameters": ["temperature"]},
        {"id": "doer", "supported_parameters": ["tools", "tool_choice"]},
    ]
    provider.models = answers(200, json.dumps({"data": rows}).encode(), ("Content-Type", "application/json"))
    async with (
        shop_bridge(tmp_path, provider) as bridge,
        client_of(bridge) as client,
        page_of(bridge, bridge.local_user.id, products),
    ):
        provider.play(text("A"), text("B"))
        await client.responses.create(model="talker", input="Hi")
        await client.responses.create(model="doer", input="Hi")
        with pytest.raises(openai.BadRequestError, match="'talker' does not support tools"):
            await client.responses.create(model="talker", input="Hi", tool_choice="required")
    first, second = (asked.body for asked in provider.requests)
    assert "tools" not in first
    assert second["tools"]


async def test_a_result_too_long_for_the_model_is_told_by_its_size(
    tmp_path: Path, provider: ScriptedProvider
) -> None:
    """S0-147: neither the model nor the reader is shown it; the next call still works."""
    sizes = iter([30_000, 20])  # shorter than answers of which models read an outline

    async def answer(_call: dict[str, Any]) -> dict[str, Any]:
        return json_answer({"text": "x" * next(sizes)})

    named = ModelSettings(id="m", provider="scripted", model=MODEL, context_tokens=6_000)
    models = models_file(provider, model=(named,))
    headers = {**OPEN_WEBUI, "X-Tool-Bridge-Calls": "details", "X-Tool-Bridge-Markers": "off"}
    async with shop_bridge(tmp_path, provider, models=models) as bridge, client_of(bridge) as client:
        provider.play(LIST, LIST, text("Done."))
        async with page_of(bridge, bridge.local_user.id, answer):
            stream = await client.chat.completions.create(
                model="m", messages=HELLO, stream=True, extra_headers=headers
            )
            chunks = [chunk async for chunk in stream]
    outputs = [
        item["output"]
        for item in provider.requests[2].body["input"]
        if item["type"] == "function_call_output"
    ]
    assert outputs[0].startswith("[Tool result omitted due to context budget. Result size: 30,0")
    assert outputs[1] == json.dumps({"text": "x" * 20})
    said = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    assert said.count("<details") == 1
    assert said.endswith("Done.")
    told = [extra["event"]["data"] for chunk in chunks if (extra := chunk.model_extra) and "event" in extra]
    assert any("too long for what the model can still read" in data.get("content", "") for data in told)


@pytest.mark.parametrize(
    ("shows", "headers", "cards"),
    [(None, {}, 0), (True, {}, 1), (True, {"X-Tool-Bridge-Calls": "hidden"}, 0), (False, OPEN_WEBUI, 0)],
)
async def test_tool_cards_are_a_setting(
    tmp_path: Path, provider: ScriptedProvider, shows: bool | None, headers: dict[str, str], cards: int
) -> None:
    """S0-148: for answers whose request and key say nothing of it."""
    defaults = ModelDefaults(show_tool_cards=shows)
    async with (
        shop_bridge(tmp_path, provider, model_defaults=defaults) as bridge,
        client_of(bridge) as client,
    ):
        provider.play(LIST, text("Tea."))
        async with page_of(bridge, bridge.local_user.id, products):
            answer = await client.chat.completions.create(model=MODEL, messages=HELLO, extra_headers=headers)
    assert str(answer.choices[0].message.content).count("<details") == cards


async def test_tool_cards_are_items_that_begin_and_end(tmp_path: Path, provider: ScriptedProvider) -> None:
    """S0-148: a call in progress and its output, each added and done, for each call."""
    async with shop_bridge(tmp_path, provider) as bridge, client_of(bridge) as client:
        provider.play(LIST, text("Tea."))
        async with page_of(bridge, bridge.local_user.id, products):
            stream = await client.responses.create(
                model=MODEL, input="Hi", stream=True, extra_headers={"X-Tool-Bridge-Calls": "items"}
            )
            told = [event async for event in stream if event.type.startswith("response.output_item.")]
    shown: Any = [(event.type.rpartition(".")[2], event.item.type, event.item.status) for event in told[:4]]  # pyright: ignore
    assert shown == [
        ("added", "function_call", "in_progress"),
        ("done", "function_call", "completed"),
        ("added", "function_call_output", "in_progress"),
        ("done", "function_call_output", "completed"),
    ]


async def test_a_gateways_own_tool_is_sent_by_chat_completions_too(
    tmp_path: Path, provider: ScriptedProvider
) -> None:
    """S0-103: OpenRouter takes it with either protocol, and most ask it by this one."""
    named = ModelSettings(id="m", provider="scripted", model=MODEL, web_search="openrouter_tool")
    models = models_file(provider, "chat", model=(named,))
    async with model_bridge(tmp_path, provider, models=models) as bridge, client_of(bridge) as client:
        provider.play(text("A"))
        raw = await client.chat.completions.with_raw_response.create(model="m", messages=HELLO)
    [asked] = provider.requests
    assert asked.path == "/v1/chat/completions"
    assert [tool["type"] for tool in asked.body["tools"]] == ["openrouter:web_search"]
    assert "X-Tool-Bridge-Dropped" not in raw.headers
