"""Execution of one run of a conversation: the turn itself, and storing what is left when it breaks off."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from bridge.agent.errors import log_error, told_error
from bridge.agent.items import ModelCall, output_item
from bridge.agent.memory.interrupted_calls import settle_interrupted
from bridge.agent.model import ModelError
from bridge.agent.request_fields import InvalidRequest
from bridge.agent.toolbox import Toolbox
from bridge.agent.turn import CallEnded, CallStarted, Turn, TurnResult
from bridge.agent.turn_runner import TurnRunner
from bridge.calls.ports import CallKnowledge
from bridge.conversation_runs.event_feed import EventFeed
from bridge.conversation_runs.locks import ConversationLocks, LiveRun, RunEnd
from bridge.conversation_runs.recorder import RunRecorder
from bridge.conversations.branches import Branches
from bridge.conversations.conversation import Conversation, Message, RunState
from bridge.conversations.transcript import Transcript
from bridge.conversations.window import build_history, select_window
from bridge.errors import BUG, BridgeError, ErrorCode, WireError
from bridge.storage.conversations import ConversationTables
from bridge.stored_items.items import StoredItem
from bridge.tasks import Abandoned, log_failures, run_abandonable
from toolserver.json_types import JsonObject

_STOPPING = "The bridge was stopped before the answer was complete. Ask again, or go on from here."
_NOT_KEPT = "The bridge could not write the answer to its database."


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """Everything that a run needs to start."""

    conversation: Conversation
    """The conversation as it was stored when the run began."""
    known: tuple[Message, ...]
    """All messages before the run."""
    head: Message
    """The message that the run answers."""
    turn: Turn
    retry: Retry | None = None
    """A call to repeat before the model is asked."""


@dataclass(frozen=True, slots=True)
class Retry:
    """A call that is repeated, in a branch of its own."""

    call: ModelCall
    outputs: Sequence[Message]
    """Current outputs of all calls of its round."""
    path: Sequence[Message]
    """Messages from the first one to the one with the calls."""
    toolbox: Toolbox


def select_shown(conversation: Conversation, path: Sequence[Message]) -> tuple[StoredItem, ...]:
    """Return the items of a branch that a model is sent."""
    chosen = conversation.settings
    found = select_window(path, max_messages=chosen.max_messages, max_tokens=chosen.max_tokens)
    return build_history(conversation.user_id, found.messages)


class ConversationRun:
    """Executes one run. `execute_run` is called once."""

    def __init__(
        self,
        tables: ConversationTables,
        turns: TurnRunner,
        journal: CallKnowledge,
        desk: ConversationLocks,
        feed: EventFeed,
    ) -> None:
        self._tables = tables
        self._turns = turns
        self._journal = journal
        self._desk = desk
        self._feed = feed

    async def execute_run(self, live: LiveRun, work: PlannedRun) -> None:
        """Execute the run to its end, which is stored and then sent to listeners. Never fails."""
        transcript = Transcript(
            work.head,
            work.turn.request,
            Branches(work.known).next_seq,
            time.time,
            head_id=work.conversation.head_id,
        )
        recorder = RunRecorder(self._tables, self._feed, transcript, work.conversation, work.known)
        live.on_call = recorder.call_moved
        end = await log_failures(self._ended(live, work, transcript, recorder), f"Run {live.id}")
        end = end or RunEnd("failed", error=BUG)
        if not await recorder.record_end(end.state):
            unkept = WireError(code=ErrorCode.STORE_UNAVAILABLE, message=_NOT_KEPT)
            end = replace(end, state="failed", error=end.error or unkept)
        self._desk.leave_run(live, replace(end, answer=transcript.answer))
        self._feed.emit_event(
            "run_ended",
            {
                "run_id": live.id,
                "state": end.state,
                "error": end.error.model_dump(mode="json") if end.error else None,
                "usage": end.usage,
            },
        )
        self._feed.end_run()

    async def _ended(
        self, live: LiveRun, work: PlannedRun, transcript: Transcript, recorder: RunRecorder
    ) -> RunEnd:
        try:
            result = await _stoppable(live, self._turn(work, transcript, recorder))
        except Abandoned:
            error = None
            if live.stopped_by == "bridge":
                error = WireError(code=ErrorCode.SERVER_BUSY, message=_STOPPING, retryable=True)
        except (ModelError, BridgeError, InvalidRequest) as failure:
            error = describe_failure(failure, live.id)
        else:
            await recorder.add_messages(transcript.finish_turn(result))
            error = describe_failure(result.error, live.id) if result.error else None
            return RunEnd(_state_of(result), error=error, usage=result.usage)
        await self._broken_off(live, work, transcript, recorder)
        return RunEnd("failed" if error else "cancelled", error=error)

    async def _turn(self, work: PlannedRun, transcript: Transcript, recorder: RunRecorder) -> TurnResult:
        turn = work.turn
        if work.retry is not None:
            outputs = await _called_again(work.retry, transcript, recorder)
            history = select_shown(work.conversation, [*work.retry.path, *outputs])
            turn = replace(turn, request=replace(turn.request, history=history))
        return await self._turns.run_turn(turn, recorder.record_event)

    async def _broken_off(
        self, live: LiveRun, work: PlannedRun, transcript: Transcript, recorder: RunRecorder
    ) -> None:
        """Store what had come, as a history that a later run can continue."""
        await recorder.add_messages(transcript.break_off())
        if calls := transcript.open_calls():
            since = work.conversation.updated_at
            known = await self._journal.of_turn(live.user_id, live.id, since=since)
            await recorder.add_messages(transcript.close_calls(settle_interrupted(calls, known, "stopped")))


async def _called_again(retry: Retry, transcript: Transcript, recorder: RunRecorder) -> Sequence[Message]:
    """Make the call again, and store the outputs of its round as a new branch."""
    call, own = retry.call, retry.toolbox.find_own_tool(retry.call.name)
    await recorder.record_event(CallStarted(call, own.title if own else call.name))
    read = [item for message in retry.path for item in message.items]
    [output] = await retry.toolbox.run_calls([call], read)
    parts: list[JsonObject] = [{"type": "input_text", "text": output.text}, *output.parts]
    item = output_item(call.call_id, parts if output.parts else output.text)
    ended = CallEnded(call, item, output.has_succeeded, output.files, output.is_left_alone)
    taken = transcript.answer_again(retry.outputs, ended)
    await recorder.add_messages(taken)
    return taken.messages


async def _stoppable(live: LiveRun, turn: Any) -> TurnResult:
    """Run the turn so that a stop of the run ends it.

    Raises:
        Abandoned: it was stopped.
    """
    if live.stopped_by is not None:
        turn.close()
        raise Abandoned

    def hold(task: asyncio.Task[Any]) -> None:
        live.task = task

    return await run_abandonable(turn, f"turn of run {live.id}", hold)


def _state_of(result: TurnResult) -> RunState:
    if result.status == "failed":
        return "failed"
    return "max_iterations" if result.limit_reached else "completed"


def describe_failure(failure: ModelError | BridgeError | InvalidRequest, run_id: str) -> WireError:
    """Convert a failure for listeners and callers; it is logged under the run's id."""
    if isinstance(failure, BridgeError):
        return failure.error
    error = told_error(failure)
    log_error(error, run_id)
    detail: dict[str, Any] = {"code": error.code, "error_id": run_id}
    if isinstance(failure, ModelError) and failure.status is not None:
        detail["status"] = failure.status
    message = f"Failed to get an answer of the model: {error.message}"
    return WireError(code=ErrorCode.MODEL_FAILED, message=message, detail=detail, retryable=error.may_retry)
