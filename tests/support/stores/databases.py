"""Tests that run over SQLite and over PostgreSQL: the databases, and SQL of the tests' own."""

import tempfile
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager
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
        yield place_of(request.getfixturevalue("tmp_path") / "bridge.sqlite3")
        return
    server: PostgresServer = request.getfixturevalue("postgres_server")
    with server.database() as url:
        yield url


class _InPlaceOfFiles:
    """Databases that stand in for SQLite files; empty unless a test wants that."""

    def __init__(self, server: PostgresServer) -> None:
        self._server = server
        self._open = ExitStack()
        self._urls: dict[Path, URL] = {}

    def url_of(self, path: Path) -> URL:
        if path not in self._urls:
            self._urls[path] = self._open.enter_context(self._server.database())
        return self._urls[path]

    def close(self) -> None:
        self._open.close()


_in_place_of_files: list[_InPlaceOfFiles] = []


@contextmanager
def postgresql_for_files(server: PostgresServer) -> Generator[None]:
    """While this lasts, each SQLite file that a bridge would have is a database of its own in PostgreSQL."""
    standing = _InPlaceOfFiles(server)
    _in_place_of_files.append(standing)
    try:
        yield
    finally:
        _in_place_of_files.remove(standing)
        standing.close()


def place_of(where: Where) -> Where:
    """What stands in for a file; any other place as it is."""
    if isinstance(where, Path) and _in_place_of_files:
        return _in_place_of_files[-1].url_of(where)
    return where


def with_tables(where: Where) -> Where:
    """The same place; a file that is not there yet is made, with empty tables that were made once before.

    PostgreSQL has them from a template.
    """
    where = place_of(where)
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
    where = place_of(where)
    return create_engine(URL.create("sqlite", database=str(where)) if isinstance(where, Path) else where)


def execute(where: Where, *statements: str) -> Sequence[Sequence[Any]]:
    """Run statements in one transaction of their own; the rows of the last one."""
    where = place_of(where)
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
    where = place_of(where)
    if isinstance(where, Path):
        return b"".join(path.read_bytes() for path in where.parent.glob(f"{where.name}*"))
    tables = Base.metadata.sorted_tables
    return repr([execute(where, f"SELECT kept::text FROM {table.name} kept") for table in tables]).encode()
