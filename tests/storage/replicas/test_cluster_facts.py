"""Keys must be the same in all replicas of one PostgreSQL: one that differs refuses to start."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest

from bridge.storage.errors import StoreError
from bridge.storage.replicas.cluster_facts import (
    ENCRYPTION_KEYS,
    SIGNING_SECRET,
    ClusterFacts,
    check_facts,
    fingerprint_keys,
)
from bridge.storage.store import Store
from tests.support.stores.databases import execute
from tests.support.stores.postgresql import PostgresServer

pytestmark = pytest.mark.asyncio

SECRET, OTHER_SECRET = b"s" * 32, b"o" * 32
FACTS = fingerprint_keys(SECRET, ["k1", "k2"])


@asynccontextmanager
async def two_replicas(server: PostgresServer) -> AsyncGenerator[tuple[ClusterFacts, ClusterFacts]]:
    with server.database() as where:
        stores = [Store.open_store(where), Store.open_store(where)]
        yield ClusterFacts(stores[0].fenced_sessions), ClusterFacts(stores[1].fenced_sessions)
        for store in stores:
            await store.close()


async def test_replicas_with_the_same_keys_start(postgres_server: PostgresServer) -> None:
    """Also with the keys in another order, as while they are exchanged."""
    async with two_replicas(postgres_server) as (first, second):
        await check_facts(first, FACTS, is_alone=True)
        await check_facts(second, fingerprint_keys(SECRET, ["k2", "k1"]), is_alone=False)


async def test_another_signing_secret_is_refused_by_name(postgres_server: PostgresServer) -> None:
    """Sessions opened there would count nowhere else; what the secret is must stand in no log."""
    async with two_replicas(postgres_server) as (first, second):
        await check_facts(first, FACTS, is_alone=True)
        with pytest.raises(StoreError, match="TOOL_BRIDGE_SECRET_KEY") as refused:
            await check_facts(second, fingerprint_keys(OTHER_SECRET, ["k1", "k2"]), is_alone=False)
        assert "TOOL_BRIDGE_ENCRYPTION_KEY" not in str(refused.value)
        assert not any(fact in str(refused.value) for fact in (*FACTS.values(), OTHER_SECRET.hex()))


async def test_other_encryption_keys_are_refused_by_name(postgres_server: PostgresServer) -> None:
    """What such a replica writes could be read by no other."""
    async with two_replicas(postgres_server) as (first, second):
        await check_facts(first, FACTS, is_alone=True)
        with pytest.raises(StoreError, match="TOOL_BRIDGE_ENCRYPTION_KEY") as refused:
            await check_facts(second, fingerprint_keys(SECRET, ["k1"]), is_alone=False)
        assert "TOOL_BRIDGE_SECRET_KEY" not in str(refused.value)


async def test_a_replica_that_is_alone_takes_new_keys_over(postgres_server: PostgresServer) -> None:
    """Otherwise no key could ever be changed."""
    async with two_replicas(postgres_server) as (first, second):
        await check_facts(first, FACTS, is_alone=True)
        changed = fingerprint_keys(OTHER_SECRET, [])
        await check_facts(second, changed, is_alone=True)
        with pytest.raises(StoreError):
            await check_facts(first, FACTS, is_alone=False)


async def test_of_two_that_start_together_one_is_refused(postgres_server: PostgresServer) -> None:
    """Both find no fact; what one stores, the other must see."""
    async with two_replicas(postgres_server) as replicas:
        found = await asyncio.gather(
            *(
                facts.insert_or_compare(SIGNING_SECRET, str(number), is_alone=False)
                for number, facts in enumerate(replicas)
            )
        )
        assert sorted(found) == [False, True]


async def test_the_stored_facts_reveal_no_key(postgres_server: PostgresServer) -> None:
    """Who reads the database must not be able to sign sessions."""
    with postgres_server.database() as where:
        store = Store.open_store(where)
        await check_facts(ClusterFacts(store.fenced_sessions), FACTS, is_alone=True)
        stored = {row[0]: row[1] for row in execute(where, "SELECT name, value FROM cluster_facts")}
        await store.close()
    assert set(stored) == {SIGNING_SECRET, ENCRYPTION_KEYS}
    assert SECRET.hex() not in str(stored)
