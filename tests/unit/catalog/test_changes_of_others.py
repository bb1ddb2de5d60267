"""What other replicas change of servers and choices, as the registry and its store see it."""

import asyncio
from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

import pytest

from bridge.catalog.followed_servers import (
    LOAD_WAIT_S,
    READ_OWNERS_EVERY_S,
    FollowedOwners,
    FollowedServers,
)
from bridge.catalog.ports import Compiler
from bridge.catalog.registry import Registry
from bridge.catalog.server_view import ServerRecord, UserSelection
from bridge.errors import BridgeError
from bridge.storage.sessions import database_unavailable
from bridge.tasks import Tasks
from tests.support.documents.compiled import document_text
from tests.support.stores.memory_server_store import HeldCompiler, InlineCompiler, MemoryServerStore
from tests.support.stores.registries import RestartableRegistry

pytestmark = pytest.mark.asyncio


@dataclass
class VersionedStore(MemoryServerStore):
    """A store whose versions are the records themselves."""

    is_away: bool = False
    read: list[str] = field(default_factory=list[str])
    disabled: set[str] = field(default_factory=set[str])
    """Users whom an operator has disabled."""

    async def server_versions(self) -> Mapping[str, str]:
        return {server_id: repr(record) for server_id, record in self.records.items()}

    async def read_servers(self, server_ids: Collection[str]) -> Sequence[ServerRecord]:
        self.read.extend(server_ids)
        return [self.records[server_id] for server_id in server_ids]

    async def disabled_sharers(self) -> Set[str]:
        if self.is_away:
            raise database_unavailable()
        return {
            user for user in self.disabled if any(each.owner_id == user for each in self.records.values())
        }

    async def load_selection(self, user_id: str) -> UserSelection:
        if self.is_away:
            raise database_unavailable()
        return await super().load_selection(user_id)


@dataclass
class Replicas:
    """Two registries over one store; `there` follows."""

    store: VersionedStore = field(default_factory=VersionedStore)
    compiler: Compiler = field(default_factory=InlineCompiler)
    """Of the one that follows."""

    def __post_init__(self) -> None:
        self.told: list[str | None] = []
        self.here = RestartableRegistry(self.store).open()
        self.there = RestartableRegistry(self.store, self.compiler, changes=self.told).open()
        self.followed = FollowedServers(self.there, self.store, Tasks())

    async def add_server(self) -> str:
        return (await self.here.add_server("ann", document_text(), source_url=None)).record.id


async def titles(registry: Registry) -> list[str]:
    return [server.record.id for server in (await registry.view_of_user("ann")).servers]


async def test_a_server_is_shared_and_taken_back_in_every_replica() -> None:
    """All views change with it, wherever their users are at home."""
    replicas = Replicas()
    server_id = await replicas.add_server()
    await replicas.there.load_servers()
    await replicas.followed.note_versions()
    for is_shared, seen in ((True, [server_id]), (False, [])):
        await replicas.there.view_of_user("bob")
        await replicas.here.change_server("ann", server_id, is_shared=is_shared)
        replicas.told.clear()
        await replicas.followed.load_changes()
        assert replicas.told == [None]
        for registry in (replicas.here, replicas.there):
            assert [each.record.id for each in (await registry.view_of_user("bob")).servers] == seen
            assert await titles(registry) == [server_id]


async def test_own_changes_are_read_once_and_change_nothing() -> None:
    """The counters rise with them, too; nothing is compiled or told a second time."""
    replicas = Replicas()
    await replicas.followed.note_versions()
    server = await replicas.there.add_server("ann", document_text(), source_url=None)
    view = await replicas.there.view_of_user("ann")
    replicas.told.clear()
    for _ in range(2):
        await replicas.followed.load_changes()
    assert replicas.store.read == [server.record.id]
    assert await replicas.there.view_of_user("ann") is view
    assert replicas.told == []


async def test_a_server_added_while_the_versions_were_read_is_not_dropped() -> None:
    """It is missing from what was read before it was stored."""
    replicas = Replicas()
    await replicas.followed.note_versions()
    await replicas.there.add_server("ann", document_text(), source_url=None)
    replicas.store.records.clear()
    await replicas.followed.load_changes()
    assert len(await titles(replicas.there)) == 1


async def test_what_an_earlier_run_shared_stays_unloaded() -> None:
    """The command line of this run does not name it any more."""
    replicas = Replicas()
    await replicas.here.share_document("shop.json", document_text(), source_url=None)
    await replicas.followed.note_versions()
    await replicas.followed.load_changes()
    assert await titles(replicas.there) == []


async def test_a_document_that_cannot_be_compiled_hides_no_other(caplog: pytest.LogCaptureFixture) -> None:
    """What was loaded before stays, and the log says which one it is."""
    replicas = Replicas()
    await replicas.followed.note_versions()
    first, second = await replicas.add_server(), await replicas.add_server()
    await replicas.followed.load_changes()
    replicas.store.records[first] = replace(replicas.store.records[first], text="{")
    replicas.store.records[second] = replace(replicas.store.records[second], inline_html=True)
    await replicas.followed.load_changes()
    view = await replicas.there.view_of_user("ann")
    assert sorted(await titles(replicas.there)) == sorted([first, second])
    assert view.shows_inline_html(second)
    assert f"Server {first} as it was changed cannot be loaded" in caplog.text


@pytest.mark.looptime
async def test_a_running_bridge_notices_whom_a_command_has_disabled_and_enabled() -> None:
    """Within a minute, also after minutes without the database; pages and clients are told, once."""
    replicas = Replicas()
    shop = await replicas.add_server()
    await replicas.here.change_server("ann", shop, is_shared=True)
    await replicas.there.load_servers()
    reading = asyncio.create_task(FollowedOwners(replicas.there, replicas.store).keep_reading())

    async def seen_by_bob() -> list[str]:
        await asyncio.sleep(READ_OWNERS_EVERY_S + 1)
        return [server.record.id for server in (await replicas.there.view_of_user("bob")).servers]

    assert await seen_by_bob() == [shop]
    replicas.store.disabled.add("ann")
    replicas.store.is_away = True
    await asyncio.sleep(3 * READ_OWNERS_EVERY_S)
    replicas.store.is_away = False
    replicas.told.clear()
    assert await seen_by_bob() == await seen_by_bob() == []
    replicas.store.disabled.clear()
    assert await seen_by_bob() == [shop]
    assert replicas.told == [None, None]
    reading.cancel()


async def test_a_doubted_view_that_is_still_true_stays() -> None:
    """Every page and client of every user would read everything again at each choice of anybody."""
    replicas = Replicas()
    view = await replicas.there.view_of_user("ann")
    replicas.told.clear()
    replicas.there.doubt_views()
    assert await replicas.there.view_of_user("ann") is view
    assert replicas.told == []


async def test_a_doubted_view_that_is_wrong_is_replaced_and_told() -> None:
    """Clients that listen to the list of tools must hear of it."""
    replicas = Replicas()
    view = await replicas.there.view_of_user("ann")
    await replicas.here.save_selection("ann", UserSelection(max_tools=1))
    replicas.there.doubt_views()
    replaced = await replicas.there.view_of_user("ann")
    assert (replaced.selection.limit, replaced is view) == (1, False)
    assert replicas.told == ["ann"]
    assert await replicas.there.view_of_user("ann") is replaced


async def test_a_doubted_view_serves_while_the_database_is_away() -> None:
    """Calls go on without it, as in one process; the doubt stays until it answers."""
    replicas = Replicas()
    view = await replicas.there.view_of_user("ann")
    await replicas.here.save_selection("ann", UserSelection(max_tools=1))
    replicas.there.doubt_views()
    replicas.store.is_away = True
    assert await replicas.there.view_of_user("ann") is view
    replicas.store.is_away = False
    assert (await replicas.there.view_of_user("ann")).selection.limit == 1


async def test_a_view_that_was_never_read_needs_the_database() -> None:
    """There is nothing older to serve."""
    replicas = Replicas(VersionedStore(is_away=True))
    with pytest.raises(BridgeError):
        await replicas.there.view_of_user("ann")


@pytest.mark.looptime
async def test_a_slow_document_of_another_replica_holds_up_no_other_change() -> None:
    """Finding O-3: withdrawn keys and others' servers waited a minute for a document that was slow."""
    compiler = HeldCompiler("Slow")
    replicas = Replicas(compiler=compiler)
    await replicas.followed.note_versions()
    slow = await replicas.here.add_server("ann", document_text("Slow"), source_url=None)
    good = await replicas.here.add_server("ann", document_text("Good"), source_url=None)
    started = asyncio.get_running_loop().time()
    async with asyncio.timeout(2 * LOAD_WAIT_S):
        await replicas.followed.load_changes()
    assert await titles(replicas.there) == [good.record.id]
    assert asyncio.get_running_loop().time() - started <= LOAD_WAIT_S
    compiler.may_end.set()
    await asyncio.sleep(1)
    assert {*await titles(replicas.there)} == {good.record.id, slow.record.id}


@pytest.mark.looptime
@pytest.mark.parametrize("is_removed", [True, False])
async def test_a_slow_document_undoes_no_later_change_of_its_server(*, is_removed: bool) -> None:
    """Finding O-3: what is still compiled may have been removed or replaced when it is ready."""
    compiler = HeldCompiler("Slow")
    replicas = Replicas(compiler=compiler)
    await replicas.followed.note_versions()
    server_id = (await replicas.here.add_server("ann", document_text("Slow"), source_url=None)).record.id
    async with asyncio.timeout(2 * LOAD_WAIT_S):
        await replicas.followed.load_changes()
    if is_removed:
        await replicas.here.remove_server("ann", server_id)
    else:
        await replicas.here.replace_document("ann", server_id, document_text("Quick"), None)
    await replicas.followed.load_changes()
    compiler.may_end.set()
    await asyncio.sleep(1)
    servers = (await replicas.there.view_of_user("ann")).servers
    assert [server.record.title for server in servers] == ([] if is_removed else ["Quick"])
