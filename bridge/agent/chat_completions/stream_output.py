"""The output of one chat round while it grows: which items there are, and which of them are open.

Thoughts and messages come one after the other; whatever begins ends the one before. Calls stay open until
the end, since their deltas may come in any order.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator

from bridge.agent.chat_completions.stream_items import (
    ChatCalls,
    ItemStatus,
    OpenCall,
    OpenMessage,
    OpenReasoning,
)
from bridge.agent.items import Item
from toolserver.json_types import JsonObject, JsonValue


class ChatOutput:
    """Items by their place. Each method gives the events of what came."""

    def __init__(self, new_id: Callable[[], str]) -> None:
        """`new_id`: a text that is never given twice."""
        self._new_id = new_id
        self._places = 0
        self._items: dict[int, Item] = {}
        self._open: OpenMessage | OpenReasoning | None = None
        self._calls = ChatCalls(self._new_call, new_id)

    @property
    def items(self) -> list[JsonValue]:
        """Those that have ended, in their order."""
        return [self._items[place] for place in sorted(self._items)]

    def think(self, text: str) -> Iterator[JsonObject]:
        """More of a thought."""
        reasoning = yield from self._reasoning()
        yield reasoning.text(text)

    def keep_thought(self, details: list[JsonValue]) -> Iterator[JsonObject]:
        """Blocks of a thought that a gateway wants back as they are."""
        reasoning = yield from self._reasoning()
        reasoning.keep(details)

    def say(self, text: str, logprobs: list[JsonValue]) -> Iterator[JsonObject]:
        """More of a text."""
        message = yield from self._message()
        yield from message.text(text, logprobs)

    def refuse(self, text: str) -> Iterator[JsonObject]:
        """More of why the model will not."""
        message = yield from self._message()
        yield from message.refusal(text)

    def note(self, annotation: JsonObject) -> Iterator[JsonObject]:
        """A source of the text."""
        message = yield from self._message()
        yield from message.annotation(annotation)

    def call(self, delta: JsonObject) -> Iterator[JsonObject]:
        """An entry of `delta.tool_calls`."""
        yield from self._end_open("completed")
        yield from self._calls.read(delta)

    def end(self, status: ItemStatus) -> Iterator[JsonObject]:
        """End all that is open."""
        yield from self._end_open(status)
        for events in self._calls.end(status):
            yield from self._ended(events)

    def _reasoning(self) -> Generator[JsonObject, None, OpenReasoning]:
        if isinstance(self._open, OpenReasoning):
            return self._open
        yield from self._end_open("completed")
        self._open = OpenReasoning(f"rs_{self._new_id()}", self._place())
        yield from self._open.begin()
        return self._open

    def _message(self) -> Generator[JsonObject, None, OpenMessage]:
        if isinstance(self._open, OpenMessage):
            return self._open
        yield from self._end_open("completed")
        self._open = OpenMessage(f"msg_{self._new_id()}", self._place())
        yield from self._open.begin()
        return self._open

    def _end_open(self, status: ItemStatus) -> Iterator[JsonObject]:
        if self._open is not None:
            yield from self._ended(self._open.end(status))
            self._open = None

    def _ended(self, events: list[JsonObject]) -> Iterator[JsonObject]:
        """The last event of an item carries it."""
        last = events[-1]
        place, item = last["output_index"], last["item"]
        if isinstance(place, int) and isinstance(item, dict):
            self._items[place] = item
        yield from events

    def _new_call(self) -> OpenCall:
        return OpenCall(f"fc_{self._new_id()}", self._place())

    def _place(self) -> int:
        self._places += 1
        return self._places - 1
