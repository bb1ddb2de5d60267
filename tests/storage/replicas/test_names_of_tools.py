"""Two registries on one PostgreSQL: ids and names are given once, however many replicas give some at once."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass

import pytest
import pytest_asyncio
from sqlalchemy import URL

from bridge.catalog.followed_servers import FollowedServers
from bridge.catalog.registry import NOBODY, Registry
from bridge.catalog.server_view import LoadedServer
from bridge.catalog.tool_names import SHARED_SCOPE
from bridge.storage.catalog.listings import ListingTables
from bridge.storage.servers import ServerTables
from bridge.storage.store import Store
from bridge.tasks import Tasks
from tests.support.documents.compiled import document_text
from tests.support.stores.databases import execute
from tests.support.stores.memory_server_store import InlineCompiler
from tests.support.stores.postgresql import PostgresServer

pytestmark = pytest.mark.asyncio

USERS = tuple(f"{number:032x}" for number in range(8))


@pytest.fixture
def where(postgres_server: PostgresServer) -> Iterator[URL]:
    with postgres_server.database() as url:
        people = [f"('{user}', '{user}', 0)" for user in USERS]
        execute(url, f"INSERT INTO users (id, name, created_at) VALUES {', '.join(people)}")
        yield url


@dataclass
class Replica:
    """A registry on a store of its own, and what follows the other's changes."""

    store: Store
    registry: Registry
    followed: FollowedServers

    @classmethod
    async def open(cls, where: URL) -> "Replica":
        async def on_change(_user_id: str | None) -> None: ...

        def on_load(_server: LoadedServer) -> None: ...

        store = Store.open_store(where)
        servers = ServerTables(store)
        registry = Registry(
            servers,
            InlineCompiler(),
            ListingTables(store),
            operator_id=USERS[0],
            tasks=Tasks(),
            on_change=on_change,
            on_load=on_load,
        )
        followed = FollowedServers(registry, servers, Tasks())
        await followed.note_versions()
        return cls(store, registry, followed)

    async def names(self, user_id: str) -> dict[tuple[str, str], str]:
        tools = (await self.registry.view_of_user(user_id)).catalog.tools
        return {(tool.server_id, tool.operation.key): tool.name for tool in tools}


@pytest_asyncio.fixture
async def replicas(where: URL) -> AsyncIterator[tuple[Replica, Replica]]:
    both = await Replica.open(where), await Replica.open(where)
    yield both
    for replica in both:
        await replica.store.close()


async def test_servers_that_replicas_add_at_once_have_different_ids(
    replicas: tuple[Replica, Replica],
) -> None:
    """The second would replace the first, and another user's document with it."""
    adding = [
        replicas[number % 2].registry.add_server(user, document_text(), source_url=None)
        for number, user in enumerate(USERS)
    ]
    added = await asyncio.gather(*adding)
    stored = {record.id: record.owner_id for record in await ServerTables(replicas[0].store).list_servers()}
    assert stored == {server.record.id: user for server, user in zip(added, USERS, strict=True)}


async def test_a_document_that_replicas_share_at_once_is_one_server(
    replicas: tuple[Replica, Replica],
) -> None:
    """Every replica's command line names the same documents, and all may start together."""
    sharing = [
        replica.registry.share_document("shop.json", document_text(), source_url=None) for replica in replicas
    ]
    here, there = await asyncio.gather(*sharing)
    assert here.record.id == there.record.id
    assert len(await ServerTables(replicas[0].store).list_servers()) == 1


async def test_names_that_replicas_give_at_once_are_unique(
    replicas: tuple[Replica, Replica], where: URL
) -> None:
    """Each knows a document that the other has not loaded yet, with operations of the same names."""
    here, there = replicas
    await here.registry.share_document("here.json", document_text(), source_url=None)
    await there.registry.share_document("there.json", document_text(), source_url=None)
    await asyncio.gather(here.names(NOBODY), there.names(NOBODY))
    given = execute(where, f"SELECT name FROM tool_names WHERE scope = '{SHARED_SCOPE}'")
    assert given
    assert max(Counter(row[0] for row in given).values()) == 1
    for replica in replicas:
        await replica.followed.load_changes()
    names = await here.names(NOBODY)
    assert names == await there.names(NOBODY)
    assert len(set(names.values())) == len(names) == len(given)


async def test_personal_and_shared_tools_named_at_once_have_different_names(
    replicas: tuple[Replica, Replica],
) -> None:
    """A user adds a document where the user is at home, while the operator shares one elsewhere."""
    here, there = replicas
    ann = USERS[1]
    await asyncio.gather(
        here.registry.add_server(ann, document_text(), source_url=None),
        there.registry.share_document("shop.json", document_text(), source_url=None),
    )
    await asyncio.gather(here.names(ann), there.names(NOBODY))
    for replica in replicas:
        await replica.followed.load_changes()
    names = await here.names(ann)
    assert names == await there.names(ann)
    assert len(set(names.values())) == len(names)
