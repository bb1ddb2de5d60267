"""Runs a turn from its admission to its storage; the one way by which every endpoint reaches a model.

    endpoint -> TurnRunner: admit -> recall -> add provider options -> tools -> loop -> store

Receives a `Turn` from an endpoint and returns how it ended. Knows no protocol, no provider and no page.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack

from bridge.calls.call_watch import CallWatch
from bridge.calls.limits.circuit_breaker import Breakers
from bridge.models.agent.loop.loop import run_rounds
from bridge.models.agent.loop.pending_turns import PendingRounds
from bridge.models.agent.memory.turn_memory import TurnMemory
from bridge.models.agent.request_queue import RequestQueue
from bridge.models.agent.turn import Emit, Turn, TurnResult
from bridge.models.agent.turn_stages import (
    AdmitStage,
    CountStage,
    EquipStage,
    HomeStage,
    RememberStage,
    StagedTurn,
    ToolSource,
    TurnEndObserver,
    log_stage,
    trace_stage,
)
from bridge.models.budgets.budgets import Budgets
from bridge.tracing.tracer import Tracer


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
        budgets: Budgets | None = None,
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

    async def run_turn(self, turn: Turn, emit: Emit) -> TurnResult:
        """Run one turn to its end. Cancelling ends the round and every running call; what was done is stored.

        Raises:
            BridgeError: `breaker_open`, `server_busy`, `budget_exceeded`, `invalid_request`: nothing was
                started.
                `replica_lost`: the user is at home in another replica by now.
            InvalidRequest: `previous_response_id` names no response of the user's.
            ModelError: the provider failed before its first output.
        """
        run = StagedTurn(turn, emit)
        async with AsyncExitStack() as entered:
            for stage in self._stages_of(run):
                run.turn = await entered.enter_async_context(stage)
            run.result = await run_rounds(
                run.turn, run.toolbox, run.events.tell_singly, pending=self._pending
            )
        return run.result

    def _stages_of(self, run: StagedTurn) -> tuple[AbstractAsyncContextManager[Turn, bool | None], ...]:
        """List the stages of a turn, in the order in which it enters them; it leaves the last one first."""
        tracer, log = self._tracer, run.turn.log
        return (
            *(() if tracer is None else (trace_stage(run, tracer),)),
            CountStage(run, self._on_end),
            HomeStage(run, self._acts_for, self._budgets),
            *(() if log is None else (log_stage(run, log),)),
            AdmitStage(run, self._breakers, self._requests),  # after the log, which tells why it is refused
            RememberStage(run, self.memory),
            EquipStage(run, self._tools, self._calls),
        )
