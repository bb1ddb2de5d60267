"""The growing output of one chat round: its items, and which of them are open.

Reasoning and messages follow one another; each new item ends the one before. Calls stay open until the end,
since their deltas may come in any order.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from typing import Literal

from bridge.models.agent.chat_completions.call_fragments import ChatCalls, OfferedNames
from bridge.models.agent.chat_completions.repeated_text import RepeatedText
from bridge.models.agent.chat_completions.stream_items import (
    ItemStatus,
    StreamedCall,
    StreamedMessage,
    StreamedReasoning,
)
from bridge.models.agent.items import Item
from bridge.models.agent.round_bounds import RoundBounds
from toolserver.json_types import JsonObject, JsonValue


class ChatOutput:
    """Items by their place. Each method yields the events of what came.

    They raise `ModelError` when the round becomes too large.
    """

    def __init__(self, new_id: Callable[[], str], offered: OfferedNames, bounds: RoundBounds) -> None:
        """`new_id`: returns a text that is never returned twice."""
        self._bounds = bounds
        self._new_id = new_id
        self._places = 0
        self._items: dict[int, Item] = {}
        self._open: StreamedMessage | StreamedReasoning | None = None
        self.kinds: set[Literal["reasoning", "message", "call"]] = set()
        """Kinds of items that have begun."""
        self._texts = RepeatedText()
        self._thoughts = RepeatedText()
        """What is new in the deltas of the messages, and of the reasoning."""
        self._calls = ChatCalls(self._new_call, new_id, offered, bounds)

    @property
    def are_calls_whole(self) -> bool:
        """As `ChatCalls.are_whole`."""
        return self._calls.are_whole

    @property
    def items(self) -> list[JsonValue]:
        """Finished items, in their order."""
        return [self._items[place] for place in sorted(self._items)]

    def add_reasoning(self, text: str) -> Iterator[JsonObject]:
        """Yield the events for more reasoning."""
        reasoning = yield from self._reasoning()
        if not self._thoughts.is_plain:
            text = self._thoughts.read_delta(text)
        if text:
            yield reasoning.add_text(text)

    def collect_reasoning(self, details: list[JsonValue]) -> Iterator[JsonObject]:
        """Store blocks of reasoning that a gateway wants back verbatim; yields the start of the item."""
        reasoning = yield from self._reasoning()
        reasoning.collect_details(details)

    def add_text(self, text: str, logprobs: list[JsonValue]) -> Iterator[JsonObject]:
        """Yield the events for more text."""
        message = yield from self._message()
        if not self._texts.is_plain:  # log probabilities are of tokens, so that nothing is repeated
            text = self._texts.read_increment(text) if logprobs else self._texts.read_delta(text)
        if text:
            yield from message.add_text(text, logprobs)

    def add_refusal(self, text: str) -> Iterator[JsonObject]:
        """Yield the events for more of a refusal."""
        message = yield from self._message()
        if held := self._texts.finish_text():
            yield from message.add_text(held, [])
        yield from message.add_refusal(text)

    def add_annotation(self, annotation: JsonObject) -> Iterator[JsonObject]:
        """Yield the events for a source of the text."""
        message = yield from self._message()
        yield from message.add_annotation(annotation)

    def read_call_delta(self, delta: JsonObject) -> Iterator[JsonObject]:
        """Yield the events of an entry of `delta.tool_calls`."""
        yield from self._end_open("completed")
        yield from self._calls.read_delta(delta)

    def finish_items(self, status: ItemStatus) -> Iterator[JsonObject]:
        """Yield the ends of all open items."""
        yield from self._end_open(status)
        for events in self._calls.finish_calls(status):
            yield from self._ended(events)

    def _reasoning(self) -> Generator[JsonObject, None, StreamedReasoning]:
        if isinstance(self._open, StreamedReasoning):
            return self._open
        yield from self._end_open("completed")
        self.kinds.add("reasoning")
        self._open = StreamedReasoning(f"rs_{self._new_id()}", self._place(), self._bounds)
        yield from self._open.begin_item()
        return self._open

    def _message(self) -> Generator[JsonObject, None, StreamedMessage]:
        if isinstance(self._open, StreamedMessage):
            return self._open
        yield from self._end_open("completed")
        self.kinds.add("message")
        self._open = StreamedMessage(f"msg_{self._new_id()}", self._place(), self._bounds)
        yield from self._open.begin_item()
        return self._open

    def _end_open(self, status: ItemStatus) -> Iterator[JsonObject]:
        if self._open is None:
            return
        if isinstance(self._open, StreamedReasoning):
            if held := self._thoughts.finish_text():
                yield self._open.add_text(held)
        elif held := self._texts.finish_text():
            yield from self._open.add_text(held, [])
        yield from self._ended(self._open.finish_item(status))
        self._open = None

    def _ended(self, events: list[JsonObject]) -> Iterator[JsonObject]:
        """Store the item that the last event carries, and yield the events."""
        last = events[-1]
        place, item = last["output_index"], last["item"]
        if isinstance(place, int) and isinstance(item, dict):
            self._items[place] = item
        yield from events

    def _new_call(self) -> StreamedCall:
        self._bounds.count_call()
        self.kinds.add("call")
        return StreamedCall(f"fc_{self._new_id()}", self._place())

    def _place(self) -> int:
        self._bounds.count_item()
        self._places += 1
        return self._places - 1
