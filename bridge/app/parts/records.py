"""Records: the journal of calls, repeated calls, what users approved, and how long answers are stored."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from bridge.app.part import Ground, Observers, Part
from bridge.calls.approvals import Announce, Approvals
from bridge.calls.call_ids import CallIds
from bridge.calls.fenced_journal import STOP_COMMIT_S, FencedJournal
from bridge.calls.ports import Journal
from bridge.calls.repeated_calls import RepeatedCalls
from bridge.cluster.changes import Followed
from bridge.endpoints.api.approvals import ApprovalRoutes
from bridge.endpoints.api.audit import AuditRoutes
from bridge.endpoints.api.call_statistics import CallStatisticsRoutes
from bridge.http.routing import Route
from bridge.metrics.metric_definitions import StateGauges
from bridge.readiness.readiness import Check
from bridge.readiness.readiness_checks import make_storage_checks
from bridge.storage.call_journal import CallJournal, OnUnrecorded
from bridge.storage.calls.latest_calls import LatestCallTables
from bridge.storage.calls.refused_calls import RefusedCallTables
from bridge.storage.chat.retention import Retention
from bridge.storage.preferences import ApprovalTables
from bridge.storage.replicas.fenced_calls import FencedCalls

_log = logging.getLogger(__name__)


class RecordsPart(Part):
    """Records calls, and knows which of them users have allowed."""

    def __init__(self, ground: Ground, announce: Announce, on_unrecorded: OnUnrecorded) -> None:
        """`announce` tells a user's pages of approvals; `on_unrecorded`: as the journal describes it."""
        store, settings = ground.store, ground.settings
        self._ground = ground
        self.approvals = Approvals(
            ApprovalTables(store),
            settings.approvals.approve,
            ground.audit,
            start=ground.tasks.start_task,
            announce=announce,
        )
        self.ids = CallIds(ground.secret, ground.replica)
        self.journal = CallJournal(store, settings.data_dir, on_unrecorded)
        self.fenced: FencedJournal | None = None
        """Of a replica: what writes about unsafe calls."""
        if ground.homes is not None:
            self.fenced = FencedJournal(
                FencedCalls(store.fenced_sessions), self.journal, ground.homes, ground.tasks
            )
        self.repeats = RepeatedCalls(self.journal, ground.secret)
        self.refused = RefusedCallTables(store)
        self.unsettled = 0
        """Number of calls that were running when the bridge last stopped."""

    @property
    def writer(self) -> Journal:
        """Journal that the dispatcher writes to."""
        return self.fenced or self.journal

    def list_observers(self) -> Observers:
        """Return what notes calls that may be sent again, and refused ones."""
        return Observers(followed_calls=[self.repeats.note_move], refusals=[self.refused.note_refusal])

    def list_routes(self) -> Sequence[Route]:
        """Return the routes of approvals, statistics and the audit log."""
        return [
            *ApprovalRoutes(self.approvals, self._ground.settings.approvals.approval_s).list_routes(),
            # before the route of a call by its id
            *CallStatisticsRoutes(self.journal, LatestCallTables(self._ground.store)).list_routes(),
            *AuditRoutes(self._ground.audit, self.journal).list_routes(),
        ]

    def list_followed(self) -> Sequence[Followed]:
        """Return the cache of approvals."""
        return [(["approvals"], self.approvals.clear_cache)]

    def list_checks(self) -> Sequence[Check]:
        """Return the checks of what is written to: the database and the data folder."""
        ground = self._ground
        return make_storage_checks(ground.store, ground.settings.data_dir, ground.tasks)

    def set_gauges(self, gauges: StateGauges) -> None:
        """Count what waits for the database."""
        gauges.journal_waiting.labels("calls").set(self.journal.backlog.waiting)
        gauges.journal_away.labels("calls").set(self.journal.backlog.is_away)
        gauges.journal_waiting.labels("refused calls").set(self.refused.number_waiting)

    async def start(self) -> None:
        """Settle what another process left of calls, unless replicas do so for each user."""
        ground = self._ground
        ground.tasks.keep_running(self.journal.sweep_hourly, "old calls")
        ground.tasks.keep_running(self.refused.write_regularly, "refused calls")
        ground.tasks.keep_running(self.refused.sweep_hourly, "old refused calls")
        answers = Retention(ground.store, ground.settings.storage)  # also where models are off by now
        ground.tasks.keep_running(answers.sweep_regularly, "old answers")
        if self.fenced is not None:
            return
        self.unsettled = await self.journal.settle_orphans()
        if self.unsettled:
            _log.warning("%d calls were running when the bridge last stopped.", self.unsettled)
        self.repeats.restore_calls(await self.journal.list_repeatable())

    async def stop_work(self) -> None:
        """Wait until what callers must not hear earlier is written."""
        if self.fenced is not None:
            await self.fenced.wait_until_committed(STOP_COMMIT_S)

    async def close(self) -> None:
        """Write what is left."""
        await self.refused.write_noted()
        await self.journal.close_journal()
