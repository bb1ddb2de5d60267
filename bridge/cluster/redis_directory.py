"""The live replicas and hints about homes, in Redis."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict
from typing import Any

from bridge.cluster.ports import HEARTBEAT_TTL_S, ClusterUnavailable, LiveReplica, ReplicaState
from bridge.cluster.redis_connection import KEY_PREFIX, RedisConnection
from bridge.homes import Home
from bridge.tasks import sleep_safely
from bridge.timings import USUAL_TIMINGS

HINT_TTL_S = 24 * 3600
"""Seconds after which a hint that nobody renews is forgotten; PostgreSQL knows better anyway."""

WANTED_TTL_S = 30
"""Seconds after which a wish for a user is forgotten: longer than anybody waits for its answer."""

_REPLICAS = f"{KEY_PREFIX}replicas"
_LAST = f"{KEY_PREFIX}replicas:until"
_BORN = f"{KEY_PREFIX}cluster:born"

COUNTS_TTL_S = 60
"""Seconds for which the counters of a replica can be read after it told them last."""

_NOW = "local time = redis.call('TIME'); local now = time[1] * 1000 + math.floor(time[2] / 1000);"

_BEAT = f"""{_NOW}
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('ZADD', KEYS[2], now + ARGV[3], ARGV[1])
return redis.call('HGETALL', KEYS[3])"""

_LIST = f"""{_NOW}
local dead = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now)
for _, id in ipairs(dead) do redis.call('HDEL', KEYS[1], id); redis.call('ZREM', KEYS[2], id) end
return redis.call('HVALS', KEYS[1])"""

# A server that was restarted, or that a Sentinel promoted, has another run_id. It may have come with keys
# from a file or from its predecessor, but heartbeats that it did not see are missing.
_AGE = f"""{_NOW}
local run = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)') or ''
local known = redis.call('HMGET', KEYS[1], 'run', 'at')
if known[1] ~= run then
  redis.call('HSET', KEYS[1], 'run', run, 'at', now)
  return 0
end
return now - known[2]"""

_AGES = f"""{_NOW}
local found = redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES')
for i = 2, #found, 2 do found[i] = tostring(ARGV[1] - (found[i] - now)) end
return found"""

_REMEMBER = """local known = redis.call('HGET', KEYS[1], 'epoch')
if known and tonumber(known) >= tonumber(ARGV[2]) then return 0 end
redis.call('HSET', KEYS[1], 'replica', ARGV[1], 'epoch', ARGV[2])
redis.call('EXPIRE', KEYS[1], ARGV[3])
return 1"""

_WANT = """redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('EXPIRE', KEYS[1], ARGV[3])
return 1"""


class RedisDirectory:
    """`ReplicaDirectory` in Redis. All times of heartbeats are those of Redis's clock."""

    def __init__(
        self,
        connection: RedisConnection,
        *,
        monotonic: Callable[[], float] = time.monotonic,
        counts_s: float = USUAL_TIMINGS.counts_s,
    ) -> None:
        """`counts_s`: as in `Timings`."""
        self._connection = connection
        self._counts_s = counts_s
        self._monotonic = monotonic
        self._failed_at = float("-inf")

    async def send_heartbeat(self, info: LiveReplica) -> Mapping[str, str]:
        """Say that a replica lives; returns its users about whom it has to decide."""
        told = json.dumps(asdict(info))
        lasting = int(HEARTBEAT_TTL_S * 1000)
        keys = (_REPLICAS, _LAST, _wanted_key(info.id))
        try:
            wanted = await self._connection.evaluate(_BEAT, keys, info.id, told, lasting)
        except ClusterUnavailable:
            self._failed_at = self._monotonic()
            raise
        return dict(zip(wanted[::2], wanted[1::2], strict=True))

    async def remove_replica(self, replica: str) -> None:
        """Say that a replica has stopped."""
        await self._connection.execute("ZREM", _LAST, replica)
        await self._connection.execute("HDEL", _REPLICAS, replica)

    async def list_replicas(self) -> Mapping[str, LiveReplica]:
        """Return the live replicas by their ids; what no replica of this version wrote is left out."""
        told = await self._connection.evaluate(_LIST, (_REPLICAS, _LAST))
        read = [_replica_of(text) for text in told]
        return {replica.id: replica for replica in read if replica is not None}

    async def read_ages(self) -> Mapping[str, float]:
        """Return how many seconds ago each replica sent its last heartbeat."""
        lasting = int(HEARTBEAT_TTL_S * 1000)
        told = await self._connection.evaluate(_AGES, (_LAST,), lasting)
        return {name: float(age) / 1000 for name, age in zip(told[::2], told[1::2], strict=True)}

    async def write_counts(self, replica: str, counts: Mapping[str, int]) -> None:
        """Tell the counters of a replica to whoever watches it."""
        await self._connection.execute("SET", _counts_key(replica), json.dumps(counts), "EX", COUNTS_TTL_S)

    async def keep_telling(self, replica: str, read_counts: Callable[[], Mapping[str, int]]) -> None:
        """Write the counters of a replica until cancelled; while Redis is away no one reads them."""
        while True:
            with suppress(ClusterUnavailable):
                await self.write_counts(replica, read_counts())
            await sleep_safely(self._counts_s)

    async def read_counts(self, replica: str) -> Mapping[str, int]:
        """Return the counters of a replica; empty: it has told none, or only ones that cannot be read."""
        text = await self._connection.execute("GET", _counts_key(replica))
        try:
            told: dict[str, Any] = json.loads(text or "{}")
            return {str(name): int(number) for name, number in told.items()}
        except (ValueError, TypeError, AttributeError):
            return {}

    async def proves_absence(self) -> bool:
        """Return whether a missing heartbeat means that a replica is dead.

        What kept this replica's heartbeats from Redis kept those of others, so that it also waits for theirs.
        """
        age = int(await self._connection.evaluate(_AGE, (_BORN,)))
        has_waited = self._monotonic() - self._failed_at >= HEARTBEAT_TTL_S
        return has_waited and age >= 2 * HEARTBEAT_TTL_S * 1000

    async def remember_home(self, home: Home) -> None:
        """Leave a hint where a user is at home; an older epoch never replaces a newer one."""
        key = (_home_key(home.user_id),)
        await self._connection.evaluate(_REMEMBER, key, home.replica, home.epoch, HINT_TTL_S)

    async def hinted_home(self, user_id: str) -> Home | None:
        """Return the hint about a user."""
        replica, epoch = await self._connection.execute("HMGET", _home_key(user_id), "replica", "epoch")
        return None if epoch is None else Home(user_id, replica, int(epoch))

    async def want_user(self, home: Home, asker: str) -> None:
        """Ask the replica of a home to hand its user over to the asker."""
        key = (_wanted_key(home.replica),)
        await self._connection.evaluate(_WANT, key, home.user_id, asker, WANTED_TTL_S)

    async def is_wanted(self, home: Home) -> bool:
        """Return whether the replica of a home has still to decide about its user."""
        return bool(await self._connection.execute("HEXISTS", _wanted_key(home.replica), home.user_id))

    async def settle_wanted(self, replica: str, user_id: str) -> None:
        """Say that a replica has decided about a user."""
        await self._connection.execute("HDEL", _wanted_key(replica), user_id)


def _counts_key(replica: str) -> str:
    return f"{KEY_PREFIX}counts:{replica}"


def _home_key(user_id: str) -> str:
    return f"{KEY_PREFIX}home:{user_id}"


def _wanted_key(replica: str) -> str:
    return f"{KEY_PREFIX}wanted:{replica}"


_STATES: Mapping[str, ReplicaState] = {"ready": "ready", "draining": "draining"}


def _replica_of(text: str) -> LiveReplica | None:
    """Parse what a heartbeat wrote; a newer version may write more."""
    try:
        told: dict[str, Any] = json.loads(text)
        return LiveReplica(
            id=str(told["id"]),
            url=str(told["url"]),
            state=_STATES[told["state"]],
            users=int(told["users"]),
            calls=int(told["calls"]),
            version=str(told["version"]),
        )
    except (ValueError, TypeError, KeyError):
        return None
