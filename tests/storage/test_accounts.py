"""Everything of one user: each table is filled by its own columns, so that no new one can be forgotten."""

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest
from sqlalchemy import JSON, Boolean, Column, Float, LargeBinary, Table, insert

from bridge.settings.storage import StorageSettings
from bridge.storage.accounts.account_tables import AccountTables
from bridge.storage.accounts.all_tables import ALL_TABLES
from bridge.storage.accounts.ownership import NOBODYS, OWNER, PART_OF, STAYING, TOLD_ELSEWHERE, UNTOLD
from bridge.storage.store import Store
from tests.support.stores.databases import Where, content_of, engine_of, execute

TABLES = ALL_TABLES.sorted_tables
OF_USERS = [table for table in TABLES if table.name not in NOBODYS]


def value_for(column: Column[Any], user: str, number: int) -> Any:
    """Something that the column takes, with the user's name wherever there is room for a text."""
    for key in column.foreign_keys:
        return value_for(key.column, user, number)
    if isinstance(column.type, Boolean):
        return True
    if isinstance(column.type, JSON):
        return [f"{user} said"]
    if isinstance(column.type, LargeBinary):
        return f"{user} said".encode()
    if column.type.python_type in (int, float) or isinstance(column.type, Float):
        return number
    if column.name == OWNER.get(column.table.name, "user_id"):
        return user
    return f"{user} {column.name}"[: getattr(column.type, "length", None)]


def row_for(table: Table, user: str, number: int) -> Mapping[str, Any]:
    return {column.name: value_for(column, user, number) for column in table.columns}


def fill(where: Where, *users: str) -> None:
    """A row in every table that has something of a user."""
    engine = engine_of(where)
    with engine.begin() as connection:
        for number, user in enumerate(users, start=1):
            for table in OF_USERS:
                connection.execute(insert(table).values(row_for(table, user, number)))
    engine.dispose()


def tables_with(where: Where, word: str) -> set[str]:
    """Names of the tables that have a row with a word, in whatever column."""
    rows = {table.name: execute(where, f"SELECT * FROM {table.name}") for table in TABLES}
    return {
        name for name, found in rows.items() if word in str([[_shown(cell) for cell in row] for row in found])
    }


def _shown(cell: Any) -> str:
    return cell.decode("utf-8", "replace") if isinstance(cell, bytes) else str(cell)


def test_of_every_table_somebody_has_said_whose_rows_they_are() -> None:
    """A table with something of a user that neither export nor deletion knew would stay for ever."""
    there = {table.name for table in TABLES}
    of_users = {table.name for table in TABLES if OWNER.get(table.name, "user_id") in table.columns}
    assert of_users | {*PART_OF, *NOBODYS} == there
    assert len(of_users) + len(PART_OF) + len(NOBODYS) == len(there)
    assert not {table.name for table in TABLES if "owner_id" in table.columns} & NOBODYS
    assert {*STAYING, *UNTOLD, *TOLD_ELSEWHERE} <= there


@pytest.mark.asyncio
@pytest.mark.both_databases
async def test_a_deleted_user_leaves_nothing_but_the_audit_log(database: Where) -> None:
    """In the database: not in a row, and in SQLite not in the free parts of its file either."""
    store = Store.open_store(database)
    await asyncio.to_thread(fill, database, "ann-0", "bob-0")
    before = tables_with(database, "ann-0")
    assert before == {table.name for table in OF_USERS}
    assert await AccountTables(store, StorageSettings()).delete_user("ann-0") == 1
    assert tables_with(database, "ann") == STAYING
    assert tables_with(database, "bob-0") == before
    await store.close()
    assert b"bob-0 said" in content_of(database) or b"626f622d30" in content_of(database)
    assert b"ann-0 said" not in content_of(database)
    assert b"616e6e2d302073616964" not in content_of(database)  # PostgreSQL shows bytes so


@pytest.mark.asyncio
async def test_an_export_tells_of_every_table_and_of_no_secret(database: Where) -> None:
    """What has lines of its own, which can be imported, is not told twice."""
    store = Store.open_store(database)
    await asyncio.to_thread(fill, database, "ann-0", "bob-0")
    told = [record async for record in AccountTables(store, StorageSettings()).list_records("ann-0")]
    await store.close()
    assert {table for table, _ in told} == {table.name for table in OF_USERS} - TOLD_ELSEWHERE
    assert "bob" not in str(told)
    columns = {table.name: {column.name for column in table.columns} for table in TABLES}
    for table, row in told:
        assert row.keys() == columns[table] - UNTOLD.get(table, frozenset())
        assert not [name for name in row if name.endswith(("_hash", "_digest"))]
