"""The journal of calls in the database, and the reading of it.

Implements the dispatcher's `Journal` port. One task writes everything in the order it came, as many records
in one transaction as have gathered, so that a hundred calls at once cost about as many commits as one.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any, cast

from sqlalchemy import Table, delete, func, select, update
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.exc import IntegrityError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker

from bridge.calls import TERMINAL, CallState
from bridge.dispatch import JournalUnavailable
from bridge.edges.store_tables import CallRow
from bridge.edges.tasks import pause
from bridge.endings import bridge_stopped
from bridge.kept_arguments import kept_arguments
from bridge.open_call import CallRecord
from bridge.outcome import doubtful_error
from bridge.wire import FailedOutcome, Result, WireError

KEEP_SECONDS = 30 * 24 * 3600
MAX_WAITING = 10_000
"""Endings that wait for the database; when it stays away for longer, the oldest are given up."""

BATCH = 500
GATHER_S = 0.2
"""How long endings wait for others to be written with; nobody waits for them."""

CATCH_UP_S = 1.0
"""How long a reader waits for what has ended before it to be written."""

RETRY_S = 1.0
SWEEP_SECONDS = 3600

_CALLS = cast(Table, CallRow.__table__)

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class KeptCall:
    """A call as the journal has it. Times are UTC seconds since 1970."""

    call_id: str
    tool: str
    server_id: str
    operation_key: str
    safe: bool
    arguments_text: str | None
    chat_id: str | None
    state: CallState
    http_status: int | None
    content_type: str | None
    error: WireError | None
    opened_at: float
    ended_at: float | None
    late: dict[str, Any] | None
    decision: dict[str, Any] | None


@dataclass(slots=True)
class _Entry:
    """One thing to write; `written` is told when it is committed."""

    call_id: str
    values: dict[str, Any]
    is_late: bool = False
    written: asyncio.Future[None] | None = None


class CallJournal:
    """The table of calls."""

    def __init__(
        self, session: async_sessionmaker[AsyncSession], *, sweep_every_s: float = SWEEP_SECONDS
    ) -> None:
        self._session = session
        self._sweep_every_s = sweep_every_s
        self._waiting: deque[_Entry] = deque()
        self._some = asyncio.Event()
        self._urgent = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()
        self._swept_at = time.time()

    async def opened(self, record: CallRecord) -> None:
        """Commit an unsafe call before its page may begin it.

        Raises:
            JournalUnavailable: the database does not take it.
        """
        entry = _Entry(record.call_id, _values(record), written=asyncio.Future())
        self._enter(entry)
        if entry.written is not None:
            await entry.written

    def ended(self, record: CallRecord) -> None:
        """Write down an ending, some time soon; never fails."""
        self._enter(_Entry(record.call_id, _values(record) | {"ended_at": time.time()}))

    def late(self, user_id: str, result: Result) -> None:
        """Write down what a page of this user says of a call that has ended; never fails."""
        self._enter(_Entry(result.call_id, {"user_id": user_id, "late": _late_text(result)}, is_late=True))

    async def run(self) -> None:
        """Write until cancelled; the one task that does."""
        while True:
            await self._some.wait()
            with suppress(TimeoutError):
                async with asyncio.timeout(GATHER_S):
                    await self._urgent.wait()
            self._urgent.clear()
            await self._write([self._waiting.popleft() for _ in range(min(BATCH, len(self._waiting)))])
            if not self._waiting:
                self._some.clear()
                self._idle.set()
            await self._sweep()

    async def flush(self) -> None:
        """Write what waits, once; for the end of the bridge, when `run` was cancelled."""
        entries = [*self._waiting]
        self._waiting.clear()
        await self._write(entries)

    async def settle(self) -> int:
        """End what another process left open when it died; returns how many calls.

        A call whose page was allowed to begin it may have been performed.
        """
        async with self._session.begin() as session:
            open_states = [state.value for state in CallState if state not in TERMINAL]
            rows = (await session.scalars(select(CallRow).where(CallRow.state.in_(open_states)))).all()
            for row in rows:
                error, state = bridge_stopped(), CallState.FAILED
                if row.may_begin and not row.safe:
                    error, state = doubtful_error(error), CallState.OUTCOME_UNKNOWN
                row.state, row.error, row.ended_at = state.value, error.model_dump_json(), time.time()
            return len(rows)

    async def call(self, user_id: str, call_id: str) -> KeptCall | None:
        """One call of a user."""
        await self._catch_up()
        async with self._session() as session:
            row = await session.get(CallRow, call_id)
            return _kept(row) if row is not None and row.user_id == user_id else None

    async def calls(self, user_id: str, *, before: float | None, limit: int) -> list[KeptCall]:
        """A user's calls, newest first, opened before a time."""
        await self._catch_up()
        wanted = select(CallRow).where(CallRow.user_id == user_id)
        if before is not None:
            wanted = wanted.where(CallRow.opened_at < before)
        async with self._session() as session:
            rows = await session.scalars(wanted.order_by(CallRow.opened_at.desc()).limit(limit))
            return [_kept(row) for row in rows]

    def _enter(self, entry: _Entry) -> None:
        while len(self._waiting) >= MAX_WAITING:
            lost = self._waiting.popleft()
            _log.error("The journal gave up an entry of call %s: the database does not answer.", lost.call_id)
            _tell(lost, JournalUnavailable())
        self._waiting.append(entry)
        self._idle.clear()
        self._some.set()
        if entry.written is not None or len(self._waiting) >= BATCH:
            self._urgent.set()

    async def _catch_up(self) -> None:
        """What ended before a reading stands in it; a database that is away is not waited for long."""
        self._urgent.set()
        with suppress(TimeoutError):
            async with asyncio.timeout(CATCH_UP_S):
                await self._idle.wait()

    async def _write(self, entries: Sequence[_Entry]) -> None:
        """One transaction; what could not be written and nobody waits for is tried again."""
        try:
            async with self._session.begin() as session:
                await _save(session, [entry for entry in entries if not entry.is_late])
                for entry in entries:
                    if entry.is_late:
                        await _save_late(session, entry)
        except asyncio.CancelledError:
            self._waiting.extendleft(reversed(entries))
            raise
        except IntegrityError:
            await self._write_singly(entries)
        except (SQLAlchemyError, OSError) as error:
            _log.error("The journal of calls cannot be written: %s", getattr(error, "orig", None) or error)
            self._waiting.extendleft(reversed([entry for entry in entries if entry.written is None]))
            for entry in entries:
                _tell(entry, JournalUnavailable())
            await pause(RETRY_S)
        else:
            for entry in entries:
                _tell(entry, None)

    async def _write_singly(self, entries: Sequence[_Entry]) -> None:
        """One of them has lost its user; the others must not suffer for it."""
        if len(entries) == 1:
            _log.warning("Call %s is not written down: its user is gone.", entries[0].call_id)
            _tell(entries[0], JournalUnavailable())
            return
        left = deque(entries)
        try:
            while left:
                await self._write([left.popleft()])
        finally:  # cancelled: the rest is written by `flush`
            self._waiting.extendleft(reversed(left))

    async def _sweep(self) -> None:
        """Forget calls that are older than `KEEP_SECONDS`, once an hour; if it fails, an hour later."""
        now = time.time()
        if now - self._swept_at < self._sweep_every_s:
            return
        self._swept_at = now
        try:
            async with self._session.begin() as session:
                await session.execute(delete(CallRow).where(CallRow.opened_at < now - KEEP_SECONDS))
        except (SQLAlchemyError, OSError) as error:
            _log.error("Old calls cannot be deleted: %s", getattr(error, "orig", None) or error)


async def _save(session: AsyncSession, entries: Sequence[_Entry]) -> None:
    if not entries:
        return
    latest = {entry.call_id: entry.values for entry in entries}  # one row per statement and call
    statement = insert(_CALLS)
    changed = ("device_id", "state", "may_begin", "http_status", "content_type", "error")
    changed += ("decision", "ended_at")
    statement = statement.on_conflict_do_update(
        index_elements=[_CALLS.c.id], set_={name: statement.excluded[name] for name in changed}
    )
    await session.execute(statement, [*latest.values()])


async def _save_late(session: AsyncSession, entry: _Entry) -> None:
    is_it = (CallRow.id == entry.call_id) & (CallRow.user_id == entry.values["user_id"])
    first = func.coalesce(CallRow.late, entry.values["late"])
    await session.execute(update(CallRow).where(is_it).values(late=first))


def _tell(entry: _Entry, failure: Exception | None) -> None:
    if entry.written is None or entry.written.done():
        return
    if failure is None:
        entry.written.set_result(None)
    else:
        entry.written.set_exception(failure)


def _values(record: CallRecord) -> dict[str, Any]:
    request, outcome = record.request, record.outcome
    answered = None if outcome is None else outcome.answered
    error = None if outcome is None else outcome.error
    return {
        "id": record.call_id,
        "user_id": request.user_id,
        "tool": request.tool_name,
        "server_id": request.server_id,
        "operation_key": request.operation_key,
        "safe": request.safe,
        "arguments": kept_arguments(request.arguments_text),
        "chat_id": request.chat_id,
        "device_id": record.device_id,
        "state": record.state.value,
        "may_begin": record.may_begin,
        "http_status": None if answered is None else answered.http_status,
        "content_type": None if answered is None else answered.content_type,
        "error": None if error is None else error.model_dump_json(),
        "decision": None if record.verdict is None else json.dumps(asdict(record.verdict)),
        "opened_at": record.opened_at,
        "ended_at": None,
    }


def _late_text(result: Result) -> str:
    outcome = result.outcome
    facts: dict[str, Any] = {"at": time.time(), "status": outcome.status}
    if isinstance(outcome, FailedOutcome):
        facts |= {"code": outcome.error.code.value, "delivered": outcome.delivered}
    else:
        facts |= {"http_status": outcome.http_status}
    return json.dumps(facts)


def _kept(row: CallRow) -> KeptCall:
    return KeptCall(
        call_id=row.id,
        tool=row.tool,
        server_id=row.server_id,
        operation_key=row.operation_key,
        safe=row.safe,
        arguments_text=row.arguments,
        chat_id=row.chat_id,
        state=CallState(row.state),
        http_status=row.http_status,
        content_type=row.content_type,
        error=None if row.error is None else WireError.model_validate_json(row.error),
        opened_at=row.opened_at,
        ended_at=row.ended_at,
        late=None if row.late is None else json.loads(row.late),
        decision=None if row.decision is None else json.loads(row.decision),
    )
