"""Admission control: whether, when and for how long a call may run.

Refuses calls whose tool or host has an open circuit breaker, gives the others a slot that the dispatcher
makes use of, and tells the breakers how they ended.
"""

from __future__ import annotations

import asyncio
import sys
from dataclasses import dataclass
from http import HTTPStatus
from typing import NamedTuple, Self

from bridge.calls.limits.call_rules import SlotKey
from bridge.calls.limits.call_settings import CallSettings, UserCallSettings, checked_deadline
from bridge.calls.limits.circuit_breaker import BreakerKey, Breakers, BreakerVerdict, Ending
from bridge.calls.limits.fair_queue import FairQueue, QueueEntry
from bridge.calls.limits.settings import Deadline, LiveLimits
from bridge.calls.limits.token_bucket import RateLimit
from bridge.calls.outcome import CallOutcome
from bridge.calls.request import CallOptions, CallRequest
from bridge.errors import BridgeError, ErrorCode
from bridge.settings.limits import Limits

MAX_PLACES = 10_000
"""Maximum number of operations of all users whose places are remembered."""


@dataclass(frozen=True, slots=True)
class Controls:
    """What decides whether and when a call or a round of a model runs, and for how long."""

    limits: LiveLimits
    queue: FairQueue
    breakers: Breakers
    settings: UserCallSettings


class AdmissionControl:
    """Counts calls, and opens a slot for each that may run."""

    def __init__(self, controls: Controls) -> None:
        self._controls = controls
        self._places: dict[tuple[str, str, str, str, bool], _Place] = {}
        """By user, server, operation, origin, and whether it is safe."""
        per_minute = controls.limits.now.calls_per_minute_per_user
        self._rate = RateLimit("calls of one user", per_key=per_minute, window_s=60)

    def admit_call(self, user_id: str) -> None:
        """Count a call of a user, before anything is looked up for it.

        Raises:
            BridgeError: `rate_limited`.
        """
        self._rate.take_token(user_id)

    def apply_limits(self) -> None:
        """Let calls through at the rate that is allowed now."""
        self._rate.change_rate(per_key=self._controls.limits.now.calls_per_minute_per_user)

    async def open_slot(self, request: CallRequest, options: CallOptions) -> CallSlot:
        """Return the slot of a call, for a `with` statement: the call counts as open, but does not run yet.

        Raises:
            BridgeError: `queue_full`: too many calls are open, or too large ones; `breaker_open`;
                `no_browser`: the bridge is stopping. Nothing was sent.
        """
        user_id = request.context.user_id
        users = self._controls.settings
        settings = users.known_settings(user_id) or await users.settings_of_user(user_id)
        return CallSlot(self._controls, request, options, self._place_of(request, settings))

    def _place_of(self, request: CallRequest, settings: CallSettings) -> _Place:
        """Return the place of a call: that of the last one of its operation, if that still holds."""
        user_id, limits = request.context.user_id, self._controls.limits.now
        asked = (user_id, request.server_id, request.operation_key, request.origin, request.safe)
        place = self._places.get(asked)
        if place is None or place.settings is not settings or place.limits is not limits:
            place = _find_place(request, settings, limits)
            if len(self._places) >= MAX_PLACES:
                self._places.clear()
            self._places[asked] = place
        return place


class _Place(NamedTuple):
    """What calls of one operation have in common, by the settings of their user and the limits."""

    settings: CallSettings
    limits: Limits
    deadline: Deadline
    slot_key: SlotKey
    """Of calls that stand alone."""
    breakers: tuple[BreakerKey, ...]
    """Those of the tool and of its host, if that is known."""


class CallSlot:
    """Implements `Slot`: a place among the calls that run, and the way through two circuit breakers.

    A context manager: on leaving it, the call is open no longer.
    """

    def __init__(self, controls: Controls, request: CallRequest, options: CallOptions, place: _Place) -> None:
        self._queue = controls.queue
        self._breakers = controls.breakers
        self._deadline = place.deadline
        if options.deadline_s is not None:
            self._deadline = Deadline(checked_deadline(options.deadline_s), "call")
        self._latest_end = options.latest_end
        self._wait_s = place.limits.tool_queue_wait_seconds
        self._tool_name = request.tool_name
        self._keys = place.breakers
        self._probes: tuple[bool, ...] | None = None
        """Which of its breakers the call probes; None while it does not run."""
        if not self._breakers.is_quiet:
            self._breakers.check_all(self._keys)
        group = options.group
        key = place.slot_key if group is None else place.slot_key._replace(group=group)
        self._entry: QueueEntry = self._queue.enter_queue(key, sys.getsizeof(request.arguments_text))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._leave_breakers()
        self._queue.leave_queue(self._entry)

    def start_deadline(self) -> Deadline:
        """No later than its batch ends; asking for it is the beginning of its time."""
        latest_end, self._latest_end = self._latest_end, None
        return self._deadline if latest_end is None else _within(self._deadline, latest_end)

    def acquire_now(self) -> bool:
        """Acquire the slot if that needs no waiting, and the breakers let the call pass."""
        if self._probes is not None:
            return True
        if not self._queue.grant_now(self._entry):
            return False
        self._enter_breakers()
        return True

    async def acquire_slot(self) -> None:
        """Wait for the slot: as long as a call may wait in all, and no longer than its batch runs."""
        began = asyncio.get_running_loop().time()
        if self._latest_end is None:
            await self._queue.wait_for_grant(self._entry, self._wait_s)
        else:
            try:
                async with asyncio.timeout_at(self._latest_end):
                    await self._queue.wait_for_grant(self._entry, self._wait_s)
            except TimeoutError:
                raise batch_is_over("No slot had become free for it.") from None
        self._wait_s = max(0.0, self._wait_s - (asyncio.get_running_loop().time() - began))
        if self._entry.holds:
            self._enter_breakers()

    def release_slot(self) -> None:
        """Release the place in the queue, and those of probes in the breakers."""
        self._leave_breakers()
        self._queue.revoke_grant(self._entry)

    def record_outcome(self, outcome: CallOutcome) -> None:
        """Tell the breakers how the call ended, if it held the slot, and release it."""
        error = outcome.error
        if error is None and self._breakers.is_quiet:
            self._probes = None
        elif error is not None and error.detail.get("set_by") == "TOOL_BATCH_TIMEOUT_SECONDS":
            self._leave_breakers()
        elif error is None:
            worked = Ending(BreakerVerdict.WORKED, self._tool_name)
            self._leave_breakers(worked, worked)
        else:
            tool = Ending(judge_tool(outcome), self._tool_name, error)
            self._leave_breakers(tool, Ending(judge_host(outcome), self._tool_name, error))
        self._queue.revoke_grant(self._entry)

    def _enter_breakers(self) -> None:
        """Pass the breakers, or release the slot."""
        try:
            self._probes = self._breakers.enter_all(self._keys)
        except BridgeError:
            self._queue.revoke_grant(self._entry)
            raise

    def _leave_breakers(self, *endings: Ending) -> None:
        """Leave them, with what the call's ending says about tool and host; without, it had not begun."""
        if self._probes is None:
            return
        probes, self._probes = self._probes, None
        self._breakers.leave_all(self._keys, endings[: len(probes)] or (None,) * len(probes), probes)


def batch_is_over(what: str) -> BridgeError:
    """Return the error of a call that had not begun when its batch ended; `what` says why it had not."""
    message = f"The time for the whole batch was over before the call began. {what}"
    detail = {"set_by": "TOOL_BATCH_TIMEOUT_SECONDS"}
    return BridgeError(ErrorCode.TIMEOUT, message, detail=detail, retryable=True)


def _find_place(request: CallRequest, settings: CallSettings, limits: Limits) -> _Place:
    user_id, server_id, operation_key = request.context.user_id, request.server_id, request.operation_key
    server = settings.of_server(server_id)
    slot_key = SlotKey(
        user_id=user_id,
        group=None,
        origin=request.origin,
        server_id=server_id,
        operation_key=operation_key,
        server_parallel=server.max_parallel,
        operation_parallel=settings.of_operation(server_id, operation_key).max_parallel,
        in_order=bool(server.in_order) and not request.safe,
    )
    tool = BreakerKey(user_id, "tool", server_id, operation_key)
    host = BreakerKey(user_id, "host", origin=request.origin)
    breakers = (tool, host) if request.origin else (tool,)
    return _Place(
        settings, limits, settings.deadline_of(server_id, operation_key, limits), slot_key, breakers
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
    if error is None or error.code in (ErrorCode.HTTP_STATUS, ErrorCode.TOOL_FAILED):
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
    if error.code is ErrorCode.TOOL_FAILED:  # mostly because of its arguments; a server does not say
        return BreakerVerdict.ALIVE
    if error.code is ErrorCode.OUTCOME_UNKNOWN:
        return BreakerVerdict.FAILED if error.detail.get("reason") in _FAILURES else BreakerVerdict.NOTHING
    return BreakerVerdict.FAILED if error.code in _FAILURES else BreakerVerdict.NOTHING
