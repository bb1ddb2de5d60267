"""Membership: this replica's heartbeat, which others live, and whether this one was frozen.

One loop (`keep_beating`), run by whoever owns it, does everything once a second; everything else is
synchronous. A replica that was frozen learns it here before it acts for anybody (`is_awake`).
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from bridge.cluster.ports import HEARTBEAT_TTL_S, ClusterUnavailable, LiveReplica, ReplicaDirectory
from bridge.errors import BridgeError
from bridge.tasks import sleep_safely
from bridge.timings import USUAL_TIMINGS, Timings

HEARTBEAT_S = 1.0
"""Seconds between two heartbeats."""

AFTER_END_S = 0.02
"""Seconds after the end of another replica's last heartbeat at which this one looks, if it is not renewed."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class MembershipPorts:
    """What a replica knows of itself."""

    describe: Callable[[], LiveReplica]
    """What a heartbeat says."""
    boottime: Callable[[], float]
    """Seconds of a clock that goes on while the machine or the process sleeps, such as CLOCK_BOOTTIME."""
    check_homes: Callable[[], Awaitable[None]]
    """Gives up the homes that were lost during a pause, and returns when it is sure about all others."""


@dataclass(frozen=True, slots=True)
class MembershipListeners:
    """What follows from what a heartbeat finds. None of it may fail or wait."""

    on_death: Callable[[str], None]
    """Called with the id of each replica that has died or stopped."""
    on_change: Callable[[], None]
    """Called when other replicas live than at the last heartbeat."""
    on_lapse: Callable[[], None]
    """Called when the lease had lapsed."""
    on_wanted: Callable[[Mapping[str, str]], None]
    """Called with users whom other replicas want, each with who asks.

    A user comes again with each heartbeat until this replica has decided (`ReplicaDirectory`).
    """


class Membership:
    """The live replicas, as this one sees them."""

    def __init__(
        self,
        directory: ReplicaDirectory,
        ports: MembershipPorts,
        listeners: MembershipListeners,
        timings: Timings = USUAL_TIMINGS,
    ) -> None:
        self._directory = directory
        self._timings = timings
        self._ports = ports
        self._listeners = listeners
        self._lease_until = float("-inf")
        self._next_beat_s = HEARTBEAT_S
        self._heard_at: Mapping[str, float] = {}
        """When each replica sent its last heartbeat, by the clock of `boottime`."""
        self.live: Mapping[str, LiveReplica] = {}
        """The live replicas, this one included; while Redis is away, those that lived before."""
        self.is_connected = False
        """Whether Redis answered the last heartbeat."""
        self.proves_absence = False
        """Whether a replica that is not among the live ones is dead."""

    @property
    def is_awake(self) -> bool:
        """Whether this replica was not frozen since it last looked; if so, it looks again within a second.

        While Redis is away it goes on without a lease, because the database checks what is unsafe.
        """
        return self._ports.boottime() < self._lease_until

    def is_heard(self, replica: str) -> bool:
        """Return whether a replica sends its heartbeats, as far as is known while Redis answers."""
        return self._ports.boottime() - self._heard_at.get(replica, float("-inf")) < self._timings.silent_s

    async def keep_beating(self) -> None:
        """Send heartbeats until cancelled."""
        while True:
            await self.beat_once()
            await sleep_safely(self._next_beat_s)

    async def beat_once(self) -> None:
        """Send one heartbeat and look who else lives."""
        began_at = self._ports.boottime()
        was_frozen = self._lapsed_before(began_at)
        try:
            wanted = await self._directory.send_heartbeat(self._ports.describe())
            await self._look_around()
            if wanted:
                self._listeners.on_wanted(wanted)
        except ClusterUnavailable as error:
            if self.is_connected:
                _log.error("Redis does not answer (%s): users stay where they are.", error)
            self.is_connected = False
            self.proves_absence = False
            self._next_beat_s = HEARTBEAT_S
            began_at = self._ports.boottime()  # nobody can take over by a heartbeat that nobody sees
            was_frozen = was_frozen or self._lapsed_before(began_at)  # it slept while it waited for Redis
        if was_frozen:
            self._listeners.on_lapse()
        if not was_frozen or await self._knows_homes():
            self._lease_until = began_at + self._timings.lease_s

    def _lapsed_before(self, at: float) -> bool:
        return at > self._lease_until > float("-inf")

    async def _knows_homes(self) -> bool:
        """Look, after a pause, which users are still at home here; returns whether the database said so."""
        _log.warning("This replica did not run for a while; it looks which users are still at home here.")
        try:
            await self._ports.check_homes()
        except BridgeError as error:
            _log.error("It serves nobody until the database answers: %s", error.error.message)
            return False
        return True

    async def _look_around(self) -> None:
        live = await self._directory.list_replicas()
        self.proves_absence = await self._directory.proves_absence()
        ages = await self._directory.read_ages()
        now = self._ports.boottime()
        self._heard_at = {replica: now - age for replica, age in ages.items()}
        oldest_s = max(ages.values(), default=0.0)
        self._next_beat_s = min(HEARTBEAT_S, max(0.0, HEARTBEAT_TTL_S - oldest_s) + AFTER_END_S)
        if not self.is_connected:
            _log.info("Redis answers; %d replicas live.", len(live))
        self.is_connected = True
        gone = [info for replica, info in self.live.items() if replica not in live]
        if not self.proves_absence:  # Redis may have forgotten them; those that live say so within a second
            live = {**self.live, **live}
            gone = []
        is_changed = live.keys() != self.live.keys()
        self.live = live
        if is_changed:
            self._listeners.on_change()
        for info in gone:
            if info.state == "draining":
                _log.info("Replica %s has stopped.", info.id)
            else:
                _log.warning("Replica %s is gone.", info.id)
            self._listeners.on_death(info.id)
