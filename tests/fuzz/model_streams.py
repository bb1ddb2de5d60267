"""Streams that no provider of models sends: the answer ends, and says what went wrong in its own form."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any, cast

import aiohttp

from bridge.app.server import Bridge
from bridge.settings.chat.models import ProviderApi
from tests.fuzz.hunt import MANY, Area, Attempt, ErrorsLogged, errors_logged
from tests.support.documents.mutation import mutated, scrambled
from tests.support.models.messages_answers import messages_events
from tests.support.models.messages_side import MESSAGES
from tests.support.models.model_answers import (
    Answer,
    calls,
    chat_chunks,
    frames,
    reasoning,
    refusal,
    responses_events,
    text,
)
from tests.support.models.model_bridge import MODEL, products, shop_bridge
from tests.support.models.scripted_provider import ScriptedProvider, raw, scripted_provider
from tests.support.running_bridge import page_of
from toolserver.json_types import JsonObject, JsonValue, array_at, text_at

ANSWER_S = 20.0
APIS: tuple[ProviderApi, ...] = ("responses", "chat", "messages")
ANSWERS: tuple[Answer, ...] = (
    text("Hello, ", "world."),
    reasoning("Let me ", "think."),
    refusal("I will ", "not."),
    calls(("listProducts", {"limit": 2})),
    calls(("listProducts", {}), ("addProduct", {"name": "tea"}), ("nothing", "{")),
    reasoning("Hm.") + calls(("listProducts", {"limit": 1})),
    text("Cut ").ending_in("length"),
    text("No.").ending_in("content_filter"),
    text("Broken.").ending_in("failed"),
    text("Gone.").ending_in("none"),
)
JUNK = (
    b"data: [DONE]\n\n",
    b"data: null\n\n",
    b"data: []\n\n",
    b": x\n\n",
    b"event: error\ndata: {}\n\n",
    b"data: {\n\n",
)


def make_stream(source: Random) -> JsonValue:
    """Frames of an answer in one of the protocols, broken in a few places; and how the bridge is asked."""
    api = source.choice(APIS)
    answer = source.choice(ANSWERS)
    events = _events(api, answer)
    broken: JsonValue = json.loads(
        mutated(json.dumps(events), source, count=source.choice([0, 1, 1, 2, 5, 12]))
    )
    rest = broken if isinstance(broken, list) else []
    made = frames([event for event in rest if isinstance(event, dict)], with_names=False)
    if api == "chat":
        made.append(JUNK[0])
    for _ in range(source.choice([0, 0, 0, 1, 2])):
        at = source.randrange(len(made) + 1)
        made[at:at] = source.choice([[source.choice(JUNK)], made[at : at + 1], []])
    said = [frame.decode() for frame in made]
    if source.random() < 0.15 and said:
        at = source.randrange(len(said))
        said[at] = scrambled(said[at], source, count=1)
    return {"api": api, "frames": list[JsonValue](said), "ask": source.choice(["chat", "responses", "whole"])}


def _events(api: ProviderApi, answer: Answer) -> list[dict[str, Any]]:
    if api == "responses":
        return list(responses_events(answer, 0, MODEL))
    if api == "messages":
        return list(messages_events(answer, 0, MODEL))
    return list(chat_chunks(answer, 0, MODEL, with_usage=True))


@asynccontextmanager
async def open_bridges(folder: Path) -> AsyncGenerator[Attempt]:
    """A bridge for each protocol of providers, with a page that answers the calls of the model."""
    async with AsyncExitStack() as stack:
        log = await stack.enter_async_context(errors_logged())
        http = await stack.enter_async_context(aiohttp.ClientSession())
        sides: dict[str, tuple[Bridge, ScriptedProvider]] = {}
        for api in APIS:
            (folder / api).mkdir()
            provider = await stack.enter_async_context(scripted_provider(MESSAGES))
            if api == "messages":
                provider.takes_any_history = "of a broken stream the double cannot say what was thought"
            limits = {"CALLS_PER_MINUTE_PER_USER": MANY}
            bridge = await stack.enter_async_context(shop_bridge(folder / api, provider, api, limits=limits))
            await stack.enter_async_context(page_of(bridge, bridge.local_user.id, products))
            sides[api] = bridge, provider

        async def attempt(case: JsonValue) -> str:
            if not isinstance(case, dict) or text_at(case, "api") not in sides:
                return ""
            return await _ask(*sides[text_at(case, "api")], http, log, case)

        yield attempt


async def _ask(
    bridge: Bridge,
    provider: ScriptedProvider,
    http: aiohttp.ClientSession,
    log: ErrorsLogged,
    case: JsonObject,
) -> str:
    is_chat = case.get("ask") == "chat"
    path = "/v1/chat/completions" if is_chat else "/v1/responses"
    messages = [{"role": "user", "content": "Hello"}]
    body = {
        "model": MODEL,
        "stream": case.get("ask") != "whole",
        "messages" if is_chat else "input": messages,
    }
    bridge.components.controls.breakers.reset_breakers(bridge.local_user.id)
    provider.forget_scripts()
    provider.play(raw(*(str(frame).encode("utf-8", "surrogatepass") for frame in array_at(case, "frames"))))
    provider.play(*(text("The end."),) * 3)
    headers = {"Authorization": f"Bearer {bridge.key}"}
    try:
        async with asyncio.timeout(ANSWER_S):
            async with http.post(f"{bridge.base_url}{path}", json=body, headers=headers) as response:
                content = await response.read()
                problem = _problem_of(response, content, is_chat=is_chat)
    except TimeoutError:
        problem = f"no end within {ANSWER_S} s"
    except aiohttp.ClientPayloadError as error:
        problem = f"the stream broke off: {error}"
    return log.take() or problem


def _problem_of(response: aiohttp.ClientResponse, content: bytes, *, is_chat: bool) -> str:
    if b"The bridge has a bug" in content or response.status == 500:
        return f"status {response.status}: {content[:500]!r}"
    if response.content_type != "text/event-stream":
        return "" if _is_json(content) else f"no JSON: {content[:200]!r}"
    data = [line.removeprefix(b"data: ") for line in content.split(b"\n") if line.startswith(b"data: ")]
    if wrong := next((each for each in data if each != b"[DONE]" and not _is_json(each)), None):
        return f"an event that is no JSON: {wrong[:200]!r}"
    return "" if _ends_well(data, is_chat=is_chat) else f"it has no end: {data[-1:]!r}"


def _ends_well(data: list[bytes], *, is_chat: bool) -> bool:
    if is_chat:
        return data[-1:] == [b"[DONE]"]
    return any(_type_of(each) in _LAST for each in data[-1:])


_LAST = ("response.completed", "response.failed", "response.incomplete", "error")


def _type_of(event: bytes) -> str:
    said = cast(JsonValue, json.loads(event))
    return text_at(said, "type") if isinstance(said, dict) else ""


def _is_json(content: bytes) -> bool:
    try:
        json.loads(content)
    except ValueError:
        return False
    return True


AREA = Area("streams", "streams of model providers", make_stream, open_bridges)
