"""Calls that the caller has to run, as `tool_calls` of Chat Completions: in deltas, and whole."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field

from bridge.agent.items import ModelCall, model_call
from bridge.agent.model import ModelEvent
from toolserver.json_types import JsonObject, object_at, text_at


@dataclass(slots=True)
class _Call:
    index: int
    call_id: str
    name: str
    arguments: list[str] = field(default_factory=list[str])


class CallerCalls:
    """The calls of one turn, told as they come. Arguments are never an empty text in the end."""

    def __init__(self) -> None:
        self._by_place: dict[Hashable, _Call] = {}
        self._whole: list[JsonObject] = []

    @property
    def whole(self) -> list[JsonObject]:
        """All calls that `rest` was given."""
        return self._whole

    def read(self, place: Hashable, event: ModelEvent) -> Iterator[JsonObject]:
        """Deltas for an event of the item at `place`; a call without id or name waits for `rest`."""
        match event.type:
            case "response.output_item.added":
                call = model_call(object_at(event.body, "item"))
                if call and call.call_id and call.name:
                    yield self._begin(place, call)
            case "response.function_call_arguments.delta":
                begun = self._by_place.get(place)
                if begun and (text := text_at(event.body, "delta")):
                    yield _more(begun, text)
            case "response.output_item.done":
                call = model_call(object_at(event.body, "item"))
                if call and (begun := self._by_place.get(place)):
                    yield from _completed(begun, call.arguments_text)
            case _:
                pass

    def rest(self, calls: Sequence[ModelCall]) -> Iterator[JsonObject]:
        """What is still to be told of the calls that the caller has to run."""
        by_id = {begun.call_id: begun for begun in self._by_place.values()}
        for call in calls:
            if begun := by_id.get(call.call_id):
                yield from _completed(begun, call.arguments_text)
            else:
                yield {"index": len(by_id), **_whole(call)}
                by_id[call.call_id] = _Call(len(by_id), call.call_id, call.name)
            self._whole.append(_whole(call))

    def _begin(self, place: Hashable, call: ModelCall) -> JsonObject:
        begun = self._by_place[place] = _Call(len(self._by_place), call.call_id, call.name)
        function: JsonObject = {"name": call.name, "arguments": ""}
        return {"index": begun.index, "id": call.call_id, "type": "function", "function": function}


def _more(begun: _Call, text: str) -> JsonObject:
    begun.arguments.append(text)
    return {"index": begun.index, "function": {"arguments": text}}


def _completed(begun: _Call, arguments: str) -> Iterator[JsonObject]:
    """Arguments that came with the whole item only."""
    if not begun.arguments:
        yield _more(begun, arguments or "{}")


def _whole(call: ModelCall) -> JsonObject:
    if call.item.get("type") == "custom_tool_call":
        custom: JsonObject = {"name": call.name, "input": call.arguments_text}
        return {"id": call.call_id, "type": "custom", "custom": custom}
    function: JsonObject = {"name": call.name, "arguments": call.arguments_text or "{}"}
    return {"id": call.call_id, "type": "function", "function": function}
