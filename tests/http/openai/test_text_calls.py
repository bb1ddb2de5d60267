"""Models that write their calls into the text, through the model routes, with a page that runs them."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from openai import AsyncOpenAI

from bridge.settings.chat.models import ModelSettings
from tests.support.documents.compiled import document_text
from tests.support.models.model_answers import text
from tests.support.models.model_bridge import MODEL, client_of, model_bridge, models_file, products
from tests.support.models.scripted_provider import ScriptedProvider
from tests.support.running_bridge import FakePage, page_of
from toolserver.json_types import JsonObject

pytestmark = pytest.mark.asyncio

ASK: Any = [{"role": "user", "content": "Which products are there?"}]
PIECES = ("Let me ", "look. <fun", "ction=listProducts><param", "eter=limit>2</parameter></func", "tion>")


@asynccontextmanager
async def asked(
    folder: Path, provider: ScriptedProvider, *, has_functions: bool, paths: JsonObject | None = None
) -> AsyncGenerator[tuple[AsyncOpenAI, FakePage]]:
    """A client of a model whose texts are read for calls, and the page that runs them."""
    named = ModelSettings(
        id="texts", provider="scripted", model=MODEL, text_calls=True, can_call_functions=has_functions
    )
    async with model_bridge(folder, provider, models=models_file(provider, model=(named,))) as bridge:
        await bridge.components.registry.share_document(
            "shop.json", document_text(paths=paths), source_url=None
        )
        async with client_of(bridge) as client, page_of(bridge, bridge.local_user.id, products) as page:
            yield client, page


async def test_a_call_in_the_text_runs_and_is_never_shown(tmp_path: Path, provider: ScriptedProvider) -> None:
    """S1-10, S1-11, S1-12, S1-21: cut anywhere, typed by the tool, then an item of the history."""
    provider.play(text(*PIECES), text("There is tea."))
    async with asked(tmp_path, provider, has_functions=True) as (client, page):
        create: Any = client.chat.completions.create
        stream = await create(model="texts", messages=ASK, stream=True)
        chunks: list[Any] = [chunk async for chunk in stream]
        assert len(page.calls) == 1
    words = "".join(chunk.choices[0].delta.content or "" for chunk in chunks)
    assert words == "Let me look.\n\nThere is tea."
    message, call, output = provider.requests[1].body["input"][-3:]
    assert message["content"][0]["text"] == "Let me look."
    assert (call["name"], json.loads(call["arguments"])) == ("listProducts", {"limit": 2})
    assert output["call_id"] == call["call_id"]
    assert json.loads(output["output"]) == {"products": ["tea"]}


async def test_a_model_without_function_calling_uses_tools_in_words(
    tmp_path: Path, provider: ScriptedProvider
) -> None:
    """S1-10, S1-20: no function reaches the provider, the page runs the call, the answer is whole."""
    provider.play(text(*PIECES), text("There is tea."))
    async with asked(tmp_path, provider, has_functions=False) as (client, page):
        answer = await client.responses.create(model="texts", input="Which?", instructions="Be brief.")
        assert len(page.calls) == 1
    assert answer.output_text == "Let me look.There is tea."
    first, second = (request.body for request in provider.requests)
    assert "tools" not in first
    assert first["instructions"].startswith("Be brief.\n\n# Tools")
    assert '"name": "listProducts"' in first["instructions"]
    said, told = second["input"][-2:]
    assert (said["role"], told["role"]) == ("assistant", "user")
    assert told["content"][0]["text"].startswith('<tool_response name="listProducts">\n{"products"')


async def test_a_call_that_is_only_told_does_not_run(tmp_path: Path, provider: ScriptedProvider) -> None:
    """S1-10, W-30: in a code block it is an example, and stays what the user reads."""
    example = "```\n<function=listProducts></function>\n```"
    provider.play(text("Write this:\n", example))
    async with asked(tmp_path, provider, has_functions=True) as (client, page):
        answer = await client.responses.create(model="texts", input="How?")
        assert page.calls == []
    assert answer.output_text == f"Write this:\n{example}"
    assert len(provider.requests) == 1


async def test_arguments_named_as_the_bridges_own_words_are_the_tools(
    tmp_path: Path, provider: ScriptedProvider
) -> None:
    """S1-15, W-30: who asks is no argument; `user` or `__user__` of an API is what the model wrote."""
    names = ["user", "__user__", "request", "messages", "call_id"]
    parameters = [{"name": name, "in": "query", "schema": {"type": "string"}} for name in names]
    found: Any = {
        "operationId": "find",
        "parameters": parameters,
        "responses": {"200": {"description": "ok"}},
    }
    written = "".join(f"<parameter={name}>the model's</parameter>" for name in names)
    provider.play(text(f"<function=find>{written}</function>"), text("Found."))
    paths: Any = {"/found": {"get": found}}
    async with asked(tmp_path, provider, has_functions=True, paths=paths) as (client, page):
        await client.responses.create(model="texts", input="Find.")
        [call] = page.calls
    assert json.loads(call["params"]) == dict.fromkeys(names, "the model's")


async def test_a_slow_reader_of_many_small_deltas_reads_the_whole_text(
    tmp_path: Path, provider: ScriptedProvider
) -> None:
    """S0-154: 500 deltas of one character, read 64 bytes at a time: each one there, in order, and the end."""
    letters = [chr(ord("a") + place % 26) for place in range(500)]
    provider.play(text(*letters))
    async with asked(tmp_path, provider, has_functions=True) as (client, _page):
        body: Any = {"model": "texts", "messages": ASK, "stream": True}
        create: Any = client.with_streaming_response.chat.completions.create
        async with create(**body) as answer:
            read = b"".join([piece async for piece in answer.iter_bytes(64)])
    frames = [frame.removeprefix("data: ") for frame in read.decode().split("\n\n") if frame]
    assert frames[-1] == "[DONE]"
    deltas = [json.loads(frame)["choices"][0]["delta"].get("content", "") for frame in frames[:-1]]
    assert "".join(deltas) == "".join(letters)
