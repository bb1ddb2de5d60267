"""Odd streams of a provider on their way through the bridge: what leaves, and what the model reads."""

import json
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any, Literal

import openai
import pytest
import pytest_asyncio
from openai import AsyncOpenAI

from bridge.app.server import Bridge
from tests.support.documents.compiled import document_text
from tests.support.models.model_answers import text
from tests.support.models.model_bridge import MODEL, model_bridge
from tests.support.models.provider_quirks import (
    BEGUN,
    HI,
    QUIRK_PATHS,
    Json,
    Quirk,
    called,
    chunk,
    piece,
    stream,
)
from tests.support.models.reported_quirks import CHAT_QUIRKS
from tests.support.models.scripted_provider import Script, ScriptedProvider, answers, raw
from tests.support.running_bridge import FakePage, json_answer, page_of

pytestmark = pytest.mark.asyncio

Door = Literal["chat stream", "chat", "responses"]
DOORS: tuple[Door, ...] = ("chat stream", "chat", "responses")


TOOL_OF = {
    "POST /t": "takeAll",
    "POST /ping": "ping",
    "POST /pong": "pong",
    "GET /products": "getProduct",
}
NAMES = (
    "continued under other indexes",
    "two calls continued under other indexes",
    "id is white space on a continuation, under other indexes",
    "two calls without arguments, one index, no ids",
    "a second call after a finish reason",
    "one JSON answer with a call",
    "the whole message again, with the call that the deltas had",
    "an empty object first, then pieces",
    "no finish reason",
    "name in two parts",
    "legacy function_call",
)
QUIRKS = {quirk.name: quirk for quirk in CHAT_QUIRKS}
DOUBTED = [quirk for quirk in CHAT_QUIRKS if quirk.is_in_doubt]


@pytest_asyncio.fixture
async def bridge(tmp_path: Path, provider: ScriptedProvider) -> AsyncGenerator[Bridge]:
    async with model_bridge(tmp_path, provider, "chat") as running:
        document = document_text(paths=QUIRK_PATHS)
        await running.components.registry.share_document("odd.json", document, source_url=None)
        yield running


@pytest_asyncio.fixture
async def page(bridge: Bridge) -> AsyncGenerator[FakePage]:
    async def answer(call: dict[str, Any]) -> dict[str, Any]:
        return json_answer({"ok": 1})

    async with page_of(bridge, bridge.local_user.id, answer) as page:
        yield page


async def ask(client: AsyncOpenAI, door: Door, **options: Any) -> str:
    """The text of the answer."""
    if door == "responses":
        respond: Any = client.responses.create
        return (await respond(model=MODEL, input="Hi", **options)).output_text
    create: Any = client.chat.completions.create
    messages = [{"role": "user", "content": "Hi"}]
    if door == "chat":
        said = (await create(model=MODEL, messages=messages, **options)).choices[0].message
        assert not said.tool_calls
        return said.content
    pieces: list[str] = []
    async for each in await create(model=MODEL, messages=messages, stream=True, **options):
        pieces += [choice.delta.content or "" for choice in each.choices]
    return "".join(pieces)


def script_of(quirk: Quirk) -> Script:
    return answers(200, quirk.answer, *quirk.headers)


def performed(page: FakePage) -> list[tuple[str, Any]]:
    return sorted(((TOOL_OF[call["name"]], json.loads(call["params"])) for call in page.calls), key=str)


def history(provider: ScriptedProvider) -> list[Json]:
    messages: list[Json] = provider.requests[-1].body["messages"]
    return messages[1:]


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("name", NAMES)
async def test_what_leaves_is_what_the_model_meant(
    provider: ScriptedProvider, client: AsyncOpenAI, page: FakePage, name: str, door: Door
) -> None:
    """Finding W-1, W-2, W-12, W-13, W-14, W-15, W-43, I-L6, I-L7, I-L8: a POST left without its arguments."""
    quirk = QUIRKS[name]
    provider.play(script_of(quirk), text("Done."))
    assert (await ask(client, door)).endswith("Done.")
    meant = [(tool, json.loads(arguments or "{}")) for tool, arguments in quirk.calls]
    assert performed(page) == sorted(meant, key=str)
    said, *outputs = history(provider)
    shown = [call["function"] for call in said["tool_calls"]]
    assert [(call["name"], json.loads(call["arguments"])) for call in shown] == meant
    assert [output["tool_call_id"] for output in outputs] == [call["id"] for call in said["tool_calls"]]


@pytest.mark.parametrize("quirk", DOUBTED, ids=str)
async def test_nothing_unsafe_runs_while_it_is_not_known_whose_arguments_are_whose(
    provider: ScriptedProvider, client: AsyncOpenAI, page: FakePage, quirk: Quirk
) -> None:
    """Finding W-1: where that is not certain, no call may be sent; the model reads why and goes on."""
    provider.play(script_of(quirk), text("Done."))
    assert await ask(client, "responses") == "Done."
    assert page.calls == []
    _, *outputs = history(provider)
    assert len(outputs) == len(quirk.calls)
    told = [output["content"] for output, (name, _) in zip(outputs, quirk.calls, strict=True) if name]
    assert all(each.startswith("TOOL_CALL_SKIPPED: the calls of this round came in pieces") for each in told)


async def test_what_only_reads_runs_even_then(
    provider: ScriptedProvider, client: AsyncOpenAI, page: FakePage
) -> None:
    """Finding W-1: reading the wrong thing changes nothing, and the model sees what it asked for."""
    stray = called(
        piece('{"s":"tea"}', "getProduct", index=0, id="a"),
        piece(HI, "takeAll", index=1, id="b"),
        piece('{"n":1}', index=7),
    )
    provider.play(raw(stray), text("Done."))
    assert await ask(client, "chat") == "Done."
    assert performed(page) == [("getProduct", {"s": "tea"})]
    _, got, skipped = history(provider)
    assert json.loads(got["content"]) == {"ok": 1}
    assert skipped["content"].startswith("TOOL_CALL_SKIPPED")


async def test_a_call_that_was_not_run_is_made_again_alone(
    provider: ScriptedProvider, client: AsyncOpenAI, page: FakePage
) -> None:
    """Finding W-1: the model does what it was told, and the POST leaves once, with its arguments."""
    stray = QUIRKS["a fragment after all calls are whole"].answer
    provider.play(raw(stray), raw(called(BEGUN, piece(HI, index=0))), text("Done."))
    assert await ask(client, "responses") == "Done."
    assert performed(page) == [("takeAll", {"s": "hi"})]


MINE: Any = {"type": "function", "name": "mine", "parameters": {"type": "object"}}
CALLERS: Any = {"type": "function", "function": {"name": "mine", "parameters": {"type": "object"}}}
STRAY = called(piece(HI, "mine", index=0, id="a"), piece(HI, "takeAll", index=1, id="b"), piece("{", index=7))


@pytest.mark.parametrize("door", DOORS)
async def test_a_callers_call_in_doubt_is_not_handed_back(
    provider: ScriptedProvider, client: AsyncOpenAI, page: FakePage, door: Door
) -> None:
    """Finding W-1: the caller would run it, and its deltas may be out; so the answer says it failed."""
    provider.play(raw(STRAY), text("Done."))
    if door == "responses":
        response = await client.responses.create(model=MODEL, input="Hi", tools=[MINE])
        assert response.status == "failed"
        assert response.error is not None
        assert "could not be assigned to its call" in response.error.message
    else:
        with pytest.raises(openai.APIError, match="could not be assigned to its call"):
            await ask(client, door, tools=[CALLERS])
    assert (page.calls, len(provider.requests)) == ([], 1)


async def test_a_callers_call_comes_with_its_arguments_in_deltas(
    provider: ScriptedProvider, client: AsyncOpenAI, page: FakePage
) -> None:
    """Finding W-15: a client adds the deltas up; an empty object before the real one would spoil them."""
    provider.play(
        raw(
            stream(
                chunk(tool_calls=[piece("{}", "mine", index=0, id="a")]),
                chunk(tool_calls=[piece('{"s":', index=0)]),
                chunk("tool_calls", tool_calls=[piece('"hi"}', index=0)]),
            )
        )
    )
    create: Any = client.chat.completions.create
    messages = [{"role": "user", "content": "Hi"}]
    added: list[str] = []
    async for each in await create(model=MODEL, messages=messages, tools=[CALLERS], stream=True):
        for choice in each.choices:
            added += [call.function.arguments for call in choice.delta.tool_calls or ()]
    assert "".join(added) == HI
