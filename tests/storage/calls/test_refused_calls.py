"""Refused calls in the database: the newest of each user, and how many there were."""

import asyncio
import time
from collections.abc import Callable
from typing import Any, cast

import pytest
from sqlalchemy import Connection, Table, insert

from bridge.calls.refusals import RefusedCall
from bridge.calls.request import CallContext
from bridge.errors import ErrorCode
from bridge.storage.calls.refused_calls import KEEP_SECONDS, MAX_REFUSED, MAX_WAITING, RefusedCallTables
from bridge.storage.store import Store
from bridge.storage.tables import RefusedCallRow, RefusedDayRow
from bridge.storage.users import UserTables
from tests.support.stores.databases import Where, engine_of, execute, with_tables

pytestmark = [pytest.mark.asyncio, pytest.mark.both_databases]


def refused(user_id: str, tool: str = "nosuch", server_id: str | None = None) -> RefusedCall:
    context = CallContext(user_id, "chat", asked_by="key laptop")
    return RefusedCall(context, tool, server_id, ErrorCode.UNKNOWN_TOOL)


def count_rows(where: Where, table: str = "refused_calls") -> int:
    return int(execute(where, f"SELECT count(*) FROM {table}")[0][0])


async def test_the_newest_two_hundred_are_listed_and_all_are_counted(database: Where) -> None:
    """Finding F23: of a caller that loops the last ones tell the story; the rest is a number."""
    store = Store.open_store(database)
    ann, bob = [await UserTables(store).ensure_user(name) for name in ("ann", "bob")]
    tables = RefusedCallTables(store)
    tables.note_refusal(refused(bob.id, "other"))
    for number in range(MAX_REFUSED + 50):
        tables.note_refusal(refused(ann.id, f"tool{number}"))
    await tables.write_noted()
    for number in range(3):
        tables.note_refusal(refused(ann.id, f"later{number}"))
    found = await tables.list_refused(ann.id)
    assert [call.tool for call in found.calls[:4]] == [
        "later2",
        "later1",
        "later0",
        f"tool{MAX_REFUSED + 49}",
    ]
    assert (len(found.calls), found.total) == (MAX_REFUSED, MAX_REFUSED + 53)
    newest = found.calls[0]
    assert (newest.code, newest.asked_by, newest.chat_id) == ("unknown_tool", "key laptop", "chat")
    assert [call.tool for call in (await tables.list_refused(bob.id)).calls] == ["other"]
    assert count_rows(database) == MAX_REFUSED + 1
    await store.close()


async def test_a_flood_writes_no_more_than_what_is_stored(database: Where) -> None:
    """An attacker's key in a loop must not have a row written for each of its calls."""
    store = Store.open_store(database)
    ann = await UserTables(store).ensure_user("ann")
    tables = RefusedCallTables(store)
    for _ in range(50_000):
        tables.note_refusal(refused(ann.id))
    assert tables.number_waiting == MAX_REFUSED
    assert count_rows(database) == 0
    assert (await tables.list_refused(ann.id)).total == 50_000
    assert (count_rows(database), count_rows(database, "refused_days")) == (MAX_REFUSED, 1)
    await store.close()


async def test_refused_calls_of_many_users_wait_in_bounded_memory(database: Where) -> None:
    """Beyond it they are only counted, for each of their users."""
    store = Store.open_store(database)
    late = await UserTables(store).ensure_user("late")
    tables = RefusedCallTables(store)
    for number in range(MAX_WAITING):
        tables.note_refusal(refused(f"user-{number % 200}"))
    tables.note_refusal(refused(late.id))
    assert tables.number_waiting == MAX_WAITING
    found = await tables.list_refused(late.id)  # the others are unknown to the database
    assert (found.calls, found.total) == ([], 1)
    assert tables.number_waiting == 0
    await store.close()


async def test_replicas_that_write_at_once_keep_the_bound_together(database: Where) -> None:
    """Each deletes what is too many once it sees the rows of the other."""
    stores = [Store.open_store(with_tables(database)) for _ in range(2)]
    ann = await UserTables(stores[0]).ensure_user("ann")
    replicas = [RefusedCallTables(store) for store in stores]
    for _ in range(4):
        for tables in replicas:
            for _ in range(150):
                tables.note_refusal(refused(ann.id))
        async with asyncio.TaskGroup() as group:
            for tables in replicas:
                group.create_task(tables.write_noted())
    assert count_rows(database) == MAX_REFUSED
    assert {(await tables.list_refused(ann.id)).total for tables in replicas} == {1200}
    for store in stores:
        await store.close()


async def test_names_that_no_database_takes_are_stored_all_the_same(database: Where) -> None:
    """A caller writes the name of an unknown tool, and chooses its length and its characters."""
    store = Store.open_store(database)
    ann = await UserTables(store).ensure_user("ann")
    tables = RefusedCallTables(store)
    tables.note_refusal(refused(ann.id, "\ud800\0" + "x" * 1000, "s" * 1000))
    [call] = (await tables.list_refused(ann.id)).calls
    assert (len(call.tool), len(call.server_id or "")) == (64, 64)
    await store.close()


class AwayThread:
    """A database that refuses the first transaction."""

    def __init__(self, store: Store) -> None:
        self._thread = store.thread
        self.is_away = True

    def run_transaction(self, work: Callable[[Connection], None]) -> Any:
        def fail(_connection: Connection) -> None:
            raise OSError("The disk is full.")

        return self._thread.run_transaction(fail if self.is_away else work)


async def test_what_the_database_does_not_take_waits(database: Where) -> None:
    """It is written the next time, before what came since."""
    store = Store.open_store(database)
    ann = await UserTables(store).ensure_user("ann")
    thread = AwayThread(store)
    tables = RefusedCallTables(store, thread)
    tables.note_refusal(refused(ann.id, "first"))
    await tables.write_noted()
    assert (count_rows(database), tables.number_waiting) == (0, 1)
    thread.is_away = False
    tables.note_refusal(refused(ann.id, "second"))
    found = await tables.list_refused(ann.id)
    assert ([call.tool for call in found.calls], found.total) == (["second", "first"], 2)
    await store.close()


async def test_after_thirty_days_they_are_neither_listed_nor_counted_nor_there(database: Where) -> None:
    """As calls are; the privacy page says so."""
    store = Store.open_store(database)
    ann = await UserTables(store).ensure_user("ann")
    old = time.time() - KEEP_SECONDS - 2 * 24 * 3600
    engine = engine_of(database)
    row = {"id": "r1", "user_id": ann.id, "tool": "t", "code": "unknown_tool", "at": old}
    day = {"user_id": ann.id, "day": time.strftime("%Y-%m-%d", time.gmtime(old)), "refused": 7}
    with engine.begin() as connection:
        connection.execute(insert(cast(Table, RefusedCallRow.__table__)).values(row))
        connection.execute(insert(cast(Table, RefusedDayRow.__table__)).values(day))
    engine.dispose()
    tables = RefusedCallTables(store)
    found = await tables.list_refused(ann.id)
    assert (found.calls, found.total) == ([], 0)
    await tables.forget_old()
    assert (count_rows(database), count_rows(database, "refused_days")) == (0, 0)
    await store.close()
