"""Calls of a chat stream: which delta belongs to which call.

Deltas name their call by its place, `index`. Imitators of the protocol send calls whole under one index,
leave out index or id, repeat the name in every delta, or give arguments as an object.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from bridge.agent.chat_completions.stream_items import ItemStatus, OpenCall
from toolserver.json_types import JsonObject, JsonValue, dump_json, object_at, text_at


class ChatCalls:
    """The calls of one round, all open until its end: their deltas may come in any order."""

    def __init__(self, new_call: Callable[[], OpenCall], new_id: Callable[[], str]) -> None:
        """`new_call` takes the next place in the output; `new_id`: a text that is never given twice."""
        self._new_call = new_call
        self._new_id = new_id
        self._calls: list[OpenCall] = []
        self._by_index: dict[int, OpenCall] = {}

    def read(self, delta: JsonObject) -> list[JsonObject]:
        """The events of one entry of `delta.tool_calls`."""
        function = object_at(delta, "function")
        name, call_id = text_at(function, "name"), text_at(delta, "id")
        call = self._call(delta.get("index"), call_id, name)
        call.call_id = call.call_id or call_id
        call.name = call.name or name
        if "extra_content" in delta:
            call.keep(delta["extra_content"])
        piece = _arguments_text(function.get("arguments"))
        events = self._begin(call) if call.name or piece else []
        return [*events, call.delta(piece)] if piece else events

    def end(self, status: ItemStatus) -> Iterator[list[JsonObject]]:
        """The last events of every call, in the order in which they came; the very last carries the item."""
        for call in self._calls:
            yield [*self._begin(call), *call.end(status)]

    def _begin(self, call: OpenCall) -> list[JsonObject]:
        if call.has_begun:
            return []
        call.call_id = call.call_id or f"call_{self._new_id()}"
        return call.begin()

    def _call(self, index: JsonValue, call_id: str, name: str) -> OpenCall:
        place = index if isinstance(index, int) else max(self._by_index, default=0)
        call = self._by_index.get(place)
        if call is None or _is_another(call, call_id, name):
            call = self._by_index[place] = self._new_call()
            self._calls.append(call)
        return call


def _is_another(call: OpenCall, call_id: str, name: str) -> bool:
    """Whether a delta under the index of `call` begins a call of its own."""
    if not name or not call.name:
        return False
    if call_id and call.call_id:
        return call_id != call.call_id
    return call.is_whole


def _arguments_text(arguments: JsonValue) -> str:
    if isinstance(arguments, str):
        return arguments
    return "" if arguments is None else dump_json(arguments).decode()
