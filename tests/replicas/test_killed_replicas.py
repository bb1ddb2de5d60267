"""Replicas in processes of their own are killed and frozen while everybody calls."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import URL

from tests.replicas.faults import Faults
from tests.support.cluster.balancer import watched_balancer
from tests.support.cluster.crowd import crowd_of
from tests.support.cluster.replica_processes import replica_processes
from tests.support.stores.postgresql import PostgresServer
from tests.support.stores.redis import RedisServer

pytestmark = [pytest.mark.asyncio, pytest.mark.timeout(300), pytest.mark.slow]

USERS = 3


@pytest.fixture
def database(postgres_server: PostgresServer) -> Iterator[URL]:
    with postgres_server.database() as url:
        yield url


async def test_killed_and_frozen_homes_cost_nobody_the_truth(
    tmp_path: Path, database: URL, redis_server: RedisServer
) -> None:
    """Promises 1 to 4 with real processes: at most once, what is told is kept, and everybody is answered.

    One is killed while another is frozen, then two more.
    """
    async with (
        replica_processes(tmp_path, database, redis_server.url) as cluster,
        crowd_of(cluster, USERS) as crowd,
        watched_balancer(cluster.balancer),
    ):
        faults = Faults(cluster, crowd)
        crowd.start_callers(cluster.urls)
        frozen = faults.home
        killed = next(replica for replica in cluster.replicas if replica is not frozen)
        await asyncio.gather(faults.freeze(frozen), faults.kill(killed))
        await faults.kill(faults.home)
        await faults.kill(faults.home)
        await crowd.stop_callers()
        assert await faults.find_broken() == ()
        assert await faults.find_differing() == []
