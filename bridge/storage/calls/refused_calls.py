"""Calls that were refused before a page was asked: the newest of each user, and how many there were.

A caller that is refused in a loop must not write a row each time. Calls are noted in memory, where each user
has room for as many as are stored. Every few seconds they are written together, and older ones are deleted in
the same transaction. A bridge that is killed loses what it had not written.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections import Counter, deque
from collections.abc import Iterable
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial
from typing import Any, cast

from sqlalchemy import Connection, Table, delete, func, insert, select
from sqlalchemy.exc import SQLAlchemyError

from bridge.calls.refusals import RefusedCall
from bridge.storage.dialects import build_addition, is_unfit, reason_of
from bridge.storage.store import Store
from bridge.storage.tables import RefusedCallRow, RefusedDayRow
from bridge.storage.write_thread import Transactions
from bridge.tasks import sleep_safely

MAX_REFUSED = 200
"""Refused calls that are stored of a user; older ones are only counted."""

KEEP_SECONDS = 30 * 24 * 3600
"""Seconds for which they are stored and counted, as calls are."""

WRITE_EVERY_S = 5.0
"""Seconds for which refused calls are gathered; chosen, so that a flood costs a transaction in this time."""

MAX_WAITING = 20_000
"""Refused calls of all users that wait to be written; beyond it they are only counted."""

SWEEP_SECONDS = 3600

_DAY_S = 24 * 3600
_TOOL_CHARS = 64
_SERVER_CHARS = 64
_CHAT_CHARS = 200

_CALLS = cast(Table, RefusedCallRow.__table__)
_DAYS = cast(Table, RefusedDayRow.__table__)

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class StoredRefusal:
    """A refused call as stored. `at`: UTC seconds since 1970."""

    id: str
    tool: str
    server_id: str | None
    code: str
    asked_by: str | None
    chat_id: str | None
    at: float


@dataclass(frozen=True, slots=True)
class StoredRefusals:
    """A user's newest refused calls, newest first."""

    calls: list[StoredRefusal]
    total: int
    """Refused calls of the last 30 days, with those that are only counted."""


@dataclass(slots=True)
class _Waiting:
    """Refused calls of one user that are not written yet."""

    calls: deque[tuple[float, RefusedCall]] = field(default_factory=lambda: deque(maxlen=MAX_REFUSED))
    by_day: Counter[int] = field(default_factory=Counter[int])
    """How many there were, by days since 1970."""


class RefusedCallTables:
    """Notes, writes and reads refused calls. All methods run on one event loop."""

    def __init__(self, store: Store, thread: Transactions | None = None) -> None:
        """`thread` writes; None: that of the store."""
        self._session = store.sessions
        self._thread = thread or store.thread
        self._waiting: dict[str, _Waiting] = {}
        self._number_waiting = 0
        self._is_noted = asyncio.Event()
        self._writing = asyncio.Lock()
        self._last_reason = ""
        """Why the last transaction failed, as logged; "" after a successful one."""

    def note_refusal(self, refused: RefusedCall) -> None:
        """Note a refused call; never waits and never fails."""
        at = time.time()
        user_id = refused.context.user_id
        waiting = self._waiting.get(user_id)
        if waiting is None:
            waiting = self._waiting[user_id] = _Waiting()
        waiting.by_day[int(at // _DAY_S)] += 1
        if len(waiting.calls) == MAX_REFUSED:
            waiting.calls.append((at, refused))  # the oldest goes
        elif self._number_waiting < MAX_WAITING:
            waiting.calls.append((at, refused))
            self._number_waiting += 1
        self._is_noted.set()

    @property
    def number_waiting(self) -> int:
        """Number of refused calls that are still to be written."""
        return self._number_waiting

    async def write_regularly(self, *, every_s: float = WRITE_EVERY_S) -> None:
        """Write what was noted, `every_s` seconds after the first of it, until cancelled."""
        while True:
            await self._is_noted.wait()
            await sleep_safely(every_s)
            await self.write_noted()

    async def write_noted(self) -> None:
        """Write what was noted so far. What the database does not take now waits for the next time."""
        async with self._writing:
            self._is_noted.clear()
            noted, self._waiting, self._number_waiting = self._waiting, {}, 0
            for user_id in sorted(noted):
                if not await self._write(user_id, noted[user_id]):
                    self._take_back(user_id, noted[user_id])

    async def _write(self, user_id: str, noted: _Waiting) -> bool:
        """Write what waits of a user; returns whether there is nothing more to do about it."""
        written: Future[None] = self._thread.run_transaction(partial(_save, user_id=user_id, noted=noted))
        try:
            await asyncio.wrap_future(written)
        except (SQLAlchemyError, OSError) as error:
            if (reason := reason_of(error)) != self._last_reason:  # it is tried every few seconds
                _log.error("Refused calls cannot be written: %s", reason)
                self._last_reason = reason
            return is_unfit(error)  # as those of a user who was deleted meanwhile
        self._last_reason = ""
        return True

    def _take_back(self, user_id: str, noted: _Waiting) -> None:
        """Let what could not be written wait before what was noted since."""
        since = self._waiting.get(user_id, _Waiting())
        noted.by_day.update(since.by_day)
        noted.calls.extend(since.calls)
        self._waiting[user_id] = noted
        self._number_waiting = sum(len(each.calls) for each in self._waiting.values())
        self._is_noted.set()

    async def list_refused(self, user_id: str) -> StoredRefusals:
        """Return a user's newest refused calls and their number, up to the last one.

        Raises:
            BridgeError: `database_unavailable`.
        """
        if user_id in self._waiting:
            await self.write_noted()
        oldest = time.time() - KEEP_SECONDS
        is_wanted = (RefusedCallRow.user_id == user_id, RefusedCallRow.at >= oldest)
        newest = select(RefusedCallRow).where(*is_wanted).order_by(RefusedCallRow.at.desc())
        counted = select(func.coalesce(func.sum(RefusedDayRow.refused), 0)).where(
            RefusedDayRow.user_id == user_id, RefusedDayRow.day >= _day_of(oldest)
        )
        async with self._session() as session:
            rows = (await session.scalars(newest.limit(MAX_REFUSED))).all()
            total = int((await session.execute(counted)).scalar_one())
        return StoredRefusals([_read(row) for row in rows], max(total, len(rows)))

    async def sweep_hourly(self, *, every_s: float = SWEEP_SECONDS) -> None:
        """Delete what is too old once an hour, until cancelled."""
        while True:
            await sleep_safely(every_s)
            await self.forget_old()

    async def forget_old(self) -> None:
        """Delete what is older than `KEEP_SECONDS`, of all users."""
        try:
            await asyncio.wrap_future(self._thread.run_transaction(_forget_old))
        except (SQLAlchemyError, OSError) as error:
            _log.error("Old refused calls cannot be deleted: %s", reason_of(error))


def _read(row: RefusedCallRow) -> StoredRefusal:
    return StoredRefusal(row.id, row.tool, row.server_id, row.code, row.asked_by, row.chat_id, row.at)


def _day_of(at: float) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(at))


def _save(connection: Connection, *, user_id: str, noted: _Waiting) -> None:
    """Count first: replicas that write of one user at once wait for each other there.

    The second one then sees the rows of the first, and deletes what is too many.
    """
    addition = build_addition(connection.dialect.name, RefusedDayRow)
    days = sorted(noted.by_day.items())
    rows = [{"user_id": user_id, "day": _day_of(day * _DAY_S), "refused": refused} for day, refused in days]
    connection.execute(addition, rows)
    if noted.calls:
        connection.execute(insert(_CALLS), list(_rows_of(user_id, noted.calls)))
    of_user = _CALLS.c.user_id == user_id
    newest = select(_CALLS.c.id).where(of_user).order_by(_CALLS.c.at.desc(), _CALLS.c.id).limit(MAX_REFUSED)
    connection.execute(delete(_CALLS).where(of_user, _CALLS.c.id.not_in(newest)))


def _rows_of(user_id: str, calls: Iterable[tuple[float, RefusedCall]]) -> Iterable[dict[str, Any]]:
    for at, refused in calls:
        context = refused.context
        yield {
            "id": secrets.token_hex(16),
            "user_id": user_id,
            "tool": _storable(refused.tool_name, _TOOL_CHARS),
            "server_id": refused.server_id and _storable(refused.server_id, _SERVER_CHARS),
            "code": refused.code.value,
            "asked_by": context.asked_by,
            "chat_id": context.chat_id and _storable(context.chat_id, _CHAT_CHARS),
            "at": at,
        }


def _storable(text: str, most: int) -> str:
    """Return a caller's text as every database takes it."""
    return text[:most].encode("utf-8", "replace").decode()


def _forget_old(connection: Connection) -> None:
    oldest = time.time() - KEEP_SECONDS
    connection.execute(delete(_CALLS).where(_CALLS.c.at < oldest))
    connection.execute(delete(_DAYS).where(_DAYS.c.day < _day_of(oldest)))
