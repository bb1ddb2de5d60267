"""Runs a turn from its admission to its storage; the one way by which every endpoint reaches a model.

    endpoint -> TurnRunner: admit -> recall -> add provider options -> tools -> loop -> store

Receives a `Turn` from an endpoint and returns how it ended. Knows no protocol, no provider and no page.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import replace
from typing import Any, Protocol, TypeAlias

from bridge.agent.budgeted_model import BudgetedModel, RoundBudgets
from bridge.agent.loop.approval_waits import ApprovalWaits
from bridge.agent.loop.loop import run_rounds
from bridge.agent.loop.pending_turns import PendingRounds
from bridge.agent.loop.subquery import NestingToolbox, with_subquery
from bridge.agent.loop.turn_log import TurnLogger
from bridge.agent.memory.recorder import Recorder
from bridge.agent.memory.turn_memory import RecalledTurn, TurnMemory
from bridge.agent.model import Model, ModelError
from bridge.agent.model_at_home import ModelAtHome
from bridge.agent.provider_options import add_provider_options
from bridge.agent.traced_turn import trace_turn
from bridge.agent.turn import (
    CallEnded,
    Emit,
    ModelOutput,
    Turn,
    TurnEvent,
    TurnRequest,
    TurnResult,
    TurnSettings,
)
from bridge.calls.call_watch import CallWatch
from bridge.errors import BridgeError, ErrorCode, WireError
from bridge.limits.circuit_breaker import BreakerKey, Breakers, BreakerVerdict, Ending
from bridge.limits.request_queue import RequestQueue
from bridge.tracing.tracer import Tracer

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


class TurnBudgets(RoundBudgets, Protocol):
    """The budgets of users."""

    def applies_to(self, provider: str) -> bool:
        """Return whether rounds of a provider count."""
        ...


TurnObserver: TypeAlias = Callable[[TurnEvent], Awaitable[None] | None]
"""Receives every event of a turn. May return what is to be waited for, which delays the turn; None is for the
many events that concern it not at all. Raising ends the turn."""


TurnEnding: TypeAlias = TurnResult | ModelError | BridgeError
"""How a turn ended: with a result, or with the error that its caller is told."""

TurnEndObserver: TypeAlias = Callable[[str, TurnEnding, float], None]
"""Is told the provider of a turn, how it ended, and after how many seconds; must not fail or wait."""


class TurnEvents:
    """The events of one turn, delivered to its observers one after the other."""

    __slots__ = ("_lock", "observers")

    def __init__(self) -> None:
        self.observers: tuple[TurnObserver, ...] = ()
        self._lock = asyncio.Lock()

    async def tell_observers(self, event: TurnEvent) -> None:
        """Deliver an event. As `Emit`; an observer may emit events of its own while it handles one."""
        for observer in self.observers:
            if (rest := observer(event)) is not None:
                await rest

    async def tell_singly(self, event: TurnEvent) -> None:
        """Deliver an event of one of several tasks, once the event before has been handled. As `Emit`."""
        async with self._lock:
            for observer in self.observers:
                if (rest := observer(event)) is not None:
                    await rest


class TurnRunner:
    """Runs turns: limits concurrent ones, and refuses users whose requests to a provider keep failing."""

    def __init__(
        self,
        requests: RequestQueue,
        breakers: Breakers,
        memory: TurnMemory,
        tools: ToolSource,
        pending: PendingRounds,
        *,
        calls: CallWatch,
        acts_for: Callable[[str], bool],
        budgets: TurnBudgets | None = None,
        on_end: Sequence[TurnEndObserver] = (),
        tracer: Tracer | None = None,
    ) -> None:
        """`acts_for`: whether a user is at home in this replica; always, in a bridge alone.

        `budgets`: None: nothing is counted. `on_end`: told the ending of each turn that is not cancelled.
        `tracer`: makes spans of turns and their rounds.
        """
        self._requests = requests
        self._breakers = breakers
        self.memory = memory
        self._tools = tools
        self._pending = pending
        self._calls = calls
        self._acts_for = acts_for
        self._budgets = budgets
        self._on_end = tuple(on_end)
        self._tracer = tracer

    def run_turn(self, turn: Turn, emit: Emit) -> Coroutine[Any, Any, TurnResult]:
        """Run one turn to its end. Cancelling ends the round and every running call; what was done is stored.

        Raises, when awaited:
            BridgeError: `breaker_open`, `server_busy`, `budget_exceeded`, `invalid_request`: nothing was
                started.
                `replica_lost`: the user is at home in another replica by now.
            InvalidRequest: `previous_response_id` names no response of the user's.
            ModelError: the provider failed before its first output.
        """
        if self._tracer is None:
            return self._run_counted(turn, emit)
        return self._run_traced(self._tracer, turn, emit)

    async def _run_traced(self, tracer: Tracer, turn: Turn, emit: Emit) -> TurnResult:
        with trace_turn(tracer, turn) as traced:
            result = await self._run_counted(traced.turn, emit)
            traced.note_result(result)
        return result

    async def _run_counted(self, turn: Turn, emit: Emit) -> TurnResult:
        """Run a turn, and tell the observers how it ended."""
        began = time.monotonic()
        provider = turn.settings.provider
        try:
            turn = await self._take_home(turn)
            if turn.log is None:
                result = await self._run_admitted(turn, emit, None)
            else:
                result = await self._run_logged(turn, emit, TurnLogger(turn.log, emit))
        except (ModelError, BridgeError) as failure:
            self._tell_end(provider, failure, time.monotonic() - began)
            raise
        finally:
            if turn.log is not None:
                turn.log.close_log()
        self._tell_end(provider, result, time.monotonic() - began)
        return result

    def _tell_end(self, provider: str, ending: TurnEnding, seconds: float) -> None:
        for tell in self._on_end:
            tell(provider, ending, seconds)

    async def _take_home(self, turn: Turn) -> Turn:
        """Return the turn with a model that is asked at the user's home, and within the user's budget."""
        user_id = turn.request.user_id
        model: Model = ModelAtHome(turn.model, user_id, self._acts_for)
        if self._budgets is not None and self._budgets.applies_to(turn.settings.provider):
            await self._budgets.check_budget(user_id)
            model = BudgetedModel(model, user_id, self._budgets)
        return replace(turn, model=model)

    async def _run_logged(self, turn: Turn, emit: Emit, logger: TurnLogger) -> TurnResult:
        """Run a turn that has a log, and attach the log to its answer."""
        logged = replace(turn, model=logger.wrap_model(turn.model))
        try:
            result = await self._run_admitted(logged, emit, logger)
        except (ModelError, BridgeError) as failure:
            await logger.attach_failure(failure)
            raise
        await logger.attach_end(result)
        return result

    async def _run_admitted(self, turn: Turn, emit: Emit, logger: TurnLogger | None) -> TurnResult:
        """Run a turn when its user's circuit breaker and the request queue admit it."""
        key = BreakerKey(turn.request.user_id, "request", provider=turn.settings.provider)
        self._breakers.check_breaker(key)
        async with self._requests.hold_place(turn.request.user_id):
            with self._breakers.pass_breaker(key, _title_of(key)) as passage:
                skipped = _SkippedRounds(self._breakers, key)
                try:
                    result = await self._run_remembered(turn, emit, skipped, logger)
                except ModelError as error:
                    passage.record_ending(_verdict_on(error), _wire(error))
                    raise
                if result.error is not None:
                    passage.record_ending(_verdict_on(result.error), _wire(result.error))
                else:
                    verdict = BreakerVerdict.NOTHING if skipped.failures else BreakerVerdict.WORKED
                    passage.record_ending(verdict, None)
        return result

    async def _run_remembered(
        self, turn: Turn, emit: Emit, skipped: _SkippedRounds, logger: TurnLogger | None
    ) -> TurnResult:
        """Run a turn between what the store knows of earlier ones and what it is to know of this one."""
        recalled = await self.memory.recall_turn(turn.request, sees_images=turn.settings.sees_images)
        events = TurnEvents()
        recorder = self.memory.open_recorder(recalled, events.tell_observers)
        events.observers = _order_observers(emit, recorder, skipped, logger)
        try:
            rounds = await self._equip(turn, recalled, events)
            async with ApprovalWaits(self._calls, turn.request.turn_id, events.tell_singly):
                result = await rounds
            skipped.finish_round()
            await recorder.record_end(result)
        except BaseException:
            if not turn.resumes_later():
                await recorder.break_off()
            raise
        finally:
            events.observers = ()  # the recorder holds the events
        return await self.memory.store_turn(recalled, result, is_lost=recorder.is_lost)

    async def _equip(
        self, turn: Turn, recalled: RecalledTurn, events: TurnEvents
    ) -> Coroutine[Any, Any, TurnResult]:
        """Return the loop, to be awaited, with the options and tools of the model and the user."""
        request = add_provider_options(recalled.build_request(), turn.settings.features)
        turn = replace(turn, request=request)
        offered = await self._tools.toolbox_of_turn(request, turn.settings)
        emit = events.tell_singly
        return run_rounds(turn, with_subquery(offered, turn, emit), emit, pending=self._pending)


def _order_observers(
    emit: Emit, recorder: Recorder, skipped: _SkippedRounds, logger: TurnLogger | None
) -> tuple[TurnObserver, ...]:
    """List all who observe a turn, in the order in which they receive each event."""
    return (
        skipped.count_call,  # counts for the circuit breaker even if the caller is gone
        *(() if logger is None else (logger.log_event,)),
        recorder.store_settled,  # before the caller: whoever hears of a settled round finds it stored
        emit,  # the caller; a slow one slows the provider down
        recorder.name_item,  # after the caller, so that no output waits for the store
    )


class _SkippedRounds:
    """Counts rounds in which every call was skipped because its circuit breaker is open."""

    __slots__ = ("_breakers", "_calls", "_key", "failures")

    def __init__(self, breakers: Breakers, key: BreakerKey) -> None:
        self.failures = 0
        self._breakers = breakers
        self._key = key
        self._calls: list[CallEnded] = []
        """Calls of the round that ended last."""

    def count_call(self, event: TurnEvent) -> None:
        """Record an event. As `TurnObserver`."""
        if isinstance(event, CallEnded):
            self._calls.append(event)
        elif isinstance(event, ModelOutput):
            self.finish_round()

    def finish_round(self) -> None:
        """Count one failure of the request if every call of the round was skipped."""
        calls, self._calls = self._calls, []
        if calls and all(call.is_breaker_open for call in calls):
            self.failures += 1
            message = "All tools of a round are paused after repeated failures."
            error = WireError(code=ErrorCode.BREAKER_OPEN, message=message)
            ending = Ending(BreakerVerdict.FAILED, _title_of(self._key), error)
            self._breakers.leave_breaker(self._key, ending, is_probe=False)


def _title_of(key: BreakerKey) -> str:
    """Return the title, for people, of the circuit breaker of a user's requests to a provider."""
    return f"Requests to {key.provider}"


def _verdict_on(error: ModelError) -> BreakerVerdict:
    """Return the breaker's verdict: a request at fault itself says nothing about the next one."""
    if error.code == ErrorCode.BUDGET_EXCEEDED:  # the provider was not even asked
        return BreakerVerdict.NOTHING
    return BreakerVerdict.ALIVE if error.status in AT_FAULT else BreakerVerdict.FAILED


def _wire(error: ModelError) -> WireError:
    return WireError(code=ErrorCode.MODEL_FAILED, message=error.message, detail={"code": error.code})
