"""Tests that run over SQLite and over PostgreSQL: the databases, and SQL of the tests' own."""

import tempfile
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import URL, Engine, create_engine, text

from bridge.storage.database import open_sqlite
from bridge.storage.tables import Base
from tests.support.stores.postgresql import PostgresServer

Where = Path | URL
"""As `Store.open_store` takes it: a file, or the address of a PostgreSQL database."""

DATABASES: Sequence[Any] = ("sqlite", pytest.param("postgresql", marks=pytest.mark.slow))
"""What `both_databases` means."""


@contextmanager
def fresh_database(kind: str, request: pytest.FixtureRequest) -> Generator[Where]:
    """A file that is not there yet, or a database of its own in the server of this process."""
    if kind == "sqlite":
        yield request.getfixturevalue("tmp_path") / "bridge.sqlite3"
        return
    server: PostgresServer = request.getfixturevalue("postgres_server")
    with server.database() as url:
        yield url


def with_tables(where: Where) -> Where:
    """The same place; a file that is not there yet is made, with empty tables that were made once before.

    PostgreSQL has them from a template.
    """
    if isinstance(where, Path) and not where.exists():
        where.write_bytes(_migrated_file())
    return where


@cache
def _migrated_file() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "migrated.sqlite3"
        open_sqlite(path).writing.dispose()
        return path.read_bytes()


def engine_of(where: Where) -> Engine:
    """An engine of the test's own, without the settings of the bridge."""
    return create_engine(URL.create("sqlite", database=str(where)) if isinstance(where, Path) else where)


def execute(where: Where, *statements: str) -> Sequence[Sequence[Any]]:
    """Run statements in one transaction of their own; the rows of the last one."""
    engine = engine_of(where)
    try:
        with engine.begin() as connection:
            if isinstance(where, Path):
                connection.execute(text("PRAGMA foreign_keys=ON"))
            for statement in statements[:-1]:
                connection.execute(text(statement))
            found = connection.execute(text(statements[-1]))
            return found.fetchall() if found.returns_rows else []
    finally:
        engine.dispose()


def content_of(where: Where) -> bytes:
    """All that is kept: the bytes of the files, or the text of all rows."""
    if isinstance(where, Path):
        return b"".join(path.read_bytes() for path in where.parent.glob(f"{where.name}*"))
    tables = Base.metadata.sorted_tables
    return repr([execute(where, f"SELECT kept::text FROM {table.name} kept") for table in tables]).encode()
