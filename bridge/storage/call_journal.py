"""The call journal in the database: implements the dispatcher's `Journal` port, and reads calls.

Everything is written asynchronously (`write_thread`); what must survive the process being killed in the
meantime is written to the `write_ahead_log` first.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec
from sqlalchemy import Connection, Update, delete, select, update
from sqlalchemy.exc import SQLAlchemyError

from bridge.browser_protocol import Result
from bridge.calls.argument_redaction import redact_arguments
from bridge.calls.call_facts import CallFacts
from bridge.calls.call_filter import ALL_CALLS, CallFilter
from bridge.calls.endings import bridge_stopped
from bridge.calls.open_call import OpenCall
from bridge.calls.outcome import doubtful_error
from bridge.calls.ports import JournalEntry, JournalUnavailable, RecordedCall
from bridge.calls.repeated_calls import UNHEARD_S
from bridge.calls.state_machine import CallState
from bridge.calls.statistics import EndedCall
from bridge.storage.call_mapping import (
    CALLS,
    ENDED_COLUMNS,
    WRITER,
    CallChanges,
    CallFields,
    apply_changes,
    changes_of_call,
    late_text,
    read_call,
    read_ended,
    read_recorded_call,
    row_of_call,
    storable_arguments,
    values_of,
)
from bridge.storage.calls.call_conditions import askers_of, conditions_of
from bridge.storage.dialects import reason_of
from bridge.storage.store import Store
from bridge.storage.tables import CallRow
from bridge.storage.write_ahead_log import WriteAheadLog
from bridge.storage.write_thread import CATCH_UP_S, Backlog, GroupCommit
from bridge.tasks import sleep_safely

KEEP_SECONDS = 30 * 24 * 3600

QUICK_ARGUMENTS_CHARS = 4096
"""Maximum characters of an unsafe call's arguments that are searched for secrets before they are written
ahead. Longer ones are searched in the writing thread, as those of safe calls are, and are lost if the bridge
is killed before."""

SWEEP_SECONDS = 3600

REPEATABLE_SECONDS = 3600
"""Seconds after its opening for which a call counts as one that a client may send again to the next process:
after a long downtime an equal call is meant anew."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Delivery:
    """Whether the answer to a call was heard."""

    call_id: str
    user_id: str
    heard: bool
    at: float


@dataclass(frozen=True, slots=True)
class _Late:
    """A page's report of a call that has already ended."""

    call_id: str
    user_id: str
    status: Literal["answered", "failed"]
    text: str


class _Recorded(msgspec.Struct, gc=False):
    """A call to be written."""

    row: CallFields
    unread: str | None = None
    """Arguments that have not been searched for secrets yet; the thread does."""
    changes: CallChanges | None = None
    """What has changed since `row` was built; only set while it waits."""
    number: int = 0
    """Number of its entry, of an open call; 0 if the line of its opening could not be written."""


_Entry: TypeAlias = "_Recorded | _Late | _Delivery"
_Line: TypeAlias = "CallFields | CallChanges"
"""A line of the write-ahead log."""
OnUnrecorded: TypeAlias = Callable[[Sequence[str]], None]


_encode_lines = msgspec.json.Encoder().encode_lines
_row_reader = msgspec.json.Decoder(CallFields)
_changes_reader = msgspec.json.Decoder(CallChanges)


class CallJournal:
    """Writes and reads the table of calls."""

    def __init__(self, store: Store, folder: Path, on_unrecorded: OnUnrecorded | None = None) -> None:
        """`folder`: of the write-ahead log, which is closed with the journal.

        `on_unrecorded` is called with calls whose messages must not be written; without it, no opening is
        held.

        Raises:
            FolderInUse: another process uses the log.
            StoreError: the folder cannot be written.
        """
        self._session = store.sessions
        self._thread = store.thread
        self._intents = WriteAheadLog.open_log(folder)
        self._entries = GroupCommit[_Entry]("The journal of calls", store.thread, _save)
        self._under_way: dict[str, _Recorded] = {}
        """Calls that were opened and have not ended, by their ids."""
        self._openings: list[CallFields] = []
        """Calls whose lines are written before their messages."""
        self._on_unrecorded = on_unrecorded
        self._held: list[_Line] | None = None
        """Endings whose lines are gathered; None: each is written at once."""
        self._is_failing = False
        """Whether the last line could not be appended."""

    async def record_opened(self, call: OpenCall, within_s: float, *, may_begin: bool) -> None:
        """Record an unsafe call before it is sent; the record survives the process.

        Waits only while the database is too far behind, for at most `within_s` seconds.

        Raises:
            JournalUnavailable: the database is unavailable or too slow, or the disk refuses the line.
        """
        entries = self._entries
        if entries.is_behind:
            await self.catch_up(within_s)
            if entries.is_behind:
                raise JournalUnavailable
        row = row_of_call(call, may_begin=may_begin, ended_at=None)
        text = storable_arguments(call)
        if text is not None and len(text) <= QUICK_ARGUMENTS_CHARS:
            row.arguments, text = redact_arguments(text), None
        if entries.is_away or not self._append([row]):
            raise JournalUnavailable
        self._put_opened(_Recorded(row, text))

    def hold_opening(self, call: OpenCall) -> bool:
        """Gather the line of a call that is sent next; whoever writes messages calls `write_openings` first.

        False: it has to wait, or is not as usual; `record_opened` decides.
        """
        request, entries = call.request, self._entries
        if request.safe:
            return True
        if self._on_unrecorded is None or self._is_failing or entries.is_away or entries.is_behind:
            return False
        if len(request.arguments_text) > QUICK_ARGUMENTS_CHARS:
            return False
        row = row_of_call(call, may_begin=True, ended_at=None)
        row.arguments = redact_arguments(request.arguments_text)
        self._openings.append(row)
        self._put_opened(_Recorded(row))
        return True

    def write_openings(self) -> None:
        """Write the lines of calls that are about to be sent, together; never fails.

        `on_unrecorded` hears of those that could not be written, before this returns.
        """
        if not self._openings:
            return
        rows, self._openings = self._openings, []
        lost = [row.id for row in self._append_each(rows)]
        for call_id in lost:
            if (opened := self._under_way.get(call_id)) is not None:
                opened.number = 0
        if lost and self._on_unrecorded is not None:
            self._on_unrecorded(lost)

    @property
    def backlog(self) -> Backlog:
        """What is still to be written."""
        return self._entries.backlog

    def acts_for(self, user_id: str) -> bool:
        """Return True: every user is at home in a bridge alone."""
        return True

    def record_ended(self, call: OpenCall, *, may_begin: bool, epoch: int | None = None) -> None:
        """Queue the end of a call; never fails. That of a call recorded as opened survives the process.

        `epoch`: with several replicas, the claim of its user under which it counts.
        """
        ended_at = call.current_time()
        opened = self._under_way.pop(call.call_id, None)
        if opened is None:
            row = row_of_call(call, may_begin=may_begin, ended_at=ended_at, epoch=epoch)
            self._entries.put_entry(_Recorded(row, storable_arguments(call)))
            return
        changes = changes_of_call(call, may_begin=may_begin, ended_at=ended_at, epoch=epoch)
        if self._entries.is_waiting(opened.number):  # so the line of its opening is still needed, and there
            opened.changes = changes
            self._write_ending(changes)
        else:
            row = copy(opened.row)  # the thread has the other
            apply_changes(row, changes)
            self._write_ending(row)
            self._entries.put_entry(_Recorded(row), is_vital=True)

    def hold_endings(self) -> None:
        """Gather the lines of endings; `write_endings` must be called before anything else runs."""
        self._held = []

    def write_endings(self) -> None:
        """Write the lines that were gathered, together, and each further one at once; never fails."""
        held, self._held = self._held, None
        if held:
            self._append_each(held)

    def record_late(self, user_id: str, result: Result) -> None:
        """Record a page's report of a user's call that has already ended; never fails.

        The first report counts, but an API's answer replaces a failure.
        """
        self._entries.put_entry(_Late(result.call_id, user_id, result.outcome.status, late_text(result)))

    def record_delivery(self, user_id: str, call_id: str, *, heard: bool) -> None:
        """Queue whether the answer to a call was heard; never fails.

        Of a process that is killed before it was written, the answer counts as not heard.
        """
        self._entries.put_entry(_Delivery(call_id, user_id, heard, time.time()))

    async def close_journal(self) -> None:
        """Write what waits. What the database refuses then is settled at the next start, or lost."""
        await self._entries.flush_entries()
        self._forget_intents()
        self._intents.close()

    async def sweep_hourly(self, *, every_s: float = SWEEP_SECONDS) -> None:
        """Delete calls that are older than `KEEP_SECONDS`, once an hour, until cancelled."""
        while True:
            await sleep_safely(every_s)
            forgotten = self._thread.run_transaction(_forget_old)
            try:
                await asyncio.wrap_future(forgotten)
            except (SQLAlchemyError, OSError) as error:
                _log.error("Old calls cannot be deleted: %s", reason_of(error))
            self._forget_intents()

    async def settle_orphans(self) -> int:
        """End calls that another process left open when it died; returns how many.

        A call whose page was allowed to begin it may have been performed. An answer that was not noted as
        heard counts as not heard from now on.
        """
        for row in _left_rows(self._intents):
            self._entries.put_entry(_Recorded(row), is_vital=True)
        await self._entries.flush_entries()
        async with self._session.begin_transaction() as session:
            rows = (await session.scalars(select(CallRow).where(CallRow.ended_at.is_(None)))).all()
            for row in rows:
                error, state = bridge_stopped(), CallState.FAILED
                if row.may_begin and not row.safe:
                    error, state = doubtful_error(error), CallState.OUTCOME_UNKNOWN
                row.state, row.error = state.value, error.to_stored()
                row.ended_at = max(row.opened_at, time.time())  # the clock may have been set back since
            await session.execute(_note_unheard())
        self._forget_intents()
        return len(rows)

    async def take_over_repeats(self, user_id: str) -> list[RecordedCall]:
        """As `list_repeatable`, of a user who was at home in another replica.

        There, too, an answer that was not noted as heard counts as not heard from now on.
        """
        async with self._session.begin_transaction() as session:
            await session.execute(_note_unheard().where(CALLS.c.user_id == user_id))
        return await self.list_repeatable(user_id)

    def _put_opened(self, opened: _Recorded) -> None:
        opened.number = self._entries.put_entry(opened, is_vital=True)
        self._under_way[opened.row.id] = opened

    def _write_ending(self, line: _Line) -> None:
        if self._held is None:
            self._append([line])
        else:
            self._held.append(line)

    def _append_each(self, lines: Sequence[_Line]) -> Sequence[_Line]:
        """Append lines by one write, or those that fit by one each; returns those that were not written."""
        if self._append(lines):
            return ()
        return lines if len(lines) == 1 else [line for line in lines if not self._append([line])]

    def _append(self, lines: Sequence[_Line]) -> bool:
        """Append lines to the write-ahead log by one write; returns whether they were written."""
        entries = self._entries
        try:
            text = _encode_lines(lines)
            self._intents.append_lines(text, accepted=entries.accepted, settled=entries.settled)
        except (OSError, UnicodeEncodeError) as error:
            if not self._is_failing:
                _log.error("Calls that may change something cannot be recorded: %s", error)
            self._is_failing = True
            return False
        self._is_failing = False
        return True

    def _forget_intents(self) -> None:
        """Clear the write-ahead log, unless the database still lacks some of its lines."""
        if self._entries.settled < self._entries.accepted:
            return
        try:
            self._intents.clear_lines()
        except OSError as error:
            _log.error("The write-ahead log cannot be emptied: %s", error)

    async def find_call(self, user_id: str, call_id: str) -> CallFacts | None:
        """Return one call of a user; None when there is none of that id."""
        await self.catch_up()
        async with self._session() as session:
            row = await session.get(CallRow, call_id)
            return read_call(row) if row is not None and row.user_id == user_id else None

    async def list_calls(
        self, user_id: str, *, before: float | None, limit: int, which: CallFilter = ALL_CALLS
    ) -> list[CallFacts]:
        """Return a user's calls of a filter, newest first, opened before a time."""
        await self.catch_up()
        older = () if before is None else (CallRow.opened_at < before,)
        wanted = select(CallRow).where(CallRow.user_id == user_id, *older, *conditions_of(which))
        async with self._session() as session:
            rows = await session.scalars(wanted.order_by(CallRow.opened_at.desc()).limit(limit))
            return [read_call(row) for row in rows]

    async def list_askers(self, user_id: str) -> list[str]:
        """Return who asked for the newest calls of a user, as calls name them."""
        async with self._session() as session:
            return sorted(await session.scalars(askers_of(user_id)))

    async def list_ended(self, user_id: str, *, since: float, limit: int) -> list[EndedCall]:
        """Return a user's calls that were opened since a time and have ended, newest first."""
        await self.catch_up()
        wanted = (
            select(*ENDED_COLUMNS)
            .where(CallRow.user_id == user_id, CallRow.opened_at >= since, CallRow.ended_at.is_not(None))
            .order_by(CallRow.opened_at.desc())
            .limit(limit)
        )
        async with self._session() as session:
            return [read_ended(row) for row in await session.execute(wanted)]

    async def of_turn(self, user_id: str, turn_id: str, *, since: float) -> dict[str, JournalEntry]:
        """Return the state of a turn's calls, by the model's `call_id`. `since`: start of the turn."""
        await self.catch_up()
        wanted = select(CallRow).where(
            CallRow.user_id == user_id, CallRow.opened_at >= since, CallRow.turn_id == turn_id
        )
        async with self._session() as session:
            rows = await session.scalars(wanted)
            return {
                row.turn_call_id: JournalEntry(CallState(row.state), row.http_status)
                for row in rows
                if row.turn_call_id is not None
            }

    async def list_repeatable(self, user_id: str | None = None) -> list[RecordedCall]:
        """Return the calls without a key that a twin may concern: not heard, or heard to be in doubt.

        `user_id`: None for those of all users.
        """
        doubted = CallRow.state == CallState.OUTCOME_UNKNOWN.value
        wanted = select(CallRow).where(
            CallRow.opened_at > time.time() - REPEATABLE_SECONDS,
            CallRow.digest.is_not(None),
            CallRow.key_digest.is_(None),
            CallRow.heard_at > time.time() - UNHEARD_S,
            CallRow.heard.is_(False) | doubted,
        )
        if user_id is not None:
            wanted = wanted.where(CallRow.user_id == user_id)
        async with self._session() as session:
            rows = await session.scalars(wanted.order_by(CallRow.opened_at))
            recorded = [read_recorded_call(row) for row in rows]
        return [call for call in recorded if call.heard or call.outcome.was_sent]

    async def find_keyed(
        self, user_id: str, caller: str, key_digest: str, *, within_s: float
    ) -> RecordedCall | None:
        """Return the ended call of an idempotency key, opened within the last `within_s` seconds."""
        await self.catch_up()
        wanted = select(CallRow).where(
            CallRow.user_id == user_id,
            CallRow.key_digest == key_digest,
            CallRow.caller == caller,
            CallRow.opened_at > time.time() - within_s,
            CallRow.ended_at.is_not(None),
        )
        async with self._session() as session:
            row = (await session.scalars(wanted.order_by(CallRow.opened_at.desc()).limit(1))).first()
            return None if row is None else read_recorded_call(row)

    async def catch_up(self, within_s: float = CATCH_UP_S) -> None:
        """Wait up to `within_s` seconds until all calls that have ended by now can be read."""
        await self._entries.catch_up(within_s)


def _note_unheard() -> Update:
    """Build the statement by which answers that were not noted as heard count as not heard."""
    is_unnoted = (CALLS.c.digest.is_not(None), CALLS.c.heard.is_(None))
    is_recent = CALLS.c.opened_at > time.time() - REPEATABLE_SECONDS
    return update(CALLS).where(*is_unnoted, is_recent).values(heard=False, heard_at=time.time())


def _save(connection: Connection, entries: Sequence[_Entry]) -> None:
    rows: dict[str, CallFields] = {}  # the last row of each call
    later: list[_Late | _Delivery] = []
    for entry in entries:
        if not isinstance(entry, _Recorded):
            later.append(entry)
            continue
        row, before = entry.row, rows.get(entry.row.id)
        if entry.unread is not None:
            row.arguments = redact_arguments(entry.unread)
        elif before is not None:
            row.arguments = before.arguments
        if entry.changes is not None:
            apply_changes(row, entry.changes)
        rows[row.id] = row
    WRITER.write_rows(connection, list(map(values_of, rows.values())))
    for said in later:
        if isinstance(said, _Late):
            _save_late(connection, said)
        else:
            _save_delivery(connection, said)


def _save_delivery(connection: Connection, said: _Delivery) -> None:
    of_call = (CALLS.c.id == said.call_id, CALLS.c.user_id == said.user_id)
    connection.execute(update(CALLS).where(*of_call).values(heard=said.heard, heard_at=said.at))


def _save_late(connection: Connection, said: _Late) -> None:
    of_call = (CALLS.c.id == said.call_id, CALLS.c.user_id == said.user_id)
    before = connection.execute(select(CALLS.c.late).where(*of_call)).scalar()
    if before is None or (said.status == "answered" and json.loads(before)["status"] == "failed"):
        connection.execute(update(CALLS).where(*of_call).values(late=said.text))


def _left_rows(intents: WriteAheadLog) -> list[CallFields]:
    """Return the rows of a write-ahead log, each call's opening before its end."""
    rows: list[CallFields] = []
    endings: dict[str, CallChanges] = {}
    unreadable = 0
    for line in intents.read_lines():
        try:
            if line.startswith(b"["):
                ending = _changes_reader.decode(line)
                CallState(ending.state)
                endings[ending.id] = ending
            else:
                row = _row_reader.decode(line)
                CallState(row.state)
                rows.append(row)
        except (msgspec.DecodeError, ValueError):
            unreadable += 1
    if unreadable:
        _log.error("The write-ahead log has %d lines that cannot be read; they are ignored.", unreadable)
    for row in rows:
        if (ending := endings.get(row.id)) is not None:
            apply_changes(row, ending)
    return sorted(rows, key=_certainty)


def _certainty(row: CallFields) -> tuple[bool, bool]:
    return row.ended_at is not None, row.may_begin


def _forget_old(connection: Connection) -> None:
    connection.execute(delete(CALLS).where(CALLS.c.opened_at < time.time() - KEEP_SECONDS))
