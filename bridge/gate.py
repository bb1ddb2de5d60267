"""The gate that every call passes between the engine and a page: deadline, breaker, turn.

Receives calls that are ready to be sent; gives each its deadline, refuses those whose tool is left alone for
now, lets the others run when it is their turn, and tells the breaker how they ended.
"""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from typing import Protocol

from bridge.admission import Admission, SlotKey
from bridge.breaker import BreakerKey, Breakers, Verdict, judge
from bridge.call_settings import CallSettings, CallSettingsBook, Deadline, checked_deadline
from bridge.endings import ran_out_of_time
from bridge.limits import LiveLimits
from bridge.open_call import CallRequest
from bridge.outcome import CallOutcome
from bridge.rate_limit import RateLimit
from bridge.wire import BridgeError, ErrorCode


@dataclass(frozen=True, slots=True)
class Terms:
    """On what terms a door makes a call."""

    group: str | None = None
    """One request of the caller, whose calls share a limit; None: the call stands alone."""
    deadline_s: float | None = None
    """Once it has its turn, 1 to 600; None: as its user or the bridge says."""
    latest_end: float | None = None
    """Time of the event loop at which the call, waiting or running, is ended by its batch."""


ALONE = Terms()
"""A call by itself, with the deadline that its user or the bridge has set."""


@dataclass(frozen=True, slots=True)
class Controls:
    """What decides whether and when a call runs, and for how long."""

    limits: LiveLimits
    admission: Admission
    breakers: Breakers
    settings: CallSettingsBook


class Runner(Protocol):
    """What performs a call: the dispatcher."""

    async def run(self, request: CallRequest) -> CallOutcome:
        """Perform it to its end; cancelling aborts it."""
        ...


class Gate:
    """Lets calls pass to `runner`."""

    def __init__(self, runner: Runner, controls: Controls) -> None:
        self._runner = runner
        self._admission = controls.admission
        self._breakers = controls.breakers
        self._settings = controls.settings
        self._limits = controls.limits
        per_minute = self._limits.now.calls_per_minute_per_user
        self._rate = RateLimit("calls of one user", per_key=per_minute, window_s=60)
        self._limits.on_change(self._change_rate)

    def admit(self, user_id: str) -> None:
        """Count a call of a user, before anything is looked up for it.

        Raises:
            BridgeError: `rate_limited`.
        """
        self._rate.take(user_id)

    def _change_rate(self) -> None:
        self._rate.allow(per_key=self._limits.now.calls_per_minute_per_user)

    async def run(self, request: CallRequest, terms: Terms) -> CallOutcome:
        """Run one call when it is its turn; the deadline that holds for it replaces `request.deadline_s`.

        Cancelling gives up the wait, or aborts the call.

        Raises:
            BridgeError: `queue_full`, `breaker_open`, or `timeout` where its batch ended before its turn
                came; nothing was sent.
        """
        settings = await self._settings.of(request.user_id)
        deadline = self._deadline(request, terms, settings)
        key = BreakerKey(request.user_id, "tool", request.server_id, request.operation_key)
        self._breakers.check(key)
        async with AsyncExitStack() as stack:
            await self._turn(stack, _slot_key(request, terms, settings), terms)
            deadline = _within(deadline, terms)
            with self._breakers.passage(key, request.tool_name) as passage:
                outcome = await self._runner.run(_within_deadline(request, deadline))
                is_cut_short = deadline.set_by == "TOOL_BATCH_TIMEOUT_SECONDS" and _ran_out_of_time(outcome)
                passage.ended(Verdict.NOTHING if is_cut_short else judge(outcome), outcome.error)
        return outcome

    def _deadline(self, request: CallRequest, terms: Terms, settings: CallSettings) -> Deadline:
        if terms.deadline_s is not None:
            return Deadline(checked_deadline(terms.deadline_s), "call")
        return settings.deadline(request.server_id, request.operation_key, self._limits.now)

    async def _turn(self, stack: AsyncExitStack, key: SlotKey, terms: Terms) -> None:
        try:
            async with asyncio.timeout_at(terms.latest_end):
                await stack.enter_async_context(self._admission.slot(key))
        except TimeoutError:
            raise batch_is_over("Its turn had not come.") from None


def batch_is_over(what: str) -> BridgeError:
    """The error of a call that had not begun when its batch ended; `what` says why it had not."""
    message = f"The time for the whole batch was over before the call began. {what}"
    detail = {"set_by": "TOOL_BATCH_TIMEOUT_SECONDS"}
    return BridgeError(ErrorCode.TIMEOUT, message, detail=detail, retryable=True)


def _within_deadline(request: CallRequest, deadline: Deadline) -> CallRequest:
    return replace(request, deadline_s=deadline.seconds, deadline_set_by=deadline.set_by)


def _slot_key(request: CallRequest, terms: Terms, settings: CallSettings) -> SlotKey:
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


def _within(deadline: Deadline, terms: Terms) -> Deadline:
    """The deadline of a call that begins now, no later than its batch ends."""
    if terms.latest_end is None:
        return deadline
    left = terms.latest_end - asyncio.get_running_loop().time()
    return deadline if deadline.seconds <= left else Deadline(max(left, 0.0), "TOOL_BATCH_TIMEOUT_SECONDS")


def _ran_out_of_time(outcome: CallOutcome) -> bool:
    return outcome.error is not None and ran_out_of_time(outcome.error)
