"""Retention of stored answers: expired responses, and those over a user's quota, are deleted.

A response and its items are deleted together. Deletes in small transactions, so that writers need not wait.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from random import random
from typing import Any

from sqlalchemy import Connection, Row, Select, Table, delete, func, select, union_all
from sqlalchemy.exc import SQLAlchemyError

from bridge.item_types import WAITING_TYPE
from bridge.settings.storage import StorageSettings
from bridge.storage.chat.item_tables import EVENTS, ITEMS, RESPONSES
from bridge.storage.dialects import reason_of
from bridge.storage.store import Store
from bridge.tasks import sleep_safely

ROWS_AT_ONCE = 200
"""Maximum number of rows deleted in one transaction."""

RESPONSES_AT_ONCE = 20
"""Maximum number of responses deleted in one transaction, with their items."""

MAX_JITTER_S = 600.0
MAX_JITTER = 0.25
"""Maximum delay of a sweep, in seconds and as a share of the interval, so that several bridges do not sweep
together."""

DAY_SECONDS = 24 * 3600

EVENTS_SECONDS = DAY_SECONDS
"""How long stream events are stored after their response has ended, in seconds: a client that lost a stream
comes back for the rest within minutes, and the response says it all in a tenth of the space."""

WAITING_SECONDS = 7 * DAY_SECONDS
"""How long a turn that waits for its caller is stored, in seconds: a person may have to decide about its
calls."""

HOUR_SECONDS = 3600

_log = logging.getLogger(__name__)


class Retention:
    """Deletes expired responses, and the least recently used ones of a user over the quota."""

    def __init__(
        self,
        store: Store,
        settings: StorageSettings,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._session = store.plain_sessions
        self._thread = store.thread
        self._settings = settings
        self._now = now

    async def sweep_regularly(self) -> None:
        """Sweep now and in every interval, until cancelled."""
        while True:
            try:
                await self.sweep_once()
            except (SQLAlchemyError, OSError) as error:
                _log.error("Old stored answers cannot be deleted: %s", reason_of(error))
            await sleep_safely(pause_seconds(self._settings, random()))

    async def sweep_once(self) -> None:
        """Run one sweep."""
        oldest = self._now() - self._settings.cleanup_days * DAY_SECONDS
        for table in (ITEMS, RESPONSES):
            while await self._deleted(lambda connection, of=table: _delete_old(connection, of, oldest)):
                pass
        for work in (self._delete_events, self._delete_waiting):
            while await self._deleted(work):
                pass
        if self._settings.bytes_per_user:
            for user_id, size in await self._read(_heavy_users(self._settings.bytes_per_user)):
                await self._lighten(user_id, int(size) - self._settings.bytes_per_user)

    def _delete_events(self, connection: Connection) -> int:
        ended = (
            select(EVENTS.c.response_id)
            .join(RESPONSES, RESPONSES.c.id == EVENTS.c.response_id)
            .where(RESPONSES.c.ended_at < self._now() - EVENTS_SECONDS)
            .distinct()
            .limit(RESPONSES_AT_ONCE)
        )
        return connection.execute(delete(EVENTS).where(EVENTS.c.response_id.in_(ended))).rowcount

    def _delete_waiting(self, connection: Connection) -> int:
        stale = select(ITEMS.c.row_id).where(
            ITEMS.c.type == WAITING_TYPE, ITEMS.c.used_at < self._now() - WAITING_SECONDS
        )
        return connection.execute(delete(ITEMS).where(ITEMS.c.row_id.in_(stale.limit(ROWS_AT_ONCE)))).rowcount

    async def _lighten(self, user_id: str, superfluous: int) -> None:
        chosen: list[str] = []
        for response_id, size in await self._read(_oldest_first(user_id)):
            if superfluous <= 0:
                break
            chosen.append(response_id)
            superfluous -= int(size)
        _log.info("A user stores too much: the %d least recently used responses are deleted.", len(chosen))
        for start in range(0, len(chosen), RESPONSES_AT_ONCE):
            some = chosen[start : start + RESPONSES_AT_ONCE]
            await self._deleted(lambda connection, ids=some: delete_responses(connection, user_id, ids))

    async def _read(self, wanted: Select[Any, Any]) -> Sequence[Row[Any, Any]]:
        async with self._session() as session:
            return (await session.execute(wanted)).all()

    async def _deleted(self, work: Callable[[Connection], int]) -> int:
        """Return how much `work` deleted, in a transaction of its own."""
        counts: list[int] = []
        await asyncio.wrap_future(
            self._thread.run_transaction(lambda connection: counts.append(work(connection)))
        )
        return counts[0]


def pause_seconds(settings: StorageSettings, chance: float) -> float:
    """Return the seconds between two sweeps; `chance`: random number from 0 to 1."""
    interval_s = settings.cleanup_interval_hours * HOUR_SECONDS
    return interval_s + chance * min(MAX_JITTER_S, MAX_JITTER * interval_s)


def delete_responses(connection: Connection, user_id: str, response_ids: Sequence[str]) -> int:
    """Delete all that is stored under these ids; returns the number of items."""
    responses = (RESPONSES.c.user_id == user_id, RESPONSES.c.id.in_(response_ids))
    connection.execute(delete(RESPONSES).where(*responses))
    items = (ITEMS.c.user_id == user_id, ITEMS.c.response_id.in_(response_ids))
    return connection.execute(delete(ITEMS).where(*items)).rowcount


def _delete_old(connection: Connection, table: Table, oldest: float) -> int:
    key = table.primary_key.columns[0]
    old = select(key).where(table.c.used_at < oldest).order_by(table.c.used_at).limit(ROWS_AT_ONCE)
    return connection.execute(delete(table).where(key.in_(old))).rowcount


def _heavy_users(most: int) -> Select[Any, Any]:
    """Select the users with more than `most` bytes, and how many they have."""
    sizes = union_all(
        select(ITEMS.c.user_id, ITEMS.c.size), select(RESPONSES.c.user_id, RESPONSES.c.size)
    ).subquery()
    total = func.sum(sizes.c.size)
    return select(sizes.c.user_id, total).group_by(sizes.c.user_id).having(total > most)


def _oldest_first(user_id: str) -> Select[Any, Any]:
    """Select ids of responses with the bytes that they take, least recently used first."""
    parts = union_all(
        select(ITEMS.c.response_id.label("id"), ITEMS.c.size, ITEMS.c.used_at).where(
            ITEMS.c.user_id == user_id
        ),
        select(RESPONSES.c.id, RESPONSES.c.size, RESPONSES.c.used_at).where(RESPONSES.c.user_id == user_id),
    ).subquery()
    last_use = func.max(parts.c.used_at)
    return select(parts.c.id, func.sum(parts.c.size)).group_by(parts.c.id).order_by(last_use, parts.c.id)
