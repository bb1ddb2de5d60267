"""The routes of responses: OpenAI's `/v1/responses`, and reading, cancelling and deleting one by its id.

A caller that goes away cancels a response in the foreground; what was done until then is kept. One in the
background goes on without listeners. What belongs to another user is not there.
"""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import replace
from functools import partial

from aiohttp import web

from bridge.agent.request_fields import InvalidRequest
from bridge.agent.responses.input_items import page_of, read_number
from bridge.agent.responses.request_parser import parse_responses_request
from bridge.agent.responses.writer import response_shell
from bridge.agent.turn import TurnEvent
from bridge.endpoints.openai.errors import REQUEST_ID_HEADER, request_id_of
from bridge.endpoints.openai.frames import encode_events
from bridge.endpoints.openai.request import (
    CompletionRequest,
    RequestReader,
    answer_errors,
    collect_into,
    json_of,
    log_end,
)
from bridge.endpoints.openai.request_headers import (
    display_of,
    is_from_open_webui,
    is_task,
    requested_markers,
)
from bridge.endpoints.openai.responses_api.create import ResponseMaker, ResponseOrder, build_order
from bridge.endpoints.openai.responses_api.retrieve import UNFINISHED, ResponseReader
from bridge.http.access import caller_of
from bridge.http.chat_headers import chat_id_of, message_id_of
from bridge.http.routing import Route
from bridge.http.streaming import event_stream
from bridge.providers.directory import ModelEntry
from bridge.stored_items.items import StoredResponse
from bridge.stored_items.store import StoreUnavailable
from toolserver.json_types import JsonObject

_PATH = "/v1/responses/{id}"


class ResponseRoutes:
    """Handlers of the routes of responses."""

    def __init__(self, asked: RequestReader, maker: ResponseMaker, reader: ResponseReader) -> None:
        self._asked = asked
        self._maker = maker
        self._reader = reader

    def list_routes(self) -> list[Route]:
        """Return the routes of this class."""
        return [
            Route("POST", "/v1/responses", answer_errors(self.create_response)),
            Route("GET", _PATH, answer_errors(self.retrieve_response), answers_head=True),
            Route("DELETE", _PATH, answer_errors(self.delete_response)),
            Route("POST", f"{_PATH}/cancel", answer_errors(self.cancel_response)),
            Route("GET", f"{_PATH}/input_items", answer_errors(self.input_items), answers_head=True),
        ]

    async def create_response(self, request: web.Request) -> web.StreamResponse:
        """A response; one that failed after it had begun is still a response."""
        asked = await self._asked.read_request(request, parse_responses_request, "resp_")
        wanted = self._wanted(asked)
        await self._check_previous(wanted)
        wanted = replace(wanted, request=await self._reader.with_named_items(wanted.request))
        if asked.parsed.background:
            running = await self._maker.start_response(wanted)
            if asked.parsed.streams and running.log is not None:
                return await _told(request, running.log.listen_after(-1), asked.headers)
            return json_of(request, wanted.answer.partial, asked.headers)
        if asked.parsed.streams:
            return await self._streamed(asked, wanted)
        await self._maker.make_response(wanted, collect_into(wanted.answer), has_begun=lambda: False)
        return json_of(request, wanted.answer.response, asked.headers)

    async def retrieve_response(self, request: web.Request) -> web.StreamResponse:
        """One response of the caller's, or its events."""
        user_id, response_id = await self._named(request)
        if request.query.get("stream", "").lower() != "true":
            return json_of(request, await self._reader.read_response(user_id, response_id))
        after = read_number(request.query, "starting_after", -1)
        events = await self._reader.stream_events(user_id, response_id, after)
        return await _told(request, events, {REQUEST_ID_HEADER: request_id_of(request)})

    async def delete_response(self, request: web.Request) -> web.StreamResponse:
        """Delete a response of the caller's, with what is kept of it."""
        return json_of(request, await self._reader.delete_response(*await self._named(request)))

    async def cancel_response(self, request: web.Request) -> web.StreamResponse:
        """Cancel a running response of the caller's; whoever listens gets its end, too."""
        return json_of(request, await self._reader.cancel_response(*await self._named(request)))

    async def input_items(self, request: web.Request) -> web.StreamResponse:
        """What went into a response of the caller's."""
        page = page_of(request.query)
        return json_of(request, await self._reader.input_items(*await self._named(request), page))

    async def _named(self, request: web.Request) -> tuple[str, str]:
        caller = caller_of(request)
        return caller.user.id, request.match_info["id"]

    async def _check_previous(self, wanted: ResponseOrder) -> None:
        """See that what is to be gone on from is there, and at its end.

        A store that is away is the turn's affair: it goes on without memory.
        """
        previous = wanted.request.previous_response_id
        if previous is None:
            return
        try:
            body = await self._reader.find_response(wanted.request.user_id, previous)
        except StoreUnavailable:
            return
        if body is None:
            message = f"Previous response with id '{previous[:200]}' not found."
            raise InvalidRequest(message, param="previous_response_id", code="previous_response_not_found")
        if body.get("status") in UNFINISHED:
            message = (
                f"Previous response with id '{previous[:200]}' is still in "
                "progress. Continue from it when it has ended."
            )
            raise InvalidRequest(message, param="previous_response_id", code="previous_response_not_ready")

    def _wanted(self, asked: CompletionRequest) -> ResponseOrder:
        parsed, http = asked.parsed, asked.http
        log = partial(log_end, request_id_of(http), parsed.model, asked.started_at)

        async def entry() -> ModelEntry:
            return asked.entry

        return replace(build_order(self._first_kept(asked), parsed, entry, log), log=asked.log)

    def _first_kept(self, asked: CompletionRequest) -> StoredResponse:
        parsed, http, now = asked.parsed, asked.http, time.time()
        is_stored = parsed.stores and not is_task(http)
        asked_for: JsonObject = {**asked.body, "instructions": parsed.instructions}
        body = response_shell(asked.answer_id, int(now), parsed.model, {**asked_for, "store": is_stored})
        markers = None if asked.is_for_programs or not is_stored else requested_markers(http)
        request: JsonObject = {
            "body": {name: value for name, value in asked_for.items() if name not in ("input", "messages")},
            "display": display_of(http, asked.caller, self._asked.defaults.show_tool_cards),
            "markers": markers or "off",
            "for_open_webui": is_from_open_webui(http),
            "chat_id": chat_id_of(http),
            "message_id": message_id_of(http),
            "is_task": is_task(http),
            "request_id": request_id_of(http),
        }
        return StoredResponse(
            id=asked.answer_id,
            user_id=asked.caller.user.id,
            model=parsed.model,
            status="queued" if parsed.background else "in_progress",
            body={**body, "status": "queued"} if parsed.background else body,
            request=request,
            created_at=now,
            background=parsed.background,
            previous_id=parsed.previous_response_id,
            conversation_id=chat_id_of(http),
        )

    async def _streamed(self, asked: CompletionRequest, wanted: ResponseOrder) -> web.StreamResponse:
        async with event_stream(asked.http, asked.headers) as stream:

            async def emit(event: TurnEvent) -> None:
                if bodies := wanted.answer.write_event(event):
                    await stream.send_frames(encode_events(bodies))

            async with self._asked.coalesce_deltas(emit) as told:
                last = await self._maker.make_response(wanted, told, lambda: stream.has_begun)
            await stream.send_frames(last)
        return stream.response


async def _told(
    request: web.Request, events: AsyncGenerator[bytes], headers: Mapping[str, str]
) -> web.StreamResponse:
    """Events as an answer; whoever goes away ends only that."""
    async with event_stream(request, headers) as stream, aclosing(events):
        async for frames in events:
            await stream.send_frames(frames)
    return stream.response
