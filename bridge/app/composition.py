"""The composition of one bridge from its parts, in order. Nothing runs or listens yet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from prometheus_client.registry import Collector

from bridge.app.part import AmongReplicas, Ground, Part, join_observers
from bridge.app.parts.accounts import AccountsPart
from bridge.app.parts.calls import CallsPart
from bridge.app.parts.documents import DocumentsPart, Offer
from bridge.app.parts.limits import LimitsPart
from bridge.app.parts.mcp import McpPart
from bridge.app.parts.metrics import MetricsPart
from bridge.app.parts.pages import PagesPart
from bridge.app.parts.records import RecordsPart
from bridge.app.parts.sockets import SocketsPart
from bridge.app.parts.tracing import TracingPart
from bridge.auth.identity import Identity
from bridge.browsers.gateway import BrowserGateway
from bridge.calls.admission import Controls
from bridge.calls.approvals import Approvals
from bridge.calls.call_watch import CallWatch
from bridge.calls.dispatcher import Dispatcher
from bridge.calls.engine import Engine
from bridge.catalog.registry import Registry
from bridge.cluster.changes import Followed
from bridge.documents.reader import DocumentReader
from bridge.lazy_modules import load_lazily
from bridge.metrics.metric_definitions import Instruments, StateGauges
from bridge.readiness.readiness import Readiness
from bridge.storage.call_journal import CallJournal
from bridge.storage.store import Store
from bridge.storage.users import UserTables

if TYPE_CHECKING:
    from bridge.app.models_wing import ModelsWing  # a bridge without models imports none of it


class Components:
    """The parts of one bridge, in `parts` in the order in which they start; they are closed in reverse."""

    def __init__(
        self,
        ground: Ground,
        instruments: Instruments,
        reader: DocumentReader,
        offer: Offer,
        among: AmongReplicas,
    ) -> None:
        """`reader` reads documents, `offer` shares some at the start."""
        mcp_calls = CallWatch()
        self.ground = ground
        wings = _open_wings(ground)
        self.wing = wings[0] if wings else None
        """What knows models; None: this bridge serves none."""
        self.tracing = TracingPart(ground)
        self.limits = LimitsPart(ground, self._apply_limits, self._announce_breakers)
        controls = self.limits.controls
        self.accounts = AccountsPart(ground, controls.limits, among.counts)
        identity = self.accounts.identity
        self.metrics = MetricsPart(ground, instruments, identity, self.set_gauges, self._list_metrics)
        make_added: Callable[[Components], Sequence[Part]] = load_lazily("added_parts")
        added = make_added(self)
        self.records = RecordsPart(ground, self._announce_approvals, self._decline_unrecorded)
        self.sockets = SocketsPart(ground, self.accounts, self.records, among.find_route)
        self.documents = DocumentsPart(
            ground, reader, self.sockets.gateway.announcements, self._follow_servers, offer
        )
        registry = self.documents.registry
        observers = join_observers(
            [self.metrics, self.tracing, self.records, *added, *wings], [mcp_calls.note_move]
        )
        self.calls = CallsPart(
            ground,
            self.accounts,
            controls,
            self.records,
            gateway=self.sockets.gateway,
            registry=registry,
            observers=observers,
            answers=among.answers,
            note_query=instruments.note_query,
        )
        for wing in wings:
            wing.make_parts(
                self.accounts,
                controls,
                self.calls,
                self.records,
                pages=self.sockets.gateway.pages,
                instruments=instruments.turns,
                on_end=observers.turns,
                tracer=self.tracing.tracer,
            )
        self.mcp = McpPart(
            ground, self.accounts, self.records, self.calls, watch=mcp_calls, tracer=self.tracing.tracer
        )
        gateway, define = self.sockets.gateway, self.wing and self.wing.models.define_tools
        self.pages = PagesPart(ground, self.accounts, gateway, registry, among.relay, define_tools=define)
        first = [self.tracing, self.limits, self.accounts, self.metrics, self.records, self.sockets]
        later = [self.documents, self.calls, *(part for wing in wings for part in wing.parts), self.mcp]
        others = [self.pages, *added, *([] if among.part is None else [among.part])]
        self.parts: Sequence[Part] = [*first, *later, *others]
        checks = [check for part in self.parts for check in part.list_checks()]
        self.readiness = Readiness(checks, ground.timings.checked_s)

    def _apply_limits(self) -> None:
        for part in self.parts:
            part.apply_limits()

    def set_gauges(self, gauges: StateGauges) -> None:
        """Have every part set its gauges."""
        for part in self.parts:
            part.set_gauges(gauges)

    def _list_metrics(self) -> Sequence[Collector]:
        return [each for part in self.parts for each in part.list_metrics()]

    async def _announce_breakers(self, user_id: str) -> None:
        await self.gateway.announcements.breakers_changed(user_id)

    async def _announce_approvals(self, user_id: str) -> None:
        await self.gateway.announce_approvals(user_id)

    def _decline_unrecorded(self, call_ids: Sequence[str]) -> None:
        self.gateway.decline_unrecorded(call_ids)

    async def _follow_servers(self, user_id: str | None) -> None:
        self.controls.settings.clear_cache()
        self.approvals.clear_cache()
        await self.gateway.announcements.servers_changed(user_id)

    def list_followed(self) -> Sequence[Followed]:
        """Return what every part follows; last the browsers, as a frozen page takes a second to leave."""
        followed = [each for part in self.parts for each in part.list_followed()]
        return sorted(followed, key=lambda each: "devices" in each[0])

    # Shortcuts to what tests, commands and replicas use most.

    @property
    def store(self) -> Store:
        """The database."""
        return self.ground.store

    @property
    def users(self) -> UserTables:
        """Users, their keys and browsers."""
        return self.accounts.users

    @property
    def identity(self) -> Identity:
        """Who asks."""
        return self.accounts.identity

    @property
    def approvals(self) -> Approvals:
        """What users allow."""
        return self.records.approvals

    @property
    def journal(self) -> CallJournal:
        """The journal of calls."""
        return self.records.journal

    @property
    def gateway(self) -> BrowserGateway:
        """The pages."""
        return self.sockets.gateway

    @property
    def registry(self) -> Registry:
        """The servers and tools of users."""
        return self.documents.registry

    @property
    def controls(self) -> Controls:
        """What decides when calls run."""
        return self.limits.controls

    @property
    def dispatcher(self) -> Dispatcher:
        """All open calls."""
        return self.calls.dispatcher

    @property
    def engine(self) -> Engine:
        """What runs tool calls."""
        return self.calls.engine


def _open_wings(ground: Ground) -> Sequence[ModelsWing]:
    if ground.settings.model_defaults.no_models:
        return []
    make: Callable[[Ground], ModelsWing] = load_lazily("models_wing")
    return [make(ground)]
