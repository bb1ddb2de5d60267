"""`/readyz` of a replica: whether it takes traffic, among the others."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import pytest_asyncio
from sqlalchemy import URL

from bridge.app.leaving import DRAINING
from bridge.app.server import Bridge
from bridge.timings import Timings
from tests.support.cluster.replicas import running_replicas, settle_home
from tests.support.commands import run_command
from tests.support.running_bridge import json_answer, page_of
from tests.support.stores.postgresql import PostgresServer
from tests.support.stores.redis import RedisServer
from tests.support.waiting import eventually

pytestmark = pytest.mark.asyncio

ELSEWHERE = "The canary's user is at home in another replica, which makes the call."
AWAY = "Redis does not answer, by which replicas find each other."


@pytest.fixture
def database(postgres_server: PostgresServer) -> Iterator[URL]:
    with postgres_server.database() as url:
        yield url


@pytest_asyncio.fixture
async def replicas(tmp_path: Path, database: URL, redis_server: RedisServer) -> AsyncIterator[list[Bridge]]:
    """Each request looks anew."""
    timings = Timings(checked_s=0)
    async with running_replicas(tmp_path, database, redis_server.url, timings=timings) as running:
        yield running


async def cluster_of(bridge: Bridge, http: aiohttp.ClientSession) -> tuple[int, str]:
    """The status of `/readyz`, and what it says of the replica's place among the others."""
    async with http.get(bridge.base_url + "/readyz") as answer:
        report: dict[str, Any] = await answer.json()
        return answer.status, next(one["message"] for one in report["checks"] if one["name"] == "cluster")


async def test_a_replica_without_redis_is_not_ready_until_it_is_back(
    replicas: list[Bridge], redis_server: RedisServer, http: aiohttp.ClientSession
) -> None:
    """The balancer sends new pages to those that can find out where their users are at home."""
    here, _ = replicas

    async def is_ready() -> bool:
        return await cluster_of(here, http) == (200, f"Replica {here.replica.id} is one of 2.")  # type: ignore[union-attr]

    async def is_away() -> bool:
        return await cluster_of(here, http) == (503, AWAY)

    await eventually(is_ready)
    with redis_server.stopped():
        await eventually(is_away)
    await eventually(is_ready)


async def test_without_redis_a_replica_takes_traffic_while_it_has_users(
    replicas: list[Bridge], redis_server: RedisServer, http: aiohttp.ClientSession
) -> None:
    """Else a balancer that asks for readiness loses all of them where all are without it (36)."""
    here, _ = replicas
    await settle_home(here, here.local_user.id)

    async def is_told() -> bool:
        status, told = await cluster_of(here, http)
        return status == 200 and told.startswith("Redis does not answer; the users at home here (1)")

    with redis_server.stopped():
        await eventually(is_told)


async def test_a_replica_that_drains_says_so(replicas: list[Bridge], http: aiohttp.ClientSession) -> None:
    """It serves on until the balancer has noticed, and its operator sees why it is not ready."""
    here, there = replicas
    await here.replica.leaving.drain(here.components, 0)  # type: ignore[union-attr]
    assert await cluster_of(here, http) == (503, DRAINING)
    assert (await cluster_of(there, http))[0] == 200
    told = await asyncio.to_thread(run_command, "doctor", "--url", here.base_url)
    assert told.status == 1
    assert DRAINING in told.output


async def test_the_canary_is_called_where_its_user_is_at_home_and_the_others_are_ready_without_it(
    tmp_path: Path, database: URL, redis_server: RedisServer, http: aiohttp.ClientSession
) -> None:
    """Elsewhere it has no page: a balancer that asks for readiness would be left with one replica."""
    settings: dict[str, Any] = {"canary_user": "canary", "canary_tool": "listProducts"}

    async def answer(_call: dict[str, Any]) -> dict[str, Any]:
        return json_answer({"ok": 1})

    async with running_replicas(tmp_path, database, redis_server.url, **settings) as (here, there):
        user = await here.components.users.ensure_user("canary")
        async with page_of(here, user.id, answer) as page:
            for bridge, told in ((here, "The canary call was answered."), (there, ELSEWHERE)):
                async with http.get(bridge.base_url + "/readyz") as reply:
                    report: dict[str, Any] = await reply.json()
                    [said] = [one["message"] for one in report["checks"] if one["name"] == "canary"]
                    assert (reply.status, said) == (200, told)
            assert len(page.calls) == 1
