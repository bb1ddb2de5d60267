"""Writing many rows of one table: one statement for many, made by SQLAlchemy, run by the driver as it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any

from sqlalchemy import Connection, Insert
from sqlalchemy.engine import Dialect

from bridge.storage.dialects import driver_text

SIZES = (256, 32, 4, 1)
"""Rows of one statement. A driver gives the interpreter lock away and waits to have it back for every
statement, and no database takes more than 32,766 values in one."""


class RowWriter:
    """Inserts rows of one kind."""

    def __init__(self, columns: Sequence[str], insert: Callable[[str], Insert]) -> None:
        """`insert`: the statement for one row, by the name of the dialect."""
        self._columns = columns
        self._insert = insert
        self._texts: dict[tuple[str, int], str] = {}

    def write(self, connection: Connection, rows: Sequence[Sequence[Any]]) -> None:
        """Insert rows whose values stand in the order of the columns; no two have the same key."""
        start = 0
        for size in SIZES:
            while len(rows) - start >= size:
                values = tuple(chain.from_iterable(rows[start : start + size]))
                connection.exec_driver_sql(self._text(connection.dialect, size), values)
                start += size

    def _text(self, dialect: Dialect, size: int) -> str:
        key = (dialect.name, size)
        if key not in self._texts:
            statement = self._insert(dialect.name).values([dict.fromkeys(self._columns)] * size)
            self._texts[key] = driver_text(dialect, statement)
        return self._texts[key]
