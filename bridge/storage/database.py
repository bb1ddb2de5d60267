"""Opens and migrates the database: SQLite in the data folder, or PostgreSQL by URL.

Three engines connect to one database: one that migrates and is closed, one for the event loop, one for the
writing thread (`write_thread`).
"""

from __future__ import annotations

import logging
import os
import sqlite3
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, NullPool, create_engine, event, make_url, text
from sqlalchemy.exc import ArgumentError, DBAPIError, OperationalError, ProgrammingError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from bridge.extras import MissingExtra, need_extra
from bridge.lazy_modules import load_lazily
from bridge.operating_system import can_use_postgresql, close_to_others, open_private
from bridge.settings.network import is_own_host
from bridge.storage.dialects import is_locked, reason_of, without_nul
from bridge.storage.errors import StoreError
from bridge.storage.sqlite_connections import SqliteConnections
from bridge.storage.table_owner import FoundTables, look_at_tables
from bridge.storage.tables import Base

SCHEMES = ("postgresql", "postgres", "postgresql+psycopg")
LOOKS_LIKE = "postgresql://user:password@host:5432/name"

MIN_SERVER_VERSION = 130_000
"""PostgreSQL 13, as the server numbers itself; the oldest version still maintained in 2025."""

POOL_SIZE = 5
MAX_OVERFLOW = 5
"""Connections of the event loop: `POOL_SIZE` stay open, `MAX_OVERFLOW` more are opened under load."""

POOL_WAIT_S = 5.0
CONNECT_S = 5
STATEMENT_MS = 15_000
LOCK_MS = 5_000
IDLE_IN_TRANSACTION_MS = 60_000
FENCED_LOCK_MS = 1_000
FENCED_IDLE_MS = 2_000
"""Bounds of connections whose statements other replicas wait for, in milliseconds."""

MIGRATION_LOCK_MS = 60_000

LOST_MS = 15_000
"""How long a silent network may leave sent bytes unacknowledged before it is given up, in milliseconds."""

MIGRATION_LOCK = 0x746F6F6C_62726467
"""Key of the advisory lock that one bridge at a time holds while it migrates."""

SQLITE_WAIT_S = 60.0
"""How long a bridge waits for another one that migrates the same file, in seconds."""

SQLITE_TRY_S = 1.0
"""Seconds after which it is told that another process holds the file."""

INSUFFICIENT_PRIVILEGE = "42501"
DUPLICATE_TABLE, DUPLICATE_FUNCTION, LOCK_NOT_AVAILABLE = "42P07", "42723", "55P03"

_DECIDED_MODES = ("verify-ca", "verify-full", "disable")
"""Values of `sslmode` with which the server is known, or the network said to be trusted."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Engines:
    """The engines of one database that is ready for use."""

    reading: AsyncEngine
    """Engine of the event loop; some of its work writes, too."""
    writing: Engine
    """Engine of the writing thread."""
    connections: SqliteConnections | None = None
    """Connections of `reading`, where they have threads."""
    fenced: AsyncEngine | None = None
    """Engine for what replicas decide by, of PostgreSQL: each statement commits."""

    async def close_connections(self) -> None:
        """Close the connections of all engines."""
        self.writing.dispose()
        await self.reading.dispose()
        if self.connections is not None:
            await self.connections.wait_ended()
        if self.fenced is not None:
            await self.fenced.dispose()


def postgresql_url(given: str) -> URL:
    """Parse the URL of a PostgreSQL database.

    Raises:
        StoreError: it is malformed. The text does not repeat it, because of the password.
    """
    if given.partition("://")[0] not in SCHEMES:
        raise StoreError(f"the URL of the database must look like {LOOKS_LIKE}")
    try:
        url = make_url(given)
    except (ArgumentError, ValueError):
        message = "cannot be read; in a password, @ : / ? # % are written %40 %3A %2F %3F %23 %25"
        raise StoreError(f"the URL of the database {message}") from None
    if "@" in (url.host or ""):
        raise StoreError("the URL of the database has two @; in a password it is written %40")
    return url.set(drivername="postgresql+psycopg")


def mask_url(url: URL) -> str:
    """Return a URL as people may see it: without password and options."""
    bare = URL.create("postgresql", url.username, None, url.host, url.port, url.database)
    return bare.render_as_string()


def believes_any_server(url: URL, environ: Mapping[str, str]) -> bool:
    """Return whether libpq takes whoever answers at a PostgreSQL of another machine for that server.

    By default it checks no certificate, and with `require` only if it is given a root; one in the home folder
    is not looked for. Who says `disable` has decided that the network can be trusted. Options of the URL
    count before those of libpq's environment, as it reads them itself.
    """

    def option(name: str) -> str:
        given = url.query.get(name) or environ.get(f"PG{name.upper()}", "")
        return given if isinstance(given, str) else ",".join(given)

    mode = option("sslmode")
    root = option("sslrootcert")
    if mode in _DECIDED_MODES or (mode == "require" and root) or (not mode and root == "system"):
        return False
    hosts = option("hostaddr") or url.host or option("host")
    return not all(map(_is_this_machine, hosts.split(",")))


def open_database(where: Path | URL) -> Engines:
    """Create or migrate the SQLite file, or the tables in the PostgreSQL database; blocks.

    Raises:
        StoreError: it cannot be used; the text says why and what to do.
    """
    return open_sqlite(where) if isinstance(where, Path) else open_postgresql(where)


def open_sqlite(path: Path) -> Engines:
    """Create or migrate the SQLite file at `path`; blocks.

    Raises:
        StoreError: the file cannot be written, is no database, or was made by a newer version or by one from
            before the first release.
    """
    url = URL.create("sqlite", database=str(path))
    with suppress(OSError):  # SQLite says what is wrong
        os.close(open_private(path, os.O_RDWR | os.O_CREAT))
    migrating = _lockable_engine(url)
    event.listen(migrating, "begin", _begin_in_time)
    try:
        with migrating.begin() as connection:
            _upgrade(connection, str(path))
        _close_to_others(path)
        writing = create_engine(url, hide_parameters=True)
        event.listen(writing, "connect", _configure_sqlite)
        open_first_connection(writing)
    except (SQLAlchemyError, OSError) as error:
        raise StoreError(f"{path} cannot be used as a database: {reason_of(error)}") from None
    connections = SqliteConnections()
    reading = create_async_engine(
        url.set(drivername="sqlite+aiosqlite"),
        connect_args={"async_creator_fn": connections.open_connection},
        hide_parameters=True,
    )
    event.listen(reading.sync_engine, "connect", _configure_sqlite)
    return Engines(reading, writing, connections)


def open_postgresql(url: URL) -> Engines:
    """Create or migrate the tables of the bridge in a PostgreSQL database; blocks.

    Raises:
        StoreError: its driver is not installed, it cannot be reached, it is too old or in another encoding, a
            right is missing, it was made by a newer version or by one from before the first release, or it is
            another program's.
    """
    if not can_use_postgresql():
        raise StoreError("PostgreSQL is not supported on Windows, whose event loop the driver cannot use")
    _refuse_missing_driver()
    migrating = create_engine(
        url, poolclass=NullPool, connect_args=_connect_args(url, statement_ms=0, lock_ms=MIGRATION_LOCK_MS)
    )
    try:
        with migrating.begin() as connection:
            _refuse_unfit_server(connection, url)
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": MIGRATION_LOCK})
            _upgrade(connection, mask_url(url))
            _refuse_missing_rights(connection, url)
    except (SQLAlchemyError, OSError) as error:
        raise StoreError(f"{mask_url(url)} cannot be used: {reason_of(error)}. {_advice(error)}") from None
    return _postgresql_engines(url)


def _refuse_missing_driver() -> None:
    try:
        need_extra("postgresql", "PostgreSQL")
    except MissingExtra as error:
        raise StoreError(str(error)) from None


def describe_database(where: Path | URL) -> str:
    """Return a sentence about the state of a database, without changing anything; blocks.

    Raises:
        StoreError: a bridge could not use it.
    """
    if isinstance(where, Path):
        shown_as = str(where)
        engine = _lockable_engine(URL.create("sqlite", database=str(where)))
        event.listen(engine, "begin", _begin_alone)
        if not where.exists():
            return f"{shown_as} does not exist; the first start makes it."
    else:
        _refuse_missing_driver()
        shown_as = mask_url(where)
        bounds = _connect_args(where, statement_ms=STATEMENT_MS, lock_ms=LOCK_MS)
        engine = create_engine(where, poolclass=NullPool, connect_args=bounds)
    try:
        with engine.connect() as connection:
            if isinstance(where, URL):
                _refuse_unfit_server(connection, where)
            found = _refuse_foreign_tables(connection, shown_as)
            if isinstance(where, URL) and found.is_current:
                _refuse_missing_rights(connection, where)
    except (SQLAlchemyError, OSError) as error:
        raise StoreError(f"{shown_as} cannot be used: {reason_of(error)}") from None
    if found.is_current:
        return f"{shown_as} can be used."
    return f"{shown_as} can be read; the next start {'migrates' if found.revision else 'makes'} its tables."


def _postgresql_engines(url: URL) -> Engines:
    common: dict[str, Any] = {
        "connect_args": _connect_args(url, statement_ms=STATEMENT_MS, lock_ms=LOCK_MS),
        "isolation_level": "READ COMMITTED",
        "pool_pre_ping": True,
        "pool_timeout": POOL_WAIT_S,
        "hide_parameters": True,
    }
    reading = create_async_engine(url, pool_size=POOL_SIZE, max_overflow=MAX_OVERFLOW, **common)
    writing = create_engine(url, pool_size=1, max_overflow=1, **common)
    for each in (reading.sync_engine, writing):
        event.listen(each, "before_cursor_execute", without_nul, retval=True)
    return Engines(reading, writing, fenced=_fenced_engine(url))


def _fenced_engine(url: URL) -> AsyncEngine:
    """Return an engine for what replicas decide by: each statement commits, and waits briefly for locks.

    Connections are not tried out before they are used: a fenced write costs one round trip. Those that a
    burst of calls has opened stay open: to open one takes longer than many writes.
    """
    bounds = _connect_args(url, statement_ms=LOCK_MS, lock_ms=FENCED_LOCK_MS, idle_ms=FENCED_IDLE_MS)
    engine = create_async_engine(
        url,
        connect_args=bounds,
        isolation_level="AUTOCOMMIT",
        pool_size=POOL_SIZE + MAX_OVERFLOW,
        max_overflow=0,
        pool_timeout=POOL_WAIT_S,
        hide_parameters=True,
    )
    event.listen(engine.sync_engine, "before_cursor_execute", without_nul, retval=True)
    return engine


def _connect_args(
    url: URL, *, statement_ms: int, lock_ms: int, idle_ms: int = IDLE_IN_TRANSACTION_MS
) -> dict[str, Any]:
    """Return the arguments for libpq; the URL's own options win."""
    bounds = {
        "statement_timeout": statement_ms,
        "lock_timeout": lock_ms,
        "idle_in_transaction_session_timeout": idle_ms,
    }
    given = url.query.get("options", "")
    options = " ".join(f"-c {name}={value}" for name, value in bounds.items())
    arguments: dict[str, Any] = {
        "application_name": "tool-bridge",
        "client_encoding": "utf8",
        "connect_timeout": CONNECT_S,
        "keepalives_idle": 30,
        "keepalives_interval": 5,
        "keepalives_count": 3,
        "tcp_user_timeout": LOST_MS,
    }
    others = {name: value for name, value in arguments.items() if name not in url.query}
    return others | {"options": f"{options} {given if isinstance(given, str) else ' '.join(given)}".strip()}


def _upgrade(connection: Connection, shown_as: str) -> None:
    if not _refuse_foreign_tables(connection, shown_as).is_current:
        migrate: Callable[[Connection], None] = load_lazily("migrate")
        migrate(connection)


def _refuse_foreign_tables(connection: Connection, shown_as: str) -> FoundTables:
    found = look_at_tables(connection)
    if found.refusal:
        raise StoreError(f"{shown_as} {found.refusal}")
    return found


def _refuse_unfit_server(connection: Connection, url: URL) -> None:
    facts = connection.execute(
        text(
            "SELECT current_setting('server_version_num')::int, current_setting('server_version'),"
            " current_setting('server_encoding'), current_setting('transaction_read_only')"
        )
    )
    number, version, encoding, read_only = facts.one()
    if number < MIN_SERVER_VERSION:
        raise StoreError(f"{mask_url(url)} is PostgreSQL {version}; the bridge needs 13 or newer")
    if encoding != "UTF8":
        message = f"is in the encoding {encoding}; create one with ENCODING 'UTF8' TEMPLATE template0"
        raise StoreError(f"{mask_url(url)} {message}")
    if read_only == "on":
        raise StoreError(
            f"{mask_url(url)} is read-only, as a standby is; choose the server that takes writes"
        )


def _refuse_missing_rights(connection: Connection, url: URL) -> None:
    """Raise if a right is missing: tables made by another role may exist and be closed to this one."""
    tables = [table.name for table in Base.metadata.sorted_tables]
    query = text(
        "SELECT name || ': ' || action FROM unnest(cast(:tables AS text[])) name,"
        " unnest(cast(:actions AS text[])) action WHERE NOT has_table_privilege(name, action) LIMIT 1"
    )
    actions = ["SELECT", "INSERT", "UPDATE", "DELETE"]
    missing = connection.scalar(query, {"tables": tables, "actions": actions})
    if missing is not None:
        message = f"may be opened, but its user lacks a right ({missing}). {_OWNER}"
        raise StoreError(f"{mask_url(url)} {message}")


_OWNER = "Make the user of the URL the owner of the database and of its tables."


def _advice(error: BaseException) -> str:
    state = getattr(getattr(error, "orig", None), "sqlstate", None)
    if state == INSUFFICIENT_PRIVILEGE:
        return _OWNER
    if state in (DUPLICATE_TABLE, DUPLICATE_FUNCTION):
        return "It holds tables of another program; give the bridge a database of its own."
    if state == LOCK_NOT_AVAILABLE:
        return "Another tool-bridge may be migrating it. Try again when that one is running."
    if not isinstance(error, DBAPIError) or state is not None:
        return "The log of the database may say more."
    if isinstance(error, ProgrammingError):
        return "Correct the options of the URL."
    said = reason_of(error)
    if "password" in said:
        return "Check the user and the password of the URL."
    if "does not exist" in said:
        return "Create it first, with createuser and createdb, or correct the URL."
    return "Check that the server runs there and accepts this machine."


def _is_this_machine(host: str) -> bool:
    """Return whether a host of libpq is a socket, which is also what an empty one means, or loopback."""
    name = host if host.count(":") > 1 else host.partition(":")[0]
    return not host or host.startswith(("/", "@")) or is_own_host(name.strip("[]").lower())


def _close_to_others(path: Path) -> None:
    """Let only their owner read a database of ours and its files."""
    with suppress(OSError):
        for file in path.parent.glob(f"{path.name}*"):
            close_to_others(file)


def _lockable_engine(url: URL) -> Engine:
    """Return an engine of one SQLite file whose transactions begin as a listener of `begin` says."""
    engine = create_engine(
        url, poolclass=NullPool, connect_args={"timeout": SQLITE_TRY_S}, hide_parameters=True
    )
    event.listen(engine, "connect", _leave_transactions_to_us)
    return engine


def open_first_connection(engine: Engine) -> None:
    """Connect, which switches a new file to WAL: of two that do so at once, SQLite refuses one unasked."""
    until = time.monotonic() + SQLITE_WAIT_S
    while True:
        try:
            engine.connect().close()
        except OperationalError as error:
            is_busy = isinstance(error.orig, sqlite3.Error) and is_locked(error.orig)
            if not is_busy or time.monotonic() > until:
                raise
            time.sleep(0.01)
        else:
            return


def _leave_transactions_to_us(connection: Any, _record: object) -> None:
    connection.isolation_level = None


def _begin_alone(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE")


def _begin_in_time(connection: Connection) -> None:
    """Begin alone; whoever waits for another process learns it at once."""
    raw: Any = connection.connection.dbapi_connection
    try:
        raw.execute("BEGIN IMMEDIATE")
    except sqlite3.Error as error:
        if is_locked(error):
            place, wait_s = connection.engine.url.database, SQLITE_WAIT_S
            _log.warning("%s is locked by another process; waiting for it, %g s at most.", place, wait_s)
            raw.execute("PRAGMA busy_timeout=60000")  # SQLITE_WAIT_S
        _begin_alone(connection)


_PRAGMAS = (
    "PRAGMA journal_mode=WAL",
    "PRAGMA synchronous=NORMAL",
    "PRAGMA busy_timeout=5000",
    "PRAGMA foreign_keys=ON",
)


def _configure_sqlite(connection: Any, _record: object) -> None:
    cursor = connection.cursor()
    for statement in _PRAGMAS:
        cursor.execute(statement)
    cursor.close()
