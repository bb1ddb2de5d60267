"""A call between its first phase and its end: what was asked, which page has it, how much time is left.

The dispatcher owns every open call and alone changes it, except for the answer that is uploaded.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Literal, NamedTuple, Protocol, TypeAlias

from bridge.browser_protocol import DecisionReason
from bridge.calls.clock import Alarms, Clock, Wakeup
from bridge.calls.limits.settings import Deadline
from bridge.calls.outcome import CallOutcome
from bridge.calls.request import CallRequest
from bridge.calls.state_machine import (
    MAY_BEGIN,
    PROOFS,
    STATE_OF,
    UNDECIDED,
    CallEvent,
    CallPhase,
    CallState,
)
from bridge.errors import WireError
from bridge.tracing.context import TraceContext
from toolserver.answer.result import FileBody, TextBody


@dataclass(frozen=True, slots=True)
class KeptEnding:
    """The ending of a call as its caller may be told it."""

    outcome: CallOutcome
    """With several replicas another one may have decided it."""
    is_stored: bool
    """Whether the page may forget it."""


Confirmation: TypeAlias = asyncio.Task[KeptEnding]
"""Gives the ending of a call, once its caller may be told."""

AbortReason = Literal["deadline", "caller_gone", "stopped", "no_answer", "no_slot"]
"""Why a page is told to drop a call: its deadline has passed, its caller went away, somebody stopped it,
nobody answered the approval card, or it was approved but got no slot."""


class Slot(Protocol):
    """What a call needs before its page may begin it, and holds until it has ended or asks its user.

    The engine opens it with `AdmissionControl.open_slot` and closes it; the dispatcher acquires and releases
    it.
    """

    def start_deadline(self) -> Deadline:
        """Return how long the call may take from now on; called once, when its time begins to count."""
        ...

    def acquire_now(self) -> bool:
        """Acquire the slot if that needs no waiting; returns whether the call holds it.

        Raises:
            BridgeError: the call may not run: `breaker_open`, or `no_browser` while the bridge is stopping.
        """
        ...

    async def acquire_slot(self) -> None:
        """Wait for the slot; returns without it if it was released meanwhile. Cancelling gives up the wait.

        Raises:
            BridgeError: the call may not run: `queue_full`, `breaker_open`, `timeout` (its batch is over), or
                `no_browser` while the bridge is stopping.
        """
        ...

    def release_slot(self) -> None:
        """Let other calls run while the user of this one is asked. It may be acquired again."""
        ...

    def record_outcome(self, outcome: CallOutcome) -> None:
        """Release the slot of a call that has ended, and end a wait for it."""
        ...


APPROVAL_GRACE_S = 5.0
"""The page keeps the time of an approval itself; so much later the bridge stops believing that it does."""


class Page(NamedTuple):
    """A connected worker of a browser."""

    sid: str
    device_id: str | None
    instance: str
    epoch: str
    """See `Hello`."""
    plan_version: int = 1
    """See `Hello`."""


@dataclass(frozen=True, slots=True)
class ApprovalVerdict:
    """What a user decided about a call."""

    decision: str
    """once, chat, timed, always or denied."""
    reason: DecisionReason
    device_id: str | None
    """Browser in which it was decided; None: the bridge itself gave up waiting."""
    at: float
    """UTC seconds since 1970."""

    @property
    def by_bridge(self) -> bool:
        """Whether the bridge itself gave up waiting."""
        return self.device_id is None


@dataclass(slots=True)
class OpenCall:
    """A call that has not ended."""

    call_id: str
    request: CallRequest
    result_token: str
    """Authorizes the upload of this call's answer."""
    slot: Slot
    alarms: Alarms = field(default_factory=Alarms)
    """Those of all calls of its dispatcher."""
    approval_s: float = 0.0
    """Seconds that its user may think about it."""
    opened_at: float = field(default_factory=time.time)
    """UTC seconds since 1970."""
    began: float = field(default_factory=time.monotonic)
    """The same moment by a clock that nobody sets."""
    phase: CallPhase = CallPhase.QUEUED
    page: Page | None = None
    """The worker that has the call; None until one is chosen."""
    attempts: int = 0
    """Number of times that a page may have begun it."""
    sendings: int = 0
    """Number of times that it was sent to a page."""
    outcome: CallOutcome | None = None
    """Set once, with a terminal phase."""
    confirmation: Confirmation | None = None
    """Set with an outcome of which nobody may hear before."""
    abort_reason: AbortReason | None = None
    """Set with an outcome that its page does not know of."""
    woken: Wakeup = field(default_factory=Wakeup)
    """Set when the call has ended, or has to be sent again."""
    deadline: Deadline | None = None
    """None before its time begins to count."""
    clock: Clock | None = None
    """Its deadline: counts from its slot, or from its first sending if its user is to be asked; paused while
    the user is asked."""
    approval_clock: Clock | None = None
    """Time that its user has to decide, over all pages and reconnects; None until a page asks."""
    search: asyncio.Timeout | None = None
    """The wait for a page to come, while there is one."""
    declined: WireError | None = None
    """Error of the last page that could not take it."""
    first_failure: WireError | None = None
    """Error of a try that was made, after which a safe call was sent again."""
    timer: asyncio.TimerHandle | None = None
    """At a page: the resume window of that page, which is away. Without a page: the pause before the call is
    sent again."""
    uploaded: TextBody | FileBody | None = None
    """Answer that arrived before the page's report."""
    verdict: ApprovalVerdict | None = None
    """The last decision of its user."""
    phases_ms: Sequence[float] = ()
    """What its page says its time went into, as `PAGE_PHASES`; set with the page's report."""
    trace_context: TraceContext | None = None
    """That of its request to the API, for its page; None: it is not traced."""

    @property
    def state(self) -> CallState:
        """Its state for callers and the journal."""
        return STATE_OF[self.phase]

    @property
    def user_id(self) -> str:
        """The user whose page runs it."""
        return self.request.context.user_id

    def current_time(self) -> float:
        """Return the UTC seconds since 1970, whatever the system's clock was set to since it was opened."""
        return self.opened_at + time.monotonic() - self.began

    @property
    def in_doubt(self) -> bool:
        """Whether an ending without a report leaves open what happened."""
        return self.phase in MAY_BEGIN and not self.request.safe

    @property
    def proves_unsent(self) -> bool:
        """Whether its page's report that nothing was sent is true of all its sendings.

        A page speaks of one sending. It does not if an earlier one may have been begun, nor before it has
        acknowledged the present one, because the report may be that of an earlier one.
        """
        return self.attempts <= 1 and (self.sendings <= 1 or self.phase is not CallPhase.SENT)

    @property
    def sid(self) -> str | None:
        """The socket of its page."""
        return None if self.page is None else self.page.sid

    @property
    def device_id(self) -> str | None:
        """The browser of its page."""
        return None if self.page is None else self.page.device_id

    @property
    def left_ms(self) -> int:
        """Milliseconds left before its deadline."""
        return 0 if self.clock is None else math.ceil(self.clock.left_s * 1000)

    @property
    def approval_ms(self) -> int:
        """Milliseconds that its user has left to decide; at least 1."""
        clock = self.approval_clock
        left_s = self.approval_s if clock is None else clock.left_s - APPROVAL_GRACE_S
        return max(1, math.ceil(left_s * 1000))

    @property
    def is_asked(self) -> bool:
        """Whether its user is being asked, or is to be asked once more by another page."""
        return self.approval_clock is not None and self.phase in UNDECIDED

    @property
    def must_ask(self) -> bool:
        """Whether the page it was sent to must ask its user."""
        return self.phase is CallPhase.ASKING

    def was_known_to(self, user_id: str, page: Page, alive: frozenset[str]) -> bool:
        """Whether a page knows what became of the call: it had it, or a dead worker of its browser had.

        `alive`: the other workers of that browser.
        """
        had = self.page
        if had is None or had.sid == page.sid or self.user_id != user_id:
            return False
        if had.device_id != page.device_id:
            return False
        return had.instance == page.instance or had.instance not in alive

    def enter_phase(self, phase: CallPhase, event: CallEvent) -> None:
        """Go to the next phase of the table, and count how often a page may have begun the call."""
        had_begun, self.phase = self.phase in MAY_BEGIN, phase
        if had_begun and event in PROOFS:
            self.attempts -= 1
        elif not had_begun and phase in MAY_BEGIN:
            self.attempts += 1

    def start_counting(self, run_out: Callable[[OpenCall], None]) -> None:
        """Start its deadline, or resume it; unless its user is asked."""
        if self.clock is None:
            self.deadline = self.slot.start_deadline()
            self.clock = Clock(self.alarms, self.deadline.seconds)
        elif self.is_asked:
            return
        self.clock.resume_time(partial(run_out, self))

    def stop_counting(self) -> None:
        """Pause its deadline while it waits for its slot."""
        if self.clock is not None:
            self.clock.pause_time()

    def start_asking(self, run_out: Callable[[OpenCall], None]) -> None:
        """Pause its deadline while its user is asked, for `approval_s` from the first time on."""
        self.stop_counting()
        if self.approval_clock is None:
            seconds = self.approval_s + APPROVAL_GRACE_S
            self.approval_clock = Clock(self.alarms, seconds)
        self.approval_clock.resume_time(partial(run_out, self))

    def stop_asking(self) -> None:
        """Nobody is asked any more; its deadline continues when it has its slot."""
        if self.approval_clock is not None:
            self.approval_clock.pause_time()

    def start_timer(self, seconds: float, ring: Callable[[OpenCall], None]) -> None:
        """Start the call's one timer; a new one replaces the old one."""
        self.stop_timer()
        self.timer = asyncio.get_running_loop().call_later(seconds, ring, self)

    def stop_timer(self) -> None:
        """Stop the timer, if it is running."""
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None

    def stop_clocks(self) -> None:
        """Stop timer and clocks of a call that has ended."""
        if self.timer is not None:
            self.stop_timer()
        if self.clock is not None:
            self.clock.pause_time()
        if self.approval_clock is not None:
            self.approval_clock.pause_time()
