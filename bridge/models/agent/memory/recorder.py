"""Recorder of one running turn: items get ids when they are done, and are stored when they are settled.

Observes the turn's events twice: settled items are stored before the caller hears of them; a finished item
gets its id after the caller has received it, so that no output waits for the store. The id is emitted as
`ItemStored`, by which the writer can name the item in its answer. A store that fails, or is slow, ends the
recording of the turn and not the turn.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from bridge.models.agent.items import Item
from bridge.models.agent.turn import (
    CallEnded,
    Emit,
    ItemStored,
    ModelOutput,
    Notice,
    Settled,
    TurnEvent,
    TurnRequest,
    TurnResult,
)
from bridge.models.stored_items.items import NOTICE_TYPE, Side, StoredItem
from bridge.models.stored_items.store import ItemStore, StoreUnavailable
from bridge.models.stored_items.ulid import Ulids
from toolserver.json_types import object_at, text_at

UNAVAILABLE = (
    "⚠️ Tool storage unavailable: this answer continues without memory. The next answer will "
    "not know its tool results and reasoning."
)

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Memory:
    """Where items are stored, and how they are named and dated."""

    store: ItemStore
    """Store that answers soon, or raises `StoreUnavailable`."""
    ulids: Ulids
    now: Callable[[], float]
    """Clock in seconds since 1970."""
    stores_reasoning: bool = True
    is_shared: bool = False
    """Whether another replica may go on with what this one began, and end it otherwise."""


@dataclass(frozen=True, slots=True)
class _Named:
    """An item that has an id and is not settled yet."""

    id: str
    item: Item


class Recorder:
    """Records one turn, as two of its observers; `record_end` or `break_off` must always follow."""

    __slots__ = (
        "_emit",
        "_first_position",
        "_has_asked",
        "_has_warned",
        "_is_lost",
        "_memory",
        "_named",
        "_position",
        "_request",
        "_settled",
        "_unsaved",
    )

    def __init__(
        self,
        memory: Memory,
        request: TurnRequest,
        emit: Emit,
        *,
        is_lost: bool = False,
        has_answered: bool = False,
        first_position: int = 0,
    ) -> None:
        """`request`: as the caller sent it; `emit`: to all observers.

        `is_lost`: the store has failed before; `has_answered`: it has answered.
        `first_position`: position of the first output item, where another process has stored some before.
        """
        self._memory = memory
        self._request = request
        self._emit = emit
        self._is_lost = is_lost
        self._has_asked = has_answered
        self._has_warned = False
        self._named: list[_Named] = []
        self._unsaved: list[StoredItem] = []
        self._position = first_position
        self._first_position = first_position
        self._settled = 0
        if request.to_store == "all" and not is_lost:
            self._unsaved += input_records(memory, request)

    @property
    def is_lost(self) -> bool:
        """Whether some of the turn could not be stored."""
        return self._is_lost

    def store_settled(self, event: TurnEvent) -> Awaitable[None] | None:
        """Store items that are final. As `TurnObserver`, before the caller receives the event."""
        if isinstance(event, Settled):
            return self._warn_and_settle(event.items)
        return self._warn() if self._is_lost and not self._has_warned else None

    def name_item(self, event: TurnEvent) -> Awaitable[None] | None:
        """Give an item that is done its id. As `TurnObserver`, after the caller has received the event."""
        match event:
            case ModelOutput():
                if event.event.type != "response.output_item.done":
                    return None
                item = object_at(event.event.body, "item")
            case CallEnded():
                item = event.output
            case Notice(in_answer=True):
                item: Item = {"type": NOTICE_TYPE, "text": event.text}
            case _:
                return None
        return self._name_done(item) if item and self._is_stored(item) else None

    async def record_end(self, result: TurnResult) -> None:
        """Store the rest of a turn that has come to its end."""
        await self._settle(result.output[self._settled :])
        await self._save_rest()
        if self._is_lost:
            await self._warn()

    async def break_off(self) -> None:
        """Store the output of a turn that ended early: its caller is gone, or it failed."""
        if self._named or self._position > self._first_position:
            await self._save_rest()

    def _is_stored(self, item: Item) -> bool:
        if self._is_lost or self._request.to_store == "nothing":
            return False
        return self._memory.stores_reasoning or item.get("type") != "reasoning"

    async def _name_done(self, item: Item) -> None:
        if await self._store_answers():
            self._named.append(await self._name(item))

    async def _store_answers(self) -> bool:
        """Return whether items can be stored: no marker may name what a broken store does not keep.

        It is asked before the first name, and not before the turn: no output waits for the store.
        """
        if not self._has_asked:
            self._has_asked = True
            request = self._request
            try:
                await self._memory.store.by_ids(request.user_id, [request.turn_id])
            except StoreUnavailable as failure:
                self._lose_store(failure)
                await self._warn()
        return not self._is_lost

    def _lose_store(self, failure: StoreUnavailable) -> None:
        _log.warning("turn %s continues without memory: %s", self._request.turn_id, failure)
        self._is_lost = True

    async def _name(self, item: Item) -> _Named:
        named = _Named(self._memory.ulids.make_ulid(), item)
        await self._emit(ItemStored(named.id, item))
        return named

    async def _warn_and_settle(self, items: Sequence[Item]) -> None:
        if self._is_lost:
            await self._warn()
        await self._settle(items)

    async def _settle(self, items: Sequence[Item]) -> None:
        """Store items in their final form and order; one that no event announced gets its id now."""
        self._settled += len(items)
        for item in items:
            if self._is_stored(item) and await self._store_answers():
                self._add_unsaved(self._take_named(item) or await self._name(item), item)
        self._named = [named for named in self._named if named.item.get("type") == NOTICE_TYPE]
        await self._save()

    def _take_named(self, item: Item) -> _Named | None:
        """Take the name that waits for an item, which the ending of its round may have reworded."""
        same = [named for named in self._named if named.item == item or _is_same(named.item, item)]
        for named in same[:1]:
            self._named.remove(named)
        return same[0] if same else None

    async def _save_rest(self) -> None:
        """Store items that are done and were not settled, in the order in which they came."""
        rest, self._named = self._named, []
        for named in rest:
            self._add_unsaved(named, named.item)
        await self._save()

    def _add_unsaved(self, named: _Named, item: Item) -> None:
        self._unsaved.append(
            record_of(
                self._memory,
                self._request,
                item,
                item_id=named.id,
                side="output",
                position=self._position,
            )
        )
        self._position += 1

    async def _save(self) -> None:
        """Store what waits. When cancelled, the items stay for the next time: storing is idempotent."""
        if self._unsaved and not self._is_lost:
            try:
                await self._memory.store.add_items(self._unsaved)
            except StoreUnavailable as failure:
                self._lose_store(failure)
        self._unsaved = []

    async def _warn(self) -> None:
        if not self._has_warned:
            self._has_warned = True
            await self._emit(Notice("warning", UNAVAILABLE, in_answer=False))


def input_records(memory: Memory, request: TurnRequest) -> list[StoredItem]:
    """Return the stored form of a request's input."""
    return [
        record_of(memory, request, item, item_id=memory.ulids.make_ulid(), side="input", position=position)
        for position, item in enumerate(request.input)
    ]


def record_of(
    memory: Memory, request: TurnRequest, item: Item, *, item_id: str, side: Side, position: int
) -> StoredItem:
    """Return the stored form of one item of a turn."""
    return StoredItem(
        id=item_id,
        user_id=request.user_id,
        response_id=request.turn_id,
        position=position,
        side=side,
        model=request.model,
        payload=item,
        created_at=memory.now(),
        conversation_id=request.chat_id,
        message_id=request.message_id,
    )


def _is_same(emitted: Item, settled: Item) -> bool:
    """Return whether an item of an event and one of the round's ending are the same."""
    if emitted.get("type") != settled.get("type"):
        return False
    names = ("call_id", "id")
    return any(text_at(emitted, name) and text_at(emitted, name) == text_at(settled, name) for name in names)
