"""Circuit breakers: what fails repeatedly is not called for a while. Pure; the clock is passed in.

One state machine per key: closed (calls pass) -> open after `breaker_max_failures` failures within
`breaker_window_seconds` (calls are refused) -> half-open after the same time again (one call passes, as a
probe) -> closed by a success, open by a failure. Takes the endings of calls; lets calls pass or raises
`breaker_open`.

A tool's breaker counts what the tool does wrong. A host's breaker counts only calls that got no answer at
all, and opens only when these were calls of several tools: one bad tool never costs its user the others
(W-08).
"""

from __future__ import annotations

from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal, NamedTuple, TypeAlias

from bridge.errors import BridgeError, ErrorCode, WireError
from bridge.settings.limits import Limits, range_of

MAX_BREAKERS = 10_000
"""Maximum number of keys whose failures are remembered; beyond it, the one that failed longest ago is
evicted."""

MAX_FAILURES = int(range_of("BREAKER_MAX_FAILURES")[1])
"""Maximum number of failures that are remembered per key."""

HOST_TOOLS = 2
"""Number of different tools whose calls must have failed before the breaker of their host opens."""


class BreakerState(StrEnum):
    """Whether calls pass."""

    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half_open"


class BreakerVerdict(StrEnum):
    """What the ending of a call says about the thing that was called."""

    WORKED = "worked"
    FAILED = "failed"
    ALIVE = "alive"
    """It answered but refused: no reason to stop calling it, and no reason to forget its failures."""
    NOTHING = "nothing"
    """The ending says nothing about it: cancelled, denied, no page."""


BreakerKind: TypeAlias = Literal["tool", "host", "request", "store"]
"""What a breaker watches. `request`: requests of the user to the models of one provider; `store`: the user's
stored answers."""


class BreakerKey(NamedTuple):
    """What one breaker watches, for one user."""

    user_id: str
    kind: BreakerKind = "tool"
    server_id: str = ""
    operation_key: str = ""
    origin: str = ""
    """For a host, which the calls of all servers share."""
    provider: str = ""
    """For requests to models: the name of their provider. One that fails never costs its user the others."""


class Ending(NamedTuple):
    """What the ending of one call says."""

    verdict: BreakerVerdict
    tool: str
    """Name of the tool that was called."""
    error: WireError | None = None


@dataclass(slots=True)
class _Breaker:
    """The recent failures of one key."""

    failures: deque[tuple[float, str]] = field(
        default_factory=lambda: deque[tuple[float, str]](maxlen=MAX_FAILURES)
    )
    """Time and tool of each failure."""
    name: str = ""
    """Name for messages."""
    last_error: WireError | None = None
    opened_at: float | None = None
    """When it last opened; a failed probe opens it again."""
    first_opened_at: float | None = None
    """When it first opened since it was last closed."""
    is_probing: bool = False


@dataclass(frozen=True, slots=True)
class BreakerFacts:
    """State of one breaker, for display."""

    key: BreakerKey
    name: str
    state: BreakerState
    failures: int
    """Number of failures within the window."""
    last_error: WireError | None
    open_for_s: float | None
    """Seconds since it first opened, across failed probes; None while it is closed."""
    retry_after_s: float | None
    """Seconds until one call may probe; None while it is closed."""


class Passage:
    """One pass through a breaker while a context runs, which records how it ended."""

    __slots__ = ("_breakers", "_is_probe", "_key", "_name", "ending")

    def __init__(self, breakers: Breakers, key: BreakerKey, name: str) -> None:
        self._breakers = breakers
        self._key = key
        self._name = name
        self.ending: Ending | None = None

    def __enter__(self) -> Passage:
        """Begin.

        Raises:
            BridgeError: `breaker_open`.
        """
        self._breakers.check_breaker(self._key)
        self._is_probe = self._breakers.enter_breaker(self._key)
        return self

    def __exit__(self, *_: object) -> None:
        """End."""
        self._breakers.leave_breaker(self._key, self.ending, is_probe=self._is_probe)

    def record_ending(self, verdict: BreakerVerdict, error: WireError | None) -> None:
        """Record how it ended."""
        self.ending = Ending(verdict, self._name, error)


class Breakers:
    """The breakers of all users. All methods run on one event loop, and none of them waits."""

    def __init__(
        self,
        limits: Callable[[], Limits],
        clock: Callable[[], float],
        *,
        on_change: Callable[[str], None] = lambda _: None,
    ) -> None:
        """`clock` returns monotonic seconds; `on_change` gets the user's id when one opens or closes."""
        self._limits = limits
        self._clock = clock
        self._on_change = on_change
        self._breakers: OrderedDict[BreakerKey, _Breaker] = OrderedDict()

    def check_breaker(self, key: BreakerKey) -> None:
        """Raise if the breaker refuses calls now; does not claim the probe.

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
        """Let one call pass after `check_breaker`; returns whether it is the probe.

        `leave_breaker` must follow.
        """
        breaker = self._breakers.get(key)
        if breaker is None or self._state(breaker) is not BreakerState.HALF_OPEN:
            return False
        breaker.is_probing = True
        return True

    def leave_breaker(self, key: BreakerKey, ending: Ending | None, *, is_probe: bool) -> None:
        """End a call that passed; `ending` is None when the call gave up its place before it began."""
        breaker = self._breakers.get(key)
        if breaker is not None and is_probe:
            breaker.is_probing = False
        if ending is not None:
            self._conclude(key, ending, is_probe=is_probe)

    @property
    def is_quiet(self) -> bool:
        """Whether nothing has failed lately: then every call passes, and a success changes nothing."""
        return not self._breakers

    def check_all(self, keys: Iterable[BreakerKey]) -> None:
        """Raise as `check_breaker` does for any of them."""
        for key in keys:
            if key in self._breakers:
                self.check_breaker(key)

    def enter_all(self, keys: Sequence[BreakerKey]) -> tuple[bool, ...]:
        """Let one call pass all of them, or raise as `check_all`; returns of which it is the probe."""
        if not self._breakers:
            return (False,) * len(keys)
        self.check_all(keys)
        return tuple(key in self._breakers and self.enter_breaker(key) for key in keys)

    def leave_all(
        self, keys: Sequence[BreakerKey], endings: Sequence[Ending | None], probes: Sequence[bool]
    ) -> None:
        """End a call that passed all of them, as `leave_breaker`; each has its own ending."""
        for key, ending, is_probe in zip(keys, endings, probes, strict=True):
            has_failed = ending is not None and ending.verdict is BreakerVerdict.FAILED
            if has_failed or key in self._breakers:
                self.leave_breaker(key, ending, is_probe=is_probe)

    def pass_breaker(self, key: BreakerKey, name: str) -> Passage:
        """Return the context that passes a breaker; unless an ending is recorded, nothing is concluded.

        Entering it raises `BridgeError`: `breaker_open`.
        """
        return Passage(self, key, name)

    def list_breakers(self, user_id: str) -> list[BreakerFacts]:
        """Return the breakers of a user that have failures, the most recent failure first."""
        return [
            self._facts(key, breaker)
            for key, breaker in reversed(self._breakers.items())
            if key.user_id == user_id and (breaker.opened_at is not None or self._recent(breaker))
        ]

    def count_states(self) -> Counter[tuple[BreakerKind, BreakerState]]:
        """Count the breakers of all users that are not closed."""
        counted: Counter[tuple[BreakerKind, BreakerState]] = Counter()
        for key, breaker in self._breakers.items():
            if (state := self._state(breaker)) is not BreakerState.CLOSED:
                counted[key.kind, state] += 1
        return counted

    def reset_breakers(
        self,
        user_id: str,
        server_id: str | None = None,
        operation_key: str | None = None,
        origin: str | None = None,
        *,
        kind: BreakerKind | None = None,
    ) -> int:
        """Close a user's breakers: all, those of a server's tools, of one operation, of a host, or of a kind.

        Returns how many were closed.
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
        """Count a failure, and open the breaker when there are too many or the probe has failed."""
        if not key.user_id:  # no user, so nobody to protect from his own failures (S0-97)
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
        """Return how many failures are within the window; while the breaker is open none expires."""
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
        message = f"{_refused(key, breaker.name, left)}{f' The last error: {error.message}' if error else ''}"
        detail = {
            **_names(key, breaker.name),
            "retry_after_s": round(left, 1),
            "failures": self._recent(breaker),
            "last_error": error.model_dump(mode="json") if error else None,
        }
        return BridgeError(ErrorCode.BREAKER_OPEN, message, detail=detail, retryable=True)


def _refused(key: BreakerKey, name: str, left_s: float) -> str:
    wait = f"in {left_s:.0f} s" if left_s >= 1 else "when the trial call has ended"
    reset = "close the breaker on the bridge page under Settings"
    if key.kind == "request":
        return f"Temporarily disabled due to repeated errors. Please retry later: {wait}, or {reset}."
    if key.kind == "store":
        return f"DB ops skipped due to repeated errors. Stored items are used again {wait}."
    return f"{name} is paused, because it failed repeatedly. Call it again {wait}, or {reset}."


def _names(key: BreakerKey, name: str) -> dict[str, str]:
    return {"host": key.origin} if key.kind == "host" else {"tool": name, "server": key.server_id}
