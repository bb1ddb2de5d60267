"""Responses read by their id: as they stand, as events, and what went into them; also their end before time.

What runs is read from where it runs, all else from the store.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Coroutine, Sequence
from contextlib import suppress
from typing import Any, TypeVar

from bridge.endpoints.openai.responses_api.event_log import PIECES_AT_ONCE, EventsLost, count_of, select_newer
from bridge.endpoints.openai.responses_api.running import RunningResponse, RunningResponses
from bridge.homes import user_elsewhere
from bridge.models.agent.errors import database_unavailable
from bridge.models.agent.memory.item_references import with_named_items
from bridge.models.agent.responses.input_items import ListPage, build_list
from bridge.models.agent.turn import TurnRequest
from bridge.models.stored_items.items import OWN_TYPES, StoredItem, StoredResponse
from bridge.models.stored_items.store import ItemStore, StoreUnavailable
from bridge.openai_errors import ApiError, ApiFailure, of_wire
from toolserver.json_types import JsonObject, dump_json

T = TypeVar("T")

GONE_S = 10.0
"""Seconds for the end of a cancelled response to be stored before the response is deleted."""

TOLD_S = 5.0
"""Seconds for which a read waits for an end that is not stored yet."""

UNFINISHED = ("queued", "in_progress")

_INVALID = "invalid_request_error"


class ResponseReader:
    """Responses of all users."""

    def __init__(self, store: ItemStore, running: RunningResponses) -> None:
        self._store = store
        self._running = running

    async def read_response(self, user_id: str, response_id: str) -> JsonObject:
        """One response, as far as it has come.

        Raises:
            ApiFailure: 404: the user has none of that id; 503: the store does not answer.
        """
        if (running := self._running.find_running(user_id, response_id)) is not None:
            return await _read_running(running)
        return (await self._find_stored(user_id, response_id)).body

    async def find_response(self, user_id: str, response_id: str) -> JsonObject | None:
        """As `response`; None: there is none.

        Raises:
            ApiFailure: 503: another replica has the user, and this response, by now.
            StoreUnavailable: the store does not answer.
        """
        if (running := self._running.find_running(user_id, response_id)) is not None:
            return await _read_running(running)
        stored = await self._store.find_response(user_id, response_id)
        return None if stored is None else stored.body

    async def with_named_items(self, request: TurnRequest) -> TurnRequest:
        """A request with the kept items that it names in their places.

        Raises:
            ApiFailure: 503: the database does not answer.
            InvalidRequest: there is no such item.
        """
        return await _read_store(with_named_items(request, self._store))

    async def stream_events(self, user_id: str, response_id: str, after: int) -> AsyncGenerator[bytes]:
        """Its events with numbers above `after`: those that were, then those that come, until its end.

        Raises:
            ApiFailure: as `response`; 400: it is not in the background; 404: its events are not kept any
                more. What goes wrong later is the last event.
        """
        running = self._running.find_running(user_id, response_id)
        if running is not None:
            if running.log is None:
                raise _not_in_background()
            return _end_with_error(running.log.listen_after(after), after)
        if not (await self._find_stored(user_id, response_id)).background:
            raise _not_in_background()
        first = await _read_store(self._store.read_events(user_id, response_id, after, limit=PIECES_AT_ONCE))
        if not first and not await _read_store(self._store.read_events(user_id, response_id, -1, limit=1)):
            message = "The events of this response are no longer stored. Retrieve it without 'stream'."
            raise ApiFailure(ApiError(404, message, _INVALID, "not_found", "stream"))
        return _end_with_error(self._read_rest(user_id, response_id, first, after), after)

    async def input_items(self, user_id: str, response_id: str, page: ListPage) -> JsonObject:
        """A page of all that the model was given at first, what came before included.

        Raises:
            ApiFailure: as `response`.
            InvalidRequest: `after` names no such item.
        """
        if self._running.find_running(user_id, response_id) is None:
            await self._find_stored(user_id, response_id)
        chain = await _read_store(self._store.read_chain(user_id, response_id))
        return build_list([stored for stored in chain if _is_input(stored, response_id)], page)

    async def cancel_response(self, user_id: str, response_id: str) -> JsonObject:
        """End a running response. One that was cancelled before is as it is.

        Raises:
            ApiFailure: as `response`; 400: it has ended otherwise.
        """
        running = self._running.cancel_running(user_id, response_id)
        if running is not None:
            return await _read_running(running)
        if (running := self._running.find_running(user_id, response_id)) is not None:  # it has just ended
            body, background = await _read_running(running), running.log is not None
        else:
            stored = await self._find_stored(user_id, response_id)
            body, background = stored.body, stored.background
        status = body.get("status")
        if status == "cancelled":
            return body
        ended = f"Cannot cancel a {status} response." if status in ("completed", "failed") else _ENDED
        message = ended if background else "Cannot cancel a synchronous response."
        raise ApiFailure(ApiError(400, message, _INVALID, _INVALID, "response_id"))

    async def delete_response(self, user_id: str, response_id: str) -> JsonObject:
        """Delete a response with all that is kept of it; one that runs is cancelled before.

        Raises:
            ApiFailure: as `response`.
        """
        if (running := self._running.find_running(user_id, response_id)) is not None:
            self._running.cancel_running(user_id, response_id)
            with suppress(TimeoutError):
                async with asyncio.timeout(GONE_S):
                    await running.wait_gone()
        if not await _read_store(self._store.delete_response(user_id, response_id)):
            raise _unknown(response_id)
        return {"id": response_id, "object": "response", "deleted": True}

    async def _find_stored(self, user_id: str, response_id: str) -> StoredResponse:
        stored = await _read_store(self._store.find_response(user_id, response_id))
        if stored is None:
            raise _unknown(response_id)
        return stored

    async def _read_rest(
        self, user_id: str, response_id: str, pieces: Sequence[tuple[int, bytes]], after: int
    ) -> AsyncGenerator[bytes]:
        while pieces:
            for first, frames in pieces:
                yield select_newer(first, frames, after)
                after = first + count_of(frames) - 1
            if len(pieces) < PIECES_AT_ONCE:
                return
            pieces = await self._store.read_events(user_id, response_id, after, limit=PIECES_AT_ONCE)


_NOT_STORED_YET = (
    "The response has ended, and its end is told once the database has stored it. Try again later."
)

_ENDED = "Cannot cancel a response that has ended."


async def _read_running(running: RunningResponse) -> JsonObject:
    """Read a running response; the end of one in the background once it may be told.

    Raises:
        ApiFailure: 503: it cannot be told yet, or another replica has the user, and this response, by now.
    """
    body = running.answer.partial
    if running.log is None or body["status"] in UNFINISHED:
        return body
    try:
        async with asyncio.timeout(TOLD_S):
            may_be_told = await running.log.wait_until_told()
    except TimeoutError:
        raise ApiFailure(database_unavailable(_NOT_STORED_YET)) from None
    if not may_be_told:
        raise ApiFailure(of_wire(user_elsewhere().error))
    return running.answer.partial


async def _end_with_error(events: AsyncGenerator[bytes], after: int) -> AsyncGenerator[bytes]:
    """The events; where they cannot be gone on with, an `error` says so."""
    try:
        async for frames in events:
            yield frames
    except (EventsLost, StoreUnavailable):
        body: JsonObject = {
            "type": "error",
            "code": "events_lost",
            "message": "Events of this response cannot be read. Retrieve it without 'stream'.",
            "param": None,
            "sequence_number": after + 1,
        }
        yield b"event: error\ndata: %b\n\n" % dump_json(body)


def _is_input(stored: StoredItem, response_id: str) -> bool:
    is_own = stored.response_id == response_id and stored.side == "output"
    return not is_own and stored.payload.get("type") not in OWN_TYPES


async def _read_store(work: Coroutine[Any, Any, T]) -> T:
    try:
        return await work
    except StoreUnavailable:
        message = "The bridge cannot read its database now. Try again later."
        raise ApiFailure(database_unavailable(message)) from None


def _unknown(response_id: str) -> ApiFailure:
    """Also of what belongs to somebody else."""
    message = f"Response with id '{response_id[:200]}' not found."
    return ApiFailure(ApiError(404, message, _INVALID, "not_found"))


def _not_in_background() -> ApiFailure:
    message = "This response cannot be streamed because it was not created with background=true."
    return ApiFailure(ApiError(400, message, _INVALID, _INVALID, "stream"))
