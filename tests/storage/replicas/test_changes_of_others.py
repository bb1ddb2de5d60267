"""Two replicas' stores on one PostgreSQL: what one commits and rings for, the other reads in the counters."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

import pytest

from bridge.calls.approval_policy import Grant
from bridge.calls.limits.call_settings import CallSetting, SettingScope
from bridge.catalog.server_view import ServerRecord, UserSelection
from bridge.models.stored_items.retention_preference import MemoryChoice
from bridge.storage.chat.memory_choices import MemoryChoiceTable
from bridge.storage.database import open_database
from bridge.storage.preferences import ApprovalTables, LimitTables
from bridge.storage.replicas.change_counters import ChangeCounters
from bridge.storage.servers import ServerTables
from bridge.storage.sessions import Topic
from bridge.storage.store import Store, StoreHooks
from bridge.storage.users import User, UserTables
from tests.support.stores.devices import add_device
from tests.support.stores.postgresql import PostgresServer

pytestmark = pytest.mark.asyncio

SHARED = ServerRecord("shop", None, "Shop", "shop.json", None, None, "{}")


@dataclass
class TwoStores:
    """A store that writes, what it rang for, and one that reads."""

    writer: Store
    reader: Store
    ann: User
    key_id: str
    rung: list[Topic]

    async def moved(self, change: Callable[[], Awaitable[object]]) -> set[str]:
        """The topics that `change` moved, as the reader sees them."""
        counters = ChangeCounters(self.reader)
        before = await counters.read_versions()
        await change()
        after = await counters.read_versions()
        return {topic for topic, version in after.items() if version != before.get(topic, 0)}


@asynccontextmanager
async def two_stores(server: PostgresServer) -> AsyncGenerator[TwoStores]:
    with server.database() as where:
        rung: list[Topic] = []
        writer = Store(open_database(where), StoreHooks(on_commit=rung.append))
        reader = Store.open_store(where)
        ann = await UserTables(writer).ensure_user("ann")
        stores = TwoStores(writer, reader, ann, (await UserTables(writer).add_key(ann.id, "cli"))[0], rung)
        yield stores
        await writer.close()
        await reader.close()


async def test_a_revoked_key_is_rung_for_after_its_commit(postgres_server: PostgresServer) -> None:
    """Who is woken before the commit would look in vain, and then wait for five seconds."""
    async with two_stores(postgres_server) as stores:
        assert await stores.moved(
            lambda: UserTables(stores.writer).delete_key(stores.ann.id, stores.key_id)
        ) == {"keys"}
        assert stores.rung == ["keys"]


async def test_shared_limits_and_documents_are_rung_for(postgres_server: PostgresServer) -> None:
    """They are in force on every replica, whoever changed them."""
    async with two_stores(postgres_server) as stores:
        limits = LimitTables(stores.writer)
        assert await stores.moved(lambda: limits.save_limits({"BREAKER_MAX_FAILURES": 7})) == {"limits"}
        assert await stores.moved(lambda: ServerTables(stores.writer).add_server(SHARED)) == {"servers"}
        assert stores.rung == ["limits", "servers"]


async def test_the_same_document_again_is_no_change(postgres_server: PostgresServer) -> None:
    """Every replica that starts shares its documents; the others would read all of theirs again each time."""
    async with two_stores(postgres_server) as stores:
        await ServerTables(stores.writer).add_server(SHARED)
        assert (
            await stores.moved(lambda: ServerTables(stores.writer).save_server(SHARED, seen=SHARED)) == set()
        )


async def test_what_a_user_changes_is_rung_for(postgres_server: PostgresServer) -> None:
    """The user may be at home elsewhere in a moment, where the older state is still in memory."""
    async with two_stores(postgres_server) as stores:
        store, ann = stores.writer, stores.ann.id
        await ServerTables(store).add_server(ServerRecord("mine", ann, "Mine", None, None, None, "{}"))
        device = await add_device(store, ann, "Phone")
        await UserTables(store).rename_device(ann, device.id, "Desk")
        await UserTables(store).choose_device(ann, "mine", device.id)
        await ServerTables(store).replace_acceptances(ann, "mine", {"GET /": "d"})
        await ServerTables(store).save_selection(ann, UserSelection())
        await LimitTables(store).save_call_setting(ann, SettingScope("mine"), CallSetting(deadline_s=1))
        await MemoryChoiceTable(store).save_memory_choice(ann, MemoryChoice())
        await ApprovalTables(store).choose_approval_mode(ann, "ask")
        await ApprovalTables(store).keep_grant(Grant("g", ann, "mine", "GET /", "d", "timed", None, 1.0, 9e9))
        await ApprovalTables(store).delete_grants(ann, ["g"])
        await ServerTables(store).delete_server("mine")
        assert stores.rung == [
            "servers",
            "devices",
            "devices",
            "device_choices",
            "acceptances",
            "selections",
            "call_settings",
            "memory_choices",
            "approvals",
            "approvals",
            "approvals",
            "servers",
        ]


async def test_reading_grants_changes_nothing(postgres_server: PostgresServer) -> None:
    """Replicas that read again what changed would change it by that, and never come to rest."""
    async with two_stores(postgres_server) as stores:
        tables = ApprovalTables(stores.writer)
        assert await stores.moved(lambda: tables.load_approvals(stores.ann.id)) == set()


async def test_an_expired_grant_is_deleted_once(postgres_server: PostgresServer) -> None:
    """It must not come back, and its deletion is a change as any other."""
    async with two_stores(postgres_server) as stores:
        await ServerTables(stores.writer).add_server(SHARED)
        tables = ApprovalTables(stores.writer)
        grant = Grant("g", stores.ann.id, "shop", "GET /", "d", "timed", None, 1.0, 2.0)
        await tables.keep_grant(grant)
        assert await stores.moved(lambda: tables.load_approvals(stores.ann.id)) == {"approvals"}
        assert await stores.moved(lambda: tables.load_approvals(stores.ann.id)) == set()


async def test_of_two_changes_of_one_server_at_once_one_is_stored(postgres_server: PostgresServer) -> None:
    """The row is locked while it is compared, so that neither replica overwrites what it has not seen."""
    async with two_stores(postgres_server) as stores:
        await ServerTables(stores.writer).add_server(SHARED)
        changes = [replace(SHARED, title=f"Title {number}") for number in range(8)]
        async with asyncio.TaskGroup() as group:
            at = (ServerTables(stores.writer), ServerTables(stores.reader))
            saving = [
                group.create_task(at[number % 2].save_server(each, seen=SHARED))
                for number, each in enumerate(changes)
            ]
        assert sorted(task.result() for task in saving) == [False] * 7 + [True]
        [stored] = await ServerTables(stores.writer).list_servers()
        assert [change for change, task in zip(changes, saving, strict=True) if task.result()] == [stored]
