"""Shared requests in the database that replicas share."""

import pytest

from bridge.catalog.server_view import ServerRecord
from bridge.storage.catalog.shared_requests import SharedRequestTables
from bridge.storage.servers import ServerTables
from bridge.storage.store import Store
from bridge.storage.users import UserTables
from tests.support.stores.databases import Where, with_tables

pytestmark = [pytest.mark.asyncio, pytest.mark.both_databases]


async def test_of_two_replicas_only_one_replaces_a_version(database: Where) -> None:
    """Else the request of the first one would be lost without a word."""
    stores = [Store.open_store(with_tables(database)) for _ in range(2)]
    ann = await UserTables(stores[0]).ensure_user("ann")
    assert await ServerTables(stores[0]).add_server(
        ServerRecord("shop", ann.id, "Shop", None, None, None, "{}")
    )
    here, there = (SharedRequestTables(store) for store in stores)
    seen = (await there.load_requests("shop")).version
    assert await here.replace_requests("shop", "[1]", version=seen)
    assert not await there.replace_requests("shop", "[2]", version=seen)
    assert (await there.load_requests("shop")).text == "[1]"
    assert await there.replace_requests("shop", "", version=None)
    assert (await here.load_requests("shop")).text == ""
    for store in stores:
        await store.close()


async def test_nothing_is_stored_for_a_server_that_is_gone(database: Where) -> None:
    """Its owner may have removed it while an operator edited."""
    store = Store.open_store(database)
    assert not await SharedRequestTables(store).replace_requests("gone", "[1]", version=None)
    await store.close()
