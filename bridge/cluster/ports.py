"""What replicas tell each other through Redis: who lives, hints about homes, and a bell.

All of it is a hint: a wrong guess costs availability, never truth (`bridge.homes`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from bridge.homes import Home

HEARTBEAT_TTL_S = 4.0
"""Seconds for which a heartbeat says that a replica lives."""

ReplicaState: TypeAlias = Literal["ready", "draining"]


class ClusterUnavailable(Exception):
    """Redis does not answer; nothing was changed."""


@dataclass(frozen=True, slots=True)
class LiveReplica:
    """A live replica, as its heartbeat tells the others."""

    id: str
    """Random id of this start of the process."""
    url: str
    """Address by which other replicas reach it, without a trailing slash."""
    state: ReplicaState
    users: int
    """Users who are at home there."""
    calls: int
    """Open calls."""
    version: str
    """Version of the program."""


class ReplicaDirectory(Protocol):
    """The live replicas, and hints where users are at home, in Redis.

    Raises, in every coroutine:
        ClusterUnavailable: Redis does not answer within a second.
    """

    async def send_heartbeat(self, info: LiveReplica) -> Mapping[str, str]:
        """Say that a replica lives; it counts as dead `HEARTBEAT_TTL_S` after the last time.

        Returns its users about whom it has to decide (`want_user`), each with the replica that asks.
        """
        ...

    async def remove_replica(self, replica: str) -> None:
        """Say that a replica has stopped."""
        ...

    async def list_replicas(self) -> Mapping[str, LiveReplica]:
        """Return the live replicas by their ids."""
        ...

    async def read_ages(self) -> Mapping[str, float]:
        """Return how many seconds ago each replica sent its last heartbeat."""
        ...

    async def proves_absence(self) -> bool:
        """Return whether a missing heartbeat means that a replica is dead.

        It does not while Redis has been up for less than twice the time a heartbeat lasts: it may have lost
        them all.
        """
        ...

    async def remember_home(self, home: Home) -> None:
        """Leave a hint where a user is at home; an older epoch never replaces a newer one."""
        ...

    async def hinted_home(self, user_id: str) -> Home | None:
        """Return the hint about a user."""
        ...

    async def want_user(self, home: Home, asker: str) -> None:
        """Ask the replica of a home to hand its user over to the asker, who does not reach it."""
        ...

    async def is_wanted(self, home: Home) -> bool:
        """Return whether the replica of a home has still to decide about its user."""
        ...

    async def settle_wanted(self, replica: str, user_id: str) -> None:
        """Say that a replica has decided about a user: who asked looks where the user is at home now."""
        ...


class Bell(Protocol):
    """Wakes other replicas when something changed that all of them keep; a lost ring costs five seconds."""

    async def ring(self, topic: str) -> None:
        """Wake the others; never fails."""
        ...

    async def listen(self, hear: Callable[[str | None], None]) -> None:
        """Call `hear` with each topic for which another replica rings, until cancelled.

        With None after every time in which rings were lost. It must not fail or wait.
        """
        ...
