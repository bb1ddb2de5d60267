"""The routes of responses: OpenAI's `/v1/responses`, and reading, cancelling and deleting one by its id.

A caller that goes away cancels a response in the foreground; what was done until then is kept. One in the
background goes on without listeners. What belongs to another user is not there.
"""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, replace
from functools import partial

from aiohttp import web

from bridge.auth.access_watch import asker_facts
from bridge.endpoints.openai.errors import REQUEST_ID_HEADER, error_event, request_id_of
from bridge.endpoints.openai.frames import encode_events
from bridge.endpoints.openai.request import (
    CompletionRequest,
    ModelRoutes,
    RequestReader,
    collect_into,
    json_of,
    log_end,
)
from bridge.endpoints.openai.request_headers import (
    display_of,
    is_from_open_webui,
    is_task,
    markers_of,
    requested_markers,
)
from bridge.endpoints.openai.responses_api.create import ResponseMaker, ResponseOrder, build_order
from bridge.endpoints.openai.responses_api.retrieve import UNFINISHED, ResponseReader
from bridge.errors import WireError
from bridge.http.access import caller_of
from bridge.http.chat_headers import chat_id_of, message_id_of
from bridge.http.declared_routes import route
from bridge.http.relayed import relayed_id_of
from bridge.http.streaming import EventStream, event_stream
from bridge.models.agent.provider_options import sent_truncation
from bridge.models.agent.request_fields import InvalidRequest
from bridge.models.agent.responses.input_items import page_of, read_number
from bridge.models.agent.responses.request_parser import parse_responses_request
from bridge.models.agent.responses.response_object import response_shell
from bridge.models.agent.responses.writer import ResponsesWriter
from bridge.models.agent.turn import TurnEvent
from bridge.models.providers.listed_models import ModelEntry
from bridge.models.stored_items.items import StoredResponse
from bridge.models.stored_items.store import StoreUnavailable
from bridge.settings.answer_format import MarkerForm
from toolserver.json_types import JsonObject

_PATH = "/v1/responses/{id}"


class ResponseRoutes(ModelRoutes):
    """Handlers of the routes of responses."""

    def __init__(self, completion: RequestReader, maker: ResponseMaker, reader: ResponseReader) -> None:
        self._requests = completion
        self._maker = maker
        self._reader = reader

    @route("POST /v1/responses")
    async def create_response(self, request: web.Request) -> web.StreamResponse:
        """A response; one that failed after it had begun is still a response."""
        order, streams, headers = await self._read_order(request)
        if order.stored.background:
            running = await self._maker.start_response(order)
            if streams and running.log is not None:
                return await _stream_frames(request, running.log.listen_after(-1), headers)
            return json_of(request, order.answer.partial, headers)
        if not streams:
            await self._maker.make_response(order, collect_into(order.answer), has_begun=lambda: False)
            return json_of(request, order.answer.response, headers)
        answer = order.answer
        stream_of = event_stream(
            request, headers, describe_failure=lambda error: error_event(error, answer.next_number)
        )
        async with stream_of as stream:
            streamed = _StreamedResponse(order.answer, stream)
            async with self._requests.coalesce_deltas(streamed.emit_event) as coalesced:
                last = await self._maker.make_response(order, coalesced, streamed.has_begun)
            await stream.send_frames(last)
        return stream.response

    @route(f"GET {_PATH}", answers_head=True)
    async def retrieve_response(self, request: web.Request) -> web.StreamResponse:
        """One response of the caller's, or its events."""
        user_id, response_id = await self._caller_and_id(request)
        if request.query.get("stream", "").lower() != "true":
            return json_of(request, await self._reader.read_response(user_id, response_id))
        after = read_number(request.query, "starting_after", -1)
        events = await self._reader.stream_events(user_id, response_id, after)
        return await _stream_frames(request, events, {REQUEST_ID_HEADER: request_id_of(request)}, after)

    @route(f"DELETE {_PATH}")
    async def delete_response(self, request: web.Request) -> web.StreamResponse:
        """Delete a response of the caller's, with what is kept of it."""
        return json_of(request, await self._reader.delete_response(*await self._caller_and_id(request)))

    @route(f"POST {_PATH}/cancel")
    async def cancel_response(self, request: web.Request) -> web.StreamResponse:
        """Cancel a running response of the caller's; whoever listens gets its end, too."""
        return json_of(request, await self._reader.cancel_response(*await self._caller_and_id(request)))

    @route(f"GET {_PATH}/input_items", answers_head=True)
    async def input_items(self, request: web.Request) -> web.StreamResponse:
        """What went into a response of the caller's."""
        page = page_of(request.query)
        return json_of(request, await self._reader.input_items(*await self._caller_and_id(request), page))

    async def _read_order(self, request: web.Request) -> tuple[ResponseOrder, bool, Mapping[str, str]]:
        """Return what a request asks for, whether as a stream, and its answer's headers.

        The request itself is not held while its answer is made.
        """
        completion = await self._requests.read_request(request, parse_responses_request, "resp_")
        order = self._order_of(completion, await self._markers_of(completion))
        await self._check_previous(order)
        order = replace(order, request=await self._reader.with_named_items(order.request))
        return order, completion.parsed.streams, completion.headers

    async def _caller_and_id(self, request: web.Request) -> tuple[str, str]:
        caller = caller_of(request)
        return caller.user.id, request.match_info["id"]

    async def _check_previous(self, order: ResponseOrder) -> None:
        """See that what is to be gone on from is there, and at its end.

        While the store is away, the turn continues without memory.
        """
        previous = order.request.previous_response_id
        if previous is None:
            return
        try:
            body = await self._reader.find_response(order.request.user_id, previous)
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

    async def _markers_of(self, completion: CompletionRequest) -> MarkerForm:
        """How the answer's text names stored items."""
        if completion.is_for_programs or not _is_to_be_stored(completion):
            return "off"
        http = completion.http
        wanted = markers_of(http, completion.caller) if is_from_open_webui(http) else requested_markers(http)
        markers = wanted or "off"
        is_written = markers != "off" and await self._maker.writes_markers(completion.caller.user.id)
        return markers if is_written else "off"

    def _order_of(self, completion: CompletionRequest, markers: MarkerForm) -> ResponseOrder:
        parsed, http = completion.parsed, completion.http
        log = partial(log_end, request_id_of(http), parsed.model, completion.started_at)
        first = self._first_state(completion, markers)
        return replace(build_order(first, parsed, _FoundEntry(completion.entry), log), log=completion.log)

    def _first_state(self, completion: CompletionRequest, markers: MarkerForm) -> StoredResponse:
        parsed, http, now = completion.parsed, completion.http, time.time()
        is_stored, chosen = _is_to_be_stored(completion), completion.scope.servers
        echoed: JsonObject = {**completion.body, "instructions": parsed.instructions}
        truncation = sent_truncation(parsed.options, completion.settings.features)
        told: JsonObject = {**echoed, "store": is_stored, "truncation": truncation}
        body = response_shell(completion.answer_id, int(now), parsed.model, told)
        request: JsonObject = {
            "body": {name: value for name, value in echoed.items() if name not in ("input", "messages")},
            "display": display_of(http, completion.caller, self._requests.defaults.show_tool_cards),
            "markers": markers,
            "for_open_webui": is_from_open_webui(http),
            "asked_by": completion.caller.name,
            "asker": asker_facts(completion.caller),
            "chat_id": chat_id_of(http),
            "message_id": message_id_of(http),
            "is_task": is_task(http),
            "tool_servers": None if chosen is None else [*sorted(chosen)],
            "request_id": request_id_of(http),
            "relayed_id": relayed_id_of(http),
        }
        return StoredResponse(
            id=completion.answer_id,
            user_id=completion.caller.user.id,
            model=parsed.model,
            status="queued" if parsed.background else "in_progress",
            body={**body, "status": "queued"} if parsed.background else body,
            request=request,
            created_at=now,
            background=parsed.background,
            previous_id=parsed.previous_response_id,
            conversation_id=chat_id_of(http),
        )


@dataclass(frozen=True, slots=True)
class _StreamedResponse:
    """A response as events of a stream."""

    answer: ResponsesWriter
    stream: EventStream

    async def emit_event(self, event: TurnEvent) -> None:
        """As `Emit`."""
        if bodies := self.answer.write_event(event):
            await self.stream.send_frames(encode_events(bodies))

    def has_begun(self) -> bool:
        """Whether the caller has been told something."""
        return self.stream.has_begun


@dataclass(frozen=True, slots=True)
class _FoundEntry:
    """A model that has been looked up."""

    entry: ModelEntry

    async def __call__(self) -> ModelEntry:
        """Return it."""
        return self.entry


def _is_to_be_stored(completion: CompletionRequest) -> bool:
    return completion.parsed.stores and not is_task(completion.http)


async def _stream_frames(
    request: web.Request, events: AsyncGenerator[bytes], headers: Mapping[str, str], after: int = -1
) -> web.StreamResponse:
    """Events with numbers above `after` as an answer; whoever goes away ends only that."""

    def describe_failure(error: WireError) -> bytes:
        return error_event(error, after + 1)

    stream_of = event_stream(request, headers, describe_failure=describe_failure, is_endless=True)
    async with stream_of as stream, aclosing(events):
        async for frames in events:
            await stream.send_frames(frames)
    return stream.response
