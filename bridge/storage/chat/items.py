"""Stored items and responses in the database. Implements `bridge.models.stored_items.store.ItemStore`.

Writes go through the writing thread, one transaction each, so that they never wait for each other's locks.
Payloads are packed and unpacked in threads, off the event loop.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection, Row, Select, bindparam, delete, exists, literal, select, update
from sqlalchemy.exc import IntegrityError

from bridge.models.stored_items.items import StoredItem, StoredResponse, Unstorable
from bridge.settings.storage import StorageSettings
from bridge.storage.chat.item_mapping import ItemMapping, index_key
from bridge.storage.chat.item_tables import (
    EVENTS,
    ITEMS,
    RESPONSES,
    StoredEventsRow,
    StoredItemRow,
    StoredResponseRow,
)
from bridge.storage.dialects import (
    Upsert,
    build_upsert,
    delete_claimed,
    dialect_of,
    insert_missing,
    is_one_of,
)
from bridge.storage.encryption import Encryption
from bridge.storage.store import Store
from toolserver.json_types import text_at

MAX_CHAIN = 2_000
"""Maximum number of responses of a chain that are read; older ones are left out."""

IDS_AT_ONCE = 1_000
"""Maximum number of ids in one query; SQLite accepts 32,766 values, PostgreSQL 65,535."""

TOUCH_SECONDS = 24 * 3600
"""How old a recorded last use must be before reading renews it, in seconds."""

UNFINISHED = ("queued", "in_progress")

_CHANGED = ("status", "body", "request", "size", "key_id", "model", "ended_at", "used_at", "epoch")

_log = logging.getLogger(__name__)


class ItemTables:
    """Stored items and responses. A write that is cancelled may or may not have been committed.

    Raises, in every write:
        BridgeError: `replica_lost`: the user is at home in another replica; nothing was written.
    """

    def __init__(
        self,
        store: Store,
        settings: StorageSettings | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._epoch_of = store.epoch_of
        self._session = store.plain_sessions
        self._writes = store.writes
        self._rows = ItemMapping(Encryption(settings or StorageSettings()))
        self._now = now

    async def add_items(self, items: Sequence[StoredItem]) -> None:
        """Store items, all of one user; those of one who has been deleted in the meantime are dropped."""
        rows = await asyncio.to_thread(self._rows.of_items, items, self._now())
        if rows:
            user_id = items[0].user_id
            epoch = self._epoch_of(user_id)
            await self._write_owned(user_id, epoch, lambda connection: _add_items(connection, rows, epoch))

    async def by_ids(self, user_id: str, ids: Collection[str]) -> Mapping[str, StoredItem]:
        """Return those of the items that the user has and that are readable; a query per thousand ids."""
        requested = {index_key(each): each for each in ids}
        rows: list[Row[Any]] = []
        async with self._session() as session:
            for some in _slices(list(requested)):
                is_named = is_one_of(dialect_of(session), ITEMS.c.id, some)
                wanted = select(ITEMS).where(ITEMS.c.user_id == user_id, is_named)
                rows += (await session.execute(wanted)).all()
        items = await self._items(user_id, rows)
        return {requested[item.id]: item for item in items}

    async def by_provider_ids(self, user_id: str, ids: Collection[str]) -> Mapping[str, StoredItem]:
        """Return the user's items whose payloads have these ids; one query per `IDS_AT_ONCE` ids."""
        requested = {index_key(each): each for each in ids}
        rows: list[Row[Any]] = []
        async with self._session() as session:
            for some in _slices(list(requested)):
                has_id = is_one_of(dialect_of(session), ITEMS.c.provider_id, some)
                wanted = select(ITEMS).where(ITEMS.c.user_id == user_id, has_id).order_by(ITEMS.c.row_id)
                rows += (await session.execute(wanted)).all()
        return {text_at(item.payload, "id"): item for item in await self._items(user_id, rows)}

    async def delete_items(self, user_id: str, ids: Collection[str]) -> None:
        """Delete items of a user, all in one transaction."""
        names = [index_key(each) for each in ids]
        epoch = self._epoch_of(user_id)
        await self._writes.write_rows(
            user_id, epoch, lambda connection: _delete_items(connection, user_id, names, epoch)
        )

    async def read_chain(self, user_id: str, response_id: str) -> Sequence[StoredItem]:
        """Return all items of a response and of those before it, up to `MAX_CHAIN` responses; two queries.

        With a single query, SQLite would read all items of the user, and look each up in the chain.
        """
        rows: list[Row[Any]] = []
        async with self._session() as session:
            newest_first = (await session.execute(_ancestry(user_id, index_key(response_id)))).all()
            place = {row.id: -row.distance for row in reversed(newest_first)}  # the nearest of a cycle
            for some in _slices(list(place)):
                is_of_them = is_one_of(dialect_of(session), ITEMS.c.response_id, some)
                wanted = select(ITEMS).where(ITEMS.c.user_id == user_id, is_of_them)
                rows += (await session.execute(wanted)).all()
        rows.sort(key=lambda row: (place[row.response_id], row.side, row.position))
        return await self._items(user_id, rows)

    async def save_response(self, response: StoredResponse, items: Sequence[StoredItem] = ()) -> None:
        """Store a response, or its new state, and items; `previous_id` and `created_at` are never changed."""
        row, rows = await asyncio.to_thread(self._pack_response, response, items)
        epoch = self._epoch_of(response.user_id)

        def save(connection: Connection) -> None:
            if row is not None:
                _save_response(connection, row | {"epoch": epoch})
            if rows:
                _add_items(connection, rows, epoch)

        if row is not None or rows:
            await self._write_owned(response.user_id, epoch, save)

    def _pack_response(
        self, response: StoredResponse, items: Sequence[StoredItem]
    ) -> tuple[dict[str, Any] | None, list[dict[str, Any]]]:
        now = self._now()
        rows = self._rows.of_items(items, now)
        try:
            return self._rows.of_response(response, now), rows
        except Unstorable as error:
            _log.warning("Response %s is not stored: %s.", response.id, error)
            return None, rows

    async def find_response(self, user_id: str, response_id: str) -> StoredResponse | None:
        """Return one response; None when the user has none of that id, or it cannot be read."""
        mine = (RESPONSES.c.user_id == user_id, RESPONSES.c.id == index_key(response_id))
        async with self._session() as session:
            row = (await session.execute(select(RESPONSES).where(*mine))).one_or_none()
        if row is None:
            return None
        self._touch(user_id, [row], "id")
        return await asyncio.to_thread(self._rows.read_response, row)

    async def delete_response(self, user_id: str, response_id: str) -> bool:
        """Delete a response with its items and events; False: the user has none of that id."""
        deleted: list[int] = []
        name = index_key(response_id)
        epoch = self._epoch_of(user_id)
        await self._writes.write_rows(
            user_id,
            epoch,
            lambda connection: deleted.append(_delete_response(connection, user_id, name, epoch)),
        )
        return deleted[0] > 0

    async def list_unfinished(self, user_id: str | None = None) -> Sequence[StoredResponse]:
        """Return responses of one user, or of all, that have not ended, oldest first."""
        wanted = select(RESPONSES).where(RESPONSES.c.status.in_(UNFINISHED)).order_by(RESPONSES.c.created_at)
        if user_id is not None:
            wanted = wanted.where(RESPONSES.c.user_id == user_id)
        async with self._session() as session:
            rows = (await session.execute(wanted)).all()
        found = await asyncio.to_thread(lambda: [self._rows.read_response(row) for row in rows])
        return [response for response in found if response is not None]

    async def add_events(self, user_id: str, response_id: str, first: int, last: int, frames: bytes) -> None:
        """Store stream events; those of a response that is not stored are dropped."""
        row = await asyncio.to_thread(self._rows.of_events, response_id, first, last, frames)
        epoch = self._epoch_of(user_id)
        await self._writes.write_rows(user_id, epoch, lambda connection: _add_events(connection, row, epoch))

    async def read_events(
        self, user_id: str, response_id: str, after: int, *, limit: int
    ) -> Sequence[tuple[int, bytes]]:
        """Return the frames of a response that contain events with numbers above `after`, in order."""
        wanted = (
            select(EVENTS)
            .join(RESPONSES, RESPONSES.c.id == EVENTS.c.response_id)
            .where(RESPONSES.c.user_id == user_id, RESPONSES.c.id == index_key(response_id))
            .where(EVENTS.c.last > after)
            .order_by(EVENTS.c.first)
            .limit(limit)
        )
        async with self._session() as session:
            rows = (await session.execute(wanted)).all()
        found = await asyncio.to_thread(lambda: [(row.first, self._rows.read_frames(row)) for row in rows])
        return [(number, frames) for number, frames in found if frames is not None]

    async def _write_owned(self, user_id: str, epoch: int | None, work: Callable[[Connection], None]) -> None:
        """Write rows that a user's deletion deletes, if there is that user."""
        try:
            await self._writes.write_rows(user_id, epoch, work)
        except IntegrityError:
            _log.info("An answer is not stored: its user has been deleted.")

    async def _items(self, user_id: str, rows: Sequence[Row[Any]]) -> list[StoredItem]:
        if not rows:  # most requests name nothing that is stored, and need no thread
            return []
        self._touch(user_id, rows, "response_id")
        return await asyncio.to_thread(self._rows.read_items, rows)

    def _touch(self, user_id: str, rows: Sequence[Row[Any]], name: str) -> None:
        """Renew the recorded last use of these where it is old; nobody waits for it."""
        now = self._now()
        stale = {getattr(row, name) for row in rows if row.used_at < now - TOUCH_SECONDS}
        if stale:
            self._writes.start_transaction(lambda connection: _touch(connection, user_id, stale, now))


def _slices(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    return (ids[start : start + IDS_AT_ONCE] for start in range(0, len(ids), IDS_AT_ONCE))


def _ancestry(user_id: str, response_id: str) -> Select[Any, Any]:
    """Select the ids of a response and of those before it, each with its distance, nearest first."""
    columns = RESPONSES.c.id, RESPONSES.c.previous_id
    newest = select(*columns, literal(0).label("distance")).where(
        RESPONSES.c.user_id == user_id, RESPONSES.c.id == response_id
    )
    chain = newest.cte("chain", recursive=True)
    before = (
        select(*columns, chain.c.distance + 1)
        .join(chain, RESPONSES.c.id == chain.c.previous_id)
        .where(RESPONSES.c.user_id == user_id, chain.c.distance + 1 < MAX_CHAIN)
    )
    all_responses = chain.union_all(before)
    return select(all_responses.c.id, all_responses.c.distance).order_by(all_responses.c.distance)


# Statements of every answer are built once: building one costs several times what running it does.

_OWNER = select(RESPONSES.c.user_id).where(RESPONSES.c.id == bindparam("response_id"))


@lru_cache
def _new_items(dialect: str) -> Upsert:
    return insert_missing(dialect, StoredItemRow)


@lru_cache
def _new_response(dialect: str) -> Upsert:
    return build_upsert(dialect, StoredResponseRow, _CHANGED)


def _add_items(connection: Connection, rows: Sequence[dict[str, Any]], epoch: int | None) -> None:
    stamped = [row | {"epoch": epoch} for row in rows]
    added = connection.execute(_new_items(connection.dialect.name), stamped).rowcount
    if epoch is not None and added < len(rows):  # what is there already has no new row for the fence to check
        ids = [row["id"] for row in rows]
        for some in _slices(ids):
            mine = (ITEMS.c.user_id == rows[0]["user_id"], ITEMS.c.id.in_(some))
            connection.execute(update(ITEMS).where(*mine).values(epoch=epoch))


def _delete_items(connection: Connection, user_id: str, names: Sequence[str], epoch: int | None) -> None:
    for some in _slices(names):
        delete_claimed(connection, ITEMS, ITEMS.c.user_id == user_id, ITEMS.c.id.in_(some), epoch=epoch)


def _save_response(connection: Connection, row: dict[str, Any]) -> None:
    owner = connection.scalar(_OWNER, {"response_id": row["id"]})
    if owner not in (None, row["user_id"]):
        _log.warning("Response %s is not stored: another user has one with that id.", row["id"])
        return
    connection.execute(_new_response(connection.dialect.name), row)


def _delete_response(connection: Connection, user_id: str, response_id: str, epoch: int | None) -> int:
    mine = (RESPONSES.c.user_id == user_id, RESPONSES.c.id == response_id)
    deleted = delete_claimed(connection, RESPONSES, *mine, epoch=epoch)
    if deleted:
        items = (ITEMS.c.user_id == user_id, ITEMS.c.response_id == response_id)
        connection.execute(delete(ITEMS).where(*items))
    return deleted


def _add_events(connection: Connection, row: dict[str, Any], epoch: int | None) -> None:
    values = [bindparam(name, value, EVENTS.c[name].type) for name, value in row.items()]
    is_there = exists().where(RESPONSES.c.id == row["response_id"])
    chosen = select(*values).where(is_there)
    connection.execute(
        insert_missing(connection.dialect.name, StoredEventsRow).from_select(list(row), chosen)
    )
    if epoch is not None:  # events have no column for it: that of their response is checked in the commit
        connection.execute(update(RESPONSES).where(RESPONSES.c.id == row["response_id"]).values(epoch=epoch))


def _touch(connection: Connection, user_id: str, response_ids: Collection[str], now: float) -> None:
    for some in _slices(list(response_ids)):
        items = (ITEMS.c.user_id == user_id, ITEMS.c.response_id.in_(some))
        connection.execute(update(ITEMS).where(*items).values(used_at=now))
        responses = (RESPONSES.c.user_id == user_id, RESPONSES.c.id.in_(some))
        connection.execute(update(RESPONSES).where(*responses).values(used_at=now))
