"""The model routes: OpenAI's `/v1/models`, `/v1/chat/completions` and `/v1/responses`.

A caller that goes away cancels its turn: the provider's stream is closed and the page aborts what it does. An
answer that fails before its first event is an error of HTTP; after it, the stream says so itself.
"""

from __future__ import annotations

import logging
import re
import secrets
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

from aiohttp import web
from aiohttp.typedefs import Handler

from bridge.edges.event_stream import event_stream
from bridge.edges.http_routes import caller_of
from bridge.edges.identity import Caller, Identity
from bridge.edges.joined_deltas import joined_deltas
from bridge.edges.model_answers import Answer, ChatAnswer, ResponsesAnswer
from bridge.edges.model_book import ModelBook, ModelEntry, UnknownModel
from bridge.edges.model_requests import (
    DEBUG_HEADER,
    MESSAGE_HEADER,
    asks_for_log,
    chat_id_of,
    display_of,
    is_from_open_webui,
    is_task,
    json_body,
    passed_on,
    wants_log,
)
from bridge.edges.openai_errors import (
    REQUEST_ID_HEADER,
    ApiError,
    ApiFailure,
    error_response,
    log_error,
    of_failed,
    of_invalid,
    of_model,
    of_wire,
    request_id_of,
    unknown_model,
)
from bridge.edges.request_logs import RequestLog, RequestLogs
from bridge.edges.running_responses import Cancelled, RunningResponses
from bridge.model_defaults import ModelDefaults
from bridge.turns.chat_writer import ChatShell, ChatWriter
from bridge.turns.equipped import without_effect
from bridge.turns.logged_turn import logged_turn
from bridge.turns.model import Model, ModelError, ModelRequest
from bridge.turns.remembering import Remembering
from bridge.turns.request_members import InvalidRequest, ParsedRequest
from bridge.turns.requests_chat import parse_chat_request
from bridge.turns.requests_responses import parse_responses_request
from bridge.turns.responses_writer import ResponsesWriter, response_shell
from bridge.turns.turn import Emit, TurnEvent, TurnRequest, TurnResult, TurnSettings
from bridge.wire import BridgeError
from toolserver.json_types import JsonObject, JsonValue, dump_json

DROPPED_HEADER = "X-Tool-Bridge-Dropped"
"""Members of the request that had no effect, separated by commas."""

MAX_DROPPED = 20
"""Of them that an answer names."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A request that is understood."""

    http: web.Request
    caller: Caller
    body: JsonObject
    parsed: ParsedRequest
    entry: ModelEntry
    settings: TurnSettings
    log: RequestLog | None
    answer_id: str
    begun_at: float

    @property
    def headers(self) -> Mapping[str, str]:
        """Of every answer."""
        headers = {REQUEST_ID_HEADER: request_id_of(self.http)}
        without = without_effect(self.parsed.options, self.settings.features)
        if dropped := (*self.parsed.dropped, *without, *self._left_out(), *self._unlogged()):
            headers[DROPPED_HEADER] = ", ".join(map(_header_word, dropped[:MAX_DROPPED]))
        return headers

    def _unlogged(self) -> tuple[str, ...]:
        """A log that is wanted by a key that may not."""
        return () if self.log or not asks_for_log(self.http) else (DEBUG_HEADER,)

    def _left_out(self) -> tuple[str, ...]:
        parsed = self.parsed
        return self.entry.left_out(
            ModelRequest(
                model=parsed.model,
                input=parsed.input,
                instructions=parsed.instructions,
                tools=parsed.caller_tools,
                options=parsed.options,
                chat_options=parsed.chat_options,
            )
        )

    @property
    def turn(self) -> TurnRequest:
        """What the loop is asked."""
        parsed = self.parsed
        return TurnRequest(
            user_id=self.caller.user.id,
            turn_id=self.answer_id,
            model=parsed.model,
            input=parsed.input,
            instructions=parsed.instructions,
            caller_tools=parsed.caller_tools,
            options=parsed.options,
            chat_options=parsed.chat_options,
            with_tools=parsed.with_tools and not is_task(self.http),
            max_rounds=parsed.max_rounds,
            chat_id=chat_id_of(self.http),
            message_id=passed_on(self.http, MESSAGE_HEADER),
            keeps="all" if parsed.stores and not is_task(self.http) else "nothing",
            previous_response_id=parsed.previous_response_id,
        )


class ModelRoutes:
    """Handlers of the model routes."""

    def __init__(
        self,
        identity: Identity,
        models: ModelBook,
        turns: Remembering,
        settings_of: Callable[[ModelEntry], TurnSettings],
        defaults: ModelDefaults,
    ) -> None:
        """`settings_of`: how turns of a model run, as the settings say now."""
        self._defaults = defaults
        self._logs = RequestLogs()
        self._identity = identity
        self._models = models
        self._turns = turns
        self._settings_of = settings_of
        self._running = RunningResponses()

    def routes(self) -> list[web.RouteDef]:
        """The routes for the application's router."""
        return [
            web.get("/v1/models", _answered(self.list_models)),
            web.get("/v1/models/{model:.+}", _answered(self.show_model)),
            web.post("/v1/chat/completions", _answered(self.chat)),
            web.post("/v1/responses", _answered(self.respond)),
            web.post("/v1/responses/{id}/cancel", _answered(self.cancel)),
            web.get("/v1/requests/{id}/log", _answered(self.show_log)),
        ]

    async def list_models(self, request: web.Request) -> web.StreamResponse:
        """Every model."""
        await self._identity.reader(request.headers)
        return _json(
            request, {"object": "list", "data": [_facts(each) for each in await self._models.entries()]}
        )

    async def show_model(self, request: web.Request) -> web.StreamResponse:
        """One model; names may contain slashes."""
        await self._identity.reader(request.headers)
        return _json(request, _facts(await self._models.get(request.match_info["model"])))

    async def chat(self, request: web.Request) -> web.StreamResponse:
        """A chat completion."""
        asked = await self._asked(request, parse_chat_request, "chatcmpl-")
        shell = ChatShell(
            asked.answer_id,
            int(time.time()),
            asked.parsed.model,
            display_of(request, asked.caller, self._defaults.show_tool_cards),
            with_usage=asked.parsed.wants_usage_chunk,
            for_open_webui=is_from_open_webui(request),
        )
        answer = ChatAnswer(ChatWriter(shell))
        if asked.parsed.streams:
            return await self._streamed(asked, answer)
        result = await self._run(asked, answer, _collecting(answer))
        if (error := of_failed(result)) is not None:
            return error_response(request, error)
        answer.ended(result, None)
        return _json(request, answer.whole(), asked.headers)

    async def respond(self, request: web.Request) -> web.StreamResponse:
        """A response; one that failed after it had begun is still a response."""
        asked = await self._asked(request, parse_responses_request, "resp_")
        shell = response_shell(asked.answer_id, int(time.time()), asked.parsed.model, asked.body)
        answer = ResponsesAnswer(
            ResponsesWriter(
                shell, display_of(request, asked.caller, self._defaults.show_tool_cards), now=time.time
            )
        )
        if asked.parsed.streams:
            return await self._streamed(asked, answer)
        try:
            result = await self._run(asked, answer, _collecting(answer))
            answer.ended(result, _logged(request, of_failed(result)))
        except Cancelled:
            pass  # what there is says so
        return _json(request, answer.whole(), asked.headers)

    async def cancel(self, request: web.Request) -> web.StreamResponse:
        """Cancel a running response of the caller's; its own connection gets its end, too."""
        caller = await caller_of(self._identity, request)
        response_id = request.match_info["id"]
        cancelled = self._running.cancel(caller.user.id, response_id)
        if cancelled is None:
            message = f"No response '{response_id[:200]}' is running, and one that has ended is not kept."
            raise ApiFailure(ApiError(404, message, "invalid_request_error", "not_found"))
        return _json(request, cancelled)

    async def show_log(self, request: web.Request) -> web.StreamResponse:
        """The log of one of the caller's requests that had one."""
        caller = await caller_of(self._identity, request)
        request_id = request.match_info["id"]
        log = self._logs.find(caller.user.id, request_id)
        if log is None:
            message = (
                f"There is no log of a request '{request_id[:200]}'. Requests with the header "
                f"{DEBUG_HEADER}: 1 have one, for an hour."
            )
            raise ApiFailure(ApiError(404, message, "invalid_request_error", "not_found"))
        lines: list[JsonValue] = [*log.lines]
        return _json(
            request,
            {"object": "request.log", "id": request_id, "has_ended": log.has_ended, "lines": lines},
        )

    async def _asked(
        self, request: web.Request, parse: Callable[[JsonObject], ParsedRequest], prefix: str
    ) -> _Asked:
        begun_at = time.monotonic()
        caller = await caller_of(self._identity, request)
        body = await json_body(request)
        parsed = parse(body)
        entry = await self._models.get(parsed.model)
        answer_id = f"{prefix}{request_id_of(request)}{secrets.token_hex(8)}"
        settings = self._settings_of(entry)
        log = None
        if wants_log(request, caller, self._defaults):
            log = self._logs.begin(caller.user.id, request_id_of(request))
            log.note(f"{request.path} asks {entry.id} of {entry.owned_by}, {len(parsed.input)} items")
        return _Asked(request, caller, body, parsed, entry, settings, log, answer_id, begun_at)

    async def _streamed(self, asked: _Asked, answer: Answer) -> web.StreamResponse:
        async with event_stream(asked.http, asked.headers) as stream:

            async def emit(event: TurnEvent) -> None:
                if frames := answer.told(event):
                    await stream.send(frames)

            try:
                async with self._joined(emit) as told:
                    result = await self._run(asked, answer, told)
                last = answer.ended(result, _logged(asked.http, of_failed(result)))
            except Cancelled as cancelled:
                last = cancelled.frames
            except (ModelError, BridgeError) as error:
                if not stream.has_begun:
                    raise
                failure = of_model(error) if isinstance(error, ModelError) else of_wire(error.error)
                last = answer.failed(_logged(asked.http, failure) or {})
            await stream.send(last)
        return stream.response

    def _joined(self, emit: Emit) -> AbstractAsyncContextManager[Emit]:
        defaults = self._defaults
        return joined_deltas(
            emit, defaults.streaming_delta_char_limit, defaults.streaming_idle_flush_ms / 1000
        )

    async def _run(self, asked: _Asked, answer: Answer, emit: Emit) -> TurnResult:
        """The turn, which a response's id can cancel."""
        work = self._work(asked, emit)
        if isinstance(answer, ResponsesAnswer):
            result = await self._running.run((asked.caller.user.id, asked.answer_id), answer, work)
        else:
            result = await work
        _log_end(asked, result)
        return result

    async def _work(self, asked: _Asked, emit: Emit) -> TurnResult:
        """The turn, with its log where there is one."""
        log, model = asked.log, asked.entry.model
        if log is None:
            return await self._turns.run(asked.turn, model, asked.settings, emit)

        async def run(model: Model, emit: Emit) -> TurnResult:
            return await self._turns.run(asked.turn, model, asked.settings, emit)

        try:
            return await logged_turn(run, model, emit, note=log.note, text=lambda: "\n".join(log.lines))
        finally:
            log.end()


def _answered(handler: Handler) -> Handler:
    """Errors that only model routes know, as answers. A caller that is gone gets none."""

    async def answer(request: web.Request) -> web.StreamResponse:
        try:
            return await handler(request)
        except InvalidRequest as error:
            return error_response(request, of_invalid(error))
        except ModelError as error:
            return error_response(request, of_model(error))
        except UnknownModel as error:
            return error_response(request, unknown_model(str(error)))
        except ApiFailure as failure:
            return error_response(request, failure.error)

    return answer


def _collecting(answer: Answer) -> Emit:
    async def emit(event: TurnEvent) -> None:
        answer.noted(event)

    return emit


def _header_word(name: str) -> str:
    """Names within a request are the caller's; those of a header are printable ASCII."""
    return re.sub(r"[^!-+\-.-~]", "?", name)[:100]


def _facts(entry: ModelEntry) -> JsonObject:
    """`name` is no member of OpenAI's; Open WebUI shows it."""
    facts: JsonObject = {
        "id": entry.id,
        "object": "model",
        "created": entry.created,
        "owned_by": entry.owned_by,
    }
    name = entry.settings.display_name
    return {**facts, "name": name} if name else facts


def _json(request: web.Request, value: JsonObject, headers: Mapping[str, str] | None = None) -> web.Response:
    told = headers or {REQUEST_ID_HEADER: request_id_of(request)}
    return web.Response(body=dump_json(value), content_type="application/json", headers=told)


def _logged(request: web.Request, error: ApiError | None) -> JsonObject | None:
    """An error's body for inside an answer, once the log has it."""
    if error is None:
        return None
    error_id = request_id_of(request)
    log_error(error, error_id)
    return error.body(error_id)


def _log_end(asked: _Asked, result: TurnResult) -> None:
    """One line for each turn, by the id that its caller has."""
    _log.info(
        "request %s: model %s %s after %.0f ms, %s rounds, %s calls",
        request_id_of(asked.http),
        asked.parsed.model,
        result.status,
        (time.monotonic() - asked.begun_at) * 1000,
        result.usage.get("turn_count", 0),
        result.usage.get("function_call_count", 0),
    )
