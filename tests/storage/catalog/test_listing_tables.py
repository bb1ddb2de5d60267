"""Decisions about lists in the database that replicas share."""

import time

import pytest
from sqlalchemy import insert

from bridge.catalog.server_view import UserSelection
from bridge.storage.catalog.listings import ListingTables
from bridge.storage.servers import ServerTables
from bridge.storage.store import Store
from bridge.storage.tables import CallRow
from bridge.storage.users import UserTables
from tests.support.stores.databases import Where, engine_of, with_tables
from toolserver.tool.listing import Listing

pytestmark = [pytest.mark.asyncio, pytest.mark.both_databases]

FIRST = Listing(("shop",), {"shop": 3, "cloud": 340}, "chosen")
SECOND = Listing(("shop", "wiki"), {"shop": 3, "cloud": 340, "wiki": 9}, "chosen")


async def test_of_two_replicas_that_decide_the_first_one_decides(database: Where) -> None:
    """Ruling 50: the same on every replica."""
    stores = [Store.open_store(with_tables(database)) for _ in range(2)]
    here, there = (ListingTables(store) for store in stores)
    assert await here.load_listing("ann") is None
    assert await here.save_listing("ann", FIRST, seen=None)
    assert not await there.save_listing("ann", SECOND, seen=None)
    assert await there.load_listing("ann") == FIRST
    assert await there.save_listing("ann", SECOND, seen=FIRST)
    assert await here.load_listing("ann") == SECOND
    for store in stores:
        await store.close()


async def test_a_choice_of_what_is_listed_is_kept(database: Where) -> None:
    """With the rest of the selection, from before which there is none."""
    store = Store.open_store(database)
    ann = await UserTables(store).ensure_user("ann")
    chosen = UserSelection(pinned=("b", "a"), listed=("shop",), searched=("cloud",))
    await ServerTables(store).save_selection(ann.id, chosen)
    assert await ServerTables(store).load_selection(ann.id) == chosen
    await store.close()


async def test_servers_that_were_called_of_late_are_in_use(database: Where) -> None:
    """By this user alone, since the time that is asked about."""
    store = Store.open_store(database)
    ann, bob = [await UserTables(store).ensure_user(name) for name in ("ann", "bob")]
    engine = engine_of(database)
    with engine.begin() as connection:
        for number, (user, server, age) in enumerate(
            [(ann, "shop", 5), (ann, "shop", 6), (ann, "wiki", 5000), (bob, "cloud", 5)]
        ):
            row = {"id": f"call_{number}", "user_id": user.id, "server_id": server, "tool": "t", "safe": True}
            row |= {"operation_key": "GET /", "state": "succeeded", "may_begin": True}
            connection.execute(insert(CallRow).values(row | {"opened_at": time.time() - age}))
    engine.dispose()
    assert await ListingTables(store).used_servers(ann.id, time.time() - 1000) == {"shop"}
    await store.close()
