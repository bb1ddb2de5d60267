"""What several replicas show of themselves: counters, and which of them wrote an entry or a line."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import pytest_asyncio
from sqlalchemy import URL

from bridge.app.server import Bridge
from bridge.timings import Timings
from tests.support.cluster.replicas import replica_settings, running_replicas
from tests.support.commands import run_command
from tests.support.running_bridge import json_answer, page_of, running_bridge
from tests.support.stores.databases import execute
from tests.support.stores.postgresql import PostgresServer
from tests.support.stores.redis import RedisServer
from tests.support.waiting import eventually

pytestmark = pytest.mark.asyncio

ADD = "/tools/addProduct"


@pytest.fixture
def database(postgres_server: PostgresServer) -> Iterator[URL]:
    with postgres_server.database() as url:
        yield url


@pytest_asyncio.fixture
async def two(tmp_path: Path, database: URL, redis_server: RedisServer) -> AsyncIterator[list[Bridge]]:
    """Two replicas that tell their counters ten times a second."""
    timings = Timings(counts_s=0.1)
    async with running_replicas(tmp_path, database, redis_server.url, timings=timings) as running:
        yield running


def id_of(bridge: Bridge) -> str:
    assert bridge.replica is not None
    return bridge.replica.id


async def add_product(http: aiohttp.ClientSession, bridge: Bridge, key: str) -> tuple[int, Any]:
    headers = {"Authorization": f"Bearer {key}"}
    async with http.post(bridge.base_url + ADD, json={"name": "cup"}, headers=headers) as response:
        return response.status, await response.json()


async def read_counts(redis: RedisServer) -> dict[str, dict[str, int]]:
    """The counters of each replica, as a monitor reads them."""
    told = await asyncio.to_thread(run_command, "replicas", "--json", "--redis", redis.url)
    return {one["id"]: one["counts"] for one in json.loads(told.output)["replicas"]}


async def answered(_call: object) -> dict[str, Any]:
    return json_answer({"ok": True})


async def test_a_monitor_reads_what_replicas_count(
    two: list[Bridge], redis_server: RedisServer, http: aiohttp.ClientSession
) -> None:
    """By one command, for all replicas, at whichever machine it runs."""
    here, there = two
    async with page_of(here, here.local_user.id, answered):
        assert (await add_product(http, there, here.key))[0] == 200

        async def told() -> bool:
            counts = await read_counts(redis_server)
            passed = {name: each.get("passed_on", 0) for name, each in counts.items()}
            claims = {name: each.get("claims_first", 0) for name, each in counts.items()}
            return passed == {id_of(here): 0, id_of(there): 1} and claims == {id_of(here): 1, id_of(there): 0}

        await eventually(told, within_s=20)


async def test_a_write_that_the_fence_refuses_is_counted(
    two: list[Bridge], database: URL, redis_server: RedisServer, http: aiohttp.ClientSession
) -> None:
    """After a freeze it is right, and at any other time it is a fault; nothing else tells of it."""
    here, there = two
    async with page_of(here, here.local_user.id, answered):
        assert (await add_product(http, here, here.key))[0] == 200
        claim = f"UPDATE homes SET replica = '{id_of(there)}', epoch = epoch + 1"
        await asyncio.to_thread(execute, database, claim)
        status, told = await add_product(http, here, here.key)
        assert told["error"]["code"] == "replica_lost", (status, told)

        async def counted() -> bool:
            return (await read_counts(redis_server))[id_of(here)].get("fenced_writes") == 1

        await eventually(counted, within_s=20)


async def test_an_entry_of_the_audit_log_names_replica_epoch_and_request(
    two: list[Bridge], http: aiohttp.ClientSession
) -> None:
    """What happened to a user is read in one place, though it was done in several."""
    here, there = two
    async with page_of(here, here.local_user.id, answered) as page:
        assert (await add_product(http, there, here.key))[0] == 200
        entries = (await page.get("/api/audit"))["entries"]
        accepted = next(one for one in entries if one["kind"] == "acceptance")
        called = next(one for one in entries if one["kind"] == "call")
        assert accepted["detail"]["replica"] == id_of(here)
        assert accepted["detail"]["epoch"] == 1
        assert called["detail"]["epoch"] == 1
        assert len(called["detail"]["request"]) == 32, "it was passed on"


async def test_replicas_print_one_key_whatever_folder_they_have(
    tmp_path: Path, database: URL, redis_server: RedisServer
) -> None:
    """A container has a new folder at each start, and every key that was printed would stay valid."""
    settings = replica_settings(redis_server.url, "ab" * 32)

    async def start_and_stop(name: str) -> tuple[str, list[str]]:
        (folder := tmp_path / name).mkdir()
        async with running_bridge(folder, database=database, **settings) as bridge:
            keys = await bridge.components.users.list_keys(bridge.local_user.id)
            return bridge.key, [key.id for key in keys]

    first, only = await start_and_stop("first")
    assert await start_and_stop("second") == (first, only)
    await asyncio.to_thread(execute, database, "DELETE FROM api_keys")
    own, other = await start_and_stop("third")
    assert own != first, "a key that was revoked never comes back"
    assert len(other) == 1
