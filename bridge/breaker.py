"""Breakers: what fails again and again is left alone for a while. Pure; the clock is passed in.

One state machine per key: closed (calls pass) -> open after `breaker_max_failures` within
`breaker_window_seconds` (calls are refused) -> half-open after as long again (one call passes, as a probe) ->
closed by a success, open by a failure. Receives how calls ended, gives passage or `breaker_open`.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal, NamedTuple

from bridge.limits import Limits, range_of
from bridge.outcome import CallOutcome
from bridge.wire import BridgeError, ErrorCode, WireError

MAX_BREAKERS = 10_000
"""Keys with failures that are remembered; of more, those that failed longest ago are forgotten."""

MAX_FAILURES = int(range_of("BREAKER_MAX_FAILURES")[1])
"""Failures of one key that are remembered."""

SERVER_FAILURE = 500
"""The least status of an API that says that the fault is its own."""


class BreakerState(StrEnum):
    """Whether calls pass."""

    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half_open"


class Verdict(StrEnum):
    """What an ending says about what was called."""

    WORKED = "worked"
    FAILED = "failed"
    ALIVE = "alive"
    """It answered, but refused: no reason to stop calling it, and none to forget its failures."""
    NOTHING = "nothing"
    """The ending says nothing about it: cancelled, denied, no page."""


class BreakerKey(NamedTuple):
    """What one breaker watches, for one user."""

    user_id: str
    kind: Literal["tool", "request"] = "tool"
    """`request`: all requests of the user to models, whatever the model; the rest is empty then."""
    server_id: str = ""
    operation_key: str = ""


@dataclass(slots=True)
class _Breaker:
    """One key that failed lately."""

    failures: deque[float] = field(default_factory=lambda: deque[float](maxlen=MAX_FAILURES))
    """When."""
    name: str = ""
    """What people call it."""
    last_error: WireError | None = None
    opened_at: float | None = None
    """When it opened last: a probe that fails opens it again."""
    first_opened_at: float | None = None
    """When it opened first since it was closed."""
    is_probing: bool = False


@dataclass(frozen=True, slots=True)
class BreakerFacts:
    """One breaker as it stands."""

    key: BreakerKey
    name: str
    state: BreakerState
    failures: int
    """Within the window."""
    last_error: WireError | None
    open_for_s: float | None
    """Since it opened, failed probes included; None while it is closed."""
    retry_after_s: float | None
    """Until one call may probe; None while it is closed."""


class Passage:
    """One call's way through its breaker."""

    def __init__(self) -> None:
        self.verdict = Verdict.NOTHING
        self.error: WireError | None = None

    def ended(self, verdict: Verdict, error: WireError | None) -> None:
        """Tell how the call ended."""
        self.verdict, self.error = verdict, error


class Breakers:
    """The breakers of all users. All methods run on one event loop, none of them waits."""

    def __init__(
        self,
        limits: Callable[[], Limits],
        clock: Callable[[], float],
        *,
        on_change: Callable[[str], None] = lambda _: None,
    ) -> None:
        """`clock`: seconds, never going back. `on_change` gets the user when one opens or closes."""
        self._limits = limits
        self._clock = clock
        self._on_change = on_change
        self._breakers: OrderedDict[BreakerKey, _Breaker] = OrderedDict()

    def check(self, key: BreakerKey) -> None:
        """Let pass or refuse, without taking the place of the probe.

        Raises:
            BridgeError: `breaker_open`.
        """
        breaker = self._breakers.get(key)
        if breaker is None:
            return
        state = self._state(breaker)
        if state is BreakerState.OPEN or (state is BreakerState.HALF_OPEN and breaker.is_probing):
            raise self._refusal(key, breaker)

    @contextmanager
    def passage(self, key: BreakerKey, name: str) -> Generator[Passage]:
        """Let one call pass, and hear how it ended. Without an ending told, nothing is concluded.

        Raises:
            BridgeError: `breaker_open`.
        """
        self.check(key)
        breaker = self._breakers.get(key)
        is_probe = breaker is not None and self._state(breaker) is BreakerState.HALF_OPEN
        if breaker is not None and is_probe:
            breaker.is_probing = True
        passage = Passage()
        try:
            yield passage
        finally:
            if breaker is not None and is_probe:
                breaker.is_probing = False
            self._conclude(key, name, passage, is_probe=is_probe)

    def facts(self, user_id: str) -> list[BreakerFacts]:
        """The breakers of a user that have failures, the latest first."""
        return [
            self._facts(key, breaker)
            for key, breaker in reversed(self._breakers.items())
            if key.user_id == user_id and (breaker.opened_at is not None or self._recent(breaker))
        ]

    def reset(self, user_id: str, server_id: str | None = None, operation_key: str | None = None) -> int:
        """Close a user's breakers: all, those of a server, or one operation's. Returns how many."""
        chosen = [
            key
            for key in self._breakers
            if key.user_id == user_id
            and server_id in (None, key.server_id)
            and operation_key in (None, key.operation_key)
        ]
        for key in chosen:
            del self._breakers[key]
        if chosen:
            self._on_change(user_id)
        return len(chosen)

    def _conclude(self, key: BreakerKey, name: str, passage: Passage, *, is_probe: bool) -> None:
        if passage.verdict is Verdict.FAILED:
            self._failed(key, name, passage.error, is_probe=is_probe)
        elif passage.verdict is Verdict.WORKED or (passage.verdict is Verdict.ALIVE and is_probe):
            breaker = self._breakers.pop(key, None)
            if breaker is not None and breaker.opened_at is not None:
                self._on_change(key.user_id)

    def _failed(self, key: BreakerKey, name: str, error: WireError | None, *, is_probe: bool) -> None:
        """A failure. Of calls that were under way when it opened, only the reason is kept."""
        if not key.user_id:  # nobody to be protected from himself (S0-97)
            return
        breaker = self._breakers.setdefault(key, _Breaker())
        self._breakers.move_to_end(key)
        breaker.name, breaker.last_error = name, error
        now = self._clock()
        breaker.failures.append(now)
        was_closed = breaker.opened_at is None
        if is_probe or (was_closed and self._recent(breaker) >= self._limits().breaker_max_failures):
            breaker.opened_at = now
            breaker.first_opened_at = now if was_closed else breaker.first_opened_at
            self._on_change(key.user_id)
        if len(self._breakers) > MAX_BREAKERS:
            self._breakers.popitem(last=False)

    def _recent(self, breaker: _Breaker) -> int:
        """How many failures are within the window; while it is open none is forgotten."""
        begin = self._clock() - self._limits().breaker_window_seconds
        while breaker.opened_at is None and breaker.failures and breaker.failures[0] <= begin:
            breaker.failures.popleft()
        return len(breaker.failures)

    def _state(self, breaker: _Breaker) -> BreakerState:
        left = self._left_s(breaker)
        if left is None:
            return BreakerState.CLOSED
        return BreakerState.OPEN if left > 0 else BreakerState.HALF_OPEN

    def _left_s(self, breaker: _Breaker) -> float | None:
        if breaker.opened_at is None:
            return None
        return max(0.0, breaker.opened_at + self._limits().breaker_window_seconds - self._clock())

    def _facts(self, key: BreakerKey, breaker: _Breaker) -> BreakerFacts:
        return BreakerFacts(
            key=key,
            name=breaker.name,
            state=self._state(breaker),
            failures=self._recent(breaker),
            last_error=breaker.last_error,
            open_for_s=None if breaker.first_opened_at is None else self._clock() - breaker.first_opened_at,
            retry_after_s=self._left_s(breaker),
        )

    def _refusal(self, key: BreakerKey, breaker: _Breaker) -> BridgeError:
        left = self._left_s(breaker) or 0.0
        error = breaker.last_error
        message = f"{_refused(key, breaker.name, left)}{f' The last time: {error.message}' if error else ''}"
        detail = {
            "tool": breaker.name,
            "server": key.server_id,
            "retry_after_s": round(left, 1),
            "failures": self._recent(breaker),
            "last_error": error.model_dump(mode="json") if error else None,
        }
        return BridgeError(ErrorCode.BREAKER_OPEN, message, detail=detail, retryable=True)


def _refused(key: BreakerKey, name: str, left_s: float) -> str:
    wait = f"in {left_s:.0f} s" if left_s >= 1 else "when the one that is trying has ended"
    reset = "close the breaker (POST /api/breakers/reset)"
    if key.kind == "request":
        return f"Temporarily disabled due to repeated errors. Please retry later: {wait}, or {reset}."
    return f"{name} failed again and again and is left alone for now. Call it again {wait}, or {reset}."


_FAILURES = frozenset({ErrorCode.NETWORK, ErrorCode.TIMEOUT, ErrorCode.INTERNAL})


def judge(outcome: CallOutcome) -> Verdict:
    """What the ending of a call says about the API (ruling 26)."""
    error = outcome.error
    if error is None:
        return Verdict.WORKED
    if error.code is ErrorCode.HTTP_STATUS:
        status = error.detail.get("status")
        is_its_fault = isinstance(status, int) and status >= SERVER_FAILURE
        return Verdict.FAILED if is_its_fault else Verdict.ALIVE
    if error.code is ErrorCode.OUTCOME_UNKNOWN:
        return Verdict.FAILED if error.detail.get("reason") in _FAILURES else Verdict.NOTHING
    return Verdict.FAILED if error.code in _FAILURES else Verdict.NOTHING
