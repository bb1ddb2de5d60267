"""Models of the two engines that replicas share, in memory, which can be away, forget and lag."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from bridge.cluster.ports import ClusterUnavailable, LiveReplica
from bridge.errors import BridgeError, ErrorCode
from bridge.homes import Home
from tests.support.cluster.tables import Tables

AnswerT = TypeVar("AnswerT")

TTL_S = 4.0
"""As the heartbeats of the real directory last."""


def now() -> float:
    return asyncio.get_running_loop().time()


@dataclass
class PostgresModel:
    """The table of homes."""

    tables: Tables = field(default_factory=Tables)
    open_work: set[str] = field(default_factory=set[str])
    """Users with runs that somebody must end."""
    is_away: bool = False
    questions: int = 0

    @property
    def homes(self) -> dict[str, Home]:
        return self.tables.homes

    async def find_home(self, user_id: str) -> Home | None:
        await self._answer()
        return self.tables.homes.get(user_id)

    async def claim_home(self, user_id: str, replica: str, held: Home | None) -> Home:
        await self._answer()
        return self.tables.claim_home(user_id, replica, held)

    async def release_home(self, home: Home) -> bool:
        await self._answer()
        return self.tables.release_home(home)

    async def list_homes(self, replica: str) -> Mapping[str, int]:
        await self._answer()
        return self.tables.list_homes(replica)

    async def claim_left(self, replica: str, live: Sequence[str], limit: int) -> Sequence[tuple[Home, Home]]:
        await self._answer()
        left = [home for home in self.homes.values() if home.replica not in live]
        left = [home for home in left if home.user_id in self.open_work][:limit]
        return [(home, self.tables.claim_home(home.user_id, replica, home)) for home in left]

    async def _answer(self) -> None:
        self.questions += 1
        await asyncio.sleep(0.001)
        if self.is_away:
            raise BridgeError(ErrorCode.DATABASE_UNAVAILABLE, "The database is away.", retryable=True)


@dataclass
class RedisModel:
    """Heartbeats and hints, as all replicas see them. Methods without `async` are what its scripts do.

    Held to Redis by `tests/cluster/test_directory_model.py`. That hints end after a day is not played.
    """

    heartbeats: dict[str, tuple[float, LiveReplica]] = field(
        default_factory=dict[str, tuple[float, LiveReplica]]
    )
    hints: dict[str, Home] = field(default_factory=dict[str, Home])
    wanted: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]])
    """Users by the replicas that are to hand them over, each with the replica that asks."""
    run: int = 0
    """Of the server: another one that takes over, or the same one restarted, has another."""
    seen: tuple[int, float] | None = (0, -60.0)
    """The run that was last asked for its age, and when it was first asked; one of the keys."""
    is_away: bool = False

    def flush(self) -> None:
        self.heartbeats.clear()
        self.hints.clear()
        self.wanted.clear()
        self.seen = None

    def copy_keys(self) -> "RedisModel":
        """Make what another server has that was told everything until now."""
        wanted = {replica: dict(users) for replica, users in self.wanted.items()}
        return RedisModel(dict(self.heartbeats), dict(self.hints), wanted, self.run, self.seen)

    def take_over(self, copied: "RedisModel") -> None:
        """Become another server, with the keys that it has."""
        self.heartbeats, self.hints, self.seen = dict(copied.heartbeats), dict(copied.hints), copied.seen
        self.wanted = {replica: dict(users) for replica, users in copied.wanted.items()}
        self.run += 1

    def pass_time(self, seconds: float) -> None:
        """Be so much later by the clock of the server, without waiting."""
        self.heartbeats = {name: (at - seconds, info) for name, (at, info) in self.heartbeats.items()}
        if self.seen is not None:
            self.seen = (self.seen[0], self.seen[1] - seconds)

    def note_heartbeat(self, info: LiveReplica) -> Mapping[str, str]:
        self.heartbeats[info.id] = (now(), info)
        return dict(self.wanted.get(info.id, {}))

    def list_replicas(self) -> Mapping[str, LiveReplica]:
        return {name: info for name, (at, info) in self.heartbeats.items() if now() - at < TTL_S}

    def read_ages(self) -> Mapping[str, float]:
        return {name: now() - at for name, (at, _) in self.heartbeats.items() if now() - at < TTL_S}

    def check_age(self) -> bool:
        """Whether it was first asked so long ago that no heartbeat can be missing."""
        if self.seen is None or self.seen[0] != self.run:
            self.seen = (self.run, now())
        return now() - self.seen[1] >= 2 * TTL_S

    def remember_home(self, home: Home) -> None:
        if (known := self.hints.get(home.user_id)) is None or known.epoch < home.epoch:
            self.hints[home.user_id] = home


@dataclass
class DirectoryModel:
    """One replica's way to Redis, which may be cut for it alone."""

    redis: RedisModel
    is_cut: bool = False
    questions: int = 0
    failed_at: float = float("-inf")

    async def send_heartbeat(self, info: LiveReplica) -> Mapping[str, str]:
        try:
            return await self._ask(lambda: self.redis.note_heartbeat(info))
        except ClusterUnavailable:
            self.failed_at = now()
            raise

    async def remove_replica(self, replica: str) -> None:
        await self._ask(lambda: self.redis.heartbeats.pop(replica, None))

    async def list_replicas(self) -> Mapping[str, LiveReplica]:
        return await self._ask(self.redis.list_replicas)

    async def read_ages(self) -> Mapping[str, float]:
        return await self._ask(self.redis.read_ages)

    async def proves_absence(self) -> bool:
        """Also waits for the heartbeats of others that what kept its own has kept."""
        return await self._ask(self.redis.check_age) and now() - self.failed_at >= TTL_S

    async def remember_home(self, home: Home) -> None:
        await self._ask(lambda: self.redis.remember_home(home))

    async def hinted_home(self, user_id: str) -> Home | None:
        return await self._ask(lambda: self.redis.hints.get(user_id))

    async def want_user(self, home: Home, asker: str) -> None:
        await self._ask(lambda: self.redis.wanted.setdefault(home.replica, {}).update({home.user_id: asker}))

    async def is_wanted(self, home: Home) -> bool:
        return await self._ask(lambda: home.user_id in self.redis.wanted.get(home.replica, {}))

    async def settle_wanted(self, replica: str, user_id: str) -> None:
        await self._ask(lambda: self.redis.wanted.get(replica, {}).pop(user_id, None))

    async def _ask(self, command: Callable[[], AnswerT]) -> AnswerT:
        self.questions += 1
        await asyncio.sleep(0.001)
        if self.is_cut or self.redis.is_away:
            await asyncio.sleep(1)
            raise ClusterUnavailable("no answer")
        return command()
