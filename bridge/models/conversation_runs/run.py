"""Execution of one run of a conversation: the turn itself, and storing what is left when it breaks off."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from bridge.calls.ports import CallKnowledge
from bridge.errors import BUG, BridgeError, ErrorCode, WireError
from bridge.models.agent.errors import error_of_failure
from bridge.models.agent.memory.interrupted_calls import settle_interrupted
from bridge.models.agent.model import ModelError
from bridge.models.agent.request_fields import InvalidRequest
from bridge.models.agent.toolbox import item_of_output
from bridge.models.agent.turn import CallEnded, CallStarted, Settled, TurnEvent, TurnResult
from bridge.models.agent.turn_runner import TurnRunner
from bridge.models.conversation_runs.context import Retry, RunContext
from bridge.models.conversation_runs.event_feed import EventFeed
from bridge.models.conversation_runs.locks import ConversationLocks, LiveRun, RunEnd
from bridge.models.conversation_runs.recorder import RunRecorder
from bridge.models.conversations.branches import Branches
from bridge.models.conversations.conversation import Message, RunState
from bridge.models.conversations.ports import ConversationStore
from bridge.models.conversations.transcript import Transcript
from bridge.openai_errors import log_error
from bridge.tasks import AbandonableWork, Abandoned, log_failures, yield_to_loop
from toolserver.json_types import JsonObject

_STOPPING = "The bridge was stopped before the answer was complete. Ask again, or continue from here."
_MOVED = "The user is at home in another replica of the bridge, which goes on with the answer."
_NOT_STORED = WireError(
    code=ErrorCode.DATABASE_UNAVAILABLE, message="The bridge could not write the answer to its database."
)
_ELSEWHERE = WireError(
    code=ErrorCode.REPLICA_LOST,
    message="The user came to be at home in another replica of the bridge while this answer was made, which "
    "has ended it. What was stored of it is in the conversation: read that before you ask again.",
)


@dataclass(frozen=True, slots=True)
class RunServices:
    """What runs need besides their context."""

    store: ConversationStore
    turns: TurnRunner
    journal: CallKnowledge
    locks: ConversationLocks


class ConversationRun:
    """Executes one run. `execute_run` is called once."""

    def __init__(self, context: RunContext, live: LiveRun, services: RunServices, feed: EventFeed) -> None:
        self._context = context
        self._live = live
        self._services = services
        self._feed = feed
        self._transcript = Transcript(
            context.head,
            context.turn.request,
            Branches(context.known).next_seq,
            time.time,
            head_id=context.conversation.head_id,
        )
        self._recorder = RunRecorder(context, self._transcript, services.store, feed)

    async def execute_run(self) -> None:
        """Execute the run to its end, which is stored and then sent to listeners. Never fails.

        Whatever happens, the conversation is free afterwards, and whoever waits for the run hears its end.
        """
        self._live.on_call = self._recorder.send_call_state
        name, end, is_moved = f"Run {self._live.id}", RunEnd("failed", error=BUG), False
        try:
            end = await log_failures(self._reach_end(), name) or end
            is_moved = end.goes_on and await log_failures(self._recorder.record_move(), name) is True
            if not is_moved:
                end = await log_failures(self._store_end(end), name) or RunEnd("failed", error=BUG)
        finally:
            self._services.locks.leave_run(self._live, end)
            if not is_moved:
                self._tell_end(end)

    async def _store_end(self, end: RunEnd) -> RunEnd:
        """Store the end; returns it as it is told: one that is not stored, or not here, has failed."""
        if not await self._recorder.record_end(end.state):
            end = replace(end, state="failed", error=end.error or _NOT_STORED)
        if self._recorder.is_elsewhere:
            end = replace(end, state="failed", error=_ELSEWHERE)
        return replace(end, answer=self._transcript.answer)

    def _tell_end(self, end: RunEnd) -> None:
        ended: JsonObject = {
            "run_id": self._live.id,
            "state": end.state,
            "error": end.error.model_dump(mode="json") if end.error else None,
            "usage": end.usage,
        }
        try:
            self._feed.emit_event("run_ended", ended)
        finally:
            self._feed.mark_run_ended()

    async def _reach_end(self) -> RunEnd:
        live = self._live
        try:
            result = await _run_stoppable(live, self._run_turn())
        except Abandoned:
            error = None
            if live.stopped_by == "move":
                moved = WireError(code=ErrorCode.REPLICA_LOST, message=_MOVED, retryable=True)
                return RunEnd("failed", error=moved, goes_on=True)
            if live.stopped_by == "bridge":
                error = WireError(code=ErrorCode.SERVER_BUSY, message=_STOPPING, retryable=True)
        except (ModelError, BridgeError, InvalidRequest) as failure:
            error = describe_failure(failure, live.id)
        else:
            await self._recorder.add_messages(self._transcript.finish_turn(result))
            error = describe_failure(result.error, live.id) if result.error else None
            return RunEnd(_state_of(result), error=error, usage=result.usage)
        await self._store_unfinished()
        return RunEnd("failed" if error else "cancelled", error=error)

    async def _run_turn(self) -> TurnResult:
        turn = self._context.turn
        if self._context.retry is not None:
            turn = self._context.continue_from(await self._repeat_call(self._context.retry))
        return await self._services.turns.run_turn(turn, self._record_event)

    async def _record_event(self, event: TurnEvent) -> None:
        """Record an event, as `Emit`; after a round, a run that is to move ends here."""
        await self._recorder.record_event(event)
        if self._live.is_to_move and isinstance(event, Settled) and self._transcript.is_between_rounds:
            self._live.request_stop("move")
            await yield_to_loop()  # where the cancelled task ends, before the next round begins

    async def _repeat_call(self, retry: Retry) -> Sequence[Message]:
        """Make the call again, and store the outputs of its round as a new branch."""
        call, own = retry.call, retry.toolbox.find_tool_of(retry.call)
        await self._recorder.record_event(CallStarted(call, own.title if own else call.name))
        read = [item for message in self._context.path for item in message.items]
        [output] = await retry.toolbox.run_calls([call], read)
        item = item_of_output(call, output)
        ended = CallEnded(call, item, output.has_succeeded, output.files, output.is_breaker_open)
        change = self._transcript.answer_again(retry.outputs, ended)
        await self._recorder.add_messages(change)
        return change.messages

    async def _store_unfinished(self) -> None:
        """Store what had come, as a history that a later run can continue."""
        transcript, recorder = self._transcript, self._recorder
        await recorder.add_messages(transcript.break_off())
        if calls := transcript.open_calls():
            since = self._context.conversation.updated_at
            known = await self._services.journal.of_turn(self._live.user_id, self._live.id, since=since)
            await recorder.add_messages(transcript.close_calls(settle_interrupted(calls, known, "stopped")))


async def _run_stoppable(live: LiveRun, turn: Any) -> TurnResult:
    """Run the turn so that a stop of the run ends it.

    Raises:
        Abandoned: it was stopped.
    """
    if live.stopped_by is not None:
        turn.close()
        raise Abandoned

    with AbandonableWork() as live.work:
        return await turn


def _state_of(result: TurnResult) -> RunState:
    if result.status == "failed":
        return "failed"
    return "max_iterations" if result.limit_reached else "completed"


def describe_failure(failure: ModelError | BridgeError | InvalidRequest, run_id: str) -> WireError:
    """Convert a failure for listeners and callers; it is logged under the run's id."""
    if isinstance(failure, BridgeError):
        return failure.error
    error = error_of_failure(failure)
    log_error(error, run_id)
    detail: dict[str, Any] = {"code": error.code, "error_id": run_id}
    if isinstance(failure, ModelError) and failure.status is not None:
        detail["status"] = failure.status
    message = f"Failed to get an answer from the model: {error.message}"
    return WireError(code=ErrorCode.MODEL_FAILED, message=message, detail=detail, retryable=error.may_retry)
