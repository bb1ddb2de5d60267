"""Three replicas are restarted one after another, as an update does it, while everybody calls."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import URL

from tests.replicas.faults import Faults
from tests.support.cluster.balancer import watched_balancer
from tests.support.cluster.crowd import crowd_of
from tests.support.cluster.replica_processes import replica_processes
from tests.support.cluster.returning_page import now
from tests.support.stores.postgresql import PostgresServer
from tests.support.stores.redis import RedisServer

pytestmark = [pytest.mark.asyncio, pytest.mark.timeout(300), pytest.mark.slow]

USERS = 3
DRAIN_S = "1"
"""Longer than the balancer takes to see that a replica is not ready."""


@pytest.fixture
def database(postgres_server: PostgresServer) -> Iterator[URL]:
    with postgres_server.database() as url:
        yield url


async def test_a_rolling_restart_loses_and_cancels_nothing(
    tmp_path: Path, database: URL, redis_server: RedisServer
) -> None:
    """An update is no outage: every call ends as the API answered it, and exactly once."""
    places = replica_processes(tmp_path, database, redis_server.url, TOOL_BRIDGE_DRAIN_SECONDS=DRAIN_S)
    async with places as cluster, crowd_of(cluster, USERS) as crowd, watched_balancer(cluster.balancer):
        crowd.start_callers([cluster.public_url] * 3)
        for replica in cluster.replicas:
            assert await replica.stop() == 0, replica.log
            await replica.start()
        await crowd.wait_until_served(now(), [cluster.public_url])
        await crowd.stop_callers()
        assert await Faults(cluster, crowd).find_broken() == ()
        assert [order for order in crowd.ledger.orders if order.status != 200] == []
