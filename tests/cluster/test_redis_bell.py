"""The bell between replicas, over a real Redis that stops and freezes."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest

from bridge.cluster.redis_bell import RedisBell
from bridge.cluster.redis_connection import RedisConnection
from bridge.tasks import Tasks
from tests.support.stores.redis import RedisServer
from tests.support.waiting import eventually


@asynccontextmanager
async def listening(server: RedisServer) -> AsyncGenerator[tuple[RedisBell, list[str | None]]]:
    """A bell of one replica, and the topics that it heard; None: it may have missed some."""
    connection, tasks, heard = RedisConnection(server.url), Tasks(), list[str | None]()
    bell = RedisBell(connection)
    tasks.start_task(bell.listen(heard.append), "the bell")
    try:
        await eventually(lambda: bell.is_listening)
        yield bell, heard
    finally:
        await tasks.close()
        await connection.close()


@pytest.mark.asyncio
async def test_a_ring_wakes_the_others_and_not_who_rings(redis_server: RedisServer) -> None:
    """Who rings knows already. Whoever starts to listen has missed everything before."""
    async with listening(redis_server) as (blue, heard_blue), listening(redis_server) as (_, heard_red):
        assert (heard_blue, heard_red) == ([None], [None])
        await blue.ring("keys")
        await blue.ring("limits")
        await eventually(lambda: heard_red[1:] == ["keys", "limits"])
        assert heard_blue == [None]


@pytest.mark.parametrize("how", ["stopped", "frozen"])
@pytest.mark.asyncio
async def test_whoever_was_deaf_looks_at_everything_afterwards(redis_server: RedisServer, how: str) -> None:
    """Redis keeps no message for who does not listen; a connection that is silent is tried."""
    async with listening(redis_server) as (bell, heard):
        heard.clear()
        with redis_server.stopped() if how == "stopped" else redis_server.frozen():
            await eventually(lambda: not bell.is_listening)
            await bell.ring("keys")
        await eventually(lambda: heard == [None])


@pytest.mark.asyncio
async def test_a_connection_on_which_nothing_happens_is_kept(redis_server: RedisServer) -> None:
    """Pings are answered: a quiet bell is not taken for a lost one, which would wake everybody."""
    async with listening(redis_server) as (bell, heard):
        heard.clear()
        before = count_pings(redis_server)
        await eventually(lambda: count_pings(redis_server) >= before + 2)
        assert (bell.is_listening, heard) == (True, [])


COUNT_PINGS = (
    "return tonumber(string.match(redis.call('INFO', 'commandstats'), 'cmdstat_ping:calls=(%d+)') or 0)"
)


def count_pings(server: RedisServer) -> int:
    return int(server.execute("EVAL", COUNT_PINGS, "0")[1:])
