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

from bridge.auth.access_watch import HoldWork, stored_caller
from bridge.calls.ports import CallKnowledge
from bridge.calls.request import ALL_TOOLS, ToolScope
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
from bridge.errors import BridgeError, ErrorCode
from bridge.models.agent.errors import database_unavailable
from bridge.models.agent.memory.interrupted_calls import close_calls
from bridge.models.agent.memory.recorder import Memory
from bridge.models.agent.memory.response_record import Progress, ResponseRecord
from bridge.models.agent.request_fields import ParsedRequest
from bridge.models.agent.responses.writer import AnswerStyle, ResponsesWriter
from bridge.models.agent.turn import Emit, Turn, TurnRequest, TurnResult, TurnSettings
from bridge.models.agent.turn_runner import TurnRunner
from bridge.models.providers.listed_models import ModelEntry
from bridge.models.stored_items.items import StoredResponse
from bridge.models.stored_items.store import StoreUnavailable
from bridge.openai_errors import ApiError, ApiFailure
from bridge.settings.answer_format import display_named, form_named
from toolserver.json_types import JsonObject, object_at, text_at

_NOT_STORABLE = (
    "The bridge cannot write to its database, from which a background response is read. "
    "Try again later, or use 'stream' without 'background'."
)
_STORES_NOTHING = (
    "You have chosen that nothing of your answers is stored, but a background response "
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
    stored: StoredResponse
    """As it is kept at first."""
    is_to_be_stored: bool
    error_id: str
    log_end: Callable[[TurnResult], None]
    log: RequestLog | None = None
    rounds_before: int = 0
    """That another process had asked for."""


def build_order(
    stored: StoredResponse,
    parsed: ParsedRequest,
    entry: Callable[[], Awaitable[ModelEntry]],
    log_end: Callable[[TurnResult], None],
) -> ResponseOrder:
    """What a kept response, or one that is to be kept, asks for. `parsed`: its request."""
    details = stored.request
    asked_rounds = parsed.build_turn(stored.user_id, stored.id, may_have_tools=not details.get("is_task"))
    chat_id = text_at(details, "chat_id") or None
    message_id = text_at(details, "message_id") or None
    is_to_be_stored = parsed.stores and not details.get("is_task")
    request = replace(
        asked_rounds,
        to_store="output" if is_to_be_stored else "nothing",
        chat_id=chat_id,
        message_id=message_id,
        is_response=True,
        from_open_webui=bool(details.get("for_open_webui")),
        asked_by=text_at(details, "asked_by") or asked_rounds.asked_by,
        caller_id=stored_caller(stored.user_id, object_at(details, "asker")).id or None,
        scope=_scope_of(details),
    )
    style = AnswerStyle(
        display_named(text_at(details, "display")) or "hidden",
        markers=form_named(text_at(details, "markers")) or "off",
        for_open_webui=bool(details.get("for_open_webui")),
    )
    answer = ResponsesWriter(stored.body, style, now=time.time)
    return ResponseOrder(
        request=request,
        entry=entry,
        answer=answer,
        stored=stored,
        is_to_be_stored=is_to_be_stored,
        error_id=text_at(details, "request_id"),
        log_end=log_end,
    )


def _scope_of(details: JsonObject) -> ToolScope:
    """The scope of the servers that were chosen when the response began."""
    ids = details.get("tool_servers")
    return ToolScope(servers=frozenset(map(str, ids))) if isinstance(ids, list) else ALL_TOOLS


class ResponseMaker:
    """Makes responses of all users. All methods run on one event loop."""

    def __init__(
        self,
        turns: TurnRunner,
        memory: Memory,
        journal: CallKnowledge,
        running: RunningResponses,
        settings_of: Callable[[ModelEntry], TurnSettings],
        *,
        hold_work: HoldWork,
    ) -> None:
        """`settings_of`: how turns of a model run, as the settings say now.

        `hold_work`: ends a response in the background whose caller loses access.
        """
        self._turns = turns
        self._memory = memory
        self._journal = journal
        self._running = running
        self._settings_of = settings_of
        self._hold_work = hold_work

    async def make_response(self, order: ResponseOrder, emit: Emit, has_begun: Callable[[], bool]) -> bytes:
        """Make a response while its caller listens; returns its last frames.

        What came of it is kept before they are returned; when its caller goes away, too: cancelling cancels
        the turn. `has_begun`: whether the caller has been told something already.

        Raises:
            BridgeError, InvalidRequest, ModelError: it failed before the caller was told anything; nothing is
                kept. `replica_lost`: another replica has the caller's user, and ends the response.
        """
        is_to_be_stored = order.is_to_be_stored and await self._stores_responses(order.request.user_id)
        record = ResponseRecord(self._memory, order.stored, later=order.request if is_to_be_stored else None)
        making = self._begin_progress(order, record)
        running = RunningResponse(order.request.user_id, order.request.turn_id, order.answer)
        with self._running.enter_running(running):
            try:
                last = await self._run_foreground(order, making, running, record.emit_after_start(emit))
            except Exception as failure:  # a boundary: an answer that has begun ends in order, and is kept
                if not has_begun():
                    await record.delete_record()
                    raise
                error = failure if isinstance(failure, TurnFailure) else None
                if error is None:
                    _log.exception("Response %s failed.", order.stored.id)
                last = making.encode_failure(error)
            except BaseException:
                await self._store_unfinished(making)
                raise
            await record.catch_up()
            await record.save_end(order.answer.response)
            if record.is_elsewhere:
                raise _moved_away(order.stored.id)
        return last

    def is_running(self, user_id: str, response_id: str) -> bool:
        """Return whether a response is being made here."""
        return self._running.find_running(user_id, response_id) is not None

    async def start_response(self, order: ResponseOrder) -> RunningResponse:
        """Begin a response in the background.

        Raises:
            ApiFailure: too many run, or it cannot be kept: nothing was begun.
        """
        request = order.request
        self._running.check_room(request.user_id)
        if not await self._stores_responses(request.user_id):
            raise ApiFailure(
                ApiError(400, _STORES_NOTHING, "invalid_request_error", "unsupported_parameter", "background")
            )
        record = ResponseRecord(self._memory, order.stored)
        if not await record.save_start(request):
            raise ApiFailure(database_unavailable(_NOT_STORABLE, "background"))
        log = EventLog(self._memory.store, request.user_id, request.turn_id)
        log.add_frames(encode_events(order.answer.write_queued()))
        turn = partial(self.answer_turn, order, record)
        return self.continue_response(order, record, log, Progress(), turn)

    def continue_response(
        self, order: ResponseOrder, record: ResponseRecord, log: EventLog, progress: Progress, turn: TurnOf
    ) -> RunningResponse:
        """Do a turn in the background, whose record and log have begun. `progress`: until now."""
        request = order.request
        running = RunningResponse(request.user_id, request.turn_id, order.answer, log)
        background = BackgroundTurn(
            self._begin_progress(order, record), log, (self._running, running), progress
        )
        task = self._running.start_background(running, background.run_in_background(turn))
        caller = stored_caller(request.user_id, object_at(order.stored.request, "asker"))
        end = partial(self._running.cancel_running, request.user_id, request.turn_id)
        self._hold_work(task, caller, end)
        return running

    async def _run_foreground(
        self, order: ResponseOrder, making: ResponseInProgress, running: RunningResponse, emit: Emit
    ) -> bytes:
        try:
            with self._running.run_cancellable(running):
                result = await self._turns.run_turn(await self._build_turn(order, making.record), emit)
        except Cancelled as cancelled:
            await making.interrupted()
            return cancelled.frames
        await making.record.catch_up()
        if not (result.is_stored and making.record.is_stored):
            order.answer.mark_unstored()
            await making.record.delete_record()
        return making.encode_end(result)

    async def answer_turn(self, order: ResponseOrder, record: ResponseRecord, emit: Emit) -> TurnResult:
        """The turn itself, whose input its record keeps.

        Raises:
            BridgeError, InvalidRequest, ModelError: as `TurnRunner.run_turn`.
        """
        return await self._turns.run_turn(await self._build_turn(order, record), emit)

    async def _build_turn(self, order: ResponseOrder, record: ResponseRecord) -> Turn:
        entry = await order.entry()
        request, to_store = order.request, "output" if record.is_wanted else "nothing"
        if request.to_store != to_store:
            request = replace(request, to_store=to_store)
        return Turn(
            request,
            entry.model,
            self._settings_of(entry),
            order.log,
            rounds_before=order.rounds_before,
            resumes_later=partial(self._resumes_later, request),
        )

    async def writes_markers(self, user_id: str) -> bool:
        """Return whether texts of the user's answers may have markers."""
        return (await self._turns.memory.retention_of(user_id)).stores_chats

    async def _stores_responses(self, user_id: str) -> bool:
        return (await self._turns.memory.retention_of(user_id)).stores_responses

    def _resumes_later(self, request: TurnRequest) -> bool:
        """Return whether the next process resumes it: the bridge stops, and nobody has cancelled it."""
        running = self._running.find_running(request.user_id, request.turn_id)
        return running is not None and running.log is not None and not running.last_frames

    async def _store_unfinished(self, making: ResponseInProgress) -> None:
        """Its caller is gone: what was done is kept, and can be gone on from."""
        await making.record.catch_up()
        making.answer.write_cancelled()
        await making.interrupted()
        await making.record.save_end(making.answer.response)

    def _begin_progress(self, order: ResponseOrder, record: ResponseRecord) -> ResponseInProgress:
        async def interrupted() -> None:
            if record.is_stored:
                with suppress(StoreUnavailable):
                    await close_calls(self._memory, self._journal, order.request, "stopped")

        return ResponseInProgress(order.answer, record, order.error_id, order.log_end, interrupted)


def _moved_away(response_id: str) -> BridgeError:
    message = (
        "The user came to be at home in another replica of the bridge while this answer was made; what is "
        f"stored of it is the response {response_id}."
    )
    return BridgeError(ErrorCode.REPLICA_LOST, message, detail={"response_id": response_id})
