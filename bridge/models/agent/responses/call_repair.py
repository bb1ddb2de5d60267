"""The calls of a Responses stream: what their deltas said, where their items lack it. Pure.

A call is begun, gets its arguments in deltas and once more after them, and comes whole at its end and in the
ending of the response.
Imitators leave out some of it: the arguments of the whole item, its end, the item itself; or they name a
place that no item has, or another one than before. A call is never run without arguments that came for it,
nor twice because it was told twice; arguments of no call leave it open whose they are, so that the calls of
the round become `incomplete`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Set
from dataclasses import dataclass, field

from bridge.models.agent.chat_completions.call_arguments import CallArguments, says_nothing
from bridge.models.agent.items import Item, arguments_text
from toolserver.json_types import JsonObject, JsonValue, text_at


@dataclass(slots=True)
class _Call:
    index: int
    item: Item
    arguments: CallArguments = field(default_factory=CallArguments)
    is_done: bool = False
    ended_at: int = 0
    """Where its end said that it stands."""


class CallRepair:
    """Reads what concerns the calls of one round."""

    __slots__ = ("_by_id", "_by_index", "_strays")

    def __init__(self) -> None:
        self._by_index: dict[int, _Call] = {}
        self._by_id: dict[str, _Call] = {}
        self._strays: Counter[str] = Counter()
        """Arguments, whole or in part, of no call so far; there may be a million, and thousands of items."""

    @property
    def has_stray(self) -> bool:
        """Whether there were arguments of no call."""
        return bool(self._strays)

    @property
    def are_whole(self) -> bool:
        """Whether no call lacks arguments, so that it needs no end."""
        calls = self._by_index.values()
        return not self.has_stray and all(call.is_done or call.arguments.is_whole for call in calls)

    def begin_call(self, index: int, item: Item) -> int:
        """Note the beginning of a call; returns its place, which an open one with its id has."""
        known = self._by_id.get(text_at(item, "id"))
        if known is not None and not known.is_done:
            return known.index
        if index not in self._by_index:
            self._add_call(index, item)
        return index

    def _add_call(self, index: int, item: Item) -> _Call:
        call = self._by_index[index] = _Call(index, item)
        if item_id := text_at(item, "id"):
            self._by_id[item_id] = call
        return call

    def place_delta(self, body: JsonObject) -> JsonObject:
        """Note more arguments; returns their event, with the place of its call."""
        delta = text_at(body, "delta")
        if (call := self._call_of(body, delta)) is None:
            return body
        call.arguments.add_piece(delta)
        return _placed(body, call)

    def place_whole(self, body: JsonObject) -> JsonObject:
        """Note all arguments, in place of what the deltas said; returns their event as `place_delta`."""
        arguments = text_at(body, "arguments")
        if (call := self._call_of(body, arguments)) is None:
            return body
        if not says_nothing(arguments):
            call.arguments = CallArguments()
            call.arguments.add_piece(arguments)
        return _placed(body, call)

    def _call_of(self, body: JsonObject, said: str) -> _Call | None:
        """Return the call of arguments; None: they are of none."""
        index = body.get("output_index")
        call = self._by_id.get(text_at(body, "item_id"))
        if call is None and isinstance(index, int):
            call = self._by_index.get(index)
        if call is None:
            open_calls = [each for each in self._by_index.values() if not each.is_done]
            call = open_calls[0] if len(open_calls) == 1 else None
        if call is None and said.strip():
            self._strays[said] += 1
        return call

    def _settle_stray(self, item: Item) -> None:
        """Forget arguments that came before their call, once it has them itself."""
        if (said := arguments_text(item)) in self._strays:
            self._strays[said] -= 1
            if self._strays[said] == 0:
                del self._strays[said]

    def finish_call(self, index: int, item: Item) -> tuple[int, Item]:
        """Note the end of a call; returns its place, and it with its arguments."""
        call = self._by_index[self.begin_call(index, item)]
        if call.is_done and call.ended_at != index:  # another one, with the id of that
            call = self._add_call(max(self._by_index) + 1, item)
        self._settle_stray(item)
        call.is_done, call.ended_at = True, index
        call.item = self._with_arguments(call, item)
        others = (each for each in self._by_index.values() if each.is_done and each is not call)
        if (told := next((each for each in others if _is_same(each.item, call.item)), None)) is not None:
            del self._by_index[call.index]
            call = told
        return call.index, call.item

    def finish_open(self) -> Iterator[tuple[int, Item]]:
        """Yield calls without an end, as they are then, and their places."""
        for call in list(self._by_index.values()):
            if not call.is_done:
                status = "completed" if call.arguments.is_whole else "incomplete"
                yield self.finish_call(call.index, {**call.item, "status": status})

    def complete_output(self, output: list[JsonValue]) -> list[JsonValue]:
        """Return the output of a response with every call of the stream, once, and their arguments."""
        for item in output:
            if isinstance(item, dict):
                self._settle_stray(item)
        found: set[int] = set()
        complete: list[JsonValue] = []
        told: list[Item] = []
        for index, item in enumerate(output):
            if not isinstance(item, dict) or item.get("type") != "function_call":
                complete.append(item)
                continue
            whole = item
            if (call := self._find_told(index, item, found)) is not None:
                found.add(call.index)
                whole = self._with_arguments(call, item)
            if not any(_is_same(each, whole) for each in told):
                told.append(whole)
                complete.append({**whole, "status": "incomplete"} if self.has_stray else whole)
        missing = (call.item for index, call in self._by_index.items() if index not in found)
        return [
            *complete,
            *({**item, "status": "incomplete"} if self.has_stray else item for item in missing),
        ]

    def _find_told(self, index: int, item: Item, found: Set[int]) -> _Call | None:
        """Return the call of the stream that an item of the output is; None: one that is not `found`."""
        names = _names(item)
        if not names:
            return self._by_index.get(index)
        calls = (call for call in self._by_index.values() if call.index not in found)
        return next((call for call in calls if not names.isdisjoint(_names(call.item))), None)

    def _with_arguments(self, call: _Call, item: Item) -> Item:
        said = arguments_text(item)
        has_more = not call.arguments.is_empty or not (said.strip() or call.arguments.is_blank)
        return {**item, "arguments": call.arguments.finish()[0]} if has_more and says_nothing(said) else item


def _placed(body: JsonObject, call: _Call) -> JsonObject:
    return body if body.get("output_index") == call.index else {**body, "output_index": call.index}


def _names(item: Item) -> set[str]:
    return {name for name in (text_at(item, "id"), text_at(item, "call_id")) if name}


def _is_same(first: Item, second: Item) -> bool:
    """Return whether two items are one call that was told twice."""
    members = ("id", "call_id", "name")
    is_named = not _names(first).isdisjoint(_names(second))
    is_alike = all(text_at(first, name) == text_at(second, name) for name in members)
    return is_named and is_alike and arguments_text(first) == arguments_text(second)
