"""Runs a turn behind its user's circuit breaker and the request queue: gathers its tools, then runs the loop.

Receives a request from an endpoint and returns the whole turn. Knows no protocol, no provider and no page.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from bridge.agent.loop.loop import run_turn
from bridge.agent.loop.pending_turns import PendingRounds
from bridge.agent.loop.subquery import NestingToolbox, with_subquery
from bridge.agent.model import Model, ModelError
from bridge.agent.provider_options import add_provider_options
from bridge.agent.turn import CallEnded, Emit, ModelOutput, TurnEvent, TurnRequest, TurnResult, TurnSettings
from bridge.errors import ErrorCode, WireError
from bridge.limits.circuit_breaker import BreakerKey, Breakers, BreakerVerdict, Ending
from bridge.limits.request_queue import RequestQueue

REQUESTS = "Requests to models"
"""Title, for people, of the circuit breaker of a user's requests."""


AT_FAULT = frozenset({400, 404, 409, 413, 415, 422})
"""Provider statuses that blame the request, not the provider or the key."""


class ToolSource(Protocol):
    """The source of a turn's tools."""

    async def toolbox_of_turn(self, request: TurnRequest, settings: TurnSettings) -> NestingToolbox:
        """Return the tools of one turn. Never fails for lack of tools.

        Raises:
            BridgeError: the request's own tools cannot be used.
        """
        ...


class TurnRunner:
    """Runs turns: limits concurrent ones, and refuses users whose requests keep failing."""

    def __init__(
        self, admission: RequestQueue, breakers: Breakers, tools: ToolSource, pending: PendingRounds
    ) -> None:
        self._admission = admission
        self._breakers = breakers
        self._tools = tools
        self._pending = pending

    async def run_turn(
        self, request: TurnRequest, model: Model, settings: TurnSettings, emit: Emit
    ) -> TurnResult:
        """Run one turn to its end. Cancelling ends the round and every running call.

        Raises:
            BridgeError: `breaker_open`, `server_busy`, `invalid_request`: nothing was started.
            ModelError: the provider failed before its first output.
        """
        key = BreakerKey(request.user_id, "request")
        self._breakers.check_breaker(key)
        request = add_provider_options(request, settings.features)
        async with self._admission.hold_place(request.user_id):
            with self._breakers.pass_breaker(key, REQUESTS) as passage:
                watch = _Watch(emit, self._breakers, key)
                try:
                    offered = await self._tools.toolbox_of_turn(request, settings)
                    toolbox = with_subquery(offered, request, model, settings, watch.take)
                    result = await run_turn(
                        request, model, toolbox, settings, watch.take, pending=self._pending
                    )
                except ModelError as error:
                    passage.record_ending(_judged(error), _wire(error))
                    raise
                watch.round_ended()
                if result.error is not None:
                    passage.record_ending(_judged(result.error), _wire(result.error))
                else:
                    passage.record_ending(
                        BreakerVerdict.NOTHING if watch.failures else BreakerVerdict.WORKED, None
                    )
        return result


@dataclass(slots=True)
class _Watch:
    """Passes events on, and counts rounds in which every call was refused by an open circuit breaker."""

    emit: Emit
    breakers: Breakers
    key: BreakerKey
    failures: int = 0
    _calls: list[CallEnded] = field(default_factory=list[CallEnded])
    """Calls of the round that ended last."""

    async def take(self, event: TurnEvent) -> None:
        """Record an event and pass it on. As `Emit`."""
        if isinstance(event, CallEnded):
            self._calls.append(event)
        elif isinstance(event, ModelOutput):
            self.round_ended()
        await self.emit(event)

    def round_ended(self) -> None:
        """Count one failure of the request if every call of the round was refused by a circuit breaker."""
        calls, self._calls = self._calls, []
        if calls and all(call.is_left_alone for call in calls):
            self.failures += 1
            message = "All tools of a round are left alone after repeated failures."
            error = WireError(code=ErrorCode.BREAKER_OPEN, message=message)
            self.breakers.leave_breaker(
                self.key, Ending(BreakerVerdict.FAILED, REQUESTS, error), is_probe=False
            )


def _judged(error: ModelError) -> BreakerVerdict:
    """Return the breaker's verdict: a request at fault itself says nothing about the next one."""
    return BreakerVerdict.ALIVE if error.status in AT_FAULT else BreakerVerdict.FAILED


def _wire(error: ModelError) -> WireError:
    return WireError(code=ErrorCode.MODEL_FAILED, message=error.message, detail={"code": error.code})
