"""The table of calls of replicas: implements `bridge.calls.fenced_journal.FencedRows`.

Each write is one statement that commits by itself; a trigger checks its epoch in the commit (revision 0020).
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from sqlalchemy import ColumnElement, select, update
from sqlalchemy.dialects import postgresql
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from bridge.calls.argument_redaction import redact_arguments
from bridge.calls.fenced_journal import KnownCall, LeftCall
from bridge.calls.open_call import OpenCall
from bridge.calls.outcome import CallOutcome
from bridge.storage.call_mapping import (
    CALLS,
    CHANGED,
    COLUMNS,
    known_call,
    row_of_call,
    storable_arguments,
    values_of,
)
from bridge.storage.dialects import build_upsert, driver_text
from bridge.storage.sessions import Sessions
from bridge.storage.tables import CallRow

_UPSERT = build_upsert("postgresql", CallRow, CHANGED, while_null="ended_at")
_WRITE = driver_text(
    postgresql.psycopg.dialect(), _UPSERT.values([dict.fromkeys(COLUMNS)]).returning(CALLS.c.id)
)
"""As the driver takes it: SQLAlchemy would spend longer on the statement than PostgreSQL."""


class FencedCalls:
    """The table of calls, written under claims.

    Raises, in every coroutine:
        BridgeError: `database_unavailable`.
    """

    def __init__(self, session: Sessions) -> None:
        """`session`: commits every statement."""
        self._session = session

    async def write_call(self, call: OpenCall, epoch: int, *, may_begin: bool) -> bool:
        """Write a call as it is now; False, and nothing is written: it has ended, or `epoch` is over."""
        ended_at = None if call.outcome is None else call.current_time()
        row = row_of_call(call, may_begin=may_begin, ended_at=ended_at, epoch=epoch)
        if ended_at is None and (text := storable_arguments(call)) is not None:
            row.arguments = redact_arguments(text)
        values = values_of(row)

        async def write(session: AsyncSession) -> bool:
            connection = await session.connection()
            return (await connection.exec_driver_sql(_WRITE, values)).first() is not None

        return await self._is_written(write)

    async def end_left(self, user_id: str, epoch: int, outcome: CallOutcome) -> bool:
        """End a call that a claim before `epoch` left open; returns whether it was, and `epoch` holds."""
        is_it = (CALLS.c.id == outcome.call_id, _is_left(user_id, epoch))
        ending = update(CALLS).where(*is_it).values(**_ending(outcome), epoch=epoch)
        statement = ending.returning(CALLS.c.id)

        async def write(session: AsyncSession) -> bool:
            return (await session.execute(statement)).first() is not None

        return await self._is_written(write)

    async def list_left(self, user_id: str, epoch: int) -> Sequence[LeftCall]:
        """Return the calls of a user that claims before `epoch` left open."""
        wanted = select(CALLS.c.id, CALLS.c.may_begin).where(_is_left(user_id, epoch))
        async with self._session() as session:
            return [LeftCall(row.id, row.may_begin) for row in await session.execute(wanted)]

    async def find_known(self, call_id: str) -> KnownCall | None:
        """Return what is known of a call."""
        async with self._session() as session:
            row = await session.get(CallRow, call_id)
            return None if row is None else known_call(row)

    async def _is_written(self, write: Callable[[AsyncSession], Awaitable[bool]]) -> bool:
        """Run a statement; nothing is written under a claim that is over, nor of a user who was deleted."""
        try:
            async with self._session() as session:
                return await write(session)
        except IntegrityError:
            return False


def _is_left(user_id: str, epoch: int) -> ColumnElement[bool]:
    is_older = CALLS.c.epoch.is_(None) | (CALLS.c.epoch < epoch)
    return (CALLS.c.user_id == user_id) & CALLS.c.ended_at.is_(None) & is_older


def _ending(outcome: CallOutcome) -> dict[str, Any]:
    answered, error = outcome.answered, outcome.error
    return {
        "state": outcome.state.value,
        "http_status": None if answered is None else answered.http_status,
        "content_type": None if answered is None else answered.content_type,
        "error": None if error is None else error.to_stored(),
        "ended_at": time.time(),
    }
