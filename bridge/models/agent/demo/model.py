"""The demo model: needs no provider, for the first run and for every test without a network.

It understands plain requests to tools by rules, and `CALL name {json}`, and says so. Everything it says
follows from its request; only the ids of its items are new each time. See `docs/reference/demo-model.md`.
"""

from __future__ import annotations

import re
import time
import uuid
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence

from bridge.models.agent.demo.replies import result_words, words_without_calls
from bridge.models.agent.demo.sentence import language_of
from bridge.models.agent.demo.understanding import Understood, understand_request
from bridge.models.agent.item_events import (
    MessageEvents,
    beginning_events,
    call_events,
    call_item,
    ending_event,
    started_response,
)
from bridge.models.agent.items import Item, message_text
from bridge.models.agent.model import ModelEvent, ModelRequest
from toolserver.json_types import JsonObject, dump_json, load_first, text_at

CHARS_PER_TOKEN = 4
"""Divisor by which the demo model counts tokens: characters of a text, divided by this, rounded up."""

_CALL = re.compile(r"(?:^|(?<=[\s`(]))CALL[ \t]+([^\s{}`]+)[ \t]*(?=(\{)|$|`)", re.MULTILINE)
"""Pattern of `CALL name`, then arguments or the end of the line."""
_WORDS = re.compile(r"\s*\S+\s*")


class DemoModel:
    """A `Model` that makes the calls which the user's message asks for, and repeats their results."""

    def __init__(
        self, *, new_id: Callable[[], str] = lambda: uuid.uuid4().hex, now: Callable[[], float] = time.time
    ) -> None:
        """`new_id`: returns a text that is never returned twice; `now`: seconds since 1970."""
        self._new_id = new_id
        self._now = now

    async def stream_round(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """Stream one round. Never raises."""
        items: list[Item] = []
        response = started_response(request, "resp_" + self._new_id(), int(self._now()))
        for event in self._events(request, response):
            if event["type"] == "response.output_item.done" and isinstance(event["item"], dict):
                items.append(event["item"])
            yield ModelEvent(event)
        used: JsonObject = {**response, "usage": _usage(request, items)}
        yield ModelEvent(ending_event(used, "completed", [*items]))

    def _events(self, request: ModelRequest, response: JsonObject) -> Iterator[JsonObject]:
        yield from beginning_events(response)
        asked, since = _last_asked(request.input)
        spelled = list(calls_in(asked))
        understood = _understood(request, asked, since, is_spelled=bool(spelled))
        meant = [(understood.name, understood.arguments)] if understood.arguments else []
        calls = _calls_to_make(request, spelled or meant, since)
        for index, (name, arguments) in enumerate(calls):
            item = call_item("fc_" + self._new_id(), "call_" + self._new_id(), name, arguments)
            yield from call_events(item, index)
        if not calls:
            results = result_words(since, understood.language, by_rules=not spelled)
            yield from self._message(results or words_without_calls(request, understood))

    def _message(self, text: str) -> Iterator[JsonObject]:
        message = MessageEvents("msg_" + self._new_id(), 0)
        yield from message.begin_message()
        for words in _WORDS.findall(text):
            yield message.add_text(words)
        yield from message.finish_message()


def _last_asked(items: Sequence[Item]) -> tuple[str, Sequence[Item]]:
    """Return the user's last message, and the items since."""
    for at in reversed(range(len(items))):
        if items[at].get("role") == "user":
            return message_text(items[at]), items[at + 1 :]
    return "", items


def _understood(request: ModelRequest, asked: str, since: Sequence[Item], *, is_spelled: bool) -> Understood:
    """Return the call of a plain sentence; none where calls are spelled out, forbidden, or made."""
    if is_spelled:
        return Understood(language_of(asked.partition("CALL ")[0]))
    if not _may_call(request) or _calls_made(since):
        return Understood(language_of(asked))
    return understand_request(asked, request.tools)


def _may_call(request: ModelRequest) -> bool:
    return bool(request.tools) and request.options.get("tool_choice") != "none"


def _calls_made(since: Sequence[Item]) -> int:
    return sum(item.get("type") == "function_call" for item in since)


def _calls_to_make(
    request: ModelRequest, calls: list[tuple[str, str]], since: Sequence[Item]
) -> list[tuple[str, str]]:
    """Return the calls to make now; only the next one, where the request wants one at a time."""
    if not _may_call(request):
        return []
    made = _calls_made(since)
    if request.options.get("parallel_tool_calls") is False:
        return calls[made : made + 1]
    return [] if made else calls


def calls_in(text: str) -> Iterator[tuple[str, str]]:
    """Yield names and arguments of the calls that a text asks for, in order.

    Arguments are JSON text as it was written, `{}` where there is none; anything that is not JSON extends to
    the end of its line, so that the loop can say what is wrong with it.
    """
    position = 0
    while match := _CALL.search(text, position):
        start = position = match.end()
        if match[2] is None:
            yield match[1], "{}"
            continue
        try:
            _, position = load_first(text, start)
        except ValueError:
            line_end = text.find("\n", start)
            position = line_end if line_end >= 0 else len(text)
        yield match[1], text[start:position].rstrip()


def _usage(request: ModelRequest, output: Sequence[Item]) -> JsonObject:
    read: JsonObject = {
        "instructions": request.instructions,
        "input": [*request.input],
        "tools": [*request.tools],
    }
    said = sum(
        len(message_text(item) or text_at(item, "name") + text_at(item, "arguments")) for item in output
    )
    tokens_in = _tokens(len(dump_json(read).decode()))
    tokens_out = _tokens(said)
    return {
        "input_tokens": tokens_in,
        "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
        "output_tokens": tokens_out,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": tokens_in + tokens_out,
    }


def _tokens(chars: int) -> int:
    return -(-chars // CHARS_PER_TOKEN)
