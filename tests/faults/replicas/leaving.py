"""How a played replica hands its users over: by `Replica.drain` itself."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from bridge.app.composition import Components
from bridge.app.replica import Replica
from bridge.calls.dispatcher import Dispatcher
from bridge.calls.fenced_journal import FencedJournal
from bridge.cluster.homes import Homes
from bridge.cluster.membership import Membership
from bridge.cluster.ports import ReplicaState
from bridge.cluster.residents import Residents
from bridge.settings.cluster import ClusterSettings
from tests.faults.replicas.engines import QueuedJournal

DRAIN_S = 1.0
"""Seconds for which a stopping replica serves on; the default of the real one is longer."""


@dataclass(frozen=True)
class PlayedParts:
    """As much of the components as leaving looks at. Also stands for those of their parts that say little."""

    dispatcher: Dispatcher
    fenced: FencedJournal
    journal: QueuedJournal
    count_user: Callable[[str], int]
    """Requests to models that a user has open."""
    move_runs: Callable[[str], None]

    @property
    def readiness(self) -> "PlayedParts":
        return self

    @property
    def requests(self) -> "PlayedParts":
        return self

    @property
    def conversations(self) -> "PlayedParts":
        return self

    @property
    def runs(self) -> "PlayedParts":
        return self

    def move_user(self, user_id: str) -> None:
        """Give runs up for which nobody waits here."""
        self.move_runs(user_id)

    def stop(self, name: str, text: str) -> None:
        """The balancer of a history sends pages to any replica anyway."""


class LeavingReplica(Replica):
    """A real replica without connections, as far as it can leave."""

    def __init__(self, homes: Homes, membership: Membership, residents: Residents) -> None:
        self.id, self.homes = homes.replica, homes
        self._membership, self._residents = membership, residents
        self._settings = ClusterSettings(drain_s=DRAIN_S)
        self._state: ReplicaState = "ready"

    @property
    def state(self) -> ReplicaState:
        """What its heartbeats say."""
        return self._state

    async def hand_over(self, parts: PlayedParts, within_s: float) -> None:
        await self.drain(cast("Components", parts), within_s)

    async def hand_over_one(self, parts: PlayedParts, user_id: str, to: str) -> None:
        await self._move_user(cast("Components", parts), user_id, until=0.0, to=to)
