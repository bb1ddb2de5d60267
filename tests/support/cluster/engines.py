"""Models of the two engines that replicas share, in memory, which can be away, forget and lag."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from bridge.cluster.ports import ClusterUnavailable, LiveReplica
from bridge.errors import BridgeError, ErrorCode
from bridge.homes import Home

TTL_S = 4.0
"""As the heartbeats of the real directory last."""


def now() -> float:
    return asyncio.get_running_loop().time()


@dataclass
class PostgresModel:
    """The table of homes."""

    homes: dict[str, Home] = field(default_factory=dict[str, Home])
    open_work: set[str] = field(default_factory=set[str])
    """Users with calls or runs that somebody must end."""
    is_away: bool = False
    claims: int = 0
    questions: int = 0

    async def find_home(self, user_id: str) -> Home | None:
        await self._answer()
        return self.homes.get(user_id)

    async def claim_home(self, user_id: str, replica: str, held: Home | None) -> Home:
        await self._answer()
        present = self.homes.get(user_id)
        if present == held:
            self.claims += 1
            self.homes[user_id] = Home(user_id, replica, (present.epoch if present else 0) + 1)
        return self.homes[user_id]

    async def release_home(self, home: Home) -> bool:
        await self._answer()
        if self.homes.get(home.user_id) != home:
            return False
        self.homes[home.user_id] = Home(home.user_id, "", home.epoch + 1)
        return True

    async def list_homes(self, replica: str) -> Mapping[str, int]:
        await self._answer()
        return {home.user_id: home.epoch for home in self.homes.values() if home.replica == replica}

    async def claim_left(self, replica: str, live: Sequence[str], limit: int) -> Sequence[tuple[Home, Home]]:
        await self._answer()
        left = [home for home in self.homes.values() if home.replica not in live]
        left = [home for home in left if home.user_id in self.open_work][:limit]
        return [(home, await self.claim_home(home.user_id, replica, home)) for home in left]

    async def _answer(self) -> None:
        self.questions += 1
        await asyncio.sleep(0.001)
        if self.is_away:
            raise BridgeError(ErrorCode.STORE_UNAVAILABLE, "The database is away.", retryable=True)


@dataclass
class RedisModel:
    """Heartbeats and hints, as all replicas see them."""

    heartbeats: dict[str, tuple[float, LiveReplica]] = field(
        default_factory=dict[str, tuple[float, LiveReplica]]
    )
    hints: dict[str, Home] = field(default_factory=dict[str, Home])
    born_at: float = -60.0
    is_away: bool = False

    def flush(self) -> None:
        self.heartbeats.clear()
        self.hints.clear()
        self.born_at = now()


@dataclass
class DirectoryModel:
    """One replica's way to Redis, which may be cut for it alone."""

    redis: RedisModel
    is_cut: bool = False
    questions: int = 0

    async def send_heartbeat(self, info: LiveReplica) -> None:
        await self._answer()
        self.redis.heartbeats[info.id] = (now(), info)

    async def remove_replica(self, replica: str) -> None:
        await self._answer()
        self.redis.heartbeats.pop(replica, None)

    async def list_replicas(self) -> Mapping[str, LiveReplica]:
        await self._answer()
        return {name: info for name, (at, info) in self.redis.heartbeats.items() if now() - at < TTL_S}

    async def proves_absence(self) -> bool:
        await self._answer()
        return now() - self.redis.born_at >= 2 * TTL_S

    async def remember_home(self, home: Home) -> None:
        await self._answer()
        if (known := self.redis.hints.get(home.user_id)) is None or known.epoch < home.epoch:
            self.redis.hints[home.user_id] = home

    async def hinted_home(self, user_id: str) -> Home | None:
        await self._answer()
        return self.redis.hints.get(user_id)

    async def _answer(self) -> None:
        self.questions += 1
        await asyncio.sleep(0.001)
        if self.is_cut or self.redis.is_away:
            await asyncio.sleep(1)
            raise ClusterUnavailable("no answer")


Describe = Callable[[], LiveReplica]
