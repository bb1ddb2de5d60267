"""The model routes: OpenAI's `/v1/models` and `/v1/chat/completions`.

A caller that goes away cancels its turn: the provider's stream is closed and the page aborts what it does. An
answer that fails before its first event is an error of HTTP; after it, the stream says so itself.
"""

from __future__ import annotations

import logging
import time

from aiohttp import web

from bridge.endpoints.openai.errors import error_response, request_id_of
from bridge.endpoints.openai.frames import DONE, encode_chunks
from bridge.endpoints.openai.request import (
    CompletionRequest,
    ModelRoutes,
    RequestReader,
    collect_into,
    json_of,
    log_answer_error,
    log_end,
)
from bridge.endpoints.openai.request_headers import DEBUG_HEADER, display_of, is_from_open_webui, markers_of
from bridge.errors import BUG, BridgeError, WireError
from bridge.http.access import caller_of
from bridge.http.declared_routes import route
from bridge.http.streaming import event_stream
from bridge.models.agent.chat_completions.request_parser import parse_chat_request
from bridge.models.agent.chat_completions.writer import ChatShell, ChatWriter
from bridge.models.agent.errors import error_of_failure, of_failed
from bridge.models.agent.model import ModelError
from bridge.models.agent.turn import Emit, Turn, TurnEvent, TurnResult
from bridge.models.agent.turn_runner import TurnRunner
from bridge.models.providers.listed_models import ModelEntry
from bridge.openai_errors import ApiError, ApiFailure, of_wire
from toolserver.json_types import JsonObject, JsonValue

_log = logging.getLogger(__name__)


class ChatCompletionRoutes(ModelRoutes):
    """Handlers of the model routes."""

    def __init__(self, completion: RequestReader, turns: TurnRunner) -> None:
        self._requests = completion
        self._turns = turns

    @route("GET /v1/models", access="reader", answers_head=True)
    async def serve_models(self, request: web.Request) -> web.StreamResponse:
        """Every model."""
        entries = await self._requests.models.list_models(caller_of(request).user.id)
        return json_of(request, {"object": "list", "data": [_facts(each) for each in entries]})

    @route("GET /v1/models/{model:.+}", access="reader", answers_head=True)
    async def serve_model(self, request: web.Request) -> web.StreamResponse:
        """One model; names may contain slashes."""
        name, user_id = request.match_info["model"], caller_of(request).user.id
        return json_of(request, _facts(await self._requests.models.find_model(user_id, name)))

    @route("POST /v1/chat/completions")
    async def complete_chat(self, request: web.Request) -> web.StreamResponse:
        """A chat completion."""
        completion = await self._requests.read_request(request, parse_chat_request, "chatcmpl-")
        markers = "off" if completion.is_for_programs else markers_of(request, completion.caller)
        shell = ChatShell(
            completion.answer_id,
            int(time.time()),
            completion.parsed.model,
            display_of(request, completion.caller, self._requests.defaults.show_tool_cards),
            with_usage=completion.parsed.wants_usage_chunk,
            markers=markers,
            for_open_webui=is_from_open_webui(request),
        )
        writer = ChatWriter(shell)
        turn = completion.build_turn(markers)
        if completion.parsed.streams:
            return await self._stream(completion, turn, writer)
        result = await self._run(completion, turn, collect_into(writer))
        if (error := of_failed(result)) is not None:
            return error_response(request, error)
        writer.write_end(result)
        return json_of(request, writer.completion, completion.headers)

    @route("GET /v1/requests/{id}/log", answers_head=True)
    async def serve_log(self, request: web.Request) -> web.StreamResponse:
        """The log of one of the caller's requests that had one."""
        caller = caller_of(request)
        request_id = request.match_info["id"]
        log = self._requests.logs.find_log(caller.user.id, request_id)
        if log is None:
            message = (
                f"There is no log of a request '{request_id[:200]}'. Requests with the header "
                f"{DEBUG_HEADER}: 1 have one, for an hour."
            )
            raise ApiFailure(ApiError(404, message, "invalid_request_error", "not_found"))
        lines: list[JsonValue] = [*log.lines]
        return json_of(
            request,
            {"object": "request.log", "id": request_id, "has_ended": log.has_ended, "lines": lines},
        )

    async def _stream(
        self, completion: CompletionRequest, turn: Turn, writer: ChatWriter
    ) -> web.StreamResponse:
        def describe_failure(error: WireError) -> bytes:
            body = log_answer_error(completion.http, of_wire(error)) or {}
            return encode_chunks(writer.write_failure(body)) + DONE

        stream_of = event_stream(completion.http, completion.headers, describe_failure=describe_failure)
        async with stream_of as stream:

            async def emit(event: TurnEvent) -> None:
                if chunks := writer.write_event(event):
                    await stream.send_frames(encode_chunks(chunks))

            try:
                async with self._requests.coalesce_deltas(emit) as coalesced:
                    result = await self._run(completion, turn, coalesced)
                last = writer.write_end(result, log_answer_error(completion.http, of_failed(result)))
            except (ModelError, BridgeError) as error:
                if not stream.has_begun:
                    raise
                last = writer.write_failure(log_answer_error(completion.http, error_of_failure(error)) or {})
            except Exception:  # a boundary: a stream that has begun ends as every other one
                if not stream.has_begun:
                    raise
                _log.exception("A chat stream failed.")
                last = writer.write_failure(log_answer_error(completion.http, of_wire(BUG)) or {})
            await stream.send_frames(encode_chunks(last) + DONE)
        return stream.response

    async def _run(self, completion: CompletionRequest, turn: Turn, emit: Emit) -> TurnResult:
        result = await self._turns.run_turn(turn, emit)
        log_end(request_id_of(completion.http), completion.parsed.model, completion.started_at, result)
        return result


def _facts(entry: ModelEntry) -> JsonObject:
    """`name` and `supported_parameters` are no members of OpenAI's: Open WebUI and our page read them."""
    facts: JsonObject = {
        "id": entry.id,
        "object": "model",
        "created": entry.created,
        "owned_by": entry.owned_by,
        "supported_parameters": [*entry.parameters],
    }
    name = entry.settings.display_name
    return {**facts, "name": name} if name else facts
