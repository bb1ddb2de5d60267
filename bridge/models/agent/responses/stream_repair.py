"""Repairs a provider's stream: adds missing deltas, and missing starts and ends of items.

Some servers that speak Responses send items whole, or only the ending with all of them, or the response
itself instead of a stream. Callers read deltas; so what an item holds and no event has sent is emitted before
the item's end. Pure: one instance for each round.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from bridge.models.agent.items import Item
from bridge.models.agent.model import ENDINGS
from bridge.models.agent.responses.call_repair import CallRepair
from bridge.models.agent.round_bounds import MAX_ITEMS, too_much
from toolserver.json_types import JsonObject, JsonValue, array_at, object_at, text_at

_DELTAS = {
    "output_text": ("response.output_text", "text"),
    "refusal": ("response.refusal", "refusal"),
    "summary_text": ("response.reasoning_summary_text", "text"),
    "reasoning_text": ("response.reasoning_text", "text"),
}
"""By type of a part: name of its events before `.delta` and `.done`, and its member with the text."""

_ARGUMENTS = "response.function_call_arguments"

_MEMBERS = {**dict(_DELTAS.values()), _ARGUMENTS: "arguments"}

_PLACES = ("content_index", "summary_index")


class StreamRepair:
    """Reads the events of one round."""

    __slots__ = ("_calls", "_is_done", "_items", "_response", "_sent")

    def __init__(self) -> None:
        self._calls = CallRepair()
        self._response: JsonObject = {}
        """The response as it was told last."""
        self._items: dict[int, Item] = {}
        """Finished items."""
        self._is_done: dict[int, bool] = {}
        """Of items that have begun."""
        self._sent: set[tuple[int, str, int]] = set()
        """Texts that have had a delta: item, name of its events, part."""

    def complete_event(self, body: JsonObject) -> Iterable[JsonObject]:
        """Return the event, after those that should have preceded it; exhaust it before the next call.

        Raises:
            ModelError: a call is too large, or there are too many texts.
        """
        kind = text_at(body, "type")
        index = body.get("output_index")
        if kind.endswith(".delta"):  # most events are one
            name = kind.removesuffix(".delta")
            if name == _ARGUMENTS:
                body = self._calls.place_delta(body)
                index = body.get("output_index")
            if isinstance(index, int):
                self._sent.add((index, name, _part_of(body)))
                if len(self._sent) > MAX_ITEMS:
                    raise too_much(f"more than {MAX_ITEMS:,} texts")
            return (body,)
        if kind == f"{_ARGUMENTS}.done":
            body = self._calls.place_whole(body)
            index = body.get("output_index")
        elif not kind and isinstance(body.get("output"), list):  # the response itself
            status = text_at(body, "status") or "completed"
            body = {"type": f"response.{status}", "response": body}
            kind = text_at(body, "type")
        return self._completed(kind, index, body)

    def finish_stream(self) -> Iterator[JsonObject]:
        """Yield the ends that are missing where the provider ended a stream that has no ending.

        Yields nothing where nothing has begun, or something is not whole.
        """
        if not self._is_done or not self._calls.are_whole:
            return
        yield from self._open_calls()
        response: JsonObject = {**self._response, "status": "completed", "output": []}
        yield {"type": "response.completed", "response": response}

    def _completed(self, kind: str, index: JsonValue, body: JsonObject) -> Iterator[JsonObject]:
        response = object_at(body, "response")
        if kind in ENDINGS:
            yield from self._open_calls()
            output = array_at(response, "output")
            known = output or [item for _, item in sorted(self._items.items())]
            complete = self._calls.complete_output(known) if output or self._calls.has_stray else output
            if complete != output:
                response: JsonObject = {**response, "output": complete}
                body = {**body, "response": response}
            yield from self._untold_items(response)
        elif response:
            self._response = response
        elif isinstance(index, int):
            item = object_at(body, "item")
            if item.get("type") == "function_call":
                index, body = self._placed_call(kind, index, body, item)
            yield from self._noted(kind, index, body)
        yield body

    def _placed_call(self, kind: str, index: int, body: JsonObject, item: Item) -> tuple[int, JsonObject]:
        """Return the place of a call and the event of its item, with its arguments if it has ended."""
        if kind == "response.output_item.done":
            place, whole = self._calls.finish_call(index, item)
        else:
            place, whole = self._calls.begin_call(index, item), item
        is_as_told = place == index and whole is item
        return place, body if is_as_told else {**body, "output_index": place, "item": whole}

    def _open_calls(self) -> Iterator[JsonObject]:
        """Yield the ends of calls that have none."""
        for index, item in self._calls.finish_open():
            self._is_done[index] = True
            self._items[index] = item
            yield {"type": "response.output_item.done", "output_index": index, "item": item}

    def _noted(self, kind: str, index: int, body: JsonObject) -> Iterator[JsonObject]:
        name, _, stage = kind.rpartition(".")
        if kind == "response.output_item.added":
            self._is_done.setdefault(index, False)
        elif kind == "response.output_item.done":
            yield from self._untold_of(object_at(body, "item"), index)
            self._is_done[index] = True
            self._items[index] = object_at(body, "item")
        elif stage == "done" and (text := text_at(body, _MEMBERS.get(name, ""))):
            yield from self._delta(name, index, body, text)

    def _untold_items(self, response: JsonObject) -> Iterator[JsonObject]:
        """Yield items that only the ending has."""
        for index, item in enumerate(array_at(response, "output")):
            if isinstance(item, dict) and item and not self._is_done.get(index):
                yield from self._untold_of(item, index)
                yield {"type": "response.output_item.done", "output_index": index, "item": item}

    def _untold_of(self, item: Item, index: int) -> Iterator[JsonObject]:
        place: JsonObject = {"item_id": text_at(item, "id"), "output_index": index}
        if index not in self._is_done:
            self._is_done[index] = False
            yield {"type": "response.output_item.added", "output_index": index, "item": _begun(item)}
        for member, place_name in (("summary", "summary_index"), ("content", "content_index")):
            for number, part in enumerate(array_at(item, member)):
                if isinstance(part, dict):
                    yield from self._untold_part(part, index, {**place, place_name: number})
        if item.get("type") == "function_call" and (arguments := text_at(item, "arguments")):
            yield from self._delta(_ARGUMENTS, index, place, arguments)

    def _untold_part(self, part: JsonObject, index: int, place: JsonObject) -> Iterator[JsonObject]:
        name, member = _DELTAS.get(text_at(part, "type"), ("", ""))
        text = text_at(part, member)
        if not text or (index, name, _part_of(place)) in self._sent:
            return
        kind = "response.reasoning_summary_part" if "summary_index" in place else "response.content_part"
        yield {"type": f"{kind}.added", **place, "part": {**part, member: ""}}
        yield from self._delta(name, index, place, text)
        yield {"type": f"{name}.done", **place, member: text}
        yield {"type": f"{kind}.done", **place, "part": part}

    def _delta(self, name: str, index: int, place: JsonObject, text: str) -> Iterator[JsonObject]:
        """Yield a text in one delta, unless it came in several."""
        key = (index, name, _part_of(place))
        if key in self._sent:
            return
        self._sent.add(key)
        places: JsonObject = {each: place[each] for each in ("item_id", *_PLACES) if each in place}
        yield {"type": f"{name}.delta", "output_index": index, **places, "delta": text}


def _part_of(body: JsonObject) -> int:
    """Return the number of the part that an event concerns; 0 for what has none, such as arguments."""
    for name in _PLACES:
        if isinstance(number := body.get(name), int):
            return number
    return 0


def _begun(item: Item) -> Item:
    """Return an item in its state when it begins."""
    empty: dict[str, JsonValue] = {"content": [], "summary": [], "arguments": "", "status": "in_progress"}
    return {name: empty.get(name, value) for name, value in item.items()}
