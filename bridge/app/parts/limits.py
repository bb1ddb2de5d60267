"""The limits that everything shares: queues, rates, circuit breakers and users' settings of calls."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from bridge.app.part import Ground, Part
from bridge.calls.admission import Controls
from bridge.calls.limits.call_rules import CallRules
from bridge.calls.limits.call_settings import UserCallSettings
from bridge.calls.limits.circuit_breaker import Breakers
from bridge.calls.limits.fair_queue import FairQueue
from bridge.calls.limits.settings import LiveLimits
from bridge.cluster.changes import Followed
from bridge.metrics.metric_definitions import StateGauges
from bridge.settings.limits import given_limits
from bridge.storage.preferences import LimitTables

_log = logging.getLogger(__name__)


class LimitsPart(Part):
    """Decides whether and when calls and rounds of models run."""

    def __init__(
        self,
        ground: Ground,
        apply_limits: Callable[[], None],
        announce_breakers: Callable[[str], Coroutine[Any, Any, None]],
    ) -> None:
        """`apply_limits` has every part apply changed ones; `announce_breakers` tells a user's pages."""
        settings, tables = ground.settings, LimitTables(ground.store)
        limits = LiveLimits(tables, given_limits(settings.limits), warn=_log.warning, on_change=apply_limits)
        rules = CallRules(lambda: limits.now, max_open_calls_per_user=settings.max_open_calls_per_user)

        def breakers_changed(user_id: str) -> None:
            ground.tasks.start_task(announce_breakers(user_id), "announce breakers")

        breakers = Breakers(lambda: limits.now, time.monotonic, on_change=breakers_changed)
        self.controls = Controls(limits, FairQueue(rules), breakers, UserCallSettings(tables))

    def apply_limits(self) -> None:
        """Admit the calls that may run now."""
        self.controls.queue.limits_changed()

    def list_followed(self) -> Sequence[Followed]:
        """Return the limits, and the cache of call settings."""
        return [
            (["limits"], self.controls.limits.load_stored),
            (["call_settings"], self.controls.settings.clear_cache),
        ]

    def set_gauges(self, gauges: StateGauges) -> None:
        """Count the calls in the queue, and the breakers by their state."""
        queue = self.controls.queue
        gauges.queued.labels("calls", "running").set(queue.running)
        gauges.queued.labels("calls", "waiting").set(queue.waiting)
        gauges.breakers.clear()
        for (kind, is_now), count in self.controls.breakers.count_states().items():
            gauges.breakers.labels(kind, is_now.value).set(count)

    async def start(self) -> None:
        """Load the limits that were set in the page."""
        await self.controls.limits.load_stored()

    def refuse_work(self) -> None:
        """Admit no more calls."""
        self.controls.queue.close_queue()
