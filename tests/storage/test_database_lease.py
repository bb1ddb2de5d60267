"""One bridge for a database: who has the claim, and what becomes of it when connections end."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest
from sqlalchemy import URL
from sqlalchemy.ext.asyncio import create_async_engine

from bridge.storage.database import open_database
from bridge.storage.database_lease import CLAIM_LOCK, AdvisoryClaim, claim_of
from bridge.storage.errors import StoreError
from bridge.storage.store import Store, StoreHooks
from tests.support.stores.databases import execute
from tests.support.stores.postgresql import PostgresServer
from tests.support.waiting import eventually

pytestmark = pytest.mark.asyncio

HOLDERS = f"SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = {CLAIM_LOCK & 0xFFFFFFFF}"


@asynccontextmanager
async def claiming(url: URL, *, patience_s: float = 0, shared: bool = False) -> AsyncGenerator[AdvisoryClaim]:
    """A claim that looks after itself at once."""
    engine = create_async_engine(url)
    claim = AdvisoryClaim(engine, shared=shared, patience_s=patience_s, look_every_s=0.05)
    try:
        yield claim
    finally:
        await claim.release_claim()
        await engine.dispose()


async def test_there_is_one_claim_until_it_is_given_back(postgres_server: PostgresServer) -> None:
    """A bridge that is just being stopped is waited for."""
    with postgres_server.database() as url:
        async with claiming(url) as first, claiming(url, patience_s=5) as second, claiming(url) as third:
            await first.take_claim()
            with pytest.raises(StoreError, match="another bridge uses postgresql://"):
                await third.take_claim()
            waiting = asyncio.create_task(second.take_claim())
            await first.release_claim()
            await waiting
            with pytest.raises(StoreError):
                await first.take_claim()


async def test_a_claim_whose_connection_was_cut_is_taken_again(postgres_server: PostgresServer) -> None:
    """As by a restart of the database."""
    with postgres_server.database() as url:
        async with claiming(url) as claim, claiming(url) as other:
            await claim.take_claim()
            keeping = asyncio.create_task(claim.keep_claim())
            ((before,),) = execute(url, HOLDERS)
            execute(url, f"SELECT pg_terminate_backend({before})")
            await eventually(lambda: [pid for (pid,) in execute(url, HOLDERS)] not in ([], [before]))
            with pytest.raises(StoreError):
                await other.take_claim()
            keeping.cancel()


async def test_a_claim_that_another_bridge_took_meanwhile_is_said_and_waited_for(
    postgres_server: PostgresServer, caplog: pytest.LogCaptureFixture
) -> None:
    """Both run on; whoever reads the log has to stop one."""
    with postgres_server.database() as url:
        async with claiming(url) as claim, claiming(url) as other:
            await claim.take_claim()
            await claim.release_claim()
            await other.take_claim()
            keeping = asyncio.create_task(claim.keep_claim())
            await eventually(lambda: "Stop one of the two" in caplog.text)
            ((before,),) = execute(url, HOLDERS)
            await other.release_claim()
            await eventually(lambda: [pid for (pid,) in execute(url, HOLDERS)] not in ([], [before]))
            keeping.cancel()
            assert caplog.text.count("Stop one of the two") == 1


async def test_replicas_share_a_database_with_each_other(postgres_server: PostgresServer) -> None:
    """They know of each other, and end nobody's calls."""
    with postgres_server.database() as url:
        async with claiming(url, shared=True) as first, claiming(url, shared=True) as second:
            await first.take_claim()
            assert await first.is_alone()
            await second.take_claim()
            assert not await first.is_alone()
            await first.release_claim()
            assert await second.is_alone()


async def test_a_single_bridge_refuses_to_start_beside_replicas(postgres_server: PostgresServer) -> None:
    """It would end the calls that run on them."""
    with postgres_server.database() as url:
        async with claiming(url, shared=True) as replica, claiming(url) as single:
            await replica.take_claim()
            with pytest.raises(StoreError, match=r"replicas use postgresql://.* stop all of them, or start"):
                await single.take_claim()
            await replica.release_claim()
            await single.take_claim()


async def test_a_replica_refuses_to_start_beside_a_single_bridge(postgres_server: PostgresServer) -> None:
    """The single bridge knows nothing of replicas, and counts every open call as its own."""
    with postgres_server.database() as url:
        async with claiming(url) as single, claiming(url, shared=True) as replica:
            await single.take_claim()
            with pytest.raises(StoreError, match=r"a single bridge uses postgresql://.* with --redis"):
                await replica.take_claim()
            await single.release_claim()
            await replica.take_claim()


async def test_the_claim_of_a_replica_is_taken_again_beside_the_others(
    postgres_server: PostgresServer,
) -> None:
    """A restart of the database must not open the door for a single bridge."""
    with postgres_server.database() as url:
        async with claiming(url, shared=True) as replica, claiming(url) as single:
            await replica.take_claim()
            keeping = asyncio.create_task(replica.keep_claim())
            ((before,),) = execute(url, HOLDERS)
            execute(url, f"SELECT pg_terminate_backend({before})")
            await eventually(lambda: [pid for (pid,) in execute(url, HOLDERS)] not in ([], [before]))
            with pytest.raises(StoreError, match="replicas use"):
                await single.take_claim()
            keeping.cancel()


async def test_a_store_holds_the_claim_that_it_was_told_to(postgres_server: PostgresServer) -> None:
    """As a replica, where a single bridge would have to wait for the other one to stop."""
    with postgres_server.database() as url:
        stores = [Store(open_database(url), StoreHooks(is_shared=True)) for _ in range(2)]
        for store in stores:
            await store.claim.take_claim()
        for store in stores:
            await store.close()


async def test_an_sqlite_file_needs_no_claim() -> None:
    """Its folder belongs to one bridge, which another lock sees to."""
    engine = create_async_engine("sqlite+aiosqlite://")
    await claim_of(engine).take_claim()
    await claim_of(engine).take_claim()
    assert await claim_of(engine).is_alone()
    await engine.dispose()
