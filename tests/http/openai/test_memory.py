"""Memory through the HTTP door: a chat client that keeps role and content, and what the provider was sent."""

import json
import sqlite3
from collections.abc import AsyncGenerator
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from openai import AsyncOpenAI

from bridge.app.server import Bridge
from bridge.storage.users import UserTables
from tests.support.models.model_answers import Answer, calls, text
from tests.support.models.model_bridge import MODEL, client_of, model_bridge
from tests.support.models.scripted_provider import ScriptedProvider

pytestmark = pytest.mark.asyncio


@pytest_asyncio.fixture
async def bridge(tmp_path: Path, provider: ScriptedProvider) -> AsyncGenerator[Bridge]:
    async with model_bridge(tmp_path, provider) as running:
        yield running


LINK = {"X-Tool-Bridge-Markers": "link"}


async def say(client: AsyncOpenAI, messages: list[Any], words: str, **options: Any) -> str:
    """One turn, streamed; the chat keeps the text."""
    messages.append({"role": "user", "content": words})
    stream = await client.chat.completions.create(model=MODEL, messages=messages, stream=True, **options)
    said = "".join([part.choices[0].delta.content or "" async for part in stream if part.choices])
    messages.append({"role": "assistant", "content": said})
    return said


def sent(provider: ScriptedProvider, place: int) -> str:
    """What a request had as input, without the bracket that ends it."""
    return json.dumps(provider.requests[place].body["input"])[:-1]


def looking_up(number: int) -> tuple[Answer, Answer]:
    """A tool that is not there answers too, with an error: two calls at once, then a text."""
    return calls(("look", {"n": number}), ("find", {"n": number})), text(f"Answer {number}.")


async def test_a_chat_of_ten_turns_is_sent_with_one_growing_beginning(
    tmp_path: Path, provider: ScriptedProvider
) -> None:
    """S4-04, S0-130: over a restart and in another chat, each input begins with the one before."""
    messages: list[Any] = []
    for half in range(2):
        async with model_bridge(tmp_path, provider) as bridge, client_of(bridge) as client:
            for number in range(half * 5, half * 5 + 5):
                provider.play(*looking_up(number))
                headers = {**LINK, "X-Session-Id": f"chat {number}"}
                await say(client, messages, f"Turn {number}?", extra_headers=headers)
    inputs = [sent(provider, place) for place in range(len(provider.requests))]
    assert len(inputs) == 20
    assert all(later.startswith(earlier) for earlier, later in pairwise(inputs))
    assert "[tb:" not in "".join(inputs)
    kinds = [item["type"] for item in provider.requests[-1].body["input"]]
    assert kinds.count("function_call") == kinds.count("function_call_output") == 20


async def test_an_answer_waits_for_a_busy_database_as_long_as_the_limit_says(
    tmp_path: Path, provider: ScriptedProvider, caplog: pytest.LogCaptureFixture
) -> None:
    """`Limits.database_wait_seconds`: a backup tool holds the file; the answer is whole, and unkept."""
    provider.play(text("Hi."), text("Hi again."))
    limits = {"DATABASE_WAIT_SECONDS": 1}
    async with model_bridge(tmp_path, provider, limits=limits) as bridge, client_of(bridge) as client:
        with closing(sqlite3.connect(tmp_path / "bridge.sqlite3", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            said = await say(client, [], "Hello", extra_headers=LINK)
        assert said.startswith("Hi.")
        assert "continues without memory" in caplog.text
        assert caplog.text.count("no answer within 1 s.\n") == 2, "told by the store and by the answer"
        caplog.clear()
        assert (await say(client, [], "Hello", extra_headers=LINK)).startswith("Hi again.")
        assert "memory" not in caplog.text


async def test_open_webui_gets_markers_and_others_do_not(
    bridge: Bridge, client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """Lines that some client shows would be a nuisance; a title and JSON have no place for them."""
    provider.play(*[text("Hi.")] * 5)
    webui = {"X-OpenWebUI-User-Id": "1"}
    shapes = [
        await say(client, [], "Hello"),
        await say(client, [], "Hello", extra_headers=webui),
        await say(client, [], "Hello", extra_headers={**webui, "X-Tool-Bridge-Task": "title_generation"}),
        await say(client, [], "Hello", extra_headers=webui, response_format={"type": "json_object"}),
        await say(client, [], "Hello", extra_headers={**webui, "X-Tool-Bridge-Markers": "off"}),
    ]
    assert ["[tb:" in shape for shape in shapes] == [False, True, False, False, False]


async def test_a_key_says_how_its_answers_are_marked(bridge: Bridge, provider: ScriptedProvider) -> None:
    """`tool-bridge key --markers`: for clients that cannot send headers."""
    store = bridge.components.store
    _, key = await UserTables(store).add_key(bridge.local_user.id, "x", markers="zero_width")
    provider.play(text("Hi."))
    async with client_of(bridge, key=key) as client:
        said = await say(client, [], "Hello")
    assert said.startswith("Hi.\u2063")
    assert said.endswith("\u2064")


async def test_an_unknown_form_of_markers_is_refused(client: AsyncOpenAI, provider: ScriptedProvider) -> None:
    """By name, with those that there are."""
    with pytest.raises(Exception, match="off, link, zero_width"):
        await say(client, [], "Hello", extra_headers={"X-Tool-Bridge-Markers": "loud"})
    assert provider.requests == []
