"""How a played replica hands its users over: by `Leaving` itself."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import cast

from bridge.app.composition import Components
from bridge.app.leaving import Leaving
from bridge.calls.dispatcher import Dispatcher
from bridge.calls.fenced_journal import FencedJournal
from bridge.cluster.homes import Homes
from bridge.cluster.membership import Membership
from bridge.cluster.residents import Residents
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
    def records(self) -> "PlayedParts":
        return self

    @property
    def parts(self) -> Sequence["PlayedParts"]:
        return [self]

    def move_user(self, user_id: str) -> None:
        """Give runs up for which nobody waits here."""
        self.move_runs(user_id)

    def is_serving(self, user_id: str) -> bool:
        """Whether a call or a request to a model is open."""
        return bool(self.dispatcher.open_calls(user_id) or self.count_user(user_id))

    def stop(self, name: str, text: str) -> None:
        """The balancer of a history sends pages to any replica anyway."""


class PlayedLeaving(Leaving):
    """The real one, of a replica whose parts are played."""

    def __init__(self, homes: Homes, membership: Membership, residents: Residents) -> None:
        super().__init__(homes, membership, residents, DRAIN_S)

    async def hand_over(self, parts: PlayedParts, within_s: float) -> None:
        await self.drain(cast("Components", parts), within_s)

    async def hand_over_one(self, parts: PlayedParts, user_id: str, to: str) -> None:
        await self.move_user(cast("Components", parts), user_id, until=0.0, to=to)
