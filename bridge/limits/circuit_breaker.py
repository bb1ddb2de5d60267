"""Breakers: what fails again and again is left alone for a while. Pure; the clock is passed in.

One state machine per key: closed (calls pass) -> open after `breaker_max_failures` within
`breaker_window_seconds` (calls are refused) -> half-open after as long again (one call passes, as a probe) ->
closed by a success, open by a failure. Receives how calls ended, gives passage or `breaker_open`.

A tool's breaker counts what the tool does wrong. That of a host counts only calls without any answer, and
opens only when they were of several tools: one bad tool never costs its user the others (W-08).
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal, NamedTuple, TypeAlias

from bridge.errors import BridgeError, ErrorCode, WireError
from bridge.limits.settings import Limits, range_of

MAX_BREAKERS = 10_000
"""Keys with failures that are remembered; of more, those that failed longest ago are forgotten."""

MAX_FAILURES = int(range_of("BREAKER_MAX_FAILURES")[1])
"""Failures of one key that are remembered."""

HOST_TOOLS = 2
"""Of so many tools calls must have failed before their host is left alone."""


class BreakerState(StrEnum):
    """Whether calls pass."""

    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half_open"


class BreakerVerdict(StrEnum):
    """What an ending says about what was called."""

    WORKED = "worked"
    FAILED = "failed"
    ALIVE = "alive"
    """It answered, but refused: no reason to stop calling it, and none to forget its failures."""
    NOTHING = "nothing"
    """The ending says nothing about it: cancelled, denied, no page."""


BreakerKind: TypeAlias = Literal["tool", "host", "request", "store"]
"""`request`: all requests of the user to models, whatever the model; `store`: what is kept of the user's
answers. All but the user is empty in the keys of these two."""


class BreakerKey(NamedTuple):
    """What one breaker watches, for one user."""

    user_id: str
    kind: BreakerKind = "tool"
    server_id: str = ""
    operation_key: str = ""
    origin: str = ""
    """Of a host, which calls of all servers have in common."""


class Ending(NamedTuple):
    """What the end of one call says."""

    verdict: BreakerVerdict
    tool: str
    """Its name."""
    error: WireError | None = None


@dataclass(slots=True)
class _Breaker:
    """One key that failed lately."""

    failures: deque[tuple[float, str]] = field(
        default_factory=lambda: deque[tuple[float, str]](maxlen=MAX_FAILURES)
    )
    """When, and of which tool."""
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
    """The way through one breaker."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.ending: Ending | None = None

    def record_ending(self, verdict: BreakerVerdict, error: WireError | None) -> None:
        """Tell how it ended."""
        self.ending = Ending(verdict, self._name, error)


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

    def check_breaker(self, key: BreakerKey) -> None:
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

    def enter_breaker(self, key: BreakerKey) -> bool:
        """Let one call pass that `check` lets pass; whether it is the probe. `leave` must follow."""
        breaker = self._breakers.get(key)
        if breaker is None or self._state(breaker) is not BreakerState.HALF_OPEN:
            return False
        breaker.is_probing = True
        return True

    def leave_breaker(self, key: BreakerKey, ending: Ending | None, *, is_probe: bool) -> None:
        """A call that passed is over; `ending` None: it gave its place back before it had begun."""
        breaker = self._breakers.get(key)
        if breaker is not None and is_probe:
            breaker.is_probing = False
        if ending is not None:
            self._conclude(key, ending, is_probe=is_probe)

    @contextmanager
    def pass_breaker(self, key: BreakerKey, name: str) -> Generator[Passage]:
        """The way of something that passes one breaker while it runs; no ending told, nothing concluded.

        Raises:
            BridgeError: `breaker_open`.
        """
        self.check_breaker(key)
        is_probe = self.enter_breaker(key)
        passage = Passage(name)
        try:
            yield passage
        finally:
            self.leave_breaker(key, passage.ending, is_probe=is_probe)

    def list_breakers(self, user_id: str) -> list[BreakerFacts]:
        """The breakers of a user that have failures, the latest first."""
        return [
            self._facts(key, breaker)
            for key, breaker in reversed(self._breakers.items())
            if key.user_id == user_id and (breaker.opened_at is not None or self._recent(breaker))
        ]

    def reset_breakers(
        self,
        user_id: str,
        server_id: str | None = None,
        operation_key: str | None = None,
        origin: str | None = None,
        *,
        kind: BreakerKind | None = None,
    ) -> int:
        """Close a user's breakers: all, those of a server's tools, one operation's, a host's, or of a kind.

        Returns how many.
        """
        chosen = [
            key
            for key in self._breakers
            if key.user_id == user_id
            and server_id in (None, key.server_id)
            and operation_key in (None, key.operation_key)
            and origin in (None, key.origin)
            and kind in (None, key.kind)
        ]
        for key in chosen:
            del self._breakers[key]
        if chosen:
            self._on_change(user_id)
        return len(chosen)

    def _conclude(self, key: BreakerKey, ending: Ending, *, is_probe: bool) -> None:
        if ending.verdict is BreakerVerdict.FAILED:
            self._failed(key, ending, is_probe=is_probe)
        elif ending.verdict is BreakerVerdict.WORKED or (ending.verdict is BreakerVerdict.ALIVE and is_probe):
            breaker = self._breakers.pop(key, None)
            if breaker is not None and breaker.opened_at is not None:
                self._on_change(key.user_id)

    def _failed(self, key: BreakerKey, ending: Ending, *, is_probe: bool) -> None:
        """A failure. Of calls that were under way when it opened, only the reason is kept."""
        if not key.user_id:  # nobody to be protected from himself (S0-97)
            return
        breaker = self._breakers.setdefault(key, _Breaker())
        self._breakers.move_to_end(key)
        breaker.name, breaker.last_error = key.origin or ending.tool, ending.error
        now = self._clock()
        breaker.failures.append((now, ending.tool))
        was_closed = breaker.opened_at is None
        if is_probe or (was_closed and self._is_too_much(key, breaker)):
            breaker.opened_at = now
            breaker.first_opened_at = now if was_closed else breaker.first_opened_at
            self._on_change(key.user_id)
        if len(self._breakers) > MAX_BREAKERS:
            self._breakers.popitem(last=False)

    def _is_too_much(self, key: BreakerKey, breaker: _Breaker) -> bool:
        tools = HOST_TOOLS if key.kind == "host" else 1
        enough = self._recent(breaker) >= self._limits().breaker_max_failures
        return enough and len({tool for _, tool in breaker.failures}) >= tools

    def _recent(self, breaker: _Breaker) -> int:
        """How many failures are within the window; while it is open none is forgotten."""
        begin = self._clock() - self._limits().breaker_window_seconds
        while breaker.opened_at is None and breaker.failures and breaker.failures[0][0] <= begin:
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
            **_names(key, breaker.name),
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
    if key.kind == "store":
        return f"DB ops skipped due to repeated errors. What is kept of answers is tried again {wait}."
    return f"{name} failed again and again and is left alone for now. Call it again {wait}, or {reset}."


def _names(key: BreakerKey, name: str) -> dict[str, str]:
    return {"host": key.origin} if key.kind == "host" else {"tool": name, "server": key.server_id}
