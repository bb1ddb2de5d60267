"""What all replicas count together in Redis, because it protects secrets; without Redis it is refused."""

from __future__ import annotations

from bridge.cluster.ports import ClusterUnavailable
from bridge.cluster.redis_connection import KEY_PREFIX, RedisConnection
from bridge.errors import BridgeError, ErrorCode

_COUNT = """local count = redis.call('INCR', KEYS[1])
if count == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
return count"""


class SharedLimits:
    """Counts of all replicas.

    Raises, in every coroutine:
        BridgeError: `cluster_unavailable`: Redis does not answer, so nothing is allowed.
    """

    def __init__(self, connection: RedisConnection) -> None:
        self._connection = connection

    async def spend_once(self, value: str, seconds: float) -> bool:
        """Return whether nobody has spent this value within so many seconds; now it is spent."""
        key = f"{KEY_PREFIX}spent:{value}"
        try:
            done = await self._connection.execute("SET", key, 1, "NX", "PX", round(seconds * 1000))
        except ClusterUnavailable:
            raise _refused() from None
        return done is not None

    async def count_within(self, name: str, seconds: float) -> int:
        """Count one more under a name, and return how many there are since the first of a span of seconds."""
        key = f"{KEY_PREFIX}count:{name}"
        try:
            return int(await self._connection.evaluate(_COUNT, (key,), round(seconds * 1000)))
        except ClusterUnavailable:
            raise _refused() from None

    async def read_count(self, name: str) -> int:
        """Return how many were counted under a name in the present span, without counting."""
        try:
            return int(await self._connection.execute("GET", f"{KEY_PREFIX}count:{name}") or 0)
        except ClusterUnavailable:
            raise _refused() from None


def _refused() -> BridgeError:
    return BridgeError(
        ErrorCode.CLUSTER_UNAVAILABLE,
        "The replicas of the bridge cannot agree now, because Redis does not answer.",
        retryable=True,
    )
