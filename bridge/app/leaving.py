"""How a replica hands its users over to others: one of them, or all when it stops."""

from __future__ import annotations

import asyncio
import logging

from bridge.app.composition import Components
from bridge.app.resident_work import fenced_of
from bridge.calls.fenced_journal import STOP_COMMIT_S
from bridge.cluster.homes import Homes
from bridge.cluster.membership import Membership
from bridge.cluster.ports import ReplicaState
from bridge.cluster.residents import Residents
from bridge.errors import BridgeError
from bridge.tasks import sleep_safely

MOVES_AT_ONCE = 32
"""Maximum number of users who are moved at the same time when a replica stops."""

LOOK_S = 0.05
"""Seconds between two looks at whether the calls of a user who is moved have ended."""

DRAINING = "This replica is draining: it hands its users over to others, and takes no traffic."

_log = logging.getLogger(__name__)


class Leaving:
    """Moves users away from one replica."""

    def __init__(self, homes: Homes, membership: Membership, residents: Residents, drain_s: float) -> None:
        """`drain_s`: seconds for which a replica that stops serves on, while it says that it is not ready."""
        self._homes = homes
        self._membership = membership
        self._residents = residents
        self._drain_s = drain_s
        self.state: ReplicaState = "ready"
        """What heartbeats say of this replica."""

    async def drain(self, parts: Components, within_s: float) -> None:
        """Hand every user over to another replica.

        This replica serves on for `drain_s` seconds while it says that it is not ready. Calls and answers
        then have `within_s` seconds to end, each user's own; what goes on in the background goes on at the
        new home. Users whom nobody takes stay until the stop.
        """
        _log.info("Stopping: %d users are handed over to other replicas.", len(self._homes.user_ids))
        self.state = "draining"
        parts.readiness.stop("cluster", DRAINING)
        await self._membership.beat_once()
        if len(self._membership.live) > 1:
            await sleep_safely(self._drain_s)
        self._homes.refuse_users()
        places = asyncio.Semaphore(MOVES_AT_ONCE)
        until = asyncio.get_running_loop().time() + within_s

        async def move(user_id: str) -> None:
            async with places:
                await self.move_user(parts, user_id, until)

        async with asyncio.TaskGroup() as group:
            for user_id in self._homes.user_ids:
                group.create_task(move(user_id), name=f"move {user_id}")

    async def move_user(self, parts: Components, user_id: str, until: float, *, to: str = "") -> None:
        """Hand a user over to a replica, by default to that with the fewest; work may end until a time."""
        self._homes.begin_move(user_id)
        for part in parts.parts:
            part.move_user(user_id)
        while _is_serving(parts, user_id) and asyncio.get_running_loop().time() < until:
            await sleep_safely(LOOK_S)
        await self._residents.end_work(user_id)
        await fenced_of(parts).wait_until_committed(STOP_COMMIT_S)
        await parts.journal.catch_up(STOP_COMMIT_S)
        try:
            await self._homes.give_up(user_id, to=to or self._homes.choose_successor())
        except BridgeError as error:
            _log.warning("User %s was not handed over: %s", user_id, error.error.message)


def _is_serving(parts: Components, user_id: str) -> bool:
    return any(part.is_serving(user_id) for part in parts.parts)
