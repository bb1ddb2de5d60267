"""Where SQLite and PostgreSQL differ, for everything that reads or writes tables.

Both know `ON CONFLICT`; SQLAlchemy spells it by dialect.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, cast

from sqlalchemy import Table
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import (
    DataError,
    DBAPIError,
    IntegrityError,
    InterfaceError,
    ProgrammingError,
    SQLAlchemyError,
    StatementError,
)
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import DeclarativeBase

Upsert = sqlite.Insert | postgresql.Insert

_INSERT: dict[str, Callable[[Table], Upsert]] = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}

_UNFIT = (IntegrityError, DataError, InterfaceError, ProgrammingError)

INSUFFICIENT_PRIVILEGE = "42501"
"""SQLSTATE: the operator took a right away; he may give it back."""


def dialect_of(session: AsyncSession) -> str:
    """`sqlite` or `postgresql`; of a `Connection` it is `connection.dialect.name`."""
    return session.get_bind().dialect.name


def upsert(dialect: str, row: type[DeclarativeBase], changed: Collection[str] | None = None) -> Upsert:
    """An insert that changes the row that has the same primary key, if there is one.

    `changed`: names of the columns that it then changes; None: all but the key.
    """
    table = cast(Table, row.__table__)
    statement = _INSERT[dialect](table)
    if changed is None:
        changed = [column.name for column in table.columns if not column.primary_key]
    new = {name: statement.excluded[name] for name in changed}
    return statement.on_conflict_do_update(index_elements=list(table.primary_key.columns), set_=new)


def insert_missing(dialect: str, row: type[DeclarativeBase]) -> Upsert:
    """An insert that does nothing where a row is in the way, by its key or by any unique column."""
    return _INSERT[dialect](cast(Table, row.__table__)).on_conflict_do_nothing()


def is_unfit(error: BaseException) -> bool:
    """Whether what was to be written is to blame; else the database is, and may be well in a second."""
    if not isinstance(error, DBAPIError):
        return isinstance(error, StatementError) or not isinstance(error, SQLAlchemyError | OSError)
    if error.connection_invalidated or getattr(error.orig, "sqlstate", None) == INSUFFICIENT_PRIVILEGE:
        return False
    return isinstance(error, _UNFIT)


def reason_of(error: BaseException) -> str:
    """What the database said, in a line, without the SQL and without what was to be written."""
    said: Any = getattr(error, "orig", None) or error
    primary = getattr(getattr(said, "diag", None), "message_primary", None)
    return " ".join(str(primary or said).split())
