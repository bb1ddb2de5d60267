"""How much a provider may answer in one round, counted while its answer is read.

What it answers is held in memory, sent back to it with each further round, and run: without bounds the
provider of one user would stall everybody. Bytes on the wire are bounded by
`bridge/models/providers/event_decoder.py`.
"""

from __future__ import annotations

from collections.abc import Iterable

from bridge.browser_protocol import ARGUMENT_BYTES
from bridge.models.agent.items import Item, ModelCall, awaiting_call, model_call
from bridge.models.agent.model import ENDINGS, ModelError, ModelEvent
from toolserver.json_types import JsonObject, JsonValue, array_at, object_at, text_at
from toolserver.tool.naming import MAX_NAME_CHARS

MAX_CALLS = 128
"""Maximum number of calls in one round; chosen: as many as the tools that a model is shown by default."""

MAX_TEXT_CHARS = 8 * 1024 * 1024
"""Maximum characters of texts, reasoning and arguments of one round together. Chosen: the longest answers of
models, of 128,000 tokens, have about half a million."""

MAX_ITEMS = 10_000
"""Maximum number of items of one round, their parts and annotations included. Chosen: models that search for
long write some hundreds."""

BLOCK_CHARS = 32
"""Characters that a small object counts for, such as a block of reasoning that a gateway wants back."""


def too_much(what: str) -> ModelError:
    """Build the error of a round that is larger than it may be; `what`: such as "more than 128 calls"."""
    message = f"The provider sent a malformed answer: {what} in one round. Nothing of it is run."
    return ModelError(message, code="upstream_malformed")


def count_bytes(text: str) -> int:
    """Return the bytes of a text in UTF-8; halves of characters have three."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def check_arguments(size: int) -> None:
    """Check the bytes of one call's arguments.

    Raises:
        ModelError: they are too many.
    """
    if size > ARGUMENT_BYTES:
        raise too_much(f"more than {ARGUMENT_BYTES:,} bytes of arguments of one call")


class RoundBounds:
    """Counts one round. Every method raises `ModelError`, `upstream_malformed`, when it becomes too large."""

    __slots__ = ("_calls", "_chars", "_items", "_max_name", "_tools")

    def __init__(self, tools: Iterable[JsonObject] = ()) -> None:
        """`tools`: those that are offered; a caller's may have longer names than the bridge's."""
        self._chars = 0
        self._items = 0
        self._calls = 0
        self._tools = tools
        self._max_name = MAX_NAME_CHARS

    def count_chars(self, chars: int) -> None:
        """Count more characters of texts, reasoning or arguments."""
        self._chars += chars
        if self._chars > MAX_TEXT_CHARS:
            raise too_much(f"more than {MAX_TEXT_CHARS:,} characters")

    def count_item(self) -> None:
        """Count an item, a part of one, or an annotation."""
        self._items += 1
        if self._items > MAX_ITEMS:
            raise too_much(f"more than {MAX_ITEMS:,} items, parts and annotations")

    def count_call(self) -> None:
        """Count a call that has begun."""
        self._calls += 1
        if self._calls > MAX_CALLS:
            raise too_much(f"more than {MAX_CALLS} calls")

    def check_name(self, name: str) -> None:
        """Check the name of a call, as far as it has come."""
        if len(name) <= self._max_name // 4 or (size := count_bytes(name)) <= self._max_name:
            return
        longest = max((count_bytes(text_at(tool, "name")) for tool in self._tools), default=0)
        self._max_name = max(MAX_NAME_CHARS, longest)
        if size > self._max_name:
            raise too_much(f"more than {self._max_name} bytes of the name of one call")

    def read_event(self, event: ModelEvent) -> ModelEvent:
        """Count an event of a Responses stream in which every text has its deltas, and return it."""
        kind, body = event.type, event.body
        if kind.endswith(".delta"):  # most events are one
            self.count_chars(len(text_at(body, "delta")))
        elif kind.endswith(".added"):
            self.count_item()
            if (call := _call_of(object_at(body, "item"))) is not None:
                self.count_call()
                self._check_call(call)
        elif kind == "response.output_item.done":
            if (call := _call_of(object_at(body, "item"))) is not None:
                self._check_call(call)
        elif kind in ENDINGS:
            RoundBounds(self._tools)._count_output(array_at(object_at(body, "response"), "output"))
        return event

    def _count_output(self, output: list[JsonValue]) -> None:
        """Count the items that an ending repeats: they count in place of those of the stream."""
        for item in (each for each in output if isinstance(each, dict)):
            self.count_item()
            if (call := _call_of(item)) is not None:
                self.count_call()
                self._check_call(call)
                self.count_chars(len(call.arguments_text))
            for part in (*array_at(item, "content"), *array_at(item, "summary")):
                self.count_item()
                if isinstance(part, dict):
                    self.count_chars(len(text_at(part, "text")) + len(text_at(part, "refusal")))

    def _check_call(self, call: ModelCall) -> None:
        self.check_name(call.name)
        self.count_chars(len(call.call_id))
        check_arguments(count_bytes(call.arguments_text))


def _call_of(item: Item) -> ModelCall | None:
    return model_call(item) or awaiting_call(item)
