"""Notices what other replicas changed of what this one keeps in memory, and tells them what this one changed.

A counter per topic in the database is the truth. The bell of Redis only makes a replica look at once, so that
a lost ring costs `LOOK_S` and no more. All methods run on one event loop.
"""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Protocol, TypeAlias

from bridge.cluster.ports import Bell
from bridge.errors import BridgeError
from bridge.storage.sessions import Topic
from bridge.tasks import Tasks

LOOK_S = 5.0
"""Seconds between two looks at the counters while nobody rings."""

Listener: TypeAlias = Callable[[], Awaitable[object] | None]
"""Forgets or reads again what it keeps of a topic; a `BridgeError` of it means: call it again."""

Followed: TypeAlias = tuple[Sequence[Topic], Listener]
"""Topics, and what follows each change of one of them."""

_log = logging.getLogger(__name__)


class ChangeVersions(Protocol):
    """The counters in the database."""

    async def read_versions(self) -> Mapping[str, int]:
        """Return how often each topic was changed; a topic that never was may be missing.

        Raises:
            BridgeError: `database_unavailable`.
        """
        ...


def ring_with(bell: Bell, tasks: Tasks) -> Callable[[Topic], object]:
    """Return what rings for the others, after a change of this replica was committed."""
    return lambda topic: tasks.start_task(bell.ring(topic), f"ring for {topic}")


class Changes:
    """What all replicas keep alike."""

    def __init__(
        self,
        versions: ChangeVersions,
        bell: Bell,
        tasks: Tasks,
        followed: Iterable[Followed],
        *,
        look_s: float = LOOK_S,
    ) -> None:
        """`followed`: what follows changes, by this replica, too. `look_s`: seconds between two looks."""
        self._versions = versions
        self._look_s = look_s
        self._bell = bell
        self._tasks = tasks
        self._listeners = defaultdict[Topic, list[Listener]](list)
        for topics, listener in followed:
            for topic in topics:
                self._listeners[topic].append(listener)
        self._seen: dict[Topic, int] = {}
        self._woken = asyncio.Event()

    def hear_ring(self, topic: str | None) -> None:
        """Look at once, because another replica rang for a topic, or may have rung (None)."""
        if topic is None or topic in self._listeners:
            self._woken.set()

    async def read_first(self) -> None:
        """Note the versions before anything is read into memory; later ones are changes.

        Raises:
            BridgeError: `database_unavailable`.
        """
        versions = await self._versions.read_versions()
        self._seen = {topic: versions.get(topic, 0) for topic in self._listeners}

    async def keep_looking(self) -> None:
        """Compare the counters at every ring, and every `look_s` seconds; runs until it is cancelled."""
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(self._look_s):
                    await self._woken.wait()
            self._woken.clear()  # Before the look: it may read what was before a ring that comes now.
            with suppress(BridgeError):  # The database is away, which its sessions log; the next look is due.
                await self._tell_changes()

    async def _tell_changes(self) -> None:
        versions = await self._versions.read_versions()
        for topic, listeners in self._listeners.items():
            version = versions.get(topic, 0)
            if version != self._seen[topic] and await _tell(topic, listeners):
                self._seen[topic] = version


async def _tell(topic: Topic, listeners: Iterable[Listener]) -> bool:
    """Return whether all listeners are up to date now; the others are told again at the next look."""
    told = True
    for listener in listeners:
        try:
            if (work := listener()) is not None:
                await work
        except BridgeError as error:
            _log.warning("A change of %s is not read yet: %s", topic, error.error.message)
            told = False
    return told
