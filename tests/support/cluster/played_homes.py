"""Replicas that claim users from each other in one process, over models of Redis and PostgreSQL."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from bridge.cluster.counters import ReplicaCounters
from bridge.cluster.handovers import HandoverHooks, Handovers
from bridge.cluster.homes import HomeHooks, Homes
from bridge.cluster.membership import Membership, MembershipListeners, MembershipPorts
from bridge.cluster.ports import LiveReplica, ReplicaState
from bridge.homes import Home
from bridge.tasks import Tasks
from tests.support.cluster.engines import DirectoryModel, PostgresModel, RedisModel, now

USER = "user-1"


@dataclass
class Replica:
    """A replica whose process can be killed or frozen."""

    name: str
    database: PostgresModel
    redis: RedisModel
    entered: list[Home] = field(default_factory=list[Home])
    left: list[str] = field(default_factory=list[str])
    idle: set[str] = field(default_factory=set[str])
    busy: set[str] = field(default_factory=set[str])
    state: ReplicaState = "ready"
    slept_s: float = 0.0

    def __post_init__(self) -> None:
        self.tasks = Tasks()
        self.buried: asyncio.Future[float] = asyncio.get_running_loop().create_future()
        """When the other one was found dead."""
        self.counters = ReplicaCounters()
        self.directory = DirectoryModel(self.redis)
        ports = MembershipPorts(self.describe, lambda: now() + self.slept_s, self.check_homes)
        listeners = MembershipListeners(self.bury, self.follow_change, self.count_lapse, self.decide)
        self.membership = Membership(self.directory, ports, listeners)
        hooks = HomeHooks(self.enter, self.left.append, self.idle.__contains__)
        self.homes = Homes(
            self.name,
            self.database,
            self.directory,
            self.membership,
            hooks=hooks,
            tasks=self.tasks,
            counters=self.counters,
        )

        hands = HandoverHooks(lambda user_id: user_id not in self.busy, self.move)
        self.handovers = Handovers(self.homes, self.directory, self.membership, hands, self.tasks)

    def bury(self, replica: str) -> None:
        self.homes.forget_replica(replica)
        if not self.buried.done():
            self.buried.set_result(now())

    def follow_change(self) -> None:
        self.homes.replicas_changed()

    def count_lapse(self) -> None:
        self.counters.count("lapsed_leases")

    def decide(self, wanted: Mapping[str, str]) -> None:
        self.handovers.begin_deciding(wanted)

    async def move(self, user_id: str, to: str) -> None:
        self.homes.begin_move(user_id)
        await asyncio.sleep(0.01)  # rows are written
        await self.homes.give_up(user_id, to=to)

    def describe(self) -> LiveReplica:
        users = len(self.homes.user_ids)
        return LiveReplica(self.name, f"http://{self.name}", self.state, users, 0, "1")

    async def check_homes(self) -> None:
        await self.homes.check_homes()

    async def enter(self, home: Home) -> None:
        await asyncio.sleep(0.01)
        self.entered.append(home)

    async def start(self) -> None:
        await self.membership.beat_once()
        self.running = [
            self.tasks.start_task(self.membership.keep_beating(), "heartbeats"),
            self.tasks.start_task(self.homes.keep_homes(), "homes"),
        ]

    async def freeze(self, seconds: float) -> None:
        """Stop the process; when it goes on, its own clock shows the time that has passed."""
        for task in self.running:
            task.cancel()
        await asyncio.sleep(seconds)

    def thaw(self) -> None:
        self.running = [self.tasks.start_task(self.membership.keep_beating(), "heartbeats")]

    async def kill(self) -> None:
        await self.tasks.close()


@dataclass
class Cluster:
    database: PostgresModel = field(default_factory=PostgresModel)
    redis: RedisModel = field(default_factory=RedisModel)
    replicas: list[Replica] = field(default_factory=list[Replica])

    async def start_replica(self, name: str) -> Replica:
        replica = Replica(name, self.database, self.redis)
        await replica.start()
        self.replicas.append(replica)
        return replica


@asynccontextmanager
async def two_replicas() -> AsyncGenerator[tuple[Cluster, Replica, Replica]]:
    cluster = Cluster()
    first, second = await cluster.start_replica("a"), await cluster.start_replica("b")
    await asyncio.sleep(1.5)  # until each has seen the other
    yield cluster, first, second
    for replica in cluster.replicas:
        await replica.kill()


Two = tuple[Cluster, Replica, Replica]
