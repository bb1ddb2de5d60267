"""The audit log in the database: written asynchronously (see `write_thread`), read directly.

What happened to calls is not written here a second time: reading joins the call journal.
"""

from __future__ import annotations

import asyncio
import heapq
import json
import logging
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from sqlalchemy import Connection, Table, and_, delete, func, insert, or_, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncSession

from bridge.audit import AuditEntry, AuditKind
from bridge.errors import WireError
from bridge.settings.storage import DEFAULT_AUDIT_DAYS
from bridge.storage.call_mapping import read_late
from bridge.storage.dialects import reason_of
from bridge.storage.store import Store
from bridge.storage.tables import AuditRow, CallRow, UserRow
from bridge.storage.write_thread import Backlog, GroupCommit, RowWriter
from bridge.tasks import sleep_safely

MAX_ROWS = 1_000_000
"""Maximum number of entries; beyond it the oldest are deleted, however recent."""

MAX_DETAIL_CHARS = 4_000
MAX_ACTOR_CHARS = 100
MAX_OPERATION_CHARS = 1_000
ROW_ID_DIGITS = 18
SWEEP_SECONDS = 3600

DAY_SECONDS = 24 * 3600

_AUDIT, _CALLS = 0, 1

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, order=True)
class AuditCursor:
    """Position of an entry among all: by time, then table, then its id there."""

    at: float
    table: int
    id: str

    def __str__(self) -> str:
        """Return the cursor in the form that callers get and send back."""
        return f"{self.at!r}-{self.table}-{self.id}"

    @classmethod
    def parse_cursor(cls, text: str) -> AuditCursor:
        """Parse a cursor.

        Raises:
            ValueError: `text` is no cursor.
        """
        at, table, entry_id = text.split("-", 2)
        place = cls(float(at), int(table), entry_id)
        if place.table not in (_AUDIT, _CALLS) or (place.table == _AUDIT and not _is_row(entry_id)):
            raise ValueError(text)
        return place


@dataclass(frozen=True, slots=True)
class StoredAuditEntry:
    """An entry with its position and its user's name."""

    place: AuditCursor
    entry: AuditEntry
    user: str | None
    """Name of the user; None when there is no user of that id any more."""


@dataclass(frozen=True, slots=True)
class AuditQuery:
    """Selects entries to read; None means no condition."""

    user_id: str | None = None
    kinds: Collection[AuditKind] | None = None
    since: float | None = None
    before: AuditCursor | None = None
    limit: int = 100

    def includes_kind(self, kind: AuditKind) -> bool:
        """Return whether entries of this kind are wanted."""
        return self.kinds is None or kind in self.kinds


class AuditLog:
    """Implements the port `bridge.audit.Audit`, and reads the entries."""

    def __init__(
        self, store: Store, keep_days: int = DEFAULT_AUDIT_DAYS, *, max_rows: int = MAX_ROWS
    ) -> None:
        self._origin_of = store.origin_of
        self._session = store.sessions
        self._thread = store.thread
        self._keep_seconds = keep_days * DAY_SECONDS
        self._max_rows = max_rows
        self._entries = GroupCommit[Sequence[Any]]("The audit log", store.thread, _append)

    def add_entry(
        self,
        kind: AuditKind,
        user_id: str | None,
        actor: str,
        *,
        call_id: str | None = None,
        server_id: str | None = None,
        operation_key: str | None = None,
        detail: Mapping[str, Any] | None = None,
    ) -> None:
        """Queue an entry to be written soon; never waits and never fails. Texts that are too long are cut."""
        row = (
            time.time(),
            kind.value,
            user_id,
            _fitting(actor, MAX_ACTOR_CHARS),
            call_id,
            server_id,
            None if operation_key is None else _fitting(operation_key, MAX_OPERATION_CHARS),
            _detail_text({**(detail or {}), **self._origin_of(user_id)}),
        )
        self._entries.put_entry(row)

    @property
    def backlog(self) -> Backlog:
        """What is still to be written."""
        return self._entries.backlog

    async def sweep_hourly(self) -> None:
        """Delete old entries, now and once an hour, until cancelled."""
        while True:
            cut = self._thread.run_transaction(self._cut)
            try:
                await asyncio.wrap_future(cut)
            except (SQLAlchemyError, OSError) as error:
                _log.error("The audit log cannot be trimmed: %s", reason_of(error))
            await sleep_safely(SWEEP_SECONDS)

    async def flush_entries(self) -> None:
        """Write what waits; entries that the database refuses stay queued."""
        await self._entries.flush_entries()

    async def read_entries(self, wanted: AuditQuery) -> list[StoredAuditEntry]:
        """Return entries, newest first, merged with the calls of the journal."""
        await self._entries.catch_up()
        async with self._session() as session:
            noted = await _noted(session, wanted)
            called = await _called(session, wanted) if wanted.includes_kind(AuditKind.CALL) else []
            found = list(heapq.merge(noted, called, key=lambda pair: pair[0], reverse=True))[: wanted.limit]
            names = await _user_names(session, {entry.user_id for _, entry in found if entry.user_id})
        return [StoredAuditEntry(place, entry, names.get(entry.user_id or "")) for place, entry in found]

    def _cut(self, connection: Connection) -> None:
        newest = connection.scalar(select(func.max(AuditRow.id))) or 0
        too_old = select(func.max(AuditRow.id)).where(AuditRow.at < time.time() - self._keep_seconds)
        last = max(connection.scalar(too_old) or 0, newest - self._max_rows)
        connection.execute(delete(AuditRow).where(AuditRow.id <= last))


_COLUMNS = ("at", "kind", "user_id", "actor", "call_id", "server_id", "operation_key", "detail")
_WRITER = RowWriter(cast(Table, AuditRow.__table__), _COLUMNS, lambda _dialect: insert(AuditRow))


def _append(connection: Connection, rows: Sequence[Sequence[Any]]) -> None:
    _WRITER.write_rows(connection, rows)


async def _noted(session: AsyncSession, wanted: AuditQuery) -> list[tuple[AuditCursor, AuditEntry]]:
    query = select(AuditRow)
    if wanted.user_id is not None:
        query = query.where(AuditRow.user_id == wanted.user_id)
    if wanted.kinds is not None:
        query = query.where(AuditRow.kind.in_([kind.value for kind in wanted.kinds]))
    if wanted.since is not None:
        query = query.where(AuditRow.at >= wanted.since)
    if (before := wanted.before) is not None:
        is_same = before.table == _AUDIT
        earlier = AuditRow.id < int(before.id) if is_same else AuditRow.id.is_not(None)
        query = query.where(or_(AuditRow.at < before.at, and_(AuditRow.at == before.at, earlier)))
    rows = await session.scalars(query.order_by(AuditRow.at.desc(), AuditRow.id.desc()).limit(wanted.limit))
    return [_noted_entry(row) for row in rows]


async def _called(session: AsyncSession, wanted: AuditQuery) -> list[tuple[AuditCursor, AuditEntry]]:
    query = select(CallRow)
    if wanted.user_id is not None:
        query = query.where(CallRow.user_id == wanted.user_id)
    if wanted.since is not None:
        query = query.where(CallRow.opened_at >= wanted.since)
    if (before := wanted.before) is not None:
        is_earlier = CallRow.opened_at < before.at
        if before.table == _CALLS:
            is_earlier = or_(is_earlier, and_(CallRow.opened_at == before.at, CallRow.id < before.id))
        query = query.where(is_earlier)
    rows = await session.scalars(
        query.order_by(CallRow.opened_at.desc(), CallRow.id.desc()).limit(wanted.limit)
    )
    return [_called_entry(row) for row in rows]


async def _user_names(session: AsyncSession, user_ids: Collection[str]) -> dict[str, str]:
    rows = await session.scalars(select(UserRow).where(UserRow.id.in_(user_ids)))
    return {row.id: row.display_name or row.name for row in rows}


def _noted_entry(row: AuditRow) -> tuple[AuditCursor, AuditEntry]:
    entry = AuditEntry(
        row.at,
        AuditKind(row.kind),
        row.user_id,
        row.actor,
        row.call_id,
        row.server_id,
        row.operation_key,
        json.loads(row.detail),
    )
    return AuditCursor(row.at, _AUDIT, f"{row.id:0{ROW_ID_DIGITS}d}"), entry


def _called_entry(row: CallRow) -> tuple[AuditCursor, AuditEntry]:
    error = None if row.error is None else WireError.model_validate_json(row.error)
    detail = {
        "tool": row.tool,
        "asked_by": row.asked_by,
        "chat": row.chat_id,
        "state": row.state,
        "code": None if error is None else error.code.value,
        "http_status": row.http_status,
        "transport": row.transport,
        "login": row.login,
        "safe": row.safe,
        "ended_at": row.ended_at,
        "late": read_late(row),
        "epoch": row.epoch,
        "request": row.request_id,
    }
    present = {name: value for name, value in detail.items() if value is not None}
    actor = "bridge" if row.device_id is None else f"page {row.device_id}"
    entry = AuditEntry(
        row.opened_at, AuditKind.CALL, row.user_id, actor, row.id, row.server_id, row.operation_key, present
    )
    return AuditCursor(row.opened_at, _CALLS, row.id), entry


def _is_row(text: str) -> bool:
    return text.isdecimal() and len(text) <= ROW_ID_DIGITS


def _detail_text(detail: Mapping[str, Any]) -> str:
    text = json.dumps(detail, default=str)
    return text if len(text) <= MAX_DETAIL_CHARS else json.dumps({"cut": text[: MAX_DETAIL_CHARS // 2]})


def _fitting(text: str, chars: int) -> str:
    """Cut foreign text and make it valid Unicode, as the database requires."""
    return text.encode("utf-8", "replace").decode()[:chars]
