"""The stages that a turn passes before its model is asked, and leaves in reverse order.

Each is an async context manager: entering it takes the turn as the stages before it have made it, and gives
the turn as the next one sees it. Those of every turn are classes with slots: as generators they would hold
400 bytes more each while a model is silent (`tests/cost`).
"""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Protocol, TypeAlias

from bridge.calls.call_watch import CallWatch
from bridge.calls.limits.circuit_breaker import BreakerKey, Breakers, BreakerVerdict, Passage
from bridge.calls.limits.fair_queue import QueueEntry
from bridge.errors import BridgeError, ErrorCode, WireError
from bridge.models.agent.budgeted_model import BudgetedModel
from bridge.models.agent.loop.approval_waits import ApprovalWaits
from bridge.models.agent.loop.subquery import NestingToolbox, with_subquery
from bridge.models.agent.loop.turn_log import TurnLogger
from bridge.models.agent.memory.recorder import Recorder
from bridge.models.agent.memory.turn_memory import RecalledTurn, TurnMemory
from bridge.models.agent.model import Model, ModelError
from bridge.models.agent.model_at_home import ModelAtHome
from bridge.models.agent.provider_options import add_provider_options
from bridge.models.agent.request_queue import RequestQueue
from bridge.models.agent.searching_model import SearchingModel
from bridge.models.agent.staged_turn import SkippedRounds, StagedTurn, TurnObserver
from bridge.models.agent.tool_search import brings_search, searches_natively
from bridge.models.agent.traced_turn import trace_turn
from bridge.models.agent.turn import Turn, TurnLog, TurnRequest, TurnResult, TurnSettings
from bridge.models.budgets.budgets import Budgets
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


TurnEnding: TypeAlias = TurnResult | ModelError | BridgeError
"""How a turn ended: with a result, or with the error that its caller is told."""

TurnEndObserver: TypeAlias = Callable[[str, TurnEnding, float], None]
"""Is told the provider of a turn, how it ended, and after how many seconds; must not fail or wait."""


@asynccontextmanager
async def trace_stage(run: StagedTurn, tracer: Tracer) -> AsyncGenerator[Turn]:
    """Make spans of a turn and its rounds."""
    with trace_turn(tracer, run.turn) as traced:
        yield traced.turn
        traced.note_result(run.result)


@dataclass(slots=True)
class CountStage:
    """Tells the observers how a turn ended, unless it is cancelled, and closes its log."""

    run: StagedTurn
    observers: Sequence[TurnEndObserver]
    _began: float = field(init=False)

    async def __aenter__(self) -> Turn:
        """Begin to measure."""
        self._began = time.monotonic()
        return self.run.turn

    async def __aexit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        """Tell how it ended."""
        turn = self.run.turn
        if turn.log is not None:
            turn.log.close_log()
        ending = self.run.result if error is None else error
        if isinstance(ending, (TurnResult, ModelError, BridgeError)):
            for tell in self.observers:
                tell(turn.settings.provider, ending, time.monotonic() - self._began)


@dataclass(slots=True)
class HomeStage:
    """Has the model asked at the user's home, and within the user's budget."""

    run: StagedTurn
    acts_for: Callable[[str], bool]
    budgets: Budgets | None

    async def __aenter__(self) -> Turn:
        """Return the turn with that model.

        Raises:
            BridgeError: `budget_exceeded`, `database_unavailable`.
        """
        turn, user_id = self.run.turn, self.run.turn.request.user_id
        model: Model = ModelAtHome(turn.model, user_id, self.acts_for)
        if self.budgets is not None and self.budgets.applies_to(turn.settings.provider):
            await self.budgets.check_budget(user_id)
            model = BudgetedModel(model, user_id, self.budgets)
        return replace(turn, model=model)

    async def __aexit__(self, *_: object) -> None:
        """Leave nothing behind."""


@asynccontextmanager
async def log_stage(run: StagedTurn, log: TurnLog) -> AsyncGenerator[Turn]:
    """Log a turn, and attach the log to its answer."""
    run.logger = logger = TurnLogger(log, run.emit)
    try:
        yield replace(run.turn, model=logger.wrap_model(run.turn.model))
    except (ModelError, BridgeError) as failure:
        await logger.attach_failure(failure)
        raise
    await logger.attach_end(run.result)


@dataclass(slots=True)
class AdmitStage:
    """Lets a turn run when its user's circuit breaker and the request queue admit it."""

    run: StagedTurn
    breakers: Breakers
    requests: RequestQueue
    _place: QueueEntry = field(init=False)
    _passage: Passage = field(init=False)

    async def __aenter__(self) -> Turn:
        """Wait for a place.

        Raises:
            BridgeError: `breaker_open`, `server_busy`.
        """
        turn, user_id = self.run.turn, self.run.turn.request.user_id
        key = BreakerKey(user_id, "request", provider=turn.settings.provider)
        title = f"Requests to {key.provider}"
        self.breakers.check_breaker(key)
        self._place = await self.requests.take_place(user_id)
        self._passage = self.breakers.pass_breaker(key, title)
        try:
            self._passage.__enter__()
        except BridgeError:
            self.requests.leave_place(user_id, self._place)
            raise
        self.run.skipped = SkippedRounds(self.breakers, key, title)
        return turn

    async def __aexit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        """Give up the place, and tell the breaker how the turn ended."""
        self.requests.leave_place(self.run.turn.request.user_id, self._place)
        failure = self.run.result.error if error is None else error
        if isinstance(failure, ModelError):
            self._passage.record_ending(_verdict_on(failure), _wire(failure))
        elif failure is None:
            verdict = BreakerVerdict.NOTHING if self.run.skipped.failures else BreakerVerdict.WORKED
            self._passage.record_ending(verdict, None)
        self._passage.__exit__()


@dataclass(slots=True)
class RememberStage:
    """Continues a turn from what is stored of earlier ones, and stores what later ones need of it."""

    run: StagedTurn
    memory: TurnMemory
    _recalled: RecalledTurn = field(init=False)
    _recorder: Recorder = field(init=False)

    async def __aenter__(self) -> Turn:
        """Recall earlier turns, and have what happens delivered to all who observe the turn.

        Raises:
            InvalidRequest, BridgeError: as `TurnMemory.recall_turn`.
        """
        run, turn = self.run, self.run.turn
        self._recalled = await self.memory.recall_turn(
            turn.request,
            sees_images=turn.settings.sees_images,
            searches=turn.settings.tool_search or brings_search(turn.request.caller_tools),
        )
        self._recorder = self.memory.open_recorder(self._recalled, run.events.tell_observers)
        run.events.observers = _order_observers(run, self._recorder)
        return replace(turn, request=self._recalled.build_request())

    async def __aexit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        """Store how it ended."""
        run = self.run
        try:
            if error is not None:
                raise error
            run.skipped.finish_round()
            await self._recorder.record_end(run.result)
        except BaseException:
            if not run.turn.resumes_later():
                await self._recorder.break_off()
            raise
        finally:
            run.events.observers = ()  # the recorder holds the events
        run.result = await self.memory.store_turn(self._recalled, run.result, is_lost=self._recorder.is_lost)


@dataclass(slots=True)
class EquipStage:
    """Gives a turn options and tools, and tells its caller while calls wait for approval."""

    run: StagedTurn
    tools: ToolSource
    calls: CallWatch
    _approvals: ApprovalWaits = field(init=False)

    async def __aenter__(self) -> Turn:
        """Add the options of the model and the user, and set the toolbox.

        Raises:
            BridgeError: as `ToolSource.toolbox_of_turn`.
        """
        run, settings = self.run, self.run.turn.settings
        request = add_provider_options(run.turn.request, settings.features)
        turn = replace(run.turn, request=request)
        if searches_natively(request, settings):
            turn = replace(turn, model=SearchingModel(turn.model))
        offered = await self.tools.toolbox_of_turn(request, settings)
        run.toolbox = with_subquery(offered, turn, run.events.tell_singly)
        self._approvals = ApprovalWaits(self.calls, request.turn_id, run.events.tell_singly)
        await self._approvals.__aenter__()
        return turn

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop telling the caller.

        Raises:
            Exception: what `emit` raised.
        """
        await self._approvals.__aexit__(kind, error, trace)


def _order_observers(run: StagedTurn, recorder: Recorder) -> tuple[TurnObserver, ...]:
    """List all who observe a turn, in the order in which they receive each event."""
    return (
        run.skipped.count_call,  # counts for the circuit breaker even if the caller is gone
        *(() if run.logger is None else (run.logger.log_event,)),
        recorder.store_settled,  # before the caller: whoever hears of a settled round finds it stored
        run.emit,  # the caller; a slow one slows the provider down
        recorder.name_item,  # after the caller, so that no output waits for the store
    )


def _verdict_on(error: ModelError) -> BreakerVerdict:
    """Return the breaker's verdict: a request at fault itself says nothing about the next one."""
    if error.code == ErrorCode.BUDGET_EXCEEDED:  # the provider was not even asked
        return BreakerVerdict.NOTHING
    return BreakerVerdict.ALIVE if error.status in AT_FAULT else BreakerVerdict.FAILED


def _wire(error: ModelError) -> WireError:
    return WireError(code=ErrorCode.MODEL_FAILED, message=error.message, detail={"code": error.code})
