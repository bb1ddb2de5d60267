"""Stored record of one response: its start, progress and end. If the store fails, the response continues."""

from __future__ import annotations

import logging
from collections.abc import Coroutine, Iterable
from dataclasses import dataclass, field, replace
from typing import Any, cast

from bridge.models.agent.items import Item, answered_call_id, call_id_of
from bridge.models.agent.memory.recorder import Memory, input_records
from bridge.models.agent.turn import Emit, ItemStored, ModelOutput, TurnEvent, TurnRequest
from bridge.models.stored_items.items import ResponseStatus, StoredResponse
from bridge.models.stored_items.store import StoreUnavailable, UserElsewhere
from toolserver.json_types import JsonObject, JsonValue, array_at, object_at, text_at


@dataclass(frozen=True, slots=True)
class Progress:
    """Progress of a response at the end of a round, or of its calls."""

    attempts: int = 0
    """Number of processes that have resumed it since one last stopped in order."""
    items: int = 0
    """`output_index` below which the emitted items are part of the response."""
    left_out: tuple[int, ...] = ()
    """Indexes below `items` that are not part of it: their round was requested again."""
    settled: int = 0
    """Number of the turn's settled items that `items` covers, but for reasoning."""
    usage: JsonObject = field(default_factory=dict[str, JsonValue])
    """Usage of the rounds until then, with `turn_count`."""

    @property
    def rounds(self) -> int:
        """Number of rounds that have ended."""
        return _number(self.usage, "turn_count")

    def to_json(self) -> JsonObject:
        """Return the JSON that `progress_of` reads."""
        return {
            "attempts": self.attempts,
            "items": self.items,
            "left_out": [*self.left_out],
            "settled": self.settled,
            "usage": self.usage,
        }


def progress_of(stored: JsonObject) -> Progress:
    """Read the JSON that `to_json` wrote."""
    return Progress(
        attempts=_number(stored, "attempts"),
        items=_number(stored, "items"),
        left_out=tuple(index for index in array_at(stored, "left_out") if isinstance(index, int)),
        settled=_number(stored, "settled"),
        usage=object_at(stored, "usage"),
    )


def count_settled(items: Iterable[Item]) -> int:
    """Return how many items `Progress.settled` counts."""
    return sum(item.get("type") != "reasoning" for item in items)


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
"""Events that precede a first word, and come immediately before it."""

_log = logging.getLogger(__name__)


class ResponseRecord:
    """The stored record of one response. No method fails: what the store refuses is not stored."""

    __slots__ = ("_brought", "_emit", "_later", "_memory", "_stored", "_unnamed", "is_elsewhere", "is_stored")

    def __init__(
        self,
        memory: Memory,
        stored: StoredResponse,
        *,
        is_stored: bool = False,
        later: TurnRequest | None = None,
    ) -> None:
        """`is_stored`: the store has it already; `later`: the request for `catch_up` to store."""
        self._memory = memory
        self._stored = stored
        self._later = later
        self._brought = input_records(memory, later) if later else []
        self.is_stored = is_stored
        """Whether the store has it, as of the last save."""
        self.is_elsewhere = False
        """Whether another replica has its user now, and with that its end."""

    @property
    def is_shared(self) -> bool:
        """Whether another replica may end it otherwise, as long as its end is not stored."""
        return self._memory.is_shared

    @property
    def is_wanted(self) -> bool:
        """Whether it is stored, or will be."""
        return self.is_stored or self._later is not None

    def emit_after_start(self, emit: Emit) -> Emit:
        """Return an `Emit` whose first word does not wait until the response's start is stored.

        Outputs that the caller brought for calls of an earlier response are named first, so that its answer
        can name them, too. One whose call comes with it is part of a history that the caller keeps.
        """
        self._emit = emit
        brought = {call_id_of(item.payload) for item in self._brought}
        outputs = [item for item in self._brought if answered_call_id(item.payload)]
        self._unnamed = [item for item in outputs if answered_call_id(item.payload) not in brought]
        return self._emit_named

    async def _emit_named(self, event: TurnEvent) -> None:
        while self._unnamed:
            item = self._unnamed.pop(0)
            await self._emit(ItemStored(item.id, item.payload))
        await self._emit(event)
        if self._later is not None and not (isinstance(event, ModelOutput) and event.event.type in _NO_WORDS):
            await self.catch_up()

    async def catch_up(self) -> None:
        """Store the start now, unless it is stored."""
        request, self._later = self._later, None
        if request is not None:
            await self.save_start(request)

    async def save_start(self, request: TurnRequest) -> bool:
        """Store the response and its input for the first time; returns whether the store took them."""
        brought, self._brought = self._brought or input_records(self._memory, request), []
        self.is_stored = await self._try_store(self._memory.store.save_response(self._stored, brought))
        return self.is_stored

    async def save_progress(self, progress: Progress) -> bool:
        """Store the progress; returns whether the store took it."""
        request: JsonObject = {**self._stored.request, "progress": progress.to_json()}
        self._stored = replace(self._stored, request=request)
        return await self._save()

    async def save_end(self, body: JsonObject) -> bool:
        """Store the end; returns whether the store took it. `body`: the final response object."""
        status = cast(ResponseStatus, text_at(body, "status"))
        self._stored = replace(self._stored, status=status, body=body, ended_at=self._memory.now())
        return await self._save()

    async def delete_record(self) -> None:
        """Delete it without a trace: its caller got an error instead, or was told that it is not stored."""
        self._later = None
        if self.is_stored:
            self.is_stored = False
            store, stored = self._memory.store, self._stored
            await self._try_store(store.delete_response(stored.user_id, stored.id))

    async def _save(self) -> bool:
        return not self.is_stored or await self._try_store(self._memory.store.save_response(self._stored))

    async def _try_store(self, work: Coroutine[Any, Any, object]) -> bool:
        try:
            await work
        except StoreUnavailable as failure:
            _log.warning("response %s cannot be stored: %s", self._stored.id, failure)
            self.is_elsewhere = isinstance(failure, UserElsewhere)
            return False
        return True
