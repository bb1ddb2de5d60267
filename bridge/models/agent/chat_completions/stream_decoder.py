"""Decoder of a Chat Completions stream: chunks in, events of the Responses API out.

Receives decoded chunks, of which it reads the first choice; yields the complete sequence of Responses events,
from `response.created` to the ending. Tolerates the deviations of the protocol's many imitators.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from typing import Literal, TypeAlias

from bridge.models.agent.chat_completions.call_fragments import OfferedNames
from bridge.models.agent.chat_completions.stream_output import ChatOutput
from bridge.models.agent.item_events import beginning_events, ending_event, started_response
from bridge.models.agent.model import ModelRequest
from bridge.models.agent.round_bounds import RoundBounds
from toolserver.json_types import JsonObject, JsonValue, array_at, object_at, text_at

_RENAMED = {
    "prompt_tokens": "input_tokens",
    "completion_tokens": "output_tokens",
    "prompt_tokens_details": "input_tokens_details",
    "completion_tokens_details": "output_tokens_details",
}

_NONE_READ: JsonObject = {"cached_tokens": 0, "cache_write_tokens": 0}
_NONE_WRITTEN: JsonObject = {"reasoning_tokens": 0}
"""Members that OpenAI's SDK requires."""


def responses_usage(usage: JsonObject) -> JsonObject:
    """Return a usage with the counts renamed; further members, such as a gateway's `cost`, are unchanged."""
    renamed = {_RENAMED.get(name, name): value for name, value in usage.items()}
    read = renamed.get("input_tokens")
    written = renamed.get("output_tokens")
    total = (read if isinstance(read, int) else 0) + (written if isinstance(written, int) else 0)
    return {
        "input_tokens": 0,
        "output_tokens": 0,
        "total_tokens": total,
        **renamed,
        "input_tokens_details": {**_NONE_READ, **object_at(renamed, "input_tokens_details")},
        "output_tokens_details": {**_NONE_WRITTEN, **object_at(renamed, "output_tokens_details")},
    }


def text_in(delta: JsonObject) -> str:
    """Return the text of an answer in a delta; some providers send it in parts."""
    return text_at(delta, "content") or _joined(array_at(delta, "content"), "text")


def reasoning_in(delta: JsonObject) -> str:
    """Return the text of reasoning in a delta.

    `reasoning_content`: DeepSeek and many servers of open models; `reasoning`: OpenRouter and Ollama; parts
    of the content: Mistral.
    """
    plain = text_at(delta, "reasoning_content") or text_at(delta, "reasoning")
    return plain or "".join(
        _joined(array_at(part, "thinking"), "text")
        for part in array_at(delta, "content")
        if isinstance(part, dict) and part.get("type") == "thinking"
    )


def calls_in(delta: JsonObject) -> Iterator[JsonObject]:
    """Yield entries of `tool_calls`; the older `function_call` is read as one of them."""
    for call in array_at(delta, "tool_calls"):
        if isinstance(call, dict):
            yield call
    if not array_at(delta, "tool_calls") and (older := object_at(delta, "function_call")):
        yield {"index": 0, "function": older}


def says_something(delta: JsonObject) -> bool:
    """Return whether a delta has a text, a refusal or a call."""
    return bool(text_in(delta) or reasoning_in(delta) or text_at(delta, "refusal") or [*calls_in(delta)])


def annotations_in(delta: JsonObject) -> Iterator[JsonObject]:
    """Yield annotations in the Responses form, where members are not nested under the type's name."""
    for annotation in array_at(delta, "annotations"):
        if isinstance(annotation, dict):
            kind = text_at(annotation, "type")
            yield {"type": kind, **object_at(annotation, kind)}


def _joined(parts: list[JsonValue], kind: str) -> str:
    return "".join(
        text_at(part, "text") for part in parts if isinstance(part, dict) and part.get("type") == kind
    )


_CUT_OFF = frozenset({"length", "max_tokens", "model_length"})
_FILTERED = frozenset({"content_filter", "safety", "recitation", "sensitive"})
_BROKEN = frozenset({"error", "network_error"})
"""Finish reasons of several providers; after any other reason the answer is complete."""

_NOT_WHOLE = _CUT_OFF | _FILTERED | _BROKEN

Finish: TypeAlias = Literal["none", "beside output", "alone", "counted"]
"""How sure it is that nothing follows: no finish reason, or something came after it; one beside a text or
call, as some providers send with each; one alone; the usage, in a chunk of its own, after it."""

_FIRST = (0, None, "0")
"""Indexes of the first choice, the only one that is asked for."""

_MEMBERS: Mapping[str, tuple[str, ...]] = {
    "reasoning": ("reasoning_content", "reasoning", "reasoning_details"),
    "message": ("content", "refusal", "annotations"),
    "call": ("tool_calls", "function_call"),
}
"""Members of a message by the kind of item that they become."""


class ChatReading:
    """The decoder's state for the stream of one round."""

    def __init__(
        self,
        request: ModelRequest,
        *,
        new_id: Callable[[], str] = lambda: uuid.uuid4().hex,
        now: Callable[[], float] = time.time,
    ) -> None:
        """`new_id`: returns a text that is never returned twice; `now`: seconds since 1970."""
        self._response = started_response(request, f"resp_{new_id()}", int(now()))
        self._output = ChatOutput(new_id, OfferedNames(request.tools), RoundBounds(request.tools))
        self._message: JsonObject = {}
        """The last whole message, which counts where no delta came."""
        self._has_begun = False
        self._reason = ""
        self._finish: Finish = "none"

    @property
    def finish(self) -> Finish:
        """How the model has finished so far; more may come."""
        return self._finish

    def is_complete(self, *, is_done: bool) -> bool:
        """Return whether a stream that ended here was whole; `is_done`: the provider said that it ends.

        Without a finish reason at its end it is where something came and no call lacks arguments.
        """
        if self._finish != "none":
            return True
        has_output = bool(self._output.kinds or self._message)
        return (is_done or bool(self._reason)) and has_output and self._output.are_calls_whole

    def decode_chunk(self, chunk: JsonObject) -> Iterator[JsonObject]:
        """Yield the events of a chunk. The caller must exhaust the iterator.

        Raises:
            ModelError: the round becomes too large.
        """
        if not self._has_begun:
            self._has_begun = True
            self._response["model"] = text_at(chunk, "model") or self._response["model"]
            yield from beginning_events(self._response)
        if tier := text_at(chunk, "service_tier"):
            self._response["service_tier"] = tier
        for choice in array_at(chunk, "choices"):
            if isinstance(choice, dict) and choice.get("index", 0) in _FIRST:
                yield from self._read_choice(choice)
        if usage := object_at(chunk, "usage"):  # some providers send it with every chunk, the last one counts
            self._response["usage"] = responses_usage(usage)
            if self._finish != "none" and not array_at(chunk, "choices"):
                self._finish = "counted"

    def finish_stream(self) -> Iterator[JsonObject]:
        """Yield the ends of all open items, and the ending of the response."""
        yield from self._read_delta(self._untold_message(), [])
        reason = self._reason.lower()
        if reason in _CUT_OFF:
            status, why = "incomplete", "max_output_tokens"
        elif reason in _FILTERED:
            status, why = "incomplete", "content_filter"
        else:
            status, why = ("failed" if reason in _BROKEN else "completed"), None
        yield from self._output.finish_items("completed" if status == "completed" else "incomplete")
        if status == "failed":
            self._response["error"] = {
                "code": "server_error",
                "message": "The provider ended its answer with an error.",
            }
        yield ending_event(self._response, status, self._output.items, why)

    def _read_choice(self, choice: JsonObject) -> Iterator[JsonObject]:
        if delta := object_at(choice, "delta"):
            yield from self._read_delta(delta, array_at(object_at(choice, "logprobs"), "content"))
        if message := object_at(choice, "message"):
            self._message = message
        if reason := text_at(choice, "finish_reason"):
            if self._reason.lower() not in _NOT_WHOLE:  # a bad one stays
                self._reason = reason
            self._finish = "beside output" if says_something(delta) else "alone"
        elif self._finish != "none" and says_something(delta):
            self._finish = "none"

    def _read_delta(self, delta: JsonObject, logprobs: list[JsonValue]) -> Iterator[JsonObject]:
        output = self._output
        if reasoning := reasoning_in(delta):
            yield from output.add_reasoning(reasoning)
        if details := array_at(delta, "reasoning_details"):
            yield from output.collect_reasoning(details)
        if said := text_in(delta):
            yield from output.add_text(said, logprobs)
        if refusal := text_at(delta, "refusal"):
            yield from output.add_refusal(refusal)
        for annotation in annotations_in(delta):
            yield from output.add_annotation(annotation)
        for call in calls_in(delta):
            yield from output.read_call_delta(call)

    def _untold_message(self) -> JsonObject:
        """Return the members of the whole message of whose kind no delta came."""
        told = {name for kind in self._output.kinds for name in _MEMBERS[kind]}
        return {name: value for name, value in self._message.items() if name not in told}
