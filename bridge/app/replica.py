"""This bridge as one of several replicas: its place among the others, its users, and how it leaves.

Redis tells who lives, PostgreSQL decides who has which user; other replicas are answered on a listener of
their own. Started before the bridge serves anybody, stopped after it has served everybody.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Sequence
from functools import partial
from urllib.parse import urlsplit

from bridge import __version__
from bridge.app.composition import Components
from bridge.app.http_application import HTTP_PORT
from bridge.app.leaving import Leaving
from bridge.app.listening import listen_at
from bridge.app.part import AmongReplicas, Part
from bridge.app.readiness import Check, NotReady
from bridge.app.resident_work import compose_resident_work, describe_origin
from bridge.cluster.changes import Changes, ring_with
from bridge.cluster.counters import ReplicaCounters
from bridge.cluster.handovers import HandoverHooks, Handovers
from bridge.cluster.homes import HomeHooks, Homes
from bridge.cluster.membership import Membership, MembershipPorts
from bridge.cluster.ports import ClusterUnavailable, LiveReplica
from bridge.cluster.redis_bell import RedisBell
from bridge.cluster.redis_connection import RedisConnection
from bridge.cluster.redis_directory import RedisDirectory
from bridge.cluster.relay import Relay
from bridge.cluster.residents import Residents
from bridge.cluster.shared_limits import SharedLimits
from bridge.homes import held_epochs
from bridge.log_lines import name_replica
from bridge.metrics.metric_definitions import StateGauges
from bridge.operating_system import read_boottime
from bridge.settings.cluster import ClusterSettings
from bridge.storage.database import Engines
from bridge.storage.replicas.change_counters import ChangeCounters
from bridge.storage.replicas.cluster_facts import ClusterFacts, check_facts, fingerprint_keys
from bridge.storage.replicas.homes import HomeTable
from bridge.storage.replicas.left_work import LeftWorkTable
from bridge.storage.replicas.relayed_records import RelayedRecords
from bridge.storage.store import Store, StoreHooks, fenced_sessions
from bridge.tasks import Tasks
from bridge.timings import Timings

_log = logging.getLogger(__name__)


class Replica(Part):
    """One of several replicas. Made on the running event loop."""

    def __init__(
        self, settings: ClusterSettings, engines: Engines, secret: bytes, *, timings: Timings
    ) -> None:
        """`secret`: the same in all replicas."""
        if settings.redis_url is None or settings.replica_url is None:
            raise ValueError("check_cluster comes first")
        self.id = secrets.token_hex(8)
        self._url = settings.replica_url
        self._secret = secret
        self._tasks = Tasks()
        self._connection = RedisConnection(settings.redis_url, timings.redis_s)
        self._directory = RedisDirectory(self._connection, counts_s=timings.counts_s)
        self._bell = RedisBell(self._connection)
        self._counters = ReplicaCounters()
        self._count_calls = lambda: 0
        ports = MembershipPorts(self._describe, read_boottime, self._check_homes)
        self._membership = Membership(self._directory, ports, timings)
        self._membership.on_lapse(lambda: self._counters.count("lapsed_leases"))
        self._residents = Residents(self._tasks)
        hooks = HomeHooks(self._residents.enter, self._residents.leave, self._residents.is_idle)
        self.homes = Homes(
            self.id,
            HomeTable(fenced_sessions(engines)),
            self._directory,
            self._membership,
            hooks=hooks,
            tasks=self._tasks,
            counters=self._counters,
        )
        self.leaving = Leaving(self.homes, self._membership, self._residents, settings.drain_s)
        self.hooks = StoreHooks(
            on_commit=ring_with(self._bell, self._tasks),
            on_fence=lambda: self._counters.count("fenced_writes"),
            epoch_of=held_epochs(self.homes),
            origin_of=partial(describe_origin, self.homes),
            is_shared=True,
        )
        """What the store of this replica calls."""
        name_replica(self.id)

    def open_relay(self, store: Store, *, is_straight: bool) -> AmongReplicas:
        """Return what other parts of the bridge need of it.

        `is_straight`: whether requests are passed on by the insides of aiohttp.

        Raises:
            AddressInUse: nothing can listen at the address by which others reach this replica.
        """
        address = urlsplit(self._url)
        relay = Relay(
            self.homes,
            self._residents,
            RelayedRecords(store),
            secret=self._secret,
            listener=listen_at(address.hostname or "", address.port or HTTP_PORT),
            counters=self._counters,
            is_straight=is_straight,
        )
        self._membership.on_death(relay.router.cut_replica)
        answers = relay.find_answers(self._membership)
        return AmongReplicas(self, relay, relay.find_route, SharedLimits(self._connection), answers)

    async def join(self, parts: Components, key_ids: Sequence[str]) -> None:
        """Become one of the replicas, before anything is read into memory.

        `key_ids`: of the keys that encrypt what is stored.

        Raises:
            StoreError: a single bridge uses the database, or the keys differ from those of the others.
            BridgeError: `database_unavailable`.
        """
        claim, decided = parts.store.claim, parts.store.fenced_sessions
        await claim.take_claim()
        facts, is_alone = ClusterFacts(decided), await claim.is_alone()
        await check_facts(facts, fingerprint_keys(self._secret, key_ids), is_alone=is_alone)
        self._residents.take_work(compose_resident_work(parts, LeftWorkTable(decided)))
        followed = [each for part in parts.parts for each in part.list_followed()]
        # Last the browsers: a frozen page takes a second to leave.
        followed.sort(key=lambda each: "devices" in each[0])
        self._changes = Changes(ChangeCounters(parts.store), self._bell, self._tasks, followed)
        await self._changes.read_first()
        self._count_calls = parts.dispatcher.count_open
        self._membership.on_change(lambda: parts.controls.limits.divide_among(len(self._membership.live)))

    def list_checks(self) -> Sequence[Check]:
        """Return the check of the place among the others."""
        return [Check("cluster", self.check_ready, self._tasks)]

    def set_gauges(self, gauges: StateGauges) -> None:
        """Count the users at home here."""
        gauges.homes.set(len(self.homes.user_ids))

    async def begin(self, parts: Components) -> None:
        """Say that this replica lives, and begin what runs until it stops; after `join`."""

        async def move(user_id: str, to: str) -> None:
            await self.leaving.move_user(parts, user_id, until=0.0, to=to)

        hooks = HandoverHooks(self._residents.is_free, move)
        Handovers(self.homes, self._directory, self._membership, hooks, self._tasks)
        parts.gateway.start_beats()
        await self._membership.beat_once()
        for work, name in (
            (self._membership.keep_beating, "heartbeats"),
            (self._bell.listen, "the bell"),
            (self._changes.keep_looking, "changes of other replicas"),
            (self.homes.keep_homes, "homes"),
            (partial(self._directory.keep_telling, self.id, self._counters.read_counts), "counters"),
        ):
            self._tasks.keep_running(work, name)
        _log.info("Replica %s, reached by others at %s.", self.id, self._url)

    async def check_ready(self) -> str:
        """Return a sentence about this replica's place among the others.

        Without Redis it takes traffic as long as it has users, whom nobody takes from it if all replicas are
        without.

        Raises:
            NotReady: it takes no traffic.
        """
        if not self._membership.is_connected:
            if users := len(self.homes.user_ids):
                return f"Redis does not answer; the users at home here ({users}) are served, and nobody else."
            raise NotReady("Redis does not answer, by which replicas find each other.")
        if not self._membership.is_awake:
            raise NotReady("This replica did not run for a while, and looks which users it still has.")
        number = len(self._membership.live)
        return f"Replica {self.id} is one of {number}." if number > 1 else f"Replica {self.id} is alone."

    async def close(self) -> None:
        """Stop being a replica; users who are still at home here are left to whoever takes them."""
        await self._tasks.close()
        try:
            await self._directory.remove_replica(self.id)
        except ClusterUnavailable:
            _log.warning("Redis does not answer; others notice within seconds that this replica is gone.")
        await self._connection.close()

    def _describe(self) -> LiveReplica:
        users, calls = len(self.homes.user_ids), self._count_calls()
        return LiveReplica(self.id, self._url, self.leaving.state, users, calls, __version__)

    async def _check_homes(self) -> None:
        await self.homes.check_homes()
