"""Counts calls and what they wait for. An observer of the dispatcher, and of what the engine refuses.

Kept in plain numbers, of which families of metrics are made when somebody reads them: the instruments of
Prometheus's client take a lock and a dozen calls of functions each time, several times for each call.
"""

from __future__ import annotations

import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence

from prometheus_client import CollectorRegistry, Metric
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.registry import Collector

from bridge.browser_protocol import PAGE_PHASES
from bridge.calls.open_call import OpenCall
from bridge.calls.refusals import RefusedCall
from bridge.calls.state_machine import CallState
from bridge.calls.waits import WAIT_OF, WAITS, Wait
from bridge.errors import ErrorCode

CALL_BUCKETS_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0)
"""Upper bounds in seconds, from a call over loopback to a slow API; approvals have minutes."""

_WATCHED: tuple[tuple[CallState, ErrorCode | None], ...] = (
    (CallState.SUCCEEDED, None),
    (CallState.FAILED, ErrorCode.NO_BROWSER),
    (CallState.OUTCOME_UNKNOWN, ErrorCode.OUTCOME_UNKNOWN),
)
"""Endings that are counted from 0 on. A series that begins with several has, for Prometheus, never increased:
an alert would miss what happened all at once, as when a page dies amid its calls."""


class _Durations:
    """Durations, counted by the bucket into which they fall."""

    __slots__ = ("_counts", "_total")

    def __init__(self) -> None:
        self._counts = [0] * (len(CALL_BUCKETS_S) + 1)
        self._total = 0.0

    def add(self, seconds: float) -> None:
        """Count one."""
        self._counts[bisect_left(CALL_BUCKETS_S, seconds)] += 1
        self._total += seconds

    def add_to(self, family: HistogramMetricFamily, labels: Sequence[str]) -> None:
        """Add them to a histogram, whose buckets hold what is in the smaller ones, too."""
        sum_so_far, buckets = 0, list[tuple[str, float]]()
        for bound, count in zip((*map(str, CALL_BUCKETS_S), "+Inf"), self._counts, strict=True):
            sum_so_far += count
            buckets.append((bound, float(sum_so_far)))
        family.add_metric(labels, buckets, self._total)


class CallMetrics(Collector):
    """Measures calls; nothing waits or fails. `collect` may run in any thread, all else on the event loop."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._ended: dict[tuple[bool, CallState, ErrorCode | None], int] = {
            (safe, state, code): 0 for safe in (True, False) for state, code in _WATCHED
        }
        self._refused: dict[ErrorCode, int] = {}
        self._seconds = {safe: _Durations() for safe in (True, False)}
        self._wait_seconds = {wait: _Durations() for wait in WAITS}
        self._page_seconds = {phase: _Durations() for phase in PAGE_PHASES}
        self._open: dict[str, tuple[Wait, float]] = {}
        """By the id of an open call: what it waits for, and since when by the monotonic clock."""
        registry.register(self)

    def note_move(self, call: OpenCall) -> None:
        """Measure a call that has been opened or has changed. As an observer of the dispatcher."""
        now = time.monotonic()
        waits_for = WAIT_OF.get(call.phase)
        before = self._open.get(call.call_id)
        if before is not None:
            if before[0] is waits_for:
                return
            self._wait_seconds[before[0]].add(now - before[1])
        if waits_for is not None:
            self._open[call.call_id] = (waits_for, now)
            return
        self._open.pop(call.call_id, None)
        error = None if call.outcome is None else call.outcome.error
        safe = call.request.safe
        ending = (safe, call.state, None if error is None else error.code)
        self._ended[ending] = self._ended.get(ending, 0) + 1
        self._seconds[safe].add(now - call.began)
        if call.phases_ms:
            self._add_phases(call.phases_ms, now - call.began)

    def _add_phases(self, phases_ms: Sequence[float], most_s: float) -> None:
        """Count what a page says; nothing in it took longer than the call."""
        for phase, ms in zip(PAGE_PHASES, phases_ms, strict=False):
            self._page_seconds[phase].add(min(ms / 1000, most_s))

    def note_refusal(self, refused: RefusedCall) -> None:
        """Count a call that was refused before it was opened."""
        code = refused.code
        self._refused[code] = self._refused.get(code, 0) + 1

    def collect(self) -> Iterator[Metric]:
        """Return what was counted, as families of metrics. Called by the registry."""
        ended, refused, seconds, waits, pages, is_open = self.describe()
        for (safe, state, code), count in list(self._ended.items()):
            ended.add_metric((_kind(safe), state.value, "" if code is None else code.value), count)
        for code, count in list(self._refused.items()):
            refused.add_metric((code.value,), count)
        for safe, durations in self._seconds.items():
            durations.add_to(seconds, (_kind(safe),))
        for wait, durations in self._wait_seconds.items():
            durations.add_to(waits, (wait,))
        for phase, durations in self._page_seconds.items():
            durations.add_to(pages, (phase,))
        counted = Counter(wait for wait, _ in list(self._open.values()))
        for wait in WAITS:
            is_open.add_metric((wait,), counted[wait])
        return iter((ended, refused, seconds, waits, pages, is_open))

    def describe(
        self,
    ) -> tuple[
        CounterMetricFamily,
        CounterMetricFamily,
        HistogramMetricFamily,
        HistogramMetricFamily,
        HistogramMetricFamily,
        GaugeMetricFamily,
    ]:
        """Return the families without values. Called by the registry."""
        ended = "Tool calls that have ended. code: the error's code; empty for a success."
        refused = "Tool calls that were refused before they were opened."
        seconds = "From the opening of a call to its end."
        waits = "What a call waited for, each stretch by itself."
        pages = "What pages say their time went into, each phase by itself."
        not_ended = "Calls that have not ended."
        return (
            CounterMetricFamily("tool_bridge_calls", ended, labels=("kind", "outcome", "code")),
            CounterMetricFamily("tool_bridge_calls_refused", refused, labels=("code",)),
            HistogramMetricFamily("tool_bridge_call_seconds", seconds, labels=("kind",)),
            HistogramMetricFamily("tool_bridge_call_wait_seconds", waits, labels=("waited_for",)),
            HistogramMetricFamily("tool_bridge_page_phase_seconds", pages, labels=("phase",)),
            GaugeMetricFamily("tool_bridge_calls_open", not_ended, labels=("waiting_for",)),
        )


def _kind(safe: bool) -> str:
    return "safe" if safe else "unsafe"
