"""Counts calls and what they wait for. An observer of the dispatcher, and of what the engine refuses."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping
from typing import Literal, TypeAlias

import prometheus_client

from bridge.calls.open_call import OpenCall
from bridge.calls.state_machine import CallPhase, CallState
from bridge.errors import ErrorCode
from bridge.metrics.instruments import CallInstruments

Wait: TypeAlias = Literal["slot", "page", "approval", "api"]
"""What an open call waits for: its turn, or a page to come; the acknowledgement of its page; its user; the
API."""

WAITS: tuple[Wait, ...] = ("slot", "page", "approval", "api")

WAIT_OF: Mapping[CallPhase, Wait] = {
    CallPhase.UNAPPROVED: "slot",
    CallPhase.QUEUED: "slot",
    CallPhase.ASKING: "page",
    CallPhase.SENT: "page",
    CallPhase.AWAITING_APPROVAL: "approval",
    CallPhase.APPROVED: "slot",
    CallPhase.RUNNING: "api",
    CallPhase.RUNNING_UNASKED: "api",
}
"""The phases of open calls."""


class CallMetrics:
    """Measures calls. All methods run on the event loop, and none of them waits or fails."""

    def __init__(self, instruments: CallInstruments) -> None:
        self._calls = instruments.ended
        self._refused = instruments.refused
        self._open_gauge = instruments.open
        self._seconds = {safe: instruments.seconds.labels(_kind(safe)) for safe in (True, False)}
        self._wait_seconds = {wait: instruments.wait_seconds.labels(wait) for wait in WAITS}
        self._counted: dict[tuple[bool, CallState, ErrorCode | None], prometheus_client.Counter] = {}
        """The series of endings so far: finding one by its labels takes longer than counting."""
        self._open: dict[str, tuple[Wait, float]] = {}
        """By the id of an open call: what it waits for, and since when by the monotonic clock."""

    def note_move(self, call: OpenCall) -> None:
        """Measure a call that has been opened or has changed. As an observer of the dispatcher."""
        now = time.monotonic()
        waits_for = WAIT_OF.get(call.phase)
        before = self._open.get(call.call_id)
        if before is not None:
            if before[0] == waits_for:
                return
            self._wait_seconds[before[0]].observe(now - before[1])
        if waits_for is not None:
            self._open[call.call_id] = (waits_for, now)
            return
        self._open.pop(call.call_id, None)
        error = None if call.outcome is None else call.outcome.error
        safe = call.request.safe
        self._count_end(safe, call.state, None if error is None else error.code)
        self._seconds[safe].observe(now - call.began)

    def _count_end(self, safe: bool, state: CallState, code: ErrorCode | None) -> None:
        series = self._counted.get((safe, state, code))
        if series is None:
            series = self._calls.labels(_kind(safe), state.value, "" if code is None else code.value)
            self._counted[safe, state, code] = series
        series.inc()

    def note_refusal(self, code: ErrorCode) -> None:
        """Count a call that was refused before it was opened."""
        self._refused.labels(code.value).inc()

    def count_open(self) -> None:
        """Set the gauge of open calls."""
        counted = Counter(wait for wait, _ in self._open.values())
        for wait in WAITS:
            self._open_gauge.labels(wait).set(counted[wait])


def _kind(safe: bool) -> str:
    return "safe" if safe else "unsafe"
