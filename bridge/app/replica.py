"""This bridge as one of several replicas: its place among the others, its users, and how it leaves.

Redis tells who lives, PostgreSQL decides who has which user; other replicas are answered on a listener of
their own. Started before the bridge serves anybody, stopped after it has served everybody.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import socket
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from bridge import __version__
from bridge.app.composition import Components
from bridge.app.readiness import Check, NotReady
from bridge.app.resident_work import compose_resident_work, fenced_of
from bridge.app.shared_state import follow_changes
from bridge.calls.fenced_journal import STOP_COMMIT_S
from bridge.cluster.changes import Changes
from bridge.cluster.counters import ReplicaCounters
from bridge.cluster.handovers import HandoverHooks, Handovers
from bridge.cluster.homes import HomeHooks, Homes
from bridge.cluster.membership import Membership, MembershipPorts
from bridge.cluster.ports import ClusterUnavailable, LiveReplica, ReplicaState
from bridge.cluster.redis_bell import RedisBell
from bridge.cluster.redis_connection import RedisConnection
from bridge.cluster.redis_directory import RedisDirectory
from bridge.cluster.relay import Relay
from bridge.cluster.residents import Residents
from bridge.cluster.shared_limits import SharedLimits
from bridge.errors import BridgeError
from bridge.homes import held_epochs
from bridge.log_lines import current_request, name_replica
from bridge.settings.cluster import ClusterSettings
from bridge.storage.replicas.cluster_facts import check_facts, fingerprint_keys
from bridge.storage.store import Store
from bridge.tasks import Tasks, sleep_safely

MOVES_AT_ONCE = 32
"""Maximum number of users who are moved at the same time when a replica stops."""

LOOK_S = 0.05
"""Seconds between two looks at whether the calls of a user who is moved have ended."""

COUNTS_S = 5.0
"""Seconds between two times at which a replica tells its counters."""

DRAINING = "This replica is draining: it hands its users over to others, and takes no traffic."

_log = logging.getLogger(__name__)


class Replica:
    """One of several replicas. Made on the running event loop."""

    def __init__(self, settings: ClusterSettings, store: Store, listener: socket.socket) -> None:
        """`listener`: bound to the address by which others reach this replica."""
        if settings.redis_url is None or settings.replica_url is None:
            raise ValueError("check_cluster comes first")
        self.id = secrets.token_hex(8)
        self._settings = settings
        self._url = settings.replica_url
        self._store = store
        self._listener = listener
        self._tasks = Tasks()
        self._connection = RedisConnection(settings.redis_url)
        self._directory = RedisDirectory(self._connection)
        self._bell = RedisBell(self._connection)
        self._changes = Changes(store.change_counters(), self._bell, self._tasks)
        self._state: ReplicaState = "ready"
        self._counters = ReplicaCounters()
        self._count_calls = lambda: 0
        self._membership = Membership(
            self._directory, MembershipPorts(self._describe, read_boottime, self._check_homes)
        )
        self._membership.on_lapse(lambda: self._counters.count("lapsed_leases"))
        self._residents = Residents(self._tasks)
        hooks = HomeHooks(self._residents.enter, self._residents.leave, self._residents.is_idle)
        self.homes = Homes(
            self.id,
            store.home_table(),
            self._directory,
            self._membership,
            hooks=hooks,
            tasks=self._tasks,
            counters=self._counters,
        )
        store.share_claim()
        store.stamp_writes(held_epochs(self.homes))
        store.mark_origin(self._describe_origin)
        store.on_fence(lambda: self._counters.count("fenced_writes"))
        name_replica(self.id)

    async def join(
        self, parts: Components, secret: bytes, key_ids: Sequence[str], *, is_straight: bool
    ) -> Relay:
        """Become one of the replicas, before anything is read into memory.

        Returns what passes requests on, by the insides of aiohttp if `is_straight`. `key_ids`: of the keys
        that encrypt what is stored.

        Raises:
            StoreError: a single bridge uses the database, or the keys differ from those of the others.
            BridgeError: `store_unavailable`.
        """
        await self._store.claim.take_claim()
        facts, is_alone = self._store.cluster_facts(), await self._store.claim.is_alone()
        await check_facts(facts, fingerprint_keys(secret, key_ids), is_alone=is_alone)
        self._residents.take_work(compose_resident_work(parts, self._store.left_work()))
        limits = SharedLimits(self._connection)
        parts.identity.spend_challenges_with(limits.spend_once)
        parts.identity.attempts.count_with(limits)
        parts.readiness.add_check(Check("cluster", self.check_ready, parts.tasks))
        await follow_changes(self._changes, parts)
        parts.metrics.instruments.state.homes.set_function(lambda: len(self.homes.user_ids))
        self._count_calls = parts.dispatcher.count_open
        relay = Relay(
            self.homes,
            self._residents,
            self._store.relayed_records(),
            secret=secret,
            listener=self._listener,
            counters=self._counters,
            is_straight=is_straight,
        )
        self._membership.on_death(relay.router.cut_replica)
        self._membership.on_change(lambda: parts.controls.limits.divide_among(len(self._membership.live)))
        parts.gateway.ask_homes(relay.find_route)
        parts.files.ask_replicas(relay.find_answers(self._membership))
        return relay

    async def begin(self, parts: Components) -> None:
        """Say that this replica lives, and begin what runs until it stops."""

        async def move(user_id: str, to: str) -> None:
            await self._move_user(parts, user_id, until=0.0, to=to)

        hooks = HandoverHooks(self._residents.is_free, move)
        Handovers(self.homes, self._directory, self._membership, hooks, self._tasks)
        parts.gateway.start_beats()
        await self._membership.beat_once()
        for work, name in (
            (self._membership.keep_beating, "heartbeats"),
            (self._bell.listen, "the bell"),
            (self._changes.keep_looking, "changes of other replicas"),
            (self.homes.keep_homes, "homes"),
            (self._keep_telling_counts, "counters"),
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

    async def drain(self, parts: Components, within_s: float) -> None:
        """Hand every user over to another replica.

        This replica serves on for `drain_s` seconds while it says that it is not ready. Calls and answers
        then have `within_s` seconds to end, each user's own; what goes on in the background goes on at the
        new home. Users whom nobody takes stay until the stop.
        """
        _log.info("Stopping: %d users are handed over to other replicas.", len(self.homes.user_ids))
        self._state = "draining"
        parts.readiness.stop("cluster", DRAINING)
        await self._membership.beat_once()
        if len(self._membership.live) > 1:
            await sleep_safely(self._settings.drain_s)
        self.homes.refuse_users()
        places = asyncio.Semaphore(MOVES_AT_ONCE)
        until = asyncio.get_running_loop().time() + within_s

        async def move(user_id: str) -> None:
            async with places:
                await self._move_user(parts, user_id, until)

        async with asyncio.TaskGroup() as group:
            for user_id in self.homes.user_ids:
                group.create_task(move(user_id), name=f"move {user_id}")

    async def leave(self) -> None:
        """Stop being a replica; users who are still at home here are left to whoever takes them."""
        await self._tasks.close()
        try:
            await self._directory.remove_replica(self.id)
        except ClusterUnavailable:
            _log.warning("Redis does not answer; others notice within seconds that this replica is gone.")
        await self._connection.close()

    async def _move_user(self, parts: Components, user_id: str, until: float, *, to: str = "") -> None:
        """Hand a user over to a replica, by default to that with the fewest; work may end until a time."""
        self.homes.begin_move(user_id)
        parts.conversations.runs.move_user(user_id)
        while _is_working(parts, user_id) and asyncio.get_running_loop().time() < until:
            await sleep_safely(LOOK_S)
        await self._residents.end_work(user_id)
        await fenced_of(parts).wait_until_committed(STOP_COMMIT_S)
        await parts.journal.catch_up(STOP_COMMIT_S)
        try:
            await self.homes.give_up(user_id, to=to or self.homes.choose_successor())
        except BridgeError as error:
            _log.warning("User %s was not handed over: %s", user_id, error.error.message)

    def _describe(self) -> LiveReplica:
        users, calls = len(self.homes.user_ids), self._count_calls()
        return LiveReplica(self.id, self._url, self._state, users, calls, __version__)

    def _describe_origin(self, user_id: str | None) -> Mapping[str, Any]:
        """Return what an entry of the audit log says of where it was written."""
        epoch = None if user_id is None else self.homes.held_epoch(user_id)
        facts = {"replica": self.id, "epoch": epoch, "request": current_request() or None}
        return {name: fact for name, fact in facts.items() if fact is not None}

    async def _keep_telling_counts(self) -> None:
        """Tell the counters to whoever watches, until cancelled; while Redis is away nobody reads them."""
        while True:
            with suppress(ClusterUnavailable):
                await self._directory.write_counts(self.id, self._counters.read_counts())
            await sleep_safely(COUNTS_S)

    async def _check_homes(self) -> None:
        await self.homes.check_homes()


def read_boottime() -> float:
    """Return seconds of a clock that goes on while the machine sleeps, where there is one."""
    clock = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
    return time.clock_gettime(clock)


def _is_working(parts: Components, user_id: str) -> bool:
    return bool(parts.dispatcher.open_calls(user_id) or parts.requests.count_user(user_id))
