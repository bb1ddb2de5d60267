"""The journal of calls in the database, and the reading of it.

Implements the dispatcher's `Journal` port: what may change something is committed before it is sent, endings
are written behind. See `group_commit`.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any, cast

from sqlalchemy import Connection, Table, bindparam, delete, func, select, update
from sqlalchemy.exc import SQLAlchemyError

from bridge.calls import TERMINAL, CallState
from bridge.dispatch_ports import JournalUnavailable
from bridge.edges.dialects import Upsert, reason_of, upsert
from bridge.edges.group_commit import CommitFailed, GroupCommit, Transactions
from bridge.edges.sessions import Sessions
from bridge.edges.store_tables import CallRow
from bridge.edges.tasks import pause
from bridge.endings import bridge_stopped
from bridge.kept_arguments import KEPT_ARGUMENTS_CHARS, kept_arguments
from bridge.open_call import CallRecord
from bridge.outcome import doubtful_error
from bridge.wire import FailedOutcome, Result, WireError

KEEP_SECONDS = 30 * 24 * 3600

COMPANY = 8
COMPANY_S = 0.002
"""While so many unsafe calls are under way, the next one waits so long to be committed with others: a
transaction of its own costs as much time of the processor as half a call (measured)."""

CATCH_UP_S = 1.0
"""How long a reader waits for what has ended before it to be written."""

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


@dataclass(frozen=True, slots=True)
class _Late:
    """What a page says of a call that has ended."""

    call_id: str
    user_id: str
    text: str


class CallJournal:
    """The table of calls."""

    def __init__(self, session: Sessions, thread: Transactions) -> None:
        self._session = session
        self._thread = thread
        self._entries = GroupCommit[dict[str, Any] | _Late]("The journal of calls", thread, _save)
        self._under_way: set[str] = set()
        """Calls that were opened and have not ended."""

    async def opened(self, record: CallRecord) -> None:
        """Commit an unsafe call before its page may begin it.

        Raises:
            JournalUnavailable: the database does not take it.
        """
        try:
            patience_s = COMPANY_S if len(self._under_way) >= COMPANY else 0.0
            self._under_way.add(record.call_id)
            await self._entries.commit(_row(record, ended_at=None), within_s=patience_s)
        except CommitFailed:
            raise JournalUnavailable from None

    def ended(self, record: CallRecord) -> None:
        """Write down an ending, some time soon; never fails."""
        self._under_way.discard(record.call_id)
        self._entries.put(_row(record, ended_at=time.time()))

    def late(self, user_id: str, result: Result) -> None:
        """Write down what a page of this user says of a call that has ended; never fails."""
        self._entries.put(_Late(result.call_id, user_id, _late_text(result)))

    async def flush(self) -> None:
        """Write what waits; for the end of the bridge. What the database does not take then is lost."""
        await self._entries.flush()

    async def run(self, *, every_s: float = SWEEP_SECONDS) -> None:
        """Forget calls that are older than `KEEP_SECONDS`, once an hour, until cancelled."""
        while True:
            await pause(every_s)
            forgotten = self._thread.transact(_forget_old)
            try:
                await asyncio.wrap_future(forgotten)
            except (SQLAlchemyError, OSError) as error:
                _log.error("Old calls cannot be deleted: %s", reason_of(error))

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

    async def _catch_up(self) -> None:
        """What ended before a reading stands in it; a database that is away is not waited for long."""
        with suppress(TimeoutError):
            async with asyncio.timeout(CATCH_UP_S):
                await self._entries.caught_up()


_CHANGED = ("device_id", "state", "may_begin", "http_status", "content_type", "error", "decision", "ended_at")


@cache
def _upsert(dialect: str) -> Upsert:
    return upsert(dialect, CallRow, _CHANGED)


_FIRST_LATE = (
    update(_CALLS)
    .where(_CALLS.c.id == bindparam("call_id"), _CALLS.c.user_id == bindparam("of_user"))
    .values(late=func.coalesce(_CALLS.c.late, bindparam("said")))
)


def _save(connection: Connection, entries: Sequence[dict[str, Any] | _Late]) -> None:
    last = {entry["id"]: entry for entry in entries if not isinstance(entry, _Late)}  # of each call
    if last:
        connection.execute(_upsert(connection.dialect.name), [_without_secrets(row) for row in last.values()])
    late = [entry for entry in entries if isinstance(entry, _Late)]
    if late:
        said = [{"call_id": each.call_id, "of_user": each.user_id, "said": each.text} for each in late]
        connection.execute(_FIRST_LATE, said)


def _without_secrets(row: dict[str, Any]) -> dict[str, Any]:
    text = row["arguments"]
    return row if text is None else row | {"arguments": kept_arguments(text)}


def _forget_old(connection: Connection) -> None:
    connection.execute(delete(_CALLS).where(_CALLS.c.opened_at < time.time() - KEEP_SECONDS))


def _row(record: CallRecord, *, ended_at: float | None) -> dict[str, Any]:
    request, outcome = record.request, record.outcome
    answered = None if outcome is None else outcome.answered
    error = None if outcome is None else outcome.error
    text = request.arguments_text
    return {
        "id": record.call_id,
        "user_id": request.user_id,
        "tool": request.tool_name,
        "server_id": request.server_id,
        "operation_key": request.operation_key,
        "safe": request.safe,
        "arguments": text if len(text) <= KEPT_ARGUMENTS_CHARS else None,
        "chat_id": request.chat_id,
        "device_id": record.device_id,
        "state": record.state.value,
        "may_begin": record.may_begin,
        "http_status": None if answered is None else answered.http_status,
        "content_type": None if answered is None else answered.content_type,
        "error": None if error is None else error.model_dump_json(),
        "decision": None if record.verdict is None else json.dumps(asdict(record.verdict)),
        "opened_at": record.opened_at,
        "ended_at": ended_at,
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
