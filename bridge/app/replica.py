"""This bridge as one of several replicas: its place among the others, its users, and how it leaves.

Redis tells who lives, PostgreSQL decides who has which user; other replicas are answered on a listener of
their own. Started before the bridge serves anybody, stopped after it has served everybody.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Mapping, Sequence
from functools import partial

from bridge import __version__
from bridge.app.composition import Components
from bridge.app.leaving import Leaving
from bridge.app.listening import listen_at_url
from bridge.app.part import AmongReplicas, Part
from bridge.app.resident_work import compose_resident_work, describe_origin
from bridge.cluster.changes import Changes, ring_with
from bridge.cluster.counters import ReplicaCounters
from bridge.cluster.handovers import HandoverHooks, Handovers
from bridge.cluster.homes import HomeHooks, Homes
from bridge.cluster.membership import Membership, MembershipListeners, MembershipPorts
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
from bridge.readiness.readiness import Check
from bridge.readiness.readiness_checks import check_place
from bridge.settings.cluster import ClusterSettings
from bridge.storage.database import Engines
from bridge.storage.replicas.change_counters import ChangeCounters
from bridge.storage.replicas.cluster_facts import ClusterFacts, check_facts, fingerprint_keys
from bridge.storage.replicas.homes import HomeTable
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
        self._joined: Components | None = None
        self._membership = self._make_membership(timings)
        self._residents = Residents(self._tasks, lambda: compose_resident_work(self._parts))
        self.homes = Homes(
            self.id,
            HomeTable(fenced_sessions(engines)),
            self._directory,
            self._membership,
            hooks=HomeHooks(self._residents.enter, self._residents.leave, self._residents.is_idle),
            tasks=self._tasks,
            counters=self._counters,
        )
        self.leaving = Leaving(self.homes, self._membership, self._residents, settings.drain_s)
        hands = HandoverHooks(self._residents.is_free, self._move_user)
        self._handovers = Handovers(self.homes, self._directory, self._membership, hands, self._tasks)
        self.hooks = StoreHooks(
            on_commit=ring_with(self._bell, self._tasks),
            on_fence=partial(self._counters.count, "fenced_writes"),
            epoch_of=held_epochs(self.homes),
            origin_of=partial(describe_origin, self.homes),
            is_shared=True,
        )
        """What the store of this replica calls."""
        name_replica(self.id)

    def _make_membership(self, timings: Timings) -> Membership:
        ports = MembershipPorts(self._describe, read_boottime, self._check_homes)
        count_lapse = partial(self._counters.count, "lapsed_leases")
        listeners = MembershipListeners(self._bury, self._follow_change, count_lapse, self._decide)
        return Membership(self._directory, ports, listeners, timings)

    def open_relay(self, store: Store) -> AmongReplicas:
        """Return what other parts of the bridge need of it.

        Raises:
            AddressInUse: nothing can listen at the address by which others reach this replica.
        """
        self._relay = Relay(
            self.homes,
            self._residents,
            RelayedRecords(store),
            secret=self._secret,
            listener=listen_at_url(self._url),
            counters=self._counters,
        )
        answers = self._relay.find_answers(self._membership)
        return AmongReplicas(
            self, self._relay, self._relay.find_route, SharedLimits(self._connection), answers
        )

    async def join(self, parts: Components, key_ids: Sequence[str]) -> None:
        """Become one of the replicas, before anything is read into memory.

        `key_ids`: of the keys that encrypt what is stored.

        Raises:
            StoreError: a single bridge uses the database, or the keys differ from those of the others.
            BridgeError: `database_unavailable`.
        """
        await parts.store.claim.take_claim()
        facts = ClusterFacts(parts.store.fenced_sessions)
        is_alone = await parts.store.claim.is_alone()
        await check_facts(facts, fingerprint_keys(self._secret, key_ids), is_alone=is_alone)
        self._joined = parts
        counters = ChangeCounters(parts.store)
        self._changes = Changes(counters, self._bell, self._tasks, parts.list_followed())
        await self._changes.read_first()

    def list_checks(self) -> Sequence[Check]:
        """Return the check of the place among the others."""
        return [Check("cluster", self.check_ready, self._tasks)]

    def set_gauges(self, gauges: StateGauges) -> None:
        """Count the users at home here."""
        gauges.homes.set(len(self.homes.user_ids))

    async def begin(self, parts: Components) -> None:
        """Say that this replica lives, and begin what runs until it stops; after `join`."""
        parts.gateway.start_beats()
        await self._membership.beat_once()
        for work, name in (
            (self._membership.keep_beating, "heartbeats"),
            (partial(self._bell.listen, self._changes.hear_ring), "the bell"),
            (self._changes.keep_looking, "changes of other replicas"),
            (self.homes.keep_homes, "homes"),
            (partial(self._directory.keep_telling, self.id, self._counters.read_counts), "counters"),
        ):
            self._tasks.keep_running(work, name)
        _log.info("Replica %s, reached by others at %s.", self.id, self._url)

    async def check_ready(self) -> str:
        """See `check_place`."""
        return check_place(self.homes, self._membership)

    async def close(self) -> None:
        """Stop being a replica; users who are still at home here are left to whoever takes them."""
        await self._tasks.close()
        try:
            await self._directory.remove_replica(self.id)
        except ClusterUnavailable:
            _log.warning("Redis does not answer; others notice within seconds that this replica is gone.")
        await self._connection.close()

    def _describe(self) -> LiveReplica:
        calls = self._parts.dispatcher.count_open()
        users = len(self.homes.user_ids)
        return LiveReplica(self.id, self._url, self.leaving.state, users, calls, __version__)

    @property
    def _parts(self) -> Components:
        if self._joined is None:
            raise ValueError("This replica has not joined the others yet.")
        return self._joined

    def _bury(self, replica: str) -> None:
        self.homes.forget_replica(replica)
        self._relay.router.cut_replica(replica)

    def _follow_change(self) -> None:
        self.homes.replicas_changed()
        self._parts.controls.limits.divide_among(len(self._membership.live))

    def _decide(self, wanted: Mapping[str, str]) -> None:
        self._handovers.begin_deciding(wanted)

    async def _move_user(self, user_id: str, to: str) -> None:
        await self.leaving.move_user(self._parts, user_id, until=0.0, to=to)

    async def _check_homes(self) -> None:
        await self.homes.check_homes()
