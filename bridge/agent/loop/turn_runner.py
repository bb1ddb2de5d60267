"""The way of every request to a model: its turn among the others, its user's breaker, its tools, the loop.

Receives a request from a door and gives the whole turn. Knows no protocol, no provider and no page.
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
"""What people call the breaker of a user's requests."""


AT_FAULT = frozenset({400, 404, 409, 413, 415, 422})
"""Statuses by which a provider says that the request is wrong, and neither it nor the key."""


class ToolSource(Protocol):
    """Where the tools of a turn come from."""

    async def toolbox_of_turn(self, request: TurnRequest, settings: TurnSettings) -> NestingToolbox:
        """The tools of one turn. Never fails for want of tools.

        Raises:
            BridgeError: the request's own tools cannot be used.
        """
        ...


class TurnRunner:
    """Runs turns: so many at once as may, and none for a user whose requests fail again and again."""

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
        """One turn, to its end. Cancelling ends the round and every call that runs.

        Raises:
            BridgeError: `breaker_open`, `server_busy`, `invalid_request`: nothing was begun.
            ModelError: the provider failed before it said anything.
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
    """Passes events on, and counts rounds that did nothing because their tools are left alone."""

    emit: Emit
    breakers: Breakers
    key: BreakerKey
    failures: int = 0
    _calls: list[CallEnded] = field(default_factory=list[CallEnded])
    """Of the round that ended last."""

    async def take(self, event: TurnEvent) -> None:
        """As `Emit`."""
        if isinstance(event, CallEnded):
            self._calls.append(event)
        elif isinstance(event, ModelOutput):
            self.round_ended()
        await self.emit(event)

    def round_ended(self) -> None:
        """One failure of the request, where every call of the round was refused by a breaker."""
        calls, self._calls = self._calls, []
        if calls and all(call.is_left_alone for call in calls):
            self.failures += 1
            message = "All tools of a round are left alone after repeated failures."
            error = WireError(code=ErrorCode.BREAKER_OPEN, message=message)
            self.breakers.leave_breaker(
                self.key, Ending(BreakerVerdict.FAILED, REQUESTS, error), is_probe=False
            )


def _judged(error: ModelError) -> BreakerVerdict:
    """A request that is at fault itself says nothing about the next one, which may be right."""
    return BreakerVerdict.ALIVE if error.status in AT_FAULT else BreakerVerdict.FAILED


def _wire(error: ModelError) -> WireError:
    return WireError(code=ErrorCode.MODEL_FAILED, message=error.message, detail={"code": error.code})
