"""Reader of one round's stream: passes events on, collects items, gives every call an id of its own.

Pure: receives events; returns what to emit and, at the end, how the round ended. Items stay as the provider
wrote them, except a call without an id, or with the id of an earlier call of the turn: its output could not
refer to it, so that it gets a new id, in every event; and the name of an offered tool that the model wrote in
its own format.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from bridge.models.agent.called_names import offered_name
from bridge.models.agent.items import Item, ModelCall, awaiting_call, model_call, new_call_id
from bridge.models.agent.model import ENDINGS, PAUSED, ModelError, ModelEvent
from bridge.models.agent.round_bounds import MAX_ITEMS
from bridge.models.agent.turn import ModelOutput
from toolserver.json_types import JsonObject, JsonValue, array_at, object_at, text_at

Status = Literal["completed", "incomplete", "failed"]

_STATUS: dict[str, Status] = {
    "response.completed": "completed",
    "response.incomplete": "incomplete",
    "response.failed": "failed",
}

BROKE_OFF = "The provider ended its answer before it was complete."


@dataclass(frozen=True, slots=True)
class Round:
    """How a round ended, and its items."""

    status: Status
    items: tuple[Item, ...]
    """All items that are complete, in order; of a message that broke off, its text so far."""
    response: JsonObject
    error: ModelError | None
    is_paused: bool = False
    """Whether the answer is incomplete because the provider goes on with it in a further round."""

    def list_calls(self) -> list[ModelCall]:
        """List every call, in order, whoever runs it."""
        read = (model_call(item) or awaiting_call(item) for item in self.items)
        return [call for call in read if call is not None]

    def failed_by(self, error: ModelError) -> Round:
        """Return the round as one that failed after all."""
        return replace(self, status="failed", response=failed_response(self.response, error), error=error)


NO_IDS: frozenset[str] = frozenset()
"""One for all turns: an empty set takes 216 bytes, and most turns call nothing."""


class ModelCallIds:
    """The ids of a turn's calls: each belongs to one call alone."""

    __slots__ = ("_is_taken", "_used")

    def __init__(self, used: Iterable[str], is_taken: Callable[[str], bool] | None = None) -> None:
        """`used`: ids of calls before the turn; `is_taken`: whether another turn waits for a call with it.

        Without `is_taken` none does.
        """
        self._used = frozenset(filter(None, used)) or NO_IDS
        self._is_taken = is_taken

    def assign_id(self, provided: str) -> str:
        """Return the id that the provider gave, `provided`, if it is one and still free; else a new one."""
        is_used = provided in self._used or (self._is_taken is not None and self._is_taken(provided))
        call_id = new_call_id() if is_used or not provided else provided
        self._used |= {call_id}
        return call_id


class RoundReader:
    """Reads the events of one round."""

    __slots__ = (
        "_begun",
        "_call_ids",
        "_ending",
        "_ids",
        "_is_callers",
        "_is_done",
        "_is_offered",
        "_is_paused",
        "_number",
        "_own",
        "_response",
        "_texts",
    )

    def __init__(
        self,
        number: int,
        is_callers: Callable[[ModelCall], bool],
        ids: ModelCallIds,
        is_offered: Callable[[str], bool] | None = None,
    ) -> None:
        """`is_callers`: about a call; `is_offered`: about a name, without it names stay as written."""
        self._number = number
        self._is_callers = is_callers
        self._is_offered = is_offered
        self._ids = ids
        self._call_ids: dict[str, dict[int, str]] = {}
        """By ids of items, and by their places: some providers have one id for several calls."""
        self._begun: dict[int, Item] = {}
        self._is_done: dict[int, bool] = {}
        """Of items that are complete."""
        self._own: dict[int, bool] = {}
        self._texts: dict[int, list[str]] = {}
        self._response: JsonObject = {}
        self._ending: str | None = None
        self._is_paused = False

    @property
    def has_ended(self) -> bool:
        """Whether the ending has come; nothing after it belongs to the round."""
        return self._ending is not None

    def read_event(self, event: ModelEvent) -> ModelOutput:
        """Record an event and return what to emit for it.

        Raises:
            ModelError: the event is the provider's `error`.
        """
        kind, body = event.type, event.body
        index = _index_of(body)
        if kind == "response.output_text.delta":  # most events are one
            self._read_text(index, text_at(body, "delta"))
        elif kind == "error":
            raise _provider_error(body)
        elif kind in ENDINGS:
            event = self._end(event)
        elif kind in ("response.output_item.added", "response.output_item.done"):
            event = self._item(event, index)
        elif kind == "response.function_call_arguments.done":
            event = ModelEvent(self._with_offered_name(body))
        elif response := object_at(body, "response"):
            self._response = response
        return ModelOutput(self._number, event, "output_index" in body and self._own.get(index, False))

    def finish_round(self, error: ModelError | None = None) -> Round:
        """Return the round after its last event; `error`: why it broke off."""
        if self._ending is None:
            error = error or ModelError(BROKE_OFF, code="stream_ended")
            return Round("failed", self._items(), failed_response(self._response, error), error)
        status = _STATUS[self._ending]
        items = [item for item in array_at(self._response, "output") if isinstance(item, dict)]
        if status == "failed" and error is None:
            error = _provider_error(self._response)
        return Round(status, tuple(items) or self._items(), self._response, error, self._is_paused)

    def _read_text(self, index: int, delta: str) -> None:
        if (texts := self._texts.get(index)) is None:
            texts = self._texts[index] = []
        texts.append(delta)

    def _end(self, event: ModelEvent) -> ModelEvent:
        response = object_at(event.body, "response")
        output = self._completed_output(array_at(response, "output"))
        if output != array_at(response, "output"):
            response: JsonObject = {**response, "output": output}
            event = ModelEvent({**event.body, "response": response})
        self._response, self._ending = response, event.type
        self._is_paused = event.type == "response.incomplete" and event.body.get(PAUSED) is True
        return event

    def _item(self, event: ModelEvent, index: int) -> ModelEvent:
        item = object_at(event.body, "item")
        if not item:  # nothing to store, nor to send back
            return event
        named = self._completed(item, index)
        self._begun[index] = named
        if event.type == "response.output_item.done":
            self._is_done[index] = True
        call = model_call(named)
        self._own[index] = call is not None and not self._is_callers(call)
        return event if named is item else ModelEvent({**event.body, "item": named})

    def _completed(self, item: Item, index: int) -> Item:
        """Return a call with an id of its own and the name of its tool; any other item as it is."""
        if (call := model_call(item)) is None:
            return item
        named = self._with_call_id(item, index)
        return named if call.is_search else self._with_offered_name(named)

    def _with_offered_name(self, named: JsonObject) -> JsonObject:
        written = text_at(named, "name")
        name = written if self._is_offered is None else offered_name(written, self._is_offered)
        return named if name == written else {**named, "name": name}

    def _with_call_id(self, item: Item, index: int) -> Item:
        original_id = text_at(item, "call_id")
        assigned = self._call_ids.setdefault(_key_of(item, index), {})
        if index not in assigned:
            assigned[index] = self._ids.assign_id(original_id)
        return item if assigned[index] == original_id else {**item, "call_id": assigned[index]}

    def _completed_output(self, output: Sequence[JsonValue]) -> list[JsonValue]:
        """Return the items of an ending; calls have their ids from before, in the order of their places."""
        left = {key: iter(sorted(assigned)) for key, assigned in self._call_ids.items()}
        named: list[JsonValue] = []
        for index, item in enumerate(output):
            if not isinstance(item, dict):
                named.append(item)
                continue
            untold = MAX_ITEMS + index  # a place that no item of the stream has
            named.append(self._completed(item, next(left.get(_key_of(item, index), iter(())), untold)))
        return named

    def _items(self) -> tuple[Item, ...]:
        """Return what came item by item: complete items, and the text of unfinished messages."""
        found: list[Item] = []
        for index, item in sorted(self._begun.items()):
            if index in self._is_done:
                found.append(item)
            elif item.get("type") == "message" and (text := "".join(self._texts.get(index, []))):
                part: JsonObject = {"type": "output_text", "text": text, "annotations": []}
                found.append({**item, "status": "incomplete", "content": [part]})
        return tuple(found)


def _key_of(item: Item, index: int) -> str:
    return text_at(item, "id") or f"#{index}"


def failed_response(last_response: JsonObject, error: ModelError) -> JsonObject:
    """Build the response object of a round that broke off; `last_response`: the last one received."""
    error_body: JsonObject = {"code": error.code, "message": error.message}
    return {**last_response, "status": "failed", "error": error_body}


def _provider_error(body: JsonObject) -> ModelError:
    """Return the error in an `error` event, or in the response of a failed round."""
    error_body = object_at(body, "error") or body
    message = text_at(error_body, "message") or "The provider failed and did not say why."
    code = text_at(error_body, "code") or "upstream_error"
    param = text_at(error_body, "param") or None
    return ModelError(message, code=code, param=param)


def _index_of(body: JsonObject) -> int:
    index = body.get("output_index")
    return index if isinstance(index, int) else 0
