"""Chats of several turns through the Pipe, with the history as Open WebUI 0.12.4 builds it.

The provider refuses a history as OpenAI does; here each call is also counted, with its output, in each turn.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from bridge.app.server import Bridge
from bridge.settings.chat.models import ProviderApi
from tests.support.fake_open_webui import Browser, Chat, Message, direct, tools_by_name
from tests.support.loaded_plugins import CITY, load_pipe, weather
from tests.support.models.messages_side import MESSAGES
from tests.support.models.model_answers import calls, text
from tests.support.models.model_bridge import MODEL, products, shop_bridge
from tests.support.models.provider_harness import APIS
from tests.support.models.scripted_provider import ScriptedProvider, scripted_provider
from tests.support.running_bridge import page_of

pytestmark = [pytest.mark.asyncio, pytest.mark.slow]

Json = dict[str, Any]
WEATHER = tools_by_name(direct("get_weather", **CITY))
BOTH = calls(("listProducts", {}), ("get_weather", {"city": "Rome"}))
"""One call for the bridge, one for Open WebUI."""

MODES: list[Json] = [
    {"SHOW_TOOL_CARDS": cards, "TOOL_EXECUTION_MODE": runs, "PERSIST_TOOL_RESULTS": persists}
    for cards in ("items", "details", "off")
    for runs in ("Pipeline", "Open-WebUI")
    for persists in (True, False)
]


@asynccontextmanager
async def a_chat(
    folder: Path, api: ProviderApi, valves: Json
) -> AsyncGenerator[tuple[Chat, ScriptedProvider, Bridge]]:
    async with (
        scripted_provider(MESSAGES) as provider,
        shop_bridge(folder, provider, api) as bridge,
        page_of(bridge, bridge.local_user.id, products),
    ):
        yield Chat(load_pipe(bridge, **valves), MODEL, Browser(weather), WEATHER), provider, bridge


def given(provider: ScriptedProvider) -> list[tuple[str, str]]:
    """What the last request has of calls and outputs: the kind and the id of each, in order."""
    body = provider.requests[-1].body
    found: list[tuple[str, str]] = []
    for each in body.get("input") or body["messages"]:
        found += [("call", call["id"]) for call in each.get("tool_calls") or ()]
        for block in each["content"] if isinstance(each.get("content"), list) else ():
            found += [("call", block["id"])] if block["type"] == "tool_use" else []
            found += [("output", block["tool_use_id"])] if block["type"] == "tool_result" else []
        if each.get("role") == "tool":
            found.append(("output", each["tool_call_id"]))
        if str(each.get("type", "")).startswith("function_call"):
            found.append(("output" if each["type"].endswith("output") else "call", each["call_id"]))
    return found


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("valves", MODES, ids=lambda valves: "-".join(map(str, valves.values())))
async def test_four_turns_with_tools_are_never_refused(
    tmp_path: Path, api: ProviderApi, valves: Json
) -> None:
    """Finding I-H1: the third turn had outputs of the first behind the question of the second."""
    async with a_chat(tmp_path, api, valves) as (chat, provider, _bridge):
        for turn in range(3):
            provider.play(BOTH, text(f"Answer {turn}."))
            answer = await chat.ask(f"Question {turn}?")
            assert answer.error is None
            assert f"Answer {turn}." in answer.content
        provider.play(text("Bye."))
        await chat.ask("Thanks.")
        found = given(provider)
        forgets = valves["SHOW_TOOL_CARDS"] != "items" and not valves["PERSIST_TOOL_RESULTS"]
        if not forgets:
            assert [kind for kind, _ in found] == ["call", "call", "output", "output"] * 3
        assert len(set(found)) == len(found)


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("cards", ["items", "details"])
async def test_a_stop_an_edit_a_fork_and_another_try_are_never_refused(
    tmp_path: Path, api: ProviderApi, cards: str
) -> None:
    """Finding I-H1: whatever becomes of a chat, the request for its next answer has whole pairs."""
    async with a_chat(tmp_path, api, {"SHOW_TOOL_CARDS": cards}) as (chat, provider, _bridge):
        provider.play(BOTH, text("First."), BOTH, text("Second."))
        await chat.ask("One?")
        await chat.ask("Two?")
        before = list(chat.messages)

        chat.messages[-2:] = []  # another try
        provider.play(BOTH, text("Second again."))
        await chat.ask("Two?")

        changed = before[1]
        assert isinstance(changed, Message)
        changed.output = [item for item in changed.output if item["type"] != "message"]  # edited to nothing
        provider.play(text("Third."))
        await chat.ask("Three?")

        chat.messages = [*before[:2]]  # a fork
        provider.play(BOTH, text("Elsewhere."), text("Bye."))
        await chat.ask("Otherwise?")
        await chat.ask("Thanks.")
        found = given(provider)
        assert len(set(found)) == len(found)


@pytest.mark.parametrize("api", APIS)
async def test_a_call_that_was_stopped_is_known_and_not_repeated(tmp_path: Path, api: ProviderApi) -> None:
    """Finding I-L11, I-H1: the model reads that it called, and that what became of it is uncertain."""
    never, running = asyncio.Event(), asyncio.Event()

    async def hang(_call: Json) -> Json:
        running.set()
        await never.wait()
        raise AssertionError("it is stopped before")

    async with scripted_provider(MESSAGES) as provider, shop_bridge(tmp_path, provider, api) as bridge:
        chat = Chat(load_pipe(bridge), MODEL, Browser(weather), WEATHER)
        async with page_of(bridge, bridge.local_user.id, products):
            provider.play(BOTH, text("First."))
            await chat.ask("One?")
        provider.play(calls(("listProducts", {})))
        async with page_of(bridge, bridge.local_user.id, hang):
            chat.messages.append({"role": "user", "content": "Two?"})
            stopped = Message()
            chat.messages.append(stopped)
            await _stop_when(running, chat, stopped)
        for words in ("Third.", "Fourth."):
            provider.play(text(words))
            assert (await chat.ask("And?")).error is None
        assert [kind for kind, _ in given(provider)] == ["call", "call", "output", "output", "call", "output"]
        assert "Interrupted: this call got no answer before the answer was stopped" in str(
            provider.requests[-1].body
        ), "what the journal knows"


async def _stop_when(running: asyncio.Event, chat: Chat, message: Message) -> None:
    async def listen() -> None:
        async with aclosing(chat.coming(message)) as chunks:
            async for _ in chunks:
                pass

    listening = asyncio.create_task(listen())
    async with asyncio.timeout(20):
        await running.wait()
    listening.cancel()
    with pytest.raises(asyncio.CancelledError):
        await listening


async def test_a_history_that_has_orphans_already_is_mended(tmp_path: Path) -> None:
    """Finding I-H1: chats that were broken by an older bridge have answers that name outputs of others."""
    async with a_chat(tmp_path, "chat", {}) as (chat, provider, _bridge):
        provider.play(BOTH, text("First."), text("Second."), text("Third."))
        first = await chat.ask("One?")
        second = await chat.ask("Two?")
        marks = [
            line
            for item in first.items("message")
            for line in item["content"][0]["text"].splitlines()
            if line.startswith("[tb:")
        ]
        assert len(marks) >= 4
        said = second.items("message")[0]["content"][0]
        said["text"] = "\n".join([*marks, "", said["text"]])
        answer = await chat.ask("Three?")
        assert answer.error is None
        found = given(provider)
        assert [kind for kind, _ in found] == ["call", "call", "output", "output"]


async def test_outputs_of_a_caller_s_history_are_named_by_no_answer(tmp_path: Path) -> None:
    """Finding I-H1: the request of the report without Open WebUI; what a caller keeps is its own to keep."""
    async with a_chat(tmp_path, "chat", {}) as (_chat, provider, bridge):
        provider.play(calls(("listProducts", {})), text("Tea."), text("Yes."), text("Bye."))
        messages: list[Json] = [{"role": "user", "content": "Which?"}]
        first = await _posted(bridge, messages)
        call, output = _items(first, "function_call")[0], _items(first, "function_call_output")[0]
        before, _, after = _said(first).partition("Tea.")
        messages += [
            {"role": "assistant", "content": before, "tool_calls": [_chat_call(call)]},
            {"role": "tool", "tool_call_id": call["call_id"], "content": output["output"]},
            {"role": "assistant", "content": f"Tea.{after}"},
            {"role": "user", "content": "Sure?"},
        ]
        second = await _posted(bridge, messages)
        assert _said(second).count("[tb:") == 1, "its own text, and nothing of the first answer"
        messages += [
            {"role": "assistant", "content": _said(second)},
            {"role": "user", "content": "Thanks."},
        ]
        await _posted(bridge, messages)
        assert given(provider) == [("call", call["call_id"]), ("output", call["call_id"])]


async def _posted(bridge: Bridge, messages: list[Json]) -> Json:
    headers = {
        "Authorization": f"Bearer {bridge.key}",
        "X-Tool-Bridge-Markers": "link",
        "X-Tool-Bridge-Calls": "items",
    }
    body = {"model": MODEL, "messages": messages}
    url = f"{bridge.base_url}/v1/responses"
    async with aiohttp.ClientSession(headers=headers) as http, http.post(url, json=body) as answer:
        assert answer.status == 200, await answer.text()
        found: Json = await answer.json()
        return found


def _items(response: Json, kind: str) -> list[Json]:
    return [item for item in response["output"] if item["type"] == kind]


def _said(response: Json) -> str:
    return "\n".join(part["text"] for item in _items(response, "message") for part in item["content"])


def _chat_call(call: Json) -> Json:
    function = {"name": call["name"], "arguments": call["arguments"]}
    return {"id": call["call_id"], "type": "function", "function": function}
