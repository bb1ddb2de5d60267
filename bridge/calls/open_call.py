"""A call between its first and its terminal state: what was asked, which page has it, how much time is left.

Values and one clock; `dispatch` owns every open call and is the only one that changes it.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Protocol

from bridge.calls.clock import Clock
from bridge.calls.outcome import CallOutcome
from bridge.calls.state_machine import CallState
from bridge.errors import WireError
from bridge.limits.settings import Deadline
from toolserver.call.result import FileBody, TextBody


@dataclass(frozen=True, slots=True)
class CallRequest:
    """One call, already looked up, accepted by its user and validated."""

    user_id: str
    tool_name: str
    server_id: str
    operation_key: str
    """For example `GET /pets/{id}`."""
    operation_digest: str
    origin: str
    """Where the request goes; empty while the document names no server."""
    safe: bool
    """GET, HEAD or OPTIONS: performing it twice does no harm."""
    arguments_text: str
    """JSON text of an object; it travels as text so that no integer is lost."""
    approval: Literal["granted", "needed"] = "granted"
    """needed: the page must ask its user. A page may ask although it need not."""
    chat_id: str | None = None
    message_id: str | None = None
    turn_id: str | None = None
    """Of the answer of a model that the call belongs to."""
    turn_call_id: str | None = None
    """The model's id of the call; None: a call that another call of the turn made."""
    idempotency_key: bool = False
    """Its request carries the call's id in the header `Idempotency-Key`."""


AbortReason = Literal["deadline", "caller_gone", "stopped", "no_answer", "no_slot"]
"""Why a page is told to drop a call: its time is over, nobody wants it any more, nobody approved it, or it
may not run although it was approved."""


class Slot(Protocol):
    """What a call needs before its page may begin it, and holds until it has ended or asks its user."""

    def start_deadline(self) -> Deadline:
        """How long the call may take from now on; asked once, when its time begins to count."""
        ...

    def acquire_now(self) -> bool:
        """Whether it has its turn, or gets it without waiting.

        Raises:
            BridgeError: it may not run; see `AdmissionControl.run_call`.
        """
        ...

    async def acquire_slot(self) -> None:
        """Wait for its turn; without one when it was given back meanwhile. Cancelling gives up the wait.

        Raises:
            BridgeError: it may not run; see `AdmissionControl.run_call`.
        """
        ...

    def release_slot(self) -> None:
        """Its user is asked, and others may run. `take` may follow."""
        ...

    def record_outcome(self, outcome: CallOutcome) -> None:
        """It has ended; a wait for its turn ends too."""
        ...


APPROVAL_GRACE_S = 5.0
"""The page keeps the time of an approval itself; so much later the bridge stops believing that it does."""

_ASKING = (CallState.SENT, CallState.AWAITING_APPROVAL)


class Page(NamedTuple):
    """A connected worker of a browser."""

    sid: str
    device_id: str | None
    instance: str
    epoch: str
    """See `Hello`."""


@dataclass(frozen=True, slots=True)
class ApprovalVerdict:
    """What a user said of a call."""

    decision: str
    """once, chat, timed, always or denied."""
    reason: Literal["user", "no_answer"]
    """user: it was a click; no_answer: the time passed."""
    device_id: str | None
    """The browser it came from; None: the bridge itself gave up waiting."""
    at: float
    """UTC seconds since 1970."""

    @property
    def by_bridge(self) -> bool:
        """No page said so."""
        return self.device_id is None


@dataclass(slots=True)
class OpenCall:
    """A call that has not ended."""

    call_id: str
    request: CallRequest
    result_token: str
    """Authorizes the upload of this call's answer."""
    turn: Slot
    approval_s: float = 0.0
    """How long its user may think about it."""
    opened_at: float = field(default_factory=time.time)
    """UTC seconds since 1970."""
    state: CallState = CallState.QUEUED
    page: Page | None = None
    """The worker that has the call; None until one is chosen."""
    may_begin: bool = False
    """Its page was allowed to begin the request. Before that, every ending is certain."""
    attempts: int = 0
    """How often it was sent to a page that was allowed to begin it."""
    sendings: int = 0
    outcome: CallOutcome | None = None
    """Set once, with a terminal state."""
    abort_reason: AbortReason | None = None
    """Set with an outcome that its page does not know of."""
    moved: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when it ended, or is to be sent again."""
    is_approved: bool = False
    """Its user has said yes; a page that gets it after that need not ask."""
    deadline: Deadline | None = None
    """None before its time begins to count."""
    clock: Clock | None = None
    """Its time: counts from its turn, or its first sending if its user is to be asked; not while he is."""
    patience: Clock | None = None
    """The time that its user has to decide, over all pages and reconnects; None until one asks."""
    search: asyncio.Timeout | None = None
    """The wait for a page to come, while there is one."""
    declined: WireError | None = None
    """What the last page said that could not take it."""
    timer: asyncio.TimerHandle | None = None
    """The resume window of a lost page, or the pause before another attempt."""
    uploaded: TextBody | FileBody | None = None
    verdict: ApprovalVerdict | None = None
    """The last thing its user said."""

    @property
    def in_doubt(self) -> bool:
        """Whether an ending without a report leaves open what happened."""
        return self.may_begin and not self.request.safe

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
        """What is left of its time, in milliseconds."""
        return 0 if self.clock is None else math.ceil(self.clock.left_s * 1000)

    @property
    def approval_ms(self) -> int:
        """What its user has left to decide, in milliseconds; at least 1."""
        left_s = self.approval_s if self.patience is None else self.patience.left_s - APPROVAL_GRACE_S
        return max(1, math.ceil(left_s * 1000))

    @property
    def is_asked(self) -> bool:
        """Its user is being asked, or is to be asked once more by another page."""
        return self.patience is not None and not self.patience.is_held

    @property
    def awaits_go(self) -> bool:
        """Its user has said yes, and its page waits for its turn."""
        return self.is_approved and not self.may_begin and self.state in _ASKING

    @property
    def approval(self) -> Literal["granted", "needed"]:
        """Whether the page that gets it next must ask."""
        return "granted" if self.is_approved else self.request.approval

    def start_counting(self, run_out: Callable[[], None]) -> None:
        """Its own time counts, from now or from where it was held; unless its user is asked."""
        if self.clock is None:
            self.deadline = self.turn.start_deadline()
            self.clock = Clock(self.deadline.seconds, run_out)
        elif not self.is_asked:
            self.clock.go_on()

    def start_asking(self, run_out: Callable[[], None]) -> None:
        """Its user is asked, for `approval_s` from the first time on; its own time stands still."""
        if self.clock is not None:
            self.clock.hold_time()
        if self.patience is None:
            self.patience = Clock(self.approval_s + APPROVAL_GRACE_S, run_out)
        self.patience.go_on()

    def stop_asking(self) -> None:
        """Nobody is asked any more; its own time goes on when it has its turn."""
        if self.patience is not None:
            self.patience.hold_time()

    def start_timer(self, seconds: float, ring: Callable[[OpenCall], None]) -> None:
        """One timer at a time; a new one replaces the old one."""
        self.stop_timer()
        self.timer = asyncio.get_running_loop().call_later(seconds, ring, self)

    def stop_timer(self) -> None:
        """Nothing rings any more."""
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None

    def stop_clocks(self) -> None:
        """The call has ended."""
        self.stop_timer()
        for clock in (self.clock, self.patience):
            if clock is not None:
                clock.hold_time()


@dataclass(frozen=True, slots=True)
class CallRecord:
    """What is kept of a call."""

    call_id: str
    request: CallRequest
    state: CallState
    may_begin: bool
    device_id: str | None
    opened_at: float
    outcome: CallOutcome | None
    """None while it is open."""
    verdict: ApprovalVerdict | None = None
