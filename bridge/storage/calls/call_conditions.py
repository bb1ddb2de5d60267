"""What a list of calls is filtered by, in the database."""

from __future__ import annotations

from sqlalchemy import ColumnElement, Select, func, or_, select

from bridge.calls.call_filter import STATES_OF, CallFilter
from bridge.storage.tables import CallRow

ASKED_CALLS = 5000
"""Newest calls of a user whose askers are listed; chosen, so that it takes milliseconds."""


def askers_of(user_id: str) -> Select[str]:
    """Return the question who asked for the newest calls of a user."""
    newest = select(CallRow.asked_by).where(CallRow.user_id == user_id).order_by(CallRow.opened_at.desc())
    asked = newest.limit(ASKED_CALLS).subquery()
    return select(asked.c.asked_by).where(asked.c.asked_by.is_not(None)).distinct()


def conditions_of(which: CallFilter) -> list[ColumnElement[bool]]:
    """Return what the rows of all calls of a filter fulfil; those of no user in particular."""
    wanted: list[ColumnElement[bool]] = []
    if which.server_id is not None:
        wanted.append(CallRow.server_id == which.server_id)
    if which.operation_key is not None:
        wanted.append(CallRow.operation_key == which.operation_key)
    if which.asked_by is not None:
        wanted.append(CallRow.asked_by == which.asked_by)
    if which.kind is not None:
        wanted.append(CallRow.state.in_([state.value for state in STATES_OF[which.kind]]))
    if which.since is not None:
        wanted.append(CallRow.opened_at >= which.since)
    if which.words:
        words = which.words.lower()
        columns = (CallRow.tool, CallRow.operation_key)
        wanted.append(or_(*(func.lower(column).contains(words, autoescape=True) for column in columns)))
    return wanted
