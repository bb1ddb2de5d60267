"""Decoder of a stream of Anthropic's Messages API: its events in, events of the Responses API out.

Yields the complete sequence of Responses events, from `response.created` to the ending. Blocks come one after
another, each with its index; a gateway's whole message, sent as JSON, is read as its blocks.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Generator, Iterator

from bridge.models.agent.chat_completions.stream_decoder import Finish
from bridge.models.agent.chat_completions.stream_items import (
    ItemStatus,
    StreamedCall,
    StreamedMessage,
    StreamedReasoning,
)
from bridge.models.agent.item_events import beginning_events, ending_event, started_response
from bridge.models.agent.messages.sealed_blocks import (
    comes_of_own_tool,
    seal_own_tool,
    seal_redacted,
    seal_signature,
)
from bridge.models.agent.model import PAUSED, ModelRequest
from bridge.models.agent.round_bounds import RoundBounds
from toolserver.json_types import JsonObject, JsonValue, array_at, dump_json, load_json, object_at, text_at

_PAUSED = "pause_turn"
"""The provider's own tools took long: it goes on with the answer once it has it back."""

_CUT_OFF = frozenset({"max_tokens", "model_context_window_exceeded", _PAUSED})
"""Reasons to stop before the answer is whole."""


def responses_usage(usage: JsonObject) -> JsonObject:
    """Return a usage with OpenAI's names; what was read from and written to a cache counts as read."""
    cached, kept = (_count(usage, f"cache_{what}_input_tokens") for what in ("read", "creation"))
    read = _count(usage, "input_tokens") + cached + kept
    written = _count(usage, "output_tokens")
    thought = _count(object_at(usage, "output_tokens_details"), "thinking_tokens")
    return {
        "input_tokens": read,
        "input_tokens_details": {"cached_tokens": cached, "cache_write_tokens": kept},
        "output_tokens": written,
        "output_tokens_details": {"reasoning_tokens": thought},
        "total_tokens": read + written,
    }


def _count(usage: JsonObject, name: str) -> int:
    value = usage.get(name)
    return value if isinstance(value, int) else 0


class MessagesReading:
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
        self._output = _Output(new_id, RoundBounds(request.tools))
        self._usage: JsonObject = {}
        self._has_begun = False
        self._reason = ""
        self._explanation = ""
        self.finish: Finish = "none"
        """`counted` once the provider said why it stopped, so that nothing of its answer is missing."""

    def decode_event(self, event: JsonObject) -> Iterator[JsonObject]:
        """Yield the events of one of the provider's. The caller must exhaust the iterator.

        Raises:
            ModelError: the round becomes too large.
        """
        kind = text_at(event, "type")
        if kind == "message":
            for each in _events_of_whole(event):
                yield from self.decode_event(each)
            return
        if kind == "message_start":
            yield from self._begin(object_at(event, "message"))
        elif kind == "content_block_start":
            yield from self._output.begin_block(object_at(event, "content_block"))
        elif kind == "content_block_delta":
            yield from self._output.add_delta(object_at(event, "delta"))
        elif kind == "content_block_stop":
            yield from self._output.end_block("completed")
        elif kind == "message_delta":
            self._read_end(event)

    def finish_stream(self) -> Iterator[JsonObject]:
        """Yield the ends of what is open, and the ending of the response."""
        why = self._why_incomplete()
        status = "incomplete" if why else "completed"
        yield from self._output.finish(status, self._explanation)
        if self._usage:
            self._response["usage"] = responses_usage(self._usage)
        ending = ending_event(self._response, status, self._output.items, why)
        yield {**ending, PAUSED: True} if why and self._reason == _PAUSED else ending

    def _why_incomplete(self) -> str | None:
        """Return why the response is incomplete; None: it is whole, or goes on once its calls have run."""
        if self._reason == "refusal":
            return "content_filter"
        goes_on = self._reason == _PAUSED and self._output.has_calls
        return "max_output_tokens" if self._reason in _CUT_OFF and not goes_on else None

    def _begin(self, message: JsonObject) -> Iterator[JsonObject]:
        self._read_usage(message)
        if self._has_begun:
            return
        self._has_begun = True
        self._response["model"] = text_at(message, "model") or self._response["model"]
        yield from beginning_events(self._response)

    def _read_end(self, event: JsonObject) -> None:
        self._read_usage(event)
        delta = object_at(event, "delta")
        if reason := text_at(delta, "stop_reason"):
            self._reason, self.finish = reason, "counted"
        self._explanation = text_at(object_at(delta, "stop_details"), "explanation")

    def _read_usage(self, holder: JsonObject) -> None:
        usage = object_at(holder, "usage")
        self._usage |= {name: value for name, value in usage.items() if value is not None}


class _Output:
    """The items of a round, of which one is open. Its methods raise `ModelError` if it becomes too large."""

    def __init__(self, new_id: Callable[[], str], bounds: RoundBounds) -> None:
        self._new_id = new_id
        self._bounds = bounds
        self.items: list[JsonValue] = []
        """Finished ones."""
        self.has_calls = False
        self._open: StreamedMessage | StreamedReasoning | StreamedCall | None = None
        self._pieces: list[str] = []
        """Of a signature, or of the input of a tool that the provider runs itself."""
        self._own_tool: JsonObject | None = None
        """The open block of such a tool."""

    def begin_block(self, block: JsonObject) -> Iterator[JsonObject]:
        """Yield the events of a block's beginning; one of an unknown kind is passed over."""
        kind = text_at(block, "type")
        if not (kind == "text" and isinstance(self._open, StreamedMessage)):  # texts in a row are one message
            yield from self.end_item("completed")
        if kind == "text":
            yield from self._message()
            yield from self._add_text(text_at(block, "text"))
        elif kind in ("thinking", "redacted_thinking"):
            self._open = StreamedReasoning(f"rs_{self._new_id()}", self._place(), self._bounds)
            yield from self._open.begin_item()
            yield from self._add_thinking(text_at(block, "thinking"))
            self._pieces = [text_at(block, "signature")]
            if kind == "redacted_thinking":
                self._bounds.count_chars(len(text_at(block, "data")))
                self._open.seal(seal_redacted(text_at(block, "data")))
        elif kind == "tool_use":
            yield from self._begin_call(block)
        elif comes_of_own_tool(kind):
            yield from self._begin_own_tool(block)

    def add_delta(self, delta: JsonObject) -> Iterator[JsonObject]:
        """Yield the events of more of the open block."""
        match text_at(delta, "type"), self._open:
            case "text_delta", StreamedMessage():
                yield from self._add_text(text_at(delta, "text"))
            case "thinking_delta", StreamedReasoning():
                yield from self._add_thinking(text_at(delta, "thinking"))
            case "signature_delta", StreamedReasoning():
                self._add_piece(text_at(delta, "signature"))
            case "input_json_delta", StreamedReasoning():
                self._add_piece(text_at(delta, "partial_json"))
            case "input_json_delta", StreamedCall() as call:
                yield from self._add_arguments(call, text_at(delta, "partial_json"))
            case _:
                pass

    def end_block(self, status: ItemStatus) -> Iterator[JsonObject]:
        """Yield the events of the end of a block; a message may go on in the next one."""
        if not isinstance(self._open, StreamedMessage):
            yield from self.end_item(status)

    def end_item(self, status: ItemStatus) -> Iterator[JsonObject]:
        """Yield the events of the end of the open item."""
        if (ended := self._open) is None:
            return
        self._open = None
        if isinstance(ended, StreamedReasoning):
            self._seal(ended)
        if isinstance(ended, StreamedCall) and not ended.has_arguments:
            yield from ended.add_arguments("{}")
        events = ended.finish_item(status)
        self.items.append(events[-1]["item"])
        yield from events

    def finish(self, status: ItemStatus, refusal: str) -> Iterator[JsonObject]:
        """Yield the ends of what is open; `refusal`: why the provider said no more, or empty."""
        if refusal:
            if not isinstance(self._open, StreamedMessage):
                yield from self.end_item(status)
            message = yield from self._message()
            yield from message.add_refusal(refusal)
        yield from self.end_item(status)

    def _message(self) -> Generator[JsonObject, None, StreamedMessage]:
        if isinstance(self._open, StreamedMessage):
            return self._open
        message = self._open = StreamedMessage(f"msg_{self._new_id()}", self._place(), self._bounds)
        yield from message.begin_item()
        return message

    def _add_text(self, text: str) -> Iterator[JsonObject]:
        if text and isinstance(self._open, StreamedMessage):
            yield from self._open.add_text(text, [])

    def _add_thinking(self, text: str) -> Iterator[JsonObject]:
        if text and isinstance(self._open, StreamedReasoning):
            yield self._open.add_text(text)

    def _begin_own_tool(self, block: JsonObject) -> Iterator[JsonObject]:
        self._bounds.count_chars(len(dump_json(block)))
        self._open = StreamedReasoning(f"rs_{self._new_id()}", self._place(), self._bounds)
        yield from self._open.begin_item()
        self._own_tool = block
        self._pieces = []

    def _add_piece(self, piece: str) -> None:
        self._bounds.count_chars(len(piece))
        self._pieces.append(piece)

    def _seal(self, ended: StreamedReasoning) -> None:
        pieces, self._pieces = "".join(self._pieces), []
        block, self._own_tool = self._own_tool, None
        if block is not None:
            ended.seal(seal_own_tool(_with_input(block, pieces)))
        elif pieces:
            ended.seal(seal_signature(pieces))

    def _begin_call(self, block: JsonObject) -> Iterator[JsonObject]:
        self.has_calls = True
        self._bounds.count_call()
        self._bounds.check_name(text_at(block, "name"))
        call = self._open = StreamedCall(f"fc_{self._new_id()}", self._place())
        call.call_id = text_at(block, "id") or f"call_{self._new_id()}"
        call.name = text_at(block, "name")
        yield from call.begin_item()
        if given := object_at(block, "input"):
            yield from self._add_arguments(call, dump_json(given).decode())

    def _add_arguments(self, call: StreamedCall, piece: str) -> Iterator[JsonObject]:
        self._bounds.count_chars(len(piece))
        yield from call.add_arguments(piece)

    def _place(self) -> int:
        self._bounds.count_item()
        return len(self.items)


def _with_input(block: JsonObject, text: str) -> JsonObject:
    """Return the block of a tool with the input that came in pieces."""
    try:
        return {**block, "input": load_json(text)} if text else block
    except ValueError:  # a stream that broke: no answer goes on after it
        return block


def _events_of_whole(message: JsonObject) -> Iterator[JsonObject]:
    """Yield the events that a whole message would have been as a stream."""
    yield {"type": "message_start", "message": message}
    for block in array_at(message, "content"):
        yield {"type": "content_block_start", "content_block": block}
        yield {"type": "content_block_stop"}
    delta = {name: message.get(name) for name in ("stop_reason", "stop_details")}
    yield {"type": "message_delta", "delta": delta}
