"""What all replicas count together, over a real Redis."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from bridge.cluster.redis_connection import RedisConnection
from bridge.cluster.shared_limits import SharedLimits
from bridge.errors import BridgeError
from tests.support.stores.redis import RedisServer


@pytest_asyncio.fixture
async def limits(redis_server: RedisServer) -> AsyncIterator[tuple[SharedLimits, SharedLimits]]:
    connections = [RedisConnection(redis_server.url) for _ in range(2)]
    yield SharedLimits(connections[0]), SharedLimits(connections[1])
    for connection in connections:
        await connection.close()


@pytest.mark.asyncio
async def test_a_value_is_spent_once_at_all_replicas(limits: tuple[SharedLimits, SharedLimits]) -> None:
    """A signed challenge that was overheard opens no second session at another replica."""
    blue, red = limits
    assert await blue.spend_once("nonce", 60)
    assert not await red.spend_once("nonce", 60)
    assert await red.spend_once("other", 60)


@pytest.mark.asyncio
async def test_replicas_count_together(
    limits: tuple[SharedLimits, SharedLimits], redis_server: RedisServer
) -> None:
    """Otherwise whoever guesses has as many attempts as there are replicas."""
    blue, red = limits
    assert [await blue.count_within("pairing", 60), await red.count_within("pairing", 60)] == [1, 2]
    assert await blue.count_within("keys", 60) == 1
    assert 0 < int(redis_server.execute("TTL", "tool-bridge:count:pairing")[1:]) <= 60


@pytest.mark.asyncio
async def test_a_count_can_be_read_without_counting(limits: tuple[SharedLimits, SharedLimits]) -> None:
    """Somebody who confirms a browser makes no wrong attempt by looking whether there were too many."""
    blue, red = limits
    assert await red.read_count("codes") == 0
    await blue.count_within("codes", 60)
    assert [await red.read_count("codes") for _ in range(2)] == [1, 1]


@pytest.mark.asyncio
async def test_without_redis_nothing_is_allowed(
    limits: tuple[SharedLimits, SharedLimits], redis_server: RedisServer
) -> None:
    """It fails closed: nobody can say what was spent elsewhere."""
    with redis_server.stopped():
        for asked in (
            limits[0].spend_once("nonce", 60),
            limits[0].count_within("pairing", 60),
            limits[1].read_count("x"),
        ):
            with pytest.raises(BridgeError) as refused:
                await asked
            assert refused.value.error.code == "cluster_unavailable"
