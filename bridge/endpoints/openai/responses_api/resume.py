"""Responses that another process left behind: those in the background are gone on with, the others are ended.

What is known of one is what the store has: its request, its items, its events. A call that was under way is
never run again; the model is told what the journal knows of it.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import replace
from functools import partial

from bridge.calls.ports import CallKnowledge
from bridge.endpoints.openai.frames import encode_events
from bridge.endpoints.openai.request import log_end
from bridge.endpoints.openai.responses_api.background_run import TurnOf
from bridge.endpoints.openai.responses_api.create import ResponseMaker, ResponseOrder, build_order
from bridge.endpoints.openai.responses_api.event_log import PIECES_AT_ONCE, EventLog, bodies_of, count_of
from bridge.endpoints.openai.responses_api.unsaid_items import build_events, select_unsaid
from bridge.errors import BridgeError, ErrorCode
from bridge.models.agent.items import Item, answered_call_id, model_call
from bridge.models.agent.memory.interrupted_calls import close_calls, read_turn
from bridge.models.agent.memory.recorder import Memory
from bridge.models.agent.memory.response_record import Progress, ResponseRecord, progress_of
from bridge.models.agent.request_fields import InvalidRequest
from bridge.models.agent.responses.request_parser import parse_responses_request
from bridge.models.agent.tools.callers_tools import CallersFunctions
from bridge.models.agent.turn import Emit, TurnEvent, TurnResult
from bridge.models.providers.directory import UnknownModel
from bridge.models.providers.listed_models import ModelEntry
from bridge.models.providers.user_models import UserModels
from bridge.models.stored_items.items import StoredResponse
from bridge.models.stored_items.store import StoreUnavailable
from toolserver.json_types import JsonObject, JsonValue, object_at, text_at

MAX_ATTEMPTS = 3
"""Maximum processes killed while they continue one response; it may be what kills them. Chosen."""

SKIPPED_NUMBERS = 1_000_000
"""Gap between the numbers of the last event that was written and of the first of the next process: more than
can have been sent in between, so that nobody who listened gets a number twice."""

_INTERRUPTED = (
    "The bridge was restarted while this response was in progress. What was done until then is stored; "
    "continue from it with 'previous_response_id'."
)
_TOO_MANY_RESTARTS = (
    f"The bridge was restarted {MAX_ATTEMPTS} times while this response was in progress, "
    "and does not try again."
)

_STILL_INTERRUPTED = (
    "Interrupted responses of the user cannot be gone on with yet: the database does not answer."
)

_log = logging.getLogger(__name__)


class ResponseContinuer:
    """Takes over what was left behind."""

    def __init__(
        self,
        memory: Memory,
        journal: CallKnowledge,
        models: UserModels,
        maker: ResponseMaker,
        wait_for_page: Callable[[str], Awaitable[None]],
    ) -> None:
        """`wait_for_page`: returns when a page of a user is there, or after a while."""
        self._memory = memory
        self._journal = journal
        self._models = models
        self._maker = maker
        self._wait_for_page = wait_for_page

    async def resume_orphaned(self, user_id: str | None = None) -> int:
        """Go on with what another process left behind, or end it, before anybody asks; returns how many.

        `user_id`: None for all users. What the store does not give is left for the next process; of one user,
        this can be called again, and leaves alone what goes on already.

        Raises:
            BridgeError: `database_unavailable`: of the user, some are still interrupted.
        """
        is_complete = True
        try:
            left = await self._memory.store.list_unfinished(user_id)
        except StoreUnavailable as failure:
            _log.error("Interrupted responses cannot be read: %s", failure)
            left, is_complete = list[StoredResponse](), False
        for stored in left:
            if self._maker.is_running(stored.user_id, stored.id):
                continue
            try:
                await self._resume_response(stored)
            except StoreUnavailable as failure:
                _log.error("Response %s remains interrupted: %s", stored.id, failure)
                is_complete = False
        if not is_complete and user_id is not None:
            raise BridgeError(ErrorCode.DATABASE_UNAVAILABLE, _STILL_INTERRUPTED, retryable=True)
        return len(left)

    async def _resume_response(self, stored: StoredResponse) -> None:
        record = ResponseRecord(self._memory, stored, is_stored=True)
        progress = progress_of(object_at(stored.request, "progress"))
        order = self._order_of(stored, progress)
        closed = await close_calls(self._memory, self._journal, order.request, "restarted")
        left = await read_turn(self._memory, order.request)
        items = left.items
        if not stored.background:
            await record.save_end(_failed_body(stored, _public_output(items, stored, left.callers)))
            return
        told = await self._read_events(stored)  # before the attempt counts: it is made again if this fails
        progress = replace(progress, attempts=progress.attempts + 1)
        await record.save_progress(progress)
        frames = encode_events(
            order.answer.take_up(
                told,
                standing=progress.items,
                left_out=progress.left_out,
                skip=SKIPPED_NUMBERS,
            )
        )
        first = order.answer.next_number - count_of(frames)
        log = EventLog(self._memory.store, stored.user_id, stored.id, first=first)
        log.add_frames(frames)
        if progress.attempts > MAX_ATTEMPTS:
            turn: TurnOf = _give_up
        else:
            unsaid = select_unsaid(items, progress.settled)
            outputs = {ended.call.call_id: ended for ended in closed}
            earlier = build_events(items, unsaid, outputs, left.callers)
            turn = partial(self._turn, order, record, earlier, is_over=_is_over(items, left.callers))
        self._maker.continue_response(order, record, log, progress, turn)

    async def _turn(
        self,
        order: ResponseOrder,
        record: ResponseRecord,
        earlier: Iterable[TurnEvent],
        emit: Emit,
        *,
        is_over: bool,
    ) -> TurnResult:
        """`earlier`: events of what the process before stored, and did not come to say."""
        for event in earlier:
            await emit(event)
        if is_over:
            return TurnResult("completed", (), (), frozenset(), {}, {}, is_stored=True)
        if order.request.with_tools:
            await self._wait_for_page(order.request.user_id)
        return await self._maker.answer_turn(order, record, emit)

    def _order_of(self, stored: StoredResponse, progress: Progress) -> ResponseOrder:
        body = object_at(stored.request, "body")
        parsed = parse_responses_request({**body, "input": "(kept)"})
        parsed = replace(parsed, input=(), previous_response_id=stored.id)
        log = partial(log_end, text_at(stored.request, "request_id"), stored.model, time.monotonic())
        return replace(
            build_order(stored, parsed, self._entry(stored.user_id, stored.model), log),
            rounds_before=progress.rounds,
        )

    def _entry(self, user_id: str, name: str) -> Callable[[], Awaitable[ModelEntry]]:
        async def entry() -> ModelEntry:
            try:
                return await self._models.find_model(user_id, name)
            except UnknownModel as error:
                raise InvalidRequest(str(error), param="model", code="model_not_found") from None

        return entry

    async def _read_events(self, stored: StoredResponse) -> list[JsonObject]:
        """All events that are known of it."""
        bodies: list[JsonObject] = []
        after = -1
        while pieces := await self._memory.store.read_events(
            stored.user_id, stored.id, after, limit=PIECES_AT_ONCE
        ):
            bodies += bodies_of(frames for _, frames in pieces)
            after = pieces[-1][0] + count_of(pieces[-1][1]) - 1
        return bodies


async def _give_up(_emit: Emit) -> TurnResult:
    raise InvalidRequest(_TOO_MANY_RESTARTS, param=None, code="interrupted")


def _is_over(items: list[Item], callers: CallersFunctions) -> bool:
    """Whether only the end is missing: the model has answered, or its caller has calls to run."""
    calls = [call for item in items[-1:] if (call := model_call(item)) is not None]
    if calls:
        return callers.runs_call(calls[0])
    return bool(items) and not answered_call_id(items[-1])


def _public_output(items: list[Item], stored: StoredResponse, callers: CallersFunctions) -> list[JsonValue]:
    """What of the items the response shows, which came without its events."""
    if text_at(stored.request, "display") == "items":
        return [*items]
    return [item for item in items if not _is_own(item, callers)]


def _is_own(item: Item, callers: CallersFunctions) -> bool:
    call = model_call(item)
    return answered_call_id(item) != "" or (call is not None and not callers.runs_call(call))


def _failed_body(stored: StoredResponse, output: list[JsonValue]) -> JsonObject:
    error: JsonObject = {"code": "interrupted", "message": _INTERRUPTED}
    return {**stored.body, "status": "failed", "error": error, "output": output}
