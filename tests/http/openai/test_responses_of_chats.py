"""Responses for clients that keep a chat: messages in place of input, markers, what Open WebUI shows."""

import json
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import openai
import pytest
import pytest_asyncio
from openai import AsyncOpenAI

from bridge.app.server import Bridge
from tests.support.models.model_answers import calls, text
from tests.support.models.model_bridge import MODEL, products, shop_bridge
from tests.support.models.scripted_provider import ScriptedProvider
from tests.support.running_bridge import page_of

pytestmark = pytest.mark.asyncio


@pytest_asyncio.fixture
async def bridge(tmp_path: Path, provider: ScriptedProvider) -> AsyncGenerator[Bridge]:
    async with shop_bridge(tmp_path, provider) as running:
        yield running


CHAT: Any = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Which products are there?"},
]
LIST = calls(("listProducts", {"limit": 2}))


async def asked(client: AsyncOpenAI, messages: Any, headers: dict[str, str], **more: Any) -> Any:
    body = {"messages": messages, **more}
    return await client.responses.create(model=MODEL, extra_body=body, extra_headers=headers)


async def test_a_chat_may_stand_for_the_input(client: AsyncOpenAI, provider: ScriptedProvider) -> None:
    """Its last system message is the instructions, which the response tells: going on needs them again."""
    provider.play(text("Tea."), text("Coffee."))
    first = await asked(client, CHAT, {})
    assert provider.requests[0].body["instructions"] == first.instructions == "Be brief."
    assert [item["role"] for item in provider.requests[0].body["input"]] == ["user"]
    assert "messages" not in provider.requests[0].body
    more: Any = [{"type": "message", "role": "user", "content": "And then?"}]
    await client.responses.create(model=MODEL, input=more, previous_response_id=first.id)
    assert [item["role"] for item in provider.requests[1].body["input"]] == ["user", "assistant", "user"]


async def test_input_stands_behind_the_chat(client: AsyncOpenAI, provider: ScriptedProvider) -> None:
    """For who goes on without a kept response: the chat, then what was called and returned."""
    provider.play(text("Tea."))
    call = {"type": "function_call", "call_id": "c1", "name": "mine", "arguments": "{}"}
    output = {"type": "function_call_output", "call_id": "c1", "output": "1"}
    await asked(client, CHAT, {}, input=[call, output])
    kinds = [item.get("type", "message") for item in provider.requests[0].body["input"]]
    assert kinds == ["message", "function_call", "function_call_output"]


async def test_a_chat_that_is_none_is_named(client: AsyncOpenAI) -> None:
    """As at the other door."""
    with pytest.raises(openai.BadRequestError, match="expected an array") as refused:
        await asked(client, "Hi", {})
    assert refused.value.param == "messages"


async def test_markers_name_what_is_stored_and_bring_it_back(
    bridge: Bridge, client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """S0-135, S4-16, S4-19: call, output and words come back in their order from the text alone."""
    provider.play(LIST, text("There is tea."), text("Yes."))
    async with page_of(bridge, bridge.local_user.id, products):
        answer = await asked(client, CHAT, {"X-Tool-Bridge-Markers": "link"})
    assert answer.output_text.count("]: #") == 3
    said = {"role": "assistant", "content": answer.output_text}
    await asked(client, [*CHAT, said, {"role": "user", "content": "Sure?"}], {})
    before, after = provider.requests[1].body["input"], provider.requests[2].body["input"]
    assert after[: len(before)] == before
    assert json.loads(after[len(before) - 1]["output"]) == {"products": ["tea"]}
    assert after[len(before)]["content"][0]["text"] == "There is tea."
    assert "[tb:" not in json.dumps(after)


@pytest.mark.parametrize(
    "headers", [{}, {"X-Tool-Bridge-Task": "title_generation", "X-Tool-Bridge-Markers": "link"}]
)
async def test_without_a_wish_a_response_has_no_markers(
    client: AsyncOpenAI, provider: ScriptedProvider, headers: dict[str, str]
) -> None:
    """S4-06: callers of the protocol have `previous_response_id`; a title is read by a program."""
    provider.play(text("Tea."))
    assert (await asked(client, CHAT, headers)).output_text == "Tea."


async def test_open_webui_is_told_what_it_shows_beside_the_answer(
    bridge: Bridge, client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """S2-13, S0-150: status lines, the last one done; nobody else gets such events."""
    for headers in ({"X-OpenWebUI-Chat-Id": "c"}, {}):
        provider.play(LIST, text("There is tea."))
        async with page_of(bridge, bridge.local_user.id, products):
            stream = await client.responses.create(
                model=MODEL, input="Hi", stream=True, extra_headers=headers
            )
            told = [event.model_dump() async for event in stream]
        ours = [event["event"]["data"] for event in told if event["type"] == "tool_bridge.event"]
        if headers:
            assert ours[0]["description"].startswith("Running ")
            assert ours[-1] == {"description": "", "done": True, "hidden": True}
            assert told[-1]["type"] == "response.completed"
        else:
            assert ours == []
