"""What a part of the bridge is, and the ground that all parts stand on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from prometheus_client.registry import Collector

from bridge.auth.attempts import SharedCounts
from bridge.browsers.gateway import FindRoute
from bridge.calls.call_watch import CallObserver
from bridge.calls.refusals import OnRefusal
from bridge.cluster.changes import Followed
from bridge.cluster.relay import Relay
from bridge.homes import Home, HomeOf
from bridge.http.answers_elsewhere import OtherReplicas
from bridge.http.routing import Route
from bridge.metrics.metric_definitions import StateGauges
from bridge.readiness.readiness import Check
from bridge.settings.bridge import BridgeSettings
from bridge.storage.audit_log import AuditLog
from bridge.storage.replicas.left_work import LeftWork
from bridge.storage.store import Store
from bridge.storage.users import User
from bridge.tasks import Tasks
from bridge.timings import Timings
from bridge.told_failure import ToldFailure

if TYPE_CHECKING:
    from bridge.models.agent.turn_stages import TurnEndObserver  # a bridge without models imports none of it


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """What every part may use from the beginning."""

    settings: BridgeSettings
    store: Store
    secret: bytes
    """Signs tokens and ids; the same in all replicas."""
    operator: User
    """The user who started the bridge."""
    base_url: str
    """Address of the page, without a final slash."""
    port: int
    homes: HomeOf | None
    """Of a replica: where users are at home."""
    timings: Timings
    is_straight: bool
    """Whether the insides of the libraries are used, whose versions were read."""
    tasks: Tasks
    audit: AuditLog

    @property
    def replica(self) -> str:
        """Id of this replica; empty for a bridge that is alone."""
        return "" if self.homes is None else self.homes.replica


@dataclass(frozen=True, slots=True)
class AmongReplicas:
    """What other parts need of a replica; a bridge that is alone has nothing of it."""

    part: Part | None = None
    """Its place among the others."""
    relay: Relay | None = None
    """Passes requests on."""
    find_route: FindRoute | None = None
    """Says where the pages of a user belong."""
    counts: SharedCounts | None = None
    """Counts what protects secrets together with other replicas."""
    answers: OtherReplicas | None = None
    """Asks other replicas for stored answers."""


@dataclass(frozen=True, slots=True)
class Observers:
    """Functions that are called with what happens. They must not fail or wait."""

    calls: Sequence[CallObserver] = ()
    """Of each change of each call."""
    followed_calls: Sequence[CallObserver] = ()
    """Of each change of a call of a turn, of a request that watches its calls, or that may be sent again."""
    refusals: Sequence[OnRefusal] = ()
    """Of each call that is refused before it is opened."""
    turns: Sequence[TurnEndObserver] = ()
    """Of the end of each turn that is not cancelled."""


class Part:
    """A feature of a bridge. What it needs comes in its constructor; what it gives, it returns here.

    `Components` makes parts in order. Each method has a default that does nothing.
    """

    def list_observers(self) -> Observers:
        """Return whom to tell of calls and turns; asked once, before the first of them."""
        return Observers()

    def list_routes(self) -> Sequence[Route]:
        """Return the part's routes, each with its access; asked once, before the start."""
        return ()

    def list_checks(self) -> Sequence[Check]:
        """Return what `/readyz` looks at; asked once, before the start."""
        return ()

    def list_followed(self) -> Sequence[Followed]:
        """Return what this part keeps in memory that other replicas may change, and what reads it again.

        A user's own settings are changed where the user is at home; a replica that takes the user over must
        have forgotten older ones by then.
        """
        return ()

    def list_metrics(self) -> Sequence[Collector]:
        """Return metrics of this part, made with `registry=None`; asked once, before anyone is served."""
        return ()

    def set_gauges(self, gauges: StateGauges) -> None:
        """Set the gauges of this part, because the metrics are being read; must not wait."""

    def apply_limits(self) -> None:
        """Apply limits that have changed; must not wait."""

    async def take_over_user(self, home: Home, left: LeftWork) -> str:
        """End, or go on with, what older homes of a user left; in a replica, before the user is served.

        Returns what was done in words for the log; "" for nothing. Where it fails, it is asked for again.

        Raises:
            BridgeError: `database_unavailable`.
        """
        return ""

    def move_user(self, user_id: str) -> None:
        """Give a user's work up at its next good moment, for a new home; what runs goes on. Must not wait."""

    async def end_user(self, user_id: str) -> None:
        """End a user's work here, because the user is at home elsewhere; must not fail."""

    def is_serving(self, user_id: str) -> bool:
        """Return whether something is open for which a user waits; a replica that stops lets it end."""
        return False

    def is_busy(self, user_id: str) -> bool:
        """Return whether anything of a user is open here, so that the user stays at home here."""
        return self.is_serving(user_id)

    async def start(self) -> None:
        """Begin what runs until the end, and take over what an earlier process left; before anyone is served.

        Raises:
            BridgeError: `database_unavailable`: the bridge does not start.
        """

    def refuse_work(self) -> None:
        """Begin no new work, because the bridge stops; what runs goes on. Must not wait."""

    async def stop_work(self) -> None:
        """End what still runs, once calls have had their time; the database and other parts still work."""

    async def close(self) -> None:
        """Release what is open. Parts are closed in the reverse of the order in which they were made."""


class UnusablePart(ToldFailure):
    """A part of an installed package cannot be made; the text says which, why and what to do."""


def join_observers(parts: Sequence[Part], followed_calls: Sequence[CallObserver]) -> Observers:
    """Return all observers of parts, in the order of the parts, and `followed_calls` after theirs."""
    each = [part.list_observers() for part in parts]
    return Observers(
        [tell for one in each for tell in one.calls],
        [*(tell for one in each for tell in one.followed_calls), *followed_calls],
        [tell for one in each for tell in one.refusals],
        [tell for one in each for tell in one.turns],
    )
