"""The store: what survives a restart, and that the migrations make the tables the code uses."""

import asyncio
import contextlib
import sqlite3
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from bridge.app.listening import AddressInUse, listen_at
from bridge.app.start import start_bridge
from bridge.calls.approval_policy import Grant
from bridge.calls.limits.call_settings import CallSetting, SettingScope
from bridge.catalog.server_view import ServerRecord, UserSelection
from bridge.settings.storage import StorageSettings
from bridge.storage.accounts.account_tables import AccountTables
from bridge.storage.accounts.logins import LoginTable
from bridge.storage.database import open_database
from bridge.storage.preferences import ApprovalTables, LimitTables
from bridge.storage.servers import ServerTables
from bridge.storage.sessions import StoreWork
from bridge.storage.store import Store, StoreHooks
from bridge.storage.tables import Base
from bridge.storage.users import KeyHolder, NewDevice, UserTables
from tests.support.settings import bridge_settings
from tests.support.stores.databases import Where, engine_of, execute, with_tables
from tests.support.stores.devices import add_device

pytestmark = pytest.mark.both_databases

RECORD = ServerRecord("shop", None, "Shop", "shop.json", "http://h/s.json", None, "{}")


def test_the_migrations_make_exactly_the_tables_of_the_code(database: Where) -> None:
    """A column that only one of them knows fails at the first user's restart."""
    Store.open_store(database)
    engine = engine_of(database)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, Base.metadata) == []
    engine.dispose()


@pytest.mark.asyncio
async def test_a_store_tells_of_its_work_from_the_first_transaction_on(database: Where) -> None:
    """Finding house-H6: who registered later missed what came before."""
    heard: list[StoreWork] = []
    hooks = StoreHooks(on_work=lambda work, _seconds: heard.append(work))
    store = Store(open_database(with_tables(database)), hooks)
    ann = await UserTables(store).ensure_user("ann")
    assert await UserTables(store).find_user(ann.id) == ann
    await asyncio.wrap_future(store.thread.run_transaction(lambda _connection: None))
    assert heard == ["transaction", "read", "journal"]
    await store.close()


@pytest.mark.asyncio
async def test_a_start_that_fails_closes_its_database(tmp_path: Path) -> None:
    """Finding house-H6: the bridge makes the store itself, so that nothing else can close it."""
    engines = open_database(tmp_path / "bridge.sqlite3")
    pool = engines.writing.pool
    with closing(listen_at("127.0.0.1", 0)) as taken, pytest.raises(AddressInUse):
        await start_bridge(bridge_settings(tmp_path, port=taken.getsockname()[1]), engines)
    assert engines.writing.pool is not pool


@pytest.mark.asyncio
async def test_everything_is_there_after_a_restart(database: Where) -> None:
    """Users, keys, tickets, devices, servers, names and acceptances."""
    store = Store.open_store(database)
    ann = await UserTables(store).ensure_user("ann")
    key_id, key = await UserTables(store).add_key(ann.id, "cli", show_calls="items")
    ticket = await UserTables(store).add_ticket(ann.id)
    await ServerTables(store).add_server(RECORD)
    get = ("shop", "GET /products")
    await ServerTables(store).add_names("", {get: "listProducts"}, seen={})
    await ServerTables(store).replace_acceptances(ann.id, "shop", {"GET /products": "d1"})
    await store.close()

    store = Store.open_store(database)
    assert await UserTables(store).ensure_user("ann") == ann
    assert await UserTables(store).holder_of_key(key) == KeyHolder(
        ann, forwarder=False, label="cli", key_id=key_id, show_calls="items"
    )
    assert await ServerTables(store).list_servers() == [RECORD]
    assert await ServerTables(store).load_names("") == {get: "listProducts"}
    assert await ServerTables(store).list_acceptances(ann.id) == {get: "d1"}
    device = await UserTables(store).spend_ticket(ticket, "{}", "Chrome")
    assert isinstance(device, NewDevice)
    await store.close()
    store = Store.open_store(database)
    assert await UserTables(store).find_device(device.device.id) == device.device
    assert await UserTables(store).spend_ticket(ticket, "{}", "Chrome") is None
    await store.close()


@pytest.mark.asyncio
async def test_whether_a_server_is_shared_survives_and_ends_with_its_owner(database: Where) -> None:
    """One from before the column counts as not shared."""
    store = Store.open_store(database)
    ann = await UserTables(store).ensure_user("ann")
    mine = ServerRecord("mine", ann.id, "Mine", None, None, None, "{}")
    shared = replace(mine, is_shared=True)
    assert await ServerTables(store).add_server(mine)
    assert await ServerTables(store).save_server(shared, seen=mine)
    assert await ServerTables(store).list_servers() == [shared]
    execute(database, "UPDATE servers SET is_shared = NULL")
    assert await ServerTables(store).list_servers() == [mine]
    await AccountTables(store, StorageSettings()).delete_user(ann.id)
    assert await ServerTables(store).list_servers() == []
    await store.close()


@pytest.mark.asyncio
async def test_who_shares_a_server_and_is_disabled_is_found(database: Where) -> None:
    """Whose servers are to be withheld; neither who shares nothing nor who may still log in."""
    store = Store.open_store(database)
    ann, bob, eve = [await UserTables(store).ensure_user(name) for name in ("ann", "bob", "eve")]
    for owner, is_shared in ((ann, True), (bob, True), (eve, False)):
        assert await ServerTables(store).add_server(
            replace(RECORD, id=owner.name, owner_id=owner.id, named=None, is_shared=is_shared)
        )
    for user in (ann, eve):
        await LoginTable(store).set_disabled(user.id, disabled=True)
    assert await ServerTables(store).disabled_sharers() == {ann.id}
    await LoginTable(store).set_disabled(ann.id, disabled=False)
    assert await ServerTables(store).disabled_sharers() == set()
    await store.close()


@pytest.mark.asyncio
async def test_deleting_a_server_takes_its_acceptances_and_keeps_its_names(database: Where) -> None:
    """A name that was used once never means something else."""
    store = Store.open_store(database)
    servers = ServerTables(store)
    ann = await UserTables(store).ensure_user("ann")
    await servers.add_server(RECORD)
    get = ("shop", "GET /products")
    await servers.add_names("", {get: "listProducts"}, seen={})
    await servers.replace_acceptances(ann.id, "shop", {"GET /products": "d1"})
    await servers.delete_server("shop")
    assert await servers.list_servers() == []
    assert await servers.list_acceptances(ann.id) == {}
    assert await servers.load_names("") == {get: "listProducts"}
    await store.close()


@pytest.mark.asyncio
async def test_a_selection_is_there_after_a_restart(database: Where) -> None:
    """And a later one takes its place; who chose nothing has an empty one."""
    store = Store.open_store(database)
    ann = await UserTables(store).ensure_user("ann")
    assert await ServerTables(store).load_selection(ann.id) == UserSelection()
    await ServerTables(store).save_selection(ann.id, UserSelection(("a",), ("t",), ("n*",), ("p",), 9, 2_000))
    later = UserSelection(servers=("shop",), pinned=("one", "two"), max_tools=40)
    await ServerTables(store).save_selection(ann.id, later)
    await store.close()
    store = Store.open_store(database)
    assert await ServerTables(store).load_selection(ann.id) == later
    await store.close()


@pytest.mark.asyncio
async def test_two_processes_may_use_one_data_folder(database: Where) -> None:
    """`tool-bridge key` writes while the bridge runs."""
    running, command = Store.open_store(database), Store.open_store(database)
    ann = await UserTables(command).ensure_user("ann")
    key_id, key = await UserTables(command).add_key(ann.id, "cli")
    assert await UserTables(running).holder_of_key(key) == KeyHolder(
        ann, forwarder=False, label="cli", key_id=key_id
    )
    await running.close()
    await command.close()


@pytest.mark.asyncio
async def test_a_file_is_written_ahead_so_that_readers_do_not_wait(tmp_path: Path) -> None:
    """`tool-bridge audit` reads while the bridge writes.

    Its first connection says so: of two that switch a new file at once, one may find it locked.
    """
    path = tmp_path / "b.sqlite3"
    store = Store.open_store(path)
    assert execute(path, "PRAGMA journal_mode") == [("wal",)]
    await store.close()


def test_a_database_is_its_owners_in_whatever_folder_it_lies(tmp_path: Path) -> None:
    """It holds arguments and conversations; a folder that existed before may be open to all."""
    path = tmp_path / "bridge.sqlite3"
    path.touch(0o644)
    asyncio.run(Store.open_store(path).close())
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("CREATE TABLE more (id INTEGER)")
        modes = {file.name: file.stat().st_mode & 0o777 for file in tmp_path.iterdir()}
    assert modes == dict.fromkeys((path.name, f"{path.name}-shm", f"{path.name}-wal"), 0o600)


@pytest.mark.parametrize(
    ("table", "time", "index"),
    [("calls", "opened_at", "ix_calls_user_id_opened_at"), ("audit", "at", "ix_audit_user_id_at")],
)
def test_the_newest_of_one_user_are_found_without_sorting_all(
    tmp_path: Path, table: str, time: str, index: str
) -> None:
    """A history of 200,000 calls took a quarter of a second to open."""
    Store.open_store(tmp_path / "b.sqlite3")
    newest = f"SELECT * FROM {table} WHERE user_id = 'u' ORDER BY {time} DESC, id DESC LIMIT 50"
    plan = [row[3] for row in execute(tmp_path / "b.sqlite3", f"EXPLAIN QUERY PLAN {newest}")]
    assert index in plan[0]
    assert "USE TEMP B-TREE FOR ORDER BY" not in plan


def test_what_a_killed_bridge_left_open_is_found_without_reading_all(tmp_path: Path) -> None:
    """A bridge with a month of calls would start slowly."""
    Store.open_store(tmp_path / "b.sqlite3")
    path = tmp_path / "b.sqlite3"
    plan = execute(path, "EXPLAIN QUERY PLAN SELECT * FROM calls WHERE ended_at IS NULL")
    assert "ix_calls_open" in plan[0][3]


@pytest.mark.asyncio
async def test_what_comes_several_times_at_once_is_stored_once(database: Where) -> None:
    """Two tabs, a doubled click, the first requests of a user: none fails, and the last one holds."""
    store = Store.open_store(database)
    users = UserTables(store)
    servers = ServerTables(store)
    limits, approvals = LimitTables(store), ApprovalTables(store)
    async with asyncio.TaskGroup() as group:
        making = [group.create_task(users.ensure_user("ann")) for _ in range(8)]
    (ann,) = {task.result() for task in making}
    await servers.add_server(RECORD)
    device = await add_device(store, ann.id, "Chrome")
    setting = CallSetting(deadline_s=7.0)
    grant = Grant("g", ann.id, "shop", "GET /products", "d", "always", None, time.time(), None)
    async with asyncio.TaskGroup() as group:
        for _ in range(8):
            group.create_task(servers.save_selection(ann.id, UserSelection(tags=("t",))))
            group.create_task(servers.replace_acceptances(ann.id, "shop", {"GET /products": "d"}))
            group.create_task(users.choose_device(ann.id, "shop", device.id))
            group.create_task(limits.save_limits({"BREAKER_MAX_FAILURES": 4}))
            group.create_task(limits.save_call_setting(ann.id, SettingScope("shop", ""), setting))
            group.create_task(approvals.choose_approval_mode(ann.id, "ask"))
            group.create_task(approvals.keep_grant(grant))
    assert (await servers.load_selection(ann.id)).tags == ("t",)
    assert len(await servers.list_acceptances(ann.id)) == 1
    assert await users.device_choices(ann.id) == {"shop": device.id}
    assert await limits.load_limits() == {"BREAKER_MAX_FAILURES": 4}
    assert await limits.call_settings(ann.id) == {SettingScope("shop", ""): setting}
    mode, grants = await approvals.load_approvals(ann.id)
    assert (mode, len(grants)) == ("ask", 1)
    await store.close()


@pytest.mark.asyncio
async def test_of_two_links_of_answers_one_pairs_a_first_browser(database: Where) -> None:
    """The second has to be confirmed there, though both are spent at the same moment (ruling 24)."""
    store = Store.open_store(database)
    users = UserTables(store)
    ann = await users.ensure_user("ann")
    tickets = [await users.add_ticket(ann.id, printed=True) for _ in range(6)]
    execute(database, "UPDATE tickets SET printed = false")
    async with asyncio.TaskGroup() as group:
        spending = [group.create_task(users.spend_ticket(ticket, "{}", "Chrome")) for ticket in tickets]
    assert sum(isinstance(task.result(), NewDevice) for task in spending) == 1
    assert len(await users.list_devices(ann.id)) == 1
    await store.close()
