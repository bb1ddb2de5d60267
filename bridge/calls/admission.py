"""The gate that every call passes between the engine and a page: deadline, breakers, turn.

Receives calls that are ready to be sent; refuses those whose tool or host is left alone for now, gives the
others a turn of which the dispatcher makes use, and tells the breakers how they ended.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from http import HTTPStatus
from typing import Protocol

from bridge.calls.open_call import CallRequest, Slot
from bridge.calls.outcome import CallOutcome
from bridge.errors import BridgeError, ErrorCode
from bridge.limits.call_queue import CallQueue, QueuedCall, SlotKey
from bridge.limits.call_settings import CallSettings, UserCallSettings, checked_deadline
from bridge.limits.circuit_breaker import BreakerKey, Breakers, BreakerVerdict, Ending
from bridge.limits.settings import Deadline, LiveLimits
from bridge.limits.token_bucket import RateLimit


@dataclass(frozen=True, slots=True)
class CallOptions:
    """On what terms a door makes a call."""

    group: str | None = None
    """One request of the caller, whose calls share a limit; None: the call stands alone."""
    deadline_s: float | None = None
    """Once it has its turn, 1 to 600; None: as its user or the bridge says."""
    latest_end: float | None = None
    """Time of the event loop at which the call, waiting or running, is ended by its batch. Only the time in
    which its user is asked comes on top."""


ALONE = CallOptions()
"""A call by itself, with the deadline that its user or the bridge has set."""


@dataclass(frozen=True, slots=True)
class Controls:
    """What decides whether and when a call runs, and for how long."""

    limits: LiveLimits
    admission: CallQueue
    breakers: Breakers
    settings: UserCallSettings


class Runner(Protocol):
    """What performs a call: the dispatcher."""

    async def dispatch_call(self, request: CallRequest, turn: Slot) -> CallOutcome:
        """Perform it to its end, when it is its turn; cancelling aborts it."""
        ...


class AdmissionControl:
    """Lets calls pass to `runner`."""

    def __init__(self, runner: Runner, controls: Controls) -> None:
        self._runner = runner
        self._controls = controls
        per_minute = controls.limits.now.calls_per_minute_per_user
        self._rate = RateLimit("calls of one user", per_key=per_minute, window_s=60)
        controls.limits.on_change(self._change_rate)

    def admit_call(self, user_id: str) -> None:
        """Count a call of a user, before anything is looked up for it.

        Raises:
            BridgeError: `rate_limited`.
        """
        self._rate.take_token(user_id)

    def _change_rate(self) -> None:
        self._rate.change_rate(per_key=self._controls.limits.now.calls_per_minute_per_user)

    async def run_call(self, request: CallRequest, terms: CallOptions) -> CallOutcome:
        """Run one call to its end. What happens to it once it waits for its turn is its outcome.

        Cancelling gives up the wait, or aborts the call.

        Raises:
            BridgeError: `queue_full`: too many calls are open; `breaker_open`; `no_browser`: the bridge is
                stopping. Nothing was sent.
        """
        settings = await self._controls.settings.settings_of_user(request.user_id)
        turn = _CallSlot(self._controls, request, terms, settings)
        try:
            return await self._runner.dispatch_call(request, turn)
        finally:
            turn.leave()


class _CallSlot:
    """Implements `Turn`: a slot, and the way through two breakers."""

    def __init__(
        self, controls: Controls, request: CallRequest, terms: CallOptions, settings: CallSettings
    ) -> None:
        self._controls = controls
        self._admission = controls.admission
        self._breakers = controls.breakers
        self._deadline = _deadline(controls, request, terms, settings)
        self._latest_end = terms.latest_end
        self._queue_s = controls.limits.now.tool_queue_wait_seconds
        self._tool_name = request.tool_name
        self._tool = BreakerKey(request.user_id, "tool", request.server_id, request.operation_key)
        self._host = BreakerKey(request.user_id, "host", origin=request.origin)
        self._probes: tuple[bool, bool] | None = None
        """Whether the call probes tool and host; None while it does not run."""
        self._check()
        self._ticket: QueuedCall = self._admission.enter_call(_slot_key(request, terms, settings))

    def start_deadline(self) -> Deadline:
        """No later than its batch ends; asking for it is the beginning of its time."""
        latest_end, self._latest_end = self._latest_end, None
        return self._deadline if latest_end is None else _within(self._deadline, latest_end)

    def acquire_now(self) -> bool:
        """Whether it has a slot now, and breakers that let it pass."""
        if self._probes is not None:
            return True
        if not self._admission.acquire_now(self._ticket):
            return False
        self._pass()
        return True

    async def acquire_slot(self) -> None:
        """Wait for a slot: for as long as a call may in all, and no longer than its batch."""
        began = asyncio.get_running_loop().time()
        try:
            async with asyncio.timeout_at(self._latest_end):
                await self._admission.acquire_slot(self._ticket, self._queue_s)
        except TimeoutError:
            raise batch_is_over("Its turn had not come.") from None
        self._queue_s = max(0.0, self._queue_s - (asyncio.get_running_loop().time() - began))
        if self._ticket.holds:
            self._pass()

    def release_slot(self) -> None:
        """Slot and places of probes."""
        self._conclude(None, None)
        self._admission.release_slot(self._ticket)

    def record_outcome(self, outcome: CallOutcome) -> None:
        """The breakers hear of calls that had their turn."""
        error = outcome.error
        if error is not None and error.detail.get("set_by") == "TOOL_BATCH_TIMEOUT_SECONDS":
            self._conclude(None, None)
        else:
            tool = Ending(judge_tool(outcome), self._tool_name, error)
            self._conclude(tool, Ending(judge_host(outcome), self._tool_name, error))
        self._admission.release_slot(self._ticket)

    def leave(self) -> None:
        """The call is open no more."""
        self._conclude(None, None)
        self._admission.leave_queue(self._ticket)

    def _check(self) -> None:
        self._breakers.check_breaker(self._tool)
        if self._host.origin:
            self._breakers.check_breaker(self._host)

    def _pass(self) -> None:
        """It has a slot: through the breakers, or not at all."""
        try:
            self._check()
        except BridgeError:
            self._admission.release_slot(self._ticket)
            raise
        self._probes = self._breakers.enter_breaker(self._tool), self._breakers.enter_breaker(self._host)

    def _conclude(self, tool: Ending | None, host: Ending | None) -> None:
        if self._probes is None:
            return
        probes_tool, probes_host = self._probes
        self._probes = None
        self._breakers.leave_breaker(self._tool, tool, is_probe=probes_tool)
        if self._host.origin:
            self._breakers.leave_breaker(self._host, host, is_probe=probes_host)


def batch_is_over(what: str) -> BridgeError:
    """The error of a call that had not begun when its batch ended; `what` says why it had not."""
    message = f"The time for the whole batch was over before the call began. {what}"
    detail = {"set_by": "TOOL_BATCH_TIMEOUT_SECONDS"}
    return BridgeError(ErrorCode.TIMEOUT, message, detail=detail, retryable=True)


def _deadline(
    controls: Controls, request: CallRequest, terms: CallOptions, settings: CallSettings
) -> Deadline:
    if terms.deadline_s is not None:
        return Deadline(checked_deadline(terms.deadline_s), "call")
    return settings.deadline_of(request.server_id, request.operation_key, controls.limits.now)


def _slot_key(request: CallRequest, terms: CallOptions, settings: CallSettings) -> SlotKey:
    server = settings.of_server(request.server_id)
    return SlotKey(
        user_id=request.user_id,
        group=terms.group,
        origin=request.origin,
        server_id=request.server_id,
        operation_key=request.operation_key,
        server_parallel=server.max_parallel,
        operation_parallel=settings.of_operation(request.server_id, request.operation_key).max_parallel,
        in_order=bool(server.in_order) and not request.safe,
    )


def _within(deadline: Deadline, latest_end: float) -> Deadline:
    """The deadline of a call that begins now, no later than its batch ends."""
    left = latest_end - asyncio.get_running_loop().time()
    return deadline if deadline.seconds <= left else Deadline(max(left, 0.0), "TOOL_BATCH_TIMEOUT_SECONDS")


_FAILURES = frozenset({ErrorCode.NETWORK, ErrorCode.TIMEOUT, ErrorCode.INTERNAL})


_SILENCES = frozenset({ErrorCode.NETWORK, ErrorCode.TIMEOUT})


def judge_host(outcome: CallOutcome) -> BreakerVerdict:
    """What the ending of a call says about the host: any answer shows that it works."""
    error = outcome.error
    if error is None or error.code is ErrorCode.HTTP_STATUS:
        return BreakerVerdict.WORKED
    code = error.detail.get("reason") if error.code is ErrorCode.OUTCOME_UNKNOWN else error.code
    return BreakerVerdict.FAILED if code in _SILENCES else BreakerVerdict.NOTHING


def judge_tool(outcome: CallOutcome) -> BreakerVerdict:
    """What the ending of a call says about the tool (ruling 26)."""
    error = outcome.error
    if error is None:
        return BreakerVerdict.WORKED
    if error.code is ErrorCode.HTTP_STATUS:
        status = error.detail.get("status")
        is_its_fault = isinstance(status, int) and status >= HTTPStatus.INTERNAL_SERVER_ERROR
        return BreakerVerdict.FAILED if is_its_fault else BreakerVerdict.ALIVE
    if error.code is ErrorCode.OUTCOME_UNKNOWN:
        return BreakerVerdict.FAILED if error.detail.get("reason") in _FAILURES else BreakerVerdict.NOTHING
    return BreakerVerdict.FAILED if error.code in _FAILURES else BreakerVerdict.NOTHING
