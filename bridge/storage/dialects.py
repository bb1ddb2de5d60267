"""Differences between SQLite and PostgreSQL, for everything that reads or writes tables.

Both support `ON CONFLICT`; SQLAlchemy spells it by dialect.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from sqlite3 import SQLITE_BUSY, SQLITE_CORRUPT, SQLITE_NOTADB, Error
from typing import Any, cast

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Engine,
    Insert,
    Table,
    any_,
    delete,
    event,
    literal,
    select,
    text,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Dialect, ExceptionContext
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

from bridge.storage.tables import ServerRow, UserRow

Upsert = sqlite.Insert | postgresql.Insert

_INSERT: dict[str, Callable[[Table], Upsert]] = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}

_PLACES = {"sqlite": "qmark", "postgresql": "format"}

_UNFIT = (IntegrityError, DataError, InterfaceError, ProgrammingError)

_UNFIT_CLASSES = ("22", "23", "54")
"""SQLSTATE classes that blame the data: data, constraints, sizes. A missing right or table is not among them:
that is the operator's concern."""


_PRIMARY_CODE = 0xFF
"""Mask of what an extended error code of SQLite shares with its primary one."""

FENCE = "check_epoch"
"""Name of the constraint that a write under an old claim violates; see revision 0020."""

NUL = "\0"

_LOCK_NAME = text("SELECT pg_advisory_xact_lock(hashtextextended(:name, 0))")


async def accepts_writes(session: AsyncSession) -> bool:
    """Return whether the database can be written; SQLite's write lock is taken for a moment.

    Raises:
        SQLAlchemyError: it does not answer, or another process holds SQLite's write lock too long.
    """
    if dialect_of(session) == "postgresql":
        return await session.scalar(text("SELECT current_setting('transaction_read_only')")) == "off"
    await session.execute(text("BEGIN IMMEDIATE"))
    return True


def dialect_of(session: AsyncSession) -> str:
    """Return `sqlite` or `postgresql`; for a `Connection`, use `connection.dialect.name`."""
    return session.get_bind().dialect.name


def build_upsert(
    dialect: str,
    row: type[DeclarativeBase],
    changed: Collection[str] | None = None,
    *,
    while_null: str | None = None,
) -> Upsert:
    """Build an insert that updates the row with the same primary key, if there is one.

    `changed`: names of the columns to update; None: all but the key. `while_null`: name of a column; rows in
    which it is not null are left unchanged.
    """
    table = cast(Table, row.__table__)
    statement = _INSERT[dialect](table)
    if changed is None:
        changed = [column.name for column in table.columns if not column.primary_key]
    new = {name: statement.excluded[name] for name in changed}
    where = None if while_null is None else table.c[while_null].is_(None)
    return statement.on_conflict_do_update(
        index_elements=list(table.primary_key.columns), set_=new, where=where
    )


def build_addition(dialect: str, row: type[DeclarativeBase]) -> Upsert:
    """Build an insert that adds all numbers but the key's to those of the row with the same primary key.

    The database adds, so that several who add at once lose nothing.
    """
    table = cast(Table, row.__table__)
    statement = _INSERT[dialect](table)
    counted = [column for column in table.columns if not column.primary_key]
    sums = {column.name: column + statement.excluded[column.name] for column in counted}
    return statement.on_conflict_do_update(index_elements=list(table.primary_key.columns), set_=sums)


def driver_text(dialect: Dialect, statement: Insert) -> str:
    """Return a statement as its driver takes it, with positional values."""
    like: type[Any] = type(dialect)
    return str(statement.compile(dialect=like(paramstyle=_PLACES[dialect.name])))


def multi_row_text(dialect: Dialect, insert: Insert, columns: Sequence[Column[Any]], count: int) -> str:
    """Return the statement that inserts `count` rows, as its driver takes it; `insert` is that for one row.

    `count` 0, of PostgreSQL: any number of rows, as one value, a JSON array of objects.
    SQLAlchemy compiles one row: 256 would take it 40 ms.
    """
    head, _, tail = driver_text(dialect, insert).partition(" VALUES ")
    one_row, end, rest = tail.partition(")")
    if count:
        return f"{head} VALUES {', '.join([one_row + end] * count)}{rest}"
    names = ", ".join(column.name for column in columns)
    types = ", ".join(f"{column.name} {column.type.compile(dialect)}" for column in columns)
    return f"{head} SELECT {names} FROM json_to_recordset(%s) AS given ({types}){rest}"


def insert_missing(dialect: str, row: type[DeclarativeBase]) -> Upsert:
    """Build an insert that does nothing if a row conflicts, by its key or by any unique column."""
    return _INSERT[dialect](cast(Table, row.__table__)).on_conflict_do_nothing()


def is_one_of(dialect: str, column: Column[Any], values: Sequence[Any]) -> ColumnElement[bool]:
    """Build the condition that a column has one of many values.

    PostgreSQL takes them as one array: hundreds of values in a list cost it as much as finding their rows.
    """
    if dialect == "postgresql":
        return column == any_(literal(values, postgresql.ARRAY(column.type)))
    return column.in_(values)


async def lock_user(session: AsyncSession, user_id: str) -> None:
    """Lock a user until this transaction ends, against others who call this for the same user.

    For rows that are deleted and inserted again: PostgreSQL lets two transactions do so concurrently, and
    refuses the second's rows. SQLite lets one write at a time anyway.
    """
    await session.execute(select(UserRow.id).where(UserRow.id == user_id).with_for_update(key_share=True))


async def lock_server(session: AsyncSession, server_id: str) -> bool:
    """Keep a server from being deleted until this transaction ends; False: there is none.

    For what replaces rows that go with their server: who deletes the server locks it first, and these rows
    then; taken the other way round, each may wait for the other. SQLite lets one write at a time anyway.
    """
    found = select(ServerRow.id).where(ServerRow.id == server_id).with_for_update(read=True, key_share=True)
    return await session.scalar(found) is not None


async def lock_name(session: AsyncSession, name: str) -> None:
    """Lock a name until this transaction ends, against others who call this for the same name.

    For what several replicas may add at once. SQLite lets one write at a time anyway, of one process.
    """
    if dialect_of(session) == "postgresql":
        await session.execute(_LOCK_NAME, {"name": name})


def is_unfit(error: BaseException) -> bool:
    """Return whether the data is to blame; otherwise the database is, and may be well in a second."""
    if not isinstance(error, DBAPIError):
        return isinstance(error, StatementError) or not isinstance(error, SQLAlchemyError | OSError)
    if error.connection_invalidated:
        return False
    state = getattr(error.orig, "sqlstate", None)
    return isinstance(error, _UNFIT) if state is None else state[:2] in _UNFIT_CLASSES


def is_fenced(error: BaseException) -> bool:
    """Return whether a write was refused because another replica has claimed its user since."""
    diagnostics = getattr(getattr(error, "orig", None), "diag", None)
    return getattr(diagnostics, "constraint_name", None) == FENCE


def delete_claimed(
    connection: Connection, table: Table, *which: ColumnElement[bool], epoch: int | None
) -> int:
    """Delete rows under a claim of their user; returns how many. `epoch`: None for a bridge that is alone.

    What is deleted has no new row that the fence could check: the change before it is checked in the commit.
    """
    if epoch is not None:
        connection.execute(update(table).where(*which).values(epoch=epoch))
    return connection.execute(delete(table).where(*which)).rowcount


def watch_fence(engine: Engine, listener: Callable[[], None]) -> None:
    """Call `listener` for each error of an engine that is one of `is_fenced`."""

    def look(context: ExceptionContext) -> None:
        error = context.sqlalchemy_exception
        if error is not None and is_fenced(error):
            listener()

    event.listen(engine, "handle_error", look)


def overwrite_what_is_deleted(connection: Connection) -> None:
    """Make SQLite overwrite deleted bytes, which it would leave in the free parts of its file."""
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("PRAGMA secure_delete=ON")


def truncate_log(connection: Connection) -> None:
    """Make SQLite empty its write-ahead log, as far as no other program is reading."""
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")


def is_damaged(error: BaseException) -> bool:
    """Return whether a SQLite file is not what SQLite wrote; waiting does not help."""
    code: object = getattr(getattr(error, "orig", None), "sqlite_errorcode", None)
    return isinstance(code, int) and code & _PRIMARY_CODE in (SQLITE_CORRUPT, SQLITE_NOTADB)


def is_locked(error: Error) -> bool:
    """Return whether SQLite says that another process holds the file."""
    return getattr(error, "sqlite_errorcode", 0) & _PRIMARY_CODE == SQLITE_BUSY  # misuse has no code


def reason_of(error: BaseException) -> str:
    """Return the database's message in one line, without the SQL and without the data."""
    said: Any = getattr(error, "orig", None) or error
    primary = getattr(getattr(said, "diag", None), "message_primary", None)
    lines = str(primary or said).splitlines()
    return " ".join(
        " ".join(line for line in lines if not line.startswith("\t")).split()
    )  # libpq indents hints


def without_nul(
    _connection: Connection, _cursor: object, statement: str, parameters: Any, _context: object, many: bool
) -> tuple[str, Any]:
    """Replace NUL, which PostgreSQL's texts cannot hold, by U+FFFD; for `before_cursor_execute`.

    Values to look up are changed too, so that what was stored is found again.
    """
    return statement, [_clean(row) for row in parameters] if many else _clean(parameters)


def _clean(row: Any) -> Any:
    if isinstance(row, Mapping):
        values = cast("Mapping[str, Any]", row)
        return {name: _without_nul(value) for name, value in values.items()}
    return tuple(map(_without_nul, cast("tuple[Any, ...]", row))) if isinstance(row, tuple) else row


def _without_nul(value: Any) -> Any:
    if isinstance(value, str) and NUL in value:
        return value.replace(NUL, "\N{REPLACEMENT CHARACTER}")
    return value
