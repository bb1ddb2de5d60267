"""Handovers: users whom another replica asks for, because it does not reach this one.

Who asks leaves a wish in Redis (`ReplicaDirectory.want_user`). A user with a page or anything open here
stays; everybody else is handed over, so that two replicas that do not reach each other keep nobody out.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass

from bridge.cluster.homes import Homes
from bridge.cluster.membership import Membership
from bridge.cluster.ports import ClusterUnavailable, ReplicaDirectory
from bridge.tasks import Tasks

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class HandoverHooks:
    """What happens around a user who is asked for."""

    is_free: Callable[[str], bool]
    """Whether nothing of a user is open here."""
    move: Callable[[str, str], Awaitable[None]]
    """Hands a user over to a replica, with all rows written; begins no work of the user from the call on."""


class Handovers:
    """Decides about the users whom other replicas ask for, as heartbeats tell of them."""

    def __init__(
        self,
        homes: Homes,
        directory: ReplicaDirectory,
        membership: Membership,
        hooks: HandoverHooks,
        tasks: Tasks,
    ) -> None:
        self._homes = homes
        self._directory = directory
        self._membership = membership
        self._hooks = hooks
        self._tasks = tasks
        self._deciding: set[str] = set()

    def begin_deciding(self, wanted: Mapping[str, str]) -> None:
        """Decide about users, each with the replica that asks; about each once at a time."""
        for user_id in wanted.keys() - self._deciding:
            self._deciding.add(user_id)
            self._tasks.start_task(self._decide(user_id, wanted[user_id]), f"whether {user_id} stays")

    async def _decide(self, user_id: str, asker: str) -> None:
        """Hand a user over, or say that the user stays, by forgetting the wish when all is done."""
        info = self._membership.live.get(asker)
        takes_users = info is not None and info.state == "ready"
        try:
            if takes_users and self._homes.takes_work(user_id) and self._hooks.is_free(user_id):
                _log.warning(
                    "User %s is handed over to replica %s, which does not reach this one.", user_id, asker
                )
                await self._hooks.move(user_id, asker)
            with suppress(ClusterUnavailable):  # the next heartbeat tells of the user again
                await self._directory.settle_wanted(self._homes.replica, user_id)
        finally:
            self._deciding.discard(user_id)
