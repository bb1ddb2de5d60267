"""Live replicas and hints about homes, over a real Redis that stops, freezes and forgets."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from bridge.cluster.ports import ClusterUnavailable, LiveReplica
from bridge.cluster.redis_connection import RedisConnection
from bridge.cluster.redis_directory import HEARTBEAT_TTL_S, WANTED_TTL_S, RedisDirectory
from bridge.homes import Home
from tests.support.stores.redis import RedisServer
from tests.support.waiting import eventually

BLUE = LiveReplica("blue", "http://10.0.0.5:8766", "ready", users=3, calls=2, version="0.1.0")
RED = LiveReplica("red", "http://10.0.0.6:8766", "draining", users=0, calls=0, version="0.1.0")


class Clock:
    """A monotonic clock that the test moves."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest_asyncio.fixture
async def connection(redis_server: RedisServer) -> AsyncIterator[RedisConnection]:
    made = RedisConnection(redis_server.url)
    yield made
    await made.close()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def directory(connection: RedisConnection, clock: Clock) -> RedisDirectory:
    return RedisDirectory(connection, monotonic=clock)


def age_redis(server: RedisServer) -> None:
    """Set back the time at which the server was first seen; waiting for it would take as long."""
    assert server.execute("HSET", "tool-bridge:cluster:born", "at", "0").startswith(":")


@pytest.mark.asyncio
async def test_a_replica_lives_as_its_last_heartbeat_said(directory: RedisDirectory) -> None:
    """Load and state change, the id does not."""
    assert await directory.list_replicas() == {}
    await directory.send_heartbeat(RED)
    await directory.send_heartbeat(BLUE)
    assert await directory.list_replicas() == {"blue": BLUE, "red": RED}
    await directory.remove_replica("red")
    assert await directory.list_replicas() == {"blue": BLUE}


@pytest.mark.slow
@pytest.mark.asyncio
async def test_a_replica_without_heartbeat_is_dead_after_four_seconds(directory: RedisDirectory) -> None:
    """Not before: others would take over from one that works."""
    await directory.send_heartbeat(BLUE)

    async def is_gone() -> bool:
        return not await directory.list_replicas()

    await eventually(is_gone, within_s=HEARTBEAT_TTL_S + 2)


@pytest.mark.asyncio
async def test_what_no_replica_of_this_version_wrote_is_left_out(
    directory: RedisDirectory, redis_server: RedisServer
) -> None:
    """During an update two versions run; a mistake of one must not stop the other."""
    await directory.send_heartbeat(BLUE)
    redis_server.execute("HSET", "tool-bridge:replicas", "odd", "[]")
    redis_server.execute("HSET", "tool-bridge:replicas", "new", '{"id": "new", "state": "asleep"}')
    assert await directory.list_replicas() == {"blue": BLUE}


@pytest.mark.asyncio
async def test_a_newer_home_is_never_replaced_by_an_older_one(directory: RedisDirectory) -> None:
    """Two replicas write their hints in either order."""
    assert await directory.hinted_home("u-1") is None
    for home in (Home("u-1", "blue", 7), Home("u-1", "red", 10), Home("u-1", "blue", 9)):
        await directory.remember_home(home)
    assert await directory.hinted_home("u-1") == Home("u-1", "red", 10)
    await directory.remember_home(Home("u-1", "", 11))
    assert await directory.hinted_home("u-1") == Home("u-1", "", 11)


@pytest.mark.asyncio
async def test_hints_are_forgotten_some_day(directory: RedisDirectory, redis_server: RedisServer) -> None:
    """Users who left would fill Redis otherwise."""
    await directory.remember_home(Home("u-1", "blue", 1))
    assert 0 < int(redis_server.execute("TTL", "tool-bridge:home:u-1")[1:]) <= 24 * 3600


@pytest.mark.asyncio
async def test_a_redis_that_was_just_seen_first_proves_nothing(
    directory: RedisDirectory, redis_server: RedisServer
) -> None:
    """It may have been started without what it knew; heartbeats come back within eight seconds."""
    assert not await directory.proves_absence()
    age_redis(redis_server)
    assert await directory.proves_absence()
    redis_server.flush()
    assert not await directory.proves_absence()


@pytest.mark.asyncio
async def test_a_redis_that_was_restarted_with_its_keys_proves_nothing(
    directory: RedisDirectory, redis_server: RedisServer
) -> None:
    """From a file, or promoted by a Sentinel: it has the keys, and has missed the heartbeats since."""
    assert not await directory.proves_absence()
    age_redis(redis_server)
    assert await directory.proves_absence()
    redis_server.execute("HSET", "tool-bridge:cluster:born", "run", "another")
    assert not await directory.proves_absence()


@pytest.mark.asyncio
async def test_who_could_not_reach_redis_first_lets_others_come_back(
    directory: RedisDirectory, redis_server: RedisServer, clock: Clock
) -> None:
    """A Redis that was frozen for long has forgotten every heartbeat, and the first to return is alone."""
    assert not await directory.proves_absence()
    age_redis(redis_server)
    with redis_server.frozen(), pytest.raises(ClusterUnavailable):
        await directory.send_heartbeat(BLUE)
    await directory.send_heartbeat(BLUE)
    assert not await directory.proves_absence()
    clock.now += HEARTBEAT_TTL_S
    assert await directory.proves_absence()


@pytest.mark.parametrize("how", ["stopped", "frozen"])
@pytest.mark.asyncio
async def test_a_redis_that_is_away_is_told_within_a_second_and_used_again(
    directory: RedisDirectory, redis_server: RedisServer, how: str
) -> None:
    """Stopped, it refuses; frozen, it keeps the connection and never answers."""
    await directory.send_heartbeat(BLUE)
    with redis_server.stopped() if how == "stopped" else redis_server.frozen():
        for asked in (
            directory.send_heartbeat(BLUE),
            directory.list_replicas(),
            directory.remember_home(Home("u-1", "blue", 1)),
            directory.hinted_home("u-1"),
            directory.proves_absence(),
            directory.remove_replica("blue"),
        ):
            with pytest.raises(ClusterUnavailable, match=rf"redis://127.0.0.1:{redis_server.port}/0: \w"):
                await asked  # and the log says why
    await directory.send_heartbeat(RED)
    assert RED.id in await directory.list_replicas()


@pytest.mark.asyncio
async def test_redis_is_reached_by_a_socket_too(redis_server: RedisServer) -> None:
    """For a Redis on the same machine."""
    connection = RedisConnection(redis_server.socket_url)
    try:
        await RedisDirectory(connection).send_heartbeat(BLUE)
        assert await RedisDirectory(connection).list_replicas() == {"blue": BLUE}
    finally:
        await connection.close()


@pytest.mark.asyncio
async def test_a_wish_for_a_user_stands_until_the_home_has_decided(directory: RedisDirectory) -> None:
    """Who asks knows by its absence that the home has looked; other homes do not see it."""
    home = Home("ann", "blue", 3)
    assert not await directory.is_wanted(home)
    await directory.want_user(home, "red")
    assert await directory.is_wanted(home)
    assert await directory.send_heartbeat(BLUE) == {"ann": "red"}
    assert await directory.send_heartbeat(RED) == {}
    await directory.settle_wanted("blue", "ann")
    assert not await directory.is_wanted(home)
    assert await directory.send_heartbeat(BLUE) == {}


@pytest.mark.asyncio
async def test_a_wish_that_nobody_looks_at_is_forgotten(
    directory: RedisDirectory, redis_server: RedisServer
) -> None:
    """Replicas are named anew at each start, so that nobody else would remove it."""
    await directory.want_user(Home("ann", "blue", 3), "red")
    left_s = redis_server.execute("TTL", "tool-bridge:wanted:blue")
    assert 0 < int(left_s.removeprefix(":")) <= WANTED_TTL_S
