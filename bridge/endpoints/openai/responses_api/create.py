"""Responses on their way: made while their caller listens, or in the background, and kept as they come.

Receives what is wanted; gives the answer, or somebody who can be listened to. Knows no HTTP.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

from bridge.agent.errors import ApiError, ApiFailure, store_unavailable
from bridge.agent.memory.interrupted_calls import close_calls
from bridge.agent.memory.recorder import Memory
from bridge.agent.memory.response_record import Progress, ResponseRecord
from bridge.agent.request_fields import ParsedRequest
from bridge.agent.responses.writer import AnswerStyle, ResponsesWriter
from bridge.agent.turn import Emit, Turn, TurnRequest, TurnResult, TurnSettings
from bridge.agent.turn_runner import TurnRunner
from bridge.calls.ports import CallKnowledge
from bridge.endpoints.openai.debug_logs import RequestLog
from bridge.endpoints.openai.frames import encode_events
from bridge.endpoints.openai.responses_api.background_run import (
    BackgroundTurn,
    ResponseInProgress,
    TurnFailure,
    TurnOf,
)
from bridge.endpoints.openai.responses_api.event_log import EventLog
from bridge.endpoints.openai.responses_api.running import Cancelled, RunningResponse, RunningResponses
from bridge.providers.directory import ModelEntry
from bridge.settings.answer_format import display_named, form_named
from bridge.stored_items.items import StoredResponse
from bridge.stored_items.store import StoreUnavailable
from toolserver.json_types import text_at

_NOT_TAKEN = (
    "The bridge cannot write to its database, from which a background response is read. "
    "Try again later, or use 'stream' without 'background'."
)
_KEEPS_NOTHING = (
    "This bridge stores nothing of its answers (PERSIST_TOOL_RESULTS), but a background response "
    "is read from the store. Use 'stream' without 'background'."
)

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ResponseOrder:
    """A response to be made."""

    request: TurnRequest
    entry: Callable[[], Awaitable[ModelEntry]]
    """The model, looked up."""
    answer: ResponsesWriter
    kept: StoredResponse
    """As it is kept at first."""
    is_to_be_stored: bool
    error_id: str
    log_end: Callable[[TurnResult], None]
    log: RequestLog | None = None
    rounds_before: int = 0
    """That another process had asked for."""


def build_order(
    kept: StoredResponse,
    parsed: ParsedRequest,
    entry: Callable[[], Awaitable[ModelEntry]],
    log_end: Callable[[TurnResult], None],
) -> ResponseOrder:
    """What a kept response, or one that is to be kept, asks for. `parsed`: its request."""
    told = kept.request
    asked = parsed.build_turn(kept.user_id, kept.id, may_have_tools=not told.get("is_task"))
    chat_id, message_id = text_at(told, "chat_id") or None, text_at(told, "message_id") or None
    request = replace(asked, chat_id=chat_id, message_id=message_id)
    shown = AnswerStyle(
        display_named(text_at(told, "display")) or "hidden",
        markers=form_named(text_at(told, "markers")) or "off",
        for_open_webui=bool(told.get("for_open_webui")),
    )
    answer = ResponsesWriter(kept.body, shown, now=time.time)
    return ResponseOrder(
        request=request,
        entry=entry,
        answer=answer,
        kept=kept,
        is_to_be_stored=parsed.stores and not told.get("is_task"),
        error_id=text_at(told, "request_id"),
        log_end=log_end,
    )


class ResponseMaker:
    """Makes responses of all users. All methods run on one event loop."""

    def __init__(
        self,
        turns: TurnRunner,
        memory: Memory,
        journal: CallKnowledge,
        running: RunningResponses,
        settings_of: Callable[[ModelEntry], TurnSettings],
    ) -> None:
        """`settings_of`: how turns of a model run, as the settings say now."""
        self._turns = turns
        self._memory = memory
        self._journal = journal
        self._running = running
        self._settings_of = settings_of

    async def make_response(self, wanted: ResponseOrder, emit: Emit, has_begun: Callable[[], bool]) -> bytes:
        """Make a response while its caller listens; returns its last frames.

        What came of it is kept before they are returned; when its caller goes away, too: cancelling cancels
        the turn. `has_begun`: whether the caller has been told something already.

        Raises:
            BridgeError, InvalidRequest, ModelError: it failed before the caller was told anything; nothing is
                kept.
        """
        is_to_be_stored = wanted.is_to_be_stored and await self._is_stored_for(wanted.request.user_id)
        record = ResponseRecord(self._memory, wanted.kept, later=wanted.request if is_to_be_stored else None)
        making = self._making(wanted, record)
        running = RunningResponse(wanted.request.user_id, wanted.request.turn_id, wanted.answer)
        with self._running.enter_running(running):
            try:
                last = await self._made(wanted, making, running, record.emit_after_start(emit))
            except Exception as failure:  # a boundary: an answer that has begun ends in order, and is kept
                if not has_begun():
                    await record.delete_record()
                    raise
                error = failure if isinstance(failure, TurnFailure) else None
                if error is None:
                    _log.exception("Response %s failed.", wanted.kept.id)
                last = making.encode_failure(error)
            except BaseException:
                await self._broken_off(making)
                raise
            await record.catch_up()
            await record.save_end(wanted.answer.response)
        return last

    async def start_response(self, wanted: ResponseOrder) -> RunningResponse:
        """Begin a response in the background.

        Raises:
            ApiFailure: too many run, or it cannot be kept: nothing was begun.
        """
        request = wanted.request
        self._running.check_room(request.user_id)
        if not await self._is_stored_for(request.user_id):
            raise ApiFailure(
                ApiError(400, _KEEPS_NOTHING, "invalid_request_error", "unsupported_parameter", "background")
            )
        record = ResponseRecord(self._memory, wanted.kept)
        if not await record.save_start(request):
            raise ApiFailure(store_unavailable(_NOT_TAKEN, "background"))
        log = EventLog(self._memory.store, request.user_id, request.turn_id)
        log.add_frames(encode_events(wanted.answer.write_queued()))
        turn = partial(self.answer_turn, wanted, record)
        return self.continue_response(wanted, record, log, Progress(), turn)

    def continue_response(
        self, wanted: ResponseOrder, record: ResponseRecord, log: EventLog, progress: Progress, turn: TurnOf
    ) -> RunningResponse:
        """Do a turn in the background, whose record and log have begun. `progress`: until now."""
        request = wanted.request
        running = RunningResponse(request.user_id, request.turn_id, wanted.answer, log)
        background = BackgroundTurn(self._making(wanted, record), log, (self._running, running), progress)
        self._running.start_background(running, background.run_in_background(turn))
        return running

    async def _made(
        self, wanted: ResponseOrder, making: ResponseInProgress, running: RunningResponse, emit: Emit
    ) -> bytes:
        try:
            result = await self._running.run_cancellable(
                running, self.answer_turn(wanted, making.record, emit)
            )
        except Cancelled as cancelled:
            await making.interrupted()
            return cancelled.frames
        await making.record.catch_up()
        if not (result.is_stored and making.record.is_stored):
            wanted.answer.mark_unstored()
            await making.record.delete_record()
        return making.encode_end(result)

    async def answer_turn(self, wanted: ResponseOrder, record: ResponseRecord, emit: Emit) -> TurnResult:
        """The turn itself, whose input its record keeps.

        Raises:
            BridgeError, InvalidRequest, ModelError: as `TurnRunner.run_turn`.
        """
        entry = await wanted.entry()
        settings = self._settings_of(entry)
        asked = wanted.request.max_rounds
        left = max(1, (asked or settings.max_rounds) - wanted.rounds_before)
        request = replace(
            wanted.request, to_store="output" if record.is_wanted else "nothing", max_rounds=asked and left
        )
        settings = replace(settings, max_rounds=left)
        turn = Turn(request, entry.model, settings, wanted.log, partial(self._resumes_later, request))
        return await self._turns.run_turn(turn, emit)

    async def _is_stored_for(self, user_id: str) -> bool:
        return await self._turns.memory.stores_answers_of(user_id)

    def _resumes_later(self, request: TurnRequest) -> bool:
        """Return whether the next process resumes it: the bridge stops, and nobody has cancelled it."""
        running = self._running.find_running(request.user_id, request.turn_id)
        return running is not None and running.log is not None and not running.last_frames

    async def _broken_off(self, making: ResponseInProgress) -> None:
        """Its caller is gone: what was done is kept, and can be gone on from."""
        await making.record.catch_up()
        making.answer.write_cancelled()
        await making.interrupted()
        await making.record.save_end(making.answer.response)

    def _making(self, wanted: ResponseOrder, record: ResponseRecord) -> ResponseInProgress:
        async def interrupted() -> None:
            if record.is_stored:
                with suppress(StoreUnavailable):
                    await close_calls(self._memory, self._journal, wanted.request, "stopped")

        return ResponseInProgress(wanted.answer, record, wanted.error_id, wanted.log_end, interrupted)
