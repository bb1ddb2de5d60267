"""One bridge for a database: who has the claim, and what becomes of it when connections end."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest
from sqlalchemy import URL
from sqlalchemy.ext.asyncio import create_async_engine

from bridge.storage.database import StoreError
from bridge.storage.database_lease import CLAIM_LOCK, AdvisoryClaim, claim_of
from tests.support.stores.databases import execute
from tests.support.stores.postgresql import PostgresServer
from tests.support.waiting import eventually

pytestmark = pytest.mark.asyncio

HOLDERS = f"SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = {CLAIM_LOCK & 0xFFFFFFFF}"


@asynccontextmanager
async def claiming(url: URL, *, patience_s: float = 0) -> AsyncGenerator[AdvisoryClaim]:
    """A claim that looks after itself at once."""
    engine = create_async_engine(url)
    claim = AdvisoryClaim(engine, patience_s=patience_s, look_every_s=0.05)
    yield claim
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


async def test_an_sqlite_file_needs_no_claim() -> None:
    """Its folder belongs to one bridge, which another lock sees to."""
    engine = create_async_engine("sqlite+aiosqlite://")
    await claim_of(engine).take_claim()
    await claim_of(engine).take_claim()
    await engine.dispose()
