"""Replicas in processes of their own are killed and frozen while everybody calls."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import URL

from tests.support.cluster.crowd import Crowd, crowd_of
from tests.support.cluster.replica_processes import ReplicaProcess, ReplicaProcesses, replica_processes
from tests.support.cluster.returning_page import now
from tests.support.cluster.verdict import broken_promises, ended_rows, kept_calls
from tests.support.stores.postgresql import PostgresServer
from tests.support.stores.redis import RedisServer

pytestmark = [pytest.mark.asyncio, pytest.mark.timeout(150)]

KILLS = 3
USERS = 3


@pytest.fixture
def database(postgres_server: PostgresServer) -> Iterator[URL]:
    with postgres_server.database() as url:
        yield url


async def test_killed_and_frozen_homes_cost_nobody_the_truth(
    tmp_path: Path, database: URL, redis_server: RedisServer
) -> None:
    """Promises 1 to 4 with real processes: at most once, what is told is kept, and everybody is answered."""
    async with (
        replica_processes(tmp_path, database, redis_server.url) as cluster,
        crowd_of(cluster, USERS) as crowd,
    ):
        crowd.start_callers([replica.base_url for replica in cluster.replicas])
        lost = [await kill_home(cluster, crowd) for _ in range(KILLS)]
        lost.append(await freeze_home(cluster, crowd))
        await crowd.stop_callers()
        assert broken_promises(crowd.ledger, kept_calls(database), {each.base_url for each in lost}) == []


async def kill_home(cluster: ReplicaProcesses, crowd: Crowd) -> ReplicaProcess:
    """Kill the first user's home, and start it again while the others take over."""
    home = cluster.home_of(crowd.members[0].user_id)
    killed_at = now()
    home.kill()
    await home.wait()
    await asyncio.gather(crowd.wait_until_served(killed_at, cluster.urls_without(home)), home.start())
    await crowd.wait_until_served(now(), [home.base_url])
    return home


async def freeze_home(cluster: ReplicaProcesses, crowd: Crowd) -> ReplicaProcess:
    """Freeze the first user's home until the others have taken over; what they keep, it does not change."""
    home = cluster.home_of(crowd.members[0].user_id)
    frozen_at = now()
    home.freeze()
    await crowd.wait_until_served(frozen_at, cluster.urls_without(home))
    before = ended_rows(cluster.database)
    thawed_at = now()
    home.thaw()
    await crowd.wait_until_served(thawed_at, cluster.urls)
    after = ended_rows(cluster.database)
    assert {call_id: after[call_id] for call_id in before} == before
    return home
