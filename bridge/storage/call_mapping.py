"""Mapping between calls and rows of the table of calls."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import asdict
from http import HTTPStatus
from operator import attrgetter
from typing import Any, ClassVar, cast

import msgspec
from sqlalchemy import Table

from bridge.browser_protocol import FailedOutcome, Result
from bridge.calls.argument_redaction import STORED_ARGUMENTS_CHARS, redact_arguments
from bridge.calls.call_facts import CallFacts
from bridge.calls.fenced_journal import KnownCall
from bridge.calls.open_call import OpenCall
from bridge.calls.outcome import CallOutcome
from bridge.calls.ports import RecordedCall
from bridge.calls.state_machine import STATE_OF, CallState
from bridge.calls.statistics import EndedCall
from bridge.errors import WireError, code_of
from bridge.storage.dialects import build_upsert
from bridge.storage.tables import CallRow
from bridge.storage.write_thread import RowWriter
from toolserver.answer.result import Answered

CALLS = cast(Table, CallRow.__table__)

ENDED_COLUMNS = (
    CallRow.tool,
    CallRow.server_id,
    CallRow.state,
    CallRow.http_status,
    CallRow.opened_at,
    CallRow.decision,
    CallRow.ended_at,
)
"""What `read_ended` reads of a call; its texts stay where they are."""


class CallFields(msgspec.Struct, gc=False, omit_defaults=True):
    """A call as it is written: a row of the table, and a line of the write-ahead log, which leaves out nulls.

    Lines may be of another version. The garbage collector need not know the thousands that may wait to be
    written.
    """

    id: str
    user_id: str
    tool: str
    server_id: str
    operation_key: str
    safe: bool
    opened_at: float
    state: str
    may_begin: bool
    arguments: str | None = None
    chat_id: str | None = None
    turn_id: str | None = None
    turn_call_id: str | None = None
    asked_by: str | None = None
    caller: str | None = None
    digest: str | None = None
    key_digest: str | None = None
    request_id: str | None = None
    device_id: str | None = None
    http_status: int | None = None
    content_type: str | None = None
    error: str | None = None
    decision: str | None = None
    ended_at: float | None = None
    epoch: int | None = None
    transport: str | None = None
    login: bool | None = None

    late: ClassVar[None] = None
    """A report after the end is written into the table alone."""


class CallChanges(msgspec.Struct, gc=False, array_like=True):
    """What changes of a call until it has ended: the columns `CHANGED`, in this order.

    It is also a line of the write-ahead log, for a call whose opening is there, too: a third of a whole row.
    A later version may add fields at the end, with defaults.
    """

    id: str
    device_id: str | None
    state: str
    may_begin: bool
    http_status: int | None
    content_type: str | None
    error: str | None
    decision: str | None
    ended_at: float | None
    epoch: int | None
    transport: str | None = None
    login: bool | None = None


_RENAMED = {"call_id": "id", "server": "server_id", "operation": "operation_key"}

_COLUMN_OF = {name: _RENAMED.get(name, name) for name in CallFacts.model_fields}
"""Columns that say what is known of a call, by the names of its facts."""

_OF_JSON = ("error", "decision")
"""Facts whose columns have JSON texts."""

COLUMNS = tuple(column.name for column in CALLS.c if column.name in CallFields.__struct_fields__)
"""Columns in the order of the table, in which a statement names them."""

CHANGED = CallChanges.__struct_fields__[1:]
"""Columns that change until a call has ended."""

WRITER = RowWriter(
    CALLS,
    COLUMNS,
    lambda dialect: build_upsert(dialect, CallRow, CHANGED, while_null="ended_at"),
)


_STATES = {phase: state.value for phase, state in STATE_OF.items()}
"""Texts of the states, by phase."""


def row_of_call(
    call: OpenCall, *, may_begin: bool, ended_at: float | None, epoch: int | None = None
) -> CallFields:
    """Build the row of a call, without its arguments."""
    request, page = call.request, call.page
    context, repeat = request.context, request.repeat
    row = CallFields(
        call.call_id,
        context.user_id,
        request.tool_name,
        request.server_id,
        request.operation_key,
        request.safe,
        call.opened_at,
        _STATES[call.phase],
        may_begin,
        chat_id=context.chat_id,
        turn_id=context.turn_id,
        turn_call_id=context.turn_call_id,
        asked_by=context.asked_by,
        request_id=context.relayed_id,
        device_id=None if page is None else page.device_id,
        ended_at=ended_at,
        epoch=epoch,
    )
    if repeat is not None:
        row.caller, row.digest, row.key_digest = repeat.caller, repeat.digest, repeat.key_digest
    if call.outcome is not None or call.verdict is not None:
        apply_changes(row, changes_of_call(call, may_begin=may_begin, ended_at=ended_at, epoch=epoch))
    return row


def changes_of_call(
    call: OpenCall, *, may_begin: bool, ended_at: float | None, epoch: int | None
) -> CallChanges:
    """Build what may have changed of the row of a call since it was opened."""
    outcome, page, verdict = call.outcome, call.page, call.verdict
    answered = error = way = None
    if outcome is not None:
        answered, error, way = outcome.answered, outcome.error, outcome.way
    return CallChanges(
        call.call_id,
        None if page is None else page.device_id,
        _STATES[call.phase],
        may_begin,
        None if answered is None else answered.http_status,
        None if answered is None else answered.content_type,
        None if error is None else error.to_stored(),
        None if verdict is None else json.dumps(asdict(verdict)),
        ended_at,
        epoch,
        None if way is None else way.transport,
        None if way is None else way.login,
    )


def apply_changes(row: CallFields, changes: CallChanges) -> None:
    """Write the changes of a call into its row: the columns `CHANGED`."""
    row.device_id = changes.device_id
    row.state = changes.state
    row.may_begin = changes.may_begin
    row.http_status = changes.http_status
    row.content_type = changes.content_type
    row.error = changes.error
    row.decision = changes.decision
    row.ended_at = changes.ended_at
    row.epoch = changes.epoch
    row.transport = changes.transport
    row.login = changes.login


values_of = cast("Callable[[CallFields], tuple[Any, ...]]", attrgetter(*COLUMNS))
"""Returns the values of a row in the order of `COLUMNS`."""


def facts_of_call(call: OpenCall) -> CallFacts:
    """Return an open call as it would be read if it were stored now."""
    row = row_of_call(call, may_begin=False, ended_at=None)
    row.arguments = redact_arguments(call.request.arguments_text)
    return read_call(row)


def storable_arguments(call: OpenCall) -> str | None:
    """Return the arguments as received; None when they are too long to be stored."""
    text = call.request.arguments_text
    return text if len(text) <= STORED_ARGUMENTS_CHARS else None


def late_text(result: Result) -> str:
    """Return what is stored of a report of a call that has already ended."""
    outcome = result.outcome
    facts: dict[str, Any] = {"at": time.time(), "status": outcome.status}
    if isinstance(outcome, FailedOutcome):
        facts |= {"code": outcome.error.code.value, "delivered": outcome.delivered}
    else:
        facts |= {"http_status": outcome.http_status}
        facts |= {"transport": outcome.transport, "login": outcome.login}
    return json.dumps(facts)


def read_late(row: CallRow | CallFields) -> dict[str, Any] | None:
    """Return what `late_text` stored, with the present code of an error."""
    late = None if row.late is None else json.loads(row.late)
    return late | {"code": code_of(late["code"])} if late and "code" in late else late


def read_recorded_call(row: CallRow) -> RecordedCall:
    """Return an ended call that may be sent again; of its answer the journal has the status alone."""
    error = None if row.error is None else WireError.model_validate_json(row.error)
    answered = None
    if error is None:
        answered = Answered(
            row.http_status or HTTPStatus.OK, row.content_type or "", {}, None, truncated=True
        )
    return RecordedCall(
        row.user_id,
        row.caller or "",
        row.digest or "",
        row.opened_at,
        CallOutcome(row.id, CallState(row.state), answered, error, row.server_id),
        heard=row.heard is True,
        heard_at=row.heard_at or 0.0,
    )


def known_call(row: CallRow) -> KnownCall:
    """Read what a replica knows of the call of a row."""
    return KnownCall(row.id, row.tool, None if row.ended_at is None else read_recorded_call(row).outcome)


def read_call(row: CallRow | CallFields) -> CallFacts:
    """Read the call of a row, or of what is to become one."""
    facts: dict[str, Any] = {name: getattr(row, column) for name, column in _COLUMN_OF.items()}
    for name in _OF_JSON:
        if facts[name] is not None:
            facts[name] = json.loads(facts[name])
    facts["late"] = read_late(row)
    return CallFacts.model_validate(facts)


def read_ended(row: tuple[str, str, str, int | None, float, str | None, float | None]) -> EndedCall:
    """Return an ended call of `ENDED_COLUMNS`."""
    tool, server_id, state, http_status, opened_at, decision, ended_at = row
    began_at = opened_at if decision is None else float(json.loads(decision)["at"])
    last = max(began_at, ended_at or opened_at)
    return EndedCall(tool, server_id, CallState(state), http_status, opened_at, began_at, last)
