"""Copies everything stored from one database to another, row by row."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sqlalchemy import Connection, Engine, Table, func, insert, select, text
from sqlalchemy.exc import SQLAlchemyError

from bridge.storage.accounts.all_tables import ALL_TABLES
from bridge.storage.dialects import reason_of
from bridge.storage.errors import StoreError
from bridge.storage.replicas.tables import REPLICA_TABLES

ROWS_AT_ONCE = 200


def copy_rows(source: Engine, target: Engine, show: Callable[[int, int], None]) -> Mapping[str, int]:
    """Copy every row in one transaction of the target; returns the number by table. Both are migrated.

    Left out is what replicas know of each other. `show` is told how many rows of how many are copied.

    Raises:
        StoreError: the target is not empty, or refuses a row; it is left as it was.
    """
    try:
        with source.connect() as reading, target.begin() as writing:
            reading.exec_driver_sql("BEGIN")  # one snapshot of all tables
            return _moved(reading, writing, show)
    except (SQLAlchemyError, OSError) as error:
        raise StoreError(f"nothing was moved: {reason_of(error)}") from None


def _moved(reading: Connection, writing: Connection, show: Callable[[int, int], None]) -> Mapping[str, int]:
    tables = [table for table in ALL_TABLES.sorted_tables if table.name not in REPLICA_TABLES]
    for table in tables:
        if writing.execute(select(table).limit(1)).first() is not None:
            raise StoreError(f"nothing was moved: the table {table.name} of the target is not empty")
    total = sum(reading.scalar(select(func.count()).select_from(table)) or 0 for table in tables)
    moved: dict[str, int] = {}
    for table in tables:
        before = sum(moved.values())
        moved[table.name] = _copied(
            reading, writing, table, lambda count, before=before: show(before + count, total)
        )
    return moved


def _copied(reading: Connection, writing: Connection, table: Table, show: Callable[[int], None]) -> int:
    count = 0
    for rows in reading.execute(select(table).execution_options(yield_per=ROWS_AT_ONCE)).partitions():
        writing.execute(insert(table), [dict(row._mapping) for row in rows])  # pyright: ignore[reportPrivateUsage] - SQLAlchemy's public name for it
        count += len(rows)
        show(count)
    counted = table.autoincrement_column
    if count and counted is not None and writing.dialect.name == "postgresql":
        highest = writing.scalar(select(func.max(counted)))
        names = {"table": table.name, "column": counted.name, "highest": highest}
        writing.execute(text("SELECT setval(pg_get_serial_sequence(:table, :column), :highest)"), names)
    return count
