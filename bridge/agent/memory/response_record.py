"""One response as the store has it: begun, under way, at its end. Without a store it is made all the same."""

from __future__ import annotations

import logging
from collections.abc import Coroutine
from dataclasses import dataclass, field, replace
from typing import Any, cast

from bridge.agent.items import answered_call_id
from bridge.agent.memory.recorder import Memory, input_records
from bridge.agent.turn import Emit, ItemStored, ModelOutput, TurnEvent, TurnRequest
from bridge.stored_items.items import ResponseStatus, StoredResponse
from bridge.stored_items.store import StoreUnavailable
from toolserver.json_types import JsonObject, JsonValue, array_at, object_at, text_at


@dataclass(frozen=True, slots=True)
class Progress:
    """At the end of a round, or of its calls."""

    attempts: int = 0
    """Processes that have gone on with it, since one last stopped in order."""
    items: int = 0
    """`output_index` below which the items that were told are part of the response."""
    left_out: tuple[int, ...] = ()
    """Those below it that are not: their round was asked for again."""
    usage: JsonObject = field(default_factory=dict[str, JsonValue])
    """Of the rounds until then, with `turn_count`."""

    @property
    def rounds(self) -> int:
        """That have ended."""
        return _number(self.usage, "turn_count")

    def to_json(self) -> JsonObject:
        """What `progress_of` reads."""
        return {
            "attempts": self.attempts,
            "items": self.items,
            "left_out": [*self.left_out],
            "usage": self.usage,
        }


def progress_of(kept: JsonObject) -> Progress:
    """What `to_json` wrote."""
    return Progress(
        attempts=_number(kept, "attempts"),
        items=_number(kept, "items"),
        left_out=tuple(index for index in array_at(kept, "left_out") if isinstance(index, int)),
        usage=object_at(kept, "usage"),
    )


def _number(of: JsonObject, name: str) -> int:
    value = of.get(name)
    return value if isinstance(value, int) else 0


_NO_WORDS = frozenset(
    {
        "response.created",
        "response.in_progress",
        "response.output_item.added",
        "response.content_part.added",
        "response.reasoning_summary_part.added",
    }
)
"""Events that come before a first word, at once with it."""

_log = logging.getLogger(__name__)


class ResponseRecord:
    """What is kept of one response. No method fails: what the store does not take is not kept."""

    def __init__(
        self, memory: Memory, kept: StoredResponse, *, is_kept: bool = False, later: TurnRequest | None = None
    ) -> None:
        """`is_kept`: the store has it already; `later`: what `catch_up` is to keep."""
        self._memory = memory
        self._kept = kept
        self._later = later
        self._brought = input_records(memory, later) if later else []
        self.is_kept = is_kept
        """The store has it, as it was when it was saved last."""

    @property
    def is_wanted(self) -> bool:
        """Whether it is kept, or will be."""
        return self.is_kept or self._later is not None

    def emit_after_start(self, emit: Emit) -> Emit:
        """The same way to the caller, whose first word does not wait until the beginning is kept.

        What the caller has run itself is named first, so that its answer can name that, too.
        """
        unnamed = [item for item in self._brought if answered_call_id(item.payload)]

        async def told(event: TurnEvent) -> None:
            while unnamed:
                item = unnamed.pop(0)
                await emit(ItemStored(item.id, item.payload))
            await emit(event)
            if self._later is not None and not (
                isinstance(event, ModelOutput) and event.event.type in _NO_WORDS
            ):
                await self.catch_up()

        return told

    async def catch_up(self) -> None:
        """Keep the beginning now, if it is not."""
        request, self._later = self._later, None
        if request is not None:
            await self.save_start(request)

    async def save_start(self, request: TurnRequest) -> bool:
        """Keep it and its input for the first time; whether the store took them."""
        store = self._memory.store
        brought = self._brought or input_records(self._memory, request)
        self.is_kept = await self._waited_for(store.save_response(self._kept))
        if self.is_kept and not await self._waited_for(store.add_items(brought)):
            await self.delete_record()
        return self.is_kept

    async def save_progress(self, progress: Progress) -> bool:
        """Keep how far it is; whether the store took it."""
        request: JsonObject = {**self._kept.request, "progress": progress.to_json()}
        self._kept = replace(self._kept, request=request)
        return await self._saved()

    async def save_end(self, body: JsonObject) -> bool:
        """Keep its end; whether the store took it. `body`: the response object, whose status it is."""
        status = cast(ResponseStatus, text_at(body, "status"))
        self._kept = replace(self._kept, status=status, body=body, ended_at=self._memory.now())
        return await self._saved()

    async def delete_record(self) -> None:
        """It never was: its caller was told an error instead, or that it is not kept."""
        self._later = None
        if self.is_kept:
            self.is_kept = False
            store, kept = self._memory.store, self._kept
            await self._waited_for(store.delete_response(kept.user_id, kept.id))

    async def _saved(self) -> bool:
        return not self.is_kept or await self._waited_for(self._memory.store.save_response(self._kept))

    async def _waited_for(self, work: Coroutine[Any, Any, object]) -> bool:
        try:
            await work
        except StoreUnavailable as failure:
            _log.warning("response %s cannot be kept: %s", self._kept.id, failure)
            return False
        return True
