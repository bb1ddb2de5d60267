"""Many rows by few statements, in both databases' words."""

from itertools import cycle
from typing import Any, cast

import pytest
from sqlalchemy import Connection, Table, create_engine, select
from sqlalchemy.dialects.postgresql import psycopg
from sqlalchemy.engine import Dialect

from bridge.storage.dialects import build_upsert
from bridge.storage.tables import CallRow, LimitRow
from bridge.storage.write_thread import MANY, SIZES, RowWriter

LIMITS = cast(Table, LimitRow.__table__)


def writer() -> RowWriter:
    return RowWriter(LIMITS, ("name", "value"), lambda dialect: build_upsert(dialect, LimitRow, ("value",)))


@pytest.mark.parametrize("count", [0, 1, 3, 4, 37, 2 * SIZES[0] + SIZES[1] + 1])
def test_every_row_is_written_once(count: int) -> None:
    """However many there are."""
    engine, rows = (
        create_engine("sqlite://"),
        [(f"limit_{number:04}", float(number)) for number in range(count)],
    )
    with engine.begin() as connection:
        LIMITS.create(connection)
        writer().write_rows(connection, rows)
        found = connection.execute(select(LimitRow.name, LimitRow.value).order_by(LimitRow.name)).all()
    assert [tuple(row) for row in found] == rows
    engine.dispose()


@pytest.mark.parametrize("count", [1, MANY])
def test_rows_may_lack_any_value(count: int) -> None:
    """Many rows name only the columns that one of them has; flags and nulls come back as they were."""
    engine, table = create_engine("sqlite://"), cast(Table, CallRow.__table__)
    flags, numbers = cycle([None, True, False]), cycle([None, 200])
    rows = [
        (
            f"call_{number:04}",
            "ann",
            "add",
            "shop",
            "key",
            False,
            "open",
            True,
            next(numbers),
            None,
            1.5,
            flag,
        )
        for number, flag in zip(range(count), flags, strict=False)
    ]
    names = ("id", "user_id", "tool", "server_id", "operation_key", "safe", "state", "may_begin")
    names = (*names, "http_status", "error", "opened_at", "heard")
    with engine.begin() as connection:
        CallRow.metadata.create_all(connection)
        RowWriter(table, names, lambda dialect: build_upsert(dialect, CallRow)).write_rows(connection, rows)
        found = connection.execute(select(*(table.c[name] for name in names)).order_by(table.c.id)).all()
    assert [tuple(row) for row in found] == rows
    engine.dispose()


class Postgres:
    """What PostgreSQL's driver would get."""

    def __init__(self) -> None:
        self.dialect: Dialect = psycopg.dialect()
        self.got: list[tuple[str, tuple[Any, ...]]] = []

    def exec_driver_sql(self, text: str, values: tuple[Any, ...]) -> None:
        self.got.append((text, values))


def test_postgresql_gets_its_own_words_and_values_by_their_places() -> None:
    """Its driver knows no question marks."""
    connection = Postgres()
    writer().write_rows(cast(Connection, connection), [("a", 1.0), ("b", 2.0), ("c", 3.0), ("d", 4.0)])
    text, values = connection.got[0]
    assert len(connection.got) == 1
    assert values == ("a", 1.0, "b", 2.0, "c", 3.0, "d", 4.0)
    assert text % values
    assert "ON CONFLICT (name) DO UPDATE SET value = excluded.value" in text
