"""The calls of a Responses stream: what their deltas said, where their items lack it. Pure.

A call is begun, gets its arguments in deltas, and comes whole at its end and in the ending of the response.
Imitators leave out some of it: the arguments of the whole item, its end, the item itself; or they name a
place that no item has. A call is never run without arguments that its deltas had; deltas of no call leave it
open whose they are, so that the calls of the round become `incomplete`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from bridge.agent.chat_completions.call_arguments import CallArguments
from bridge.agent.items import Item
from toolserver.json_types import JsonObject, JsonValue, text_at


@dataclass(slots=True)
class _Call:
    index: int
    item: Item
    arguments: CallArguments = field(default_factory=CallArguments)
    is_done: bool = False


class CallRepair:
    """Reads what concerns the calls of one round."""

    __slots__ = ("_by_id", "_by_index", "has_stray")

    def __init__(self) -> None:
        self._by_index: dict[int, _Call] = {}
        self._by_id: dict[str, _Call] = {}
        self.has_stray = False
        """Whether there were arguments of no call."""

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
        index, delta = body.get("output_index"), text_at(body, "delta")
        call = self._by_id.get(text_at(body, "item_id"))
        if call is None and isinstance(index, int):
            call = self._by_index.get(index)
        if call is None:
            open_calls = [each for each in self._by_index.values() if not each.is_done]
            call = open_calls[0] if len(open_calls) == 1 else None
        if call is None:
            self.has_stray = self.has_stray or delta.strip() != ""
            return body
        call.arguments.add_piece(delta)
        return body if index == call.index else {**body, "output_index": call.index}

    def finish_call(self, index: int, item: Item) -> Item:
        """Note the end of a call; returns it with its arguments."""
        self.begin_call(index, item)
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
        said = item.get("arguments")
        if call.arguments.is_blank or not (said is None or (isinstance(said, str) and not said.strip())):
            return item
        return {**item, "arguments": call.arguments.finish()[0]}


def _names(item: Item) -> list[str]:
    return [name for name in (text_at(item, "id"), text_at(item, "call_id")) if name]
