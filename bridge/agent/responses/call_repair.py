"""The calls of a Responses stream: what their deltas said, where their items lack it. Pure.

A call is begun, gets its arguments in deltas and once more after them, and comes whole at its end and in the
ending of the response.
Imitators leave out some of it: the arguments of the whole item, its end, the item itself; or they name a
place that no item has. A call is never run without arguments that came for it; arguments of no call leave
it open whose they are, so that the calls of the round become `incomplete`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from bridge.agent.chat_completions.call_arguments import CallArguments, says_nothing
from bridge.agent.items import Item, arguments_text
from toolserver.json_types import JsonObject, JsonValue, text_at


@dataclass(slots=True)
class _Call:
    index: int
    item: Item
    arguments: CallArguments = field(default_factory=CallArguments)
    is_done: bool = False


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

    def begin_call(self, index: int, item: Item) -> None:
        """Note the beginning of a call."""
        if index not in self._by_index:
            call = self._by_index[index] = _Call(index, item)
            if item_id := text_at(item, "id"):
                self._by_id[item_id] = call

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

    def finish_call(self, index: int, item: Item) -> Item:
        """Note the end of a call; returns it with its arguments."""
        self.begin_call(index, item)
        self._settle_stray(item)
        call = self._by_index[index]
        call.is_done = True
        call.item = self._with_arguments(call, item)
        return call.item

    def finish_open(self) -> Iterator[tuple[int, Item]]:
        """Yield calls without an end, as they are then, and their places."""
        for call in self._by_index.values():
            if not call.is_done:
                status = "completed" if call.arguments.is_whole else "incomplete"
                yield call.index, self.finish_call(call.index, {**call.item, "status": status})

    def complete_output(self, output: list[JsonValue]) -> list[JsonValue]:
        """Return the output of a response with every call of the stream, and their arguments."""
        for item in output:
            if isinstance(item, dict):
                self._settle_stray(item)
        named = {name: call for call in self._by_index.values() for name in _names(call.item)}
        found: set[int] = set()
        complete: list[JsonValue] = []
        for index, item in enumerate(output):
            if not isinstance(item, dict) or item.get("type") != "function_call":
                complete.append(item)
                continue
            call = next((named[name] for name in _names(item) if name in named), None)
            call = call or (None if _names(item) else self._by_index.get(index))
            whole = item
            if call is not None:
                found.add(call.index)
                whole = self._with_arguments(call, item)
            complete.append({**whole, "status": "incomplete"} if self.has_stray else whole)
        missing = (call.item for index, call in self._by_index.items() if index not in found)
        return [
            *complete,
            *({**item, "status": "incomplete"} if self.has_stray else item for item in missing),
        ]

    def _with_arguments(self, call: _Call, item: Item) -> Item:
        said = arguments_text(item)
        has_more = not call.arguments.is_empty or not (said.strip() or call.arguments.is_blank)
        return {**item, "arguments": call.arguments.finish()[0]} if has_more and says_nothing(said) else item


def _placed(body: JsonObject, call: _Call) -> JsonObject:
    return body if body.get("output_index") == call.index else {**body, "output_index": call.index}


def _names(item: Item) -> list[str]:
    return [name for name in (text_at(item, "id"), text_at(item, "call_id")) if name]
