"""A request to a model, understood: what both doors read of it, and how they answer and log.

The doors are `model_http` (chat completions) and `responses_http` (responses).
"""

from __future__ import annotations

import logging
import re
import secrets
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace

from aiohttp import web
from aiohttp.typedefs import Handler

from bridge.agent.errors import ApiError, ApiFailure, log_error, of_invalid, of_model, unknown_model
from bridge.agent.loop.turn_log import logged_turn
from bridge.agent.memory.remembering_runner import RememberingRunner
from bridge.agent.model import Model, ModelError, ModelRequest
from bridge.agent.provider_options import without_effect
from bridge.agent.request_fields import InvalidRequest, ParsedRequest
from bridge.agent.turn import Emit, TurnEvent, TurnRequest, TurnResult, TurnSettings
from bridge.auth.identity import Caller
from bridge.endpoints.openai.debug_logs import RequestLog, RequestLogs
from bridge.endpoints.openai.delta_coalescing import joined_deltas
from bridge.endpoints.openai.encoders import AnswerEncoder
from bridge.endpoints.openai.errors import REQUEST_ID_HEADER, error_response, request_id_of
from bridge.endpoints.openai.request_headers import (
    DEBUG_HEADER,
    asks_for_log,
    is_task,
    json_body,
    wants_log,
)
from bridge.http.access import caller_of
from bridge.http.chat_headers import chat_id_of, message_id_of
from bridge.providers.directory import ModelDirectory, ModelEntry, UnknownModel
from bridge.settings.answer_format import MarkerForm
from bridge.settings.model_defaults import ModelDefaults
from toolserver.json_types import JsonObject, dump_json, object_at, text_at

DROPPED_HEADER = "X-Tool-Bridge-Dropped"
"""Members of the request that had no effect, separated by commas."""

MAX_DROPPED = 20
"""Of them that an answer names."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class CompletionRequest:
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
    markers: MarkerForm = "off"
    """How the answer's text names what is kept of it."""

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
    def is_for_programs(self) -> bool:
        """Its answer is a title, or JSON: no program that reads it expects markers."""
        form = object_at(object_at(self.parsed.options, "text"), "format")
        return is_task(self.http) or text_at(form, "type").startswith("json")

    @property
    def turn(self) -> TurnRequest:
        """What the loop is asked."""
        asked = self.parsed.build_turn(
            self.caller.user.id, self.answer_id, may_have_tools=not is_task(self.http)
        )
        return replace(
            asked,
            chat_id=chat_id_of(self.http),
            message_id=message_id_of(self.http),
            keeps="nothing" if self.markers == "off" else "output",
            is_task=is_task(self.http),
        )


@dataclass(frozen=True, slots=True)
class Turn:
    """What a turn is run with."""

    request: TurnRequest
    model: Model
    settings: TurnSettings
    goes_on: Callable[[], bool] = lambda: False
    """See `RememberingRunner.run_with_memory`."""


@dataclass(frozen=True, slots=True)
class RequestReader:
    """Reads requests of both doors."""

    models: ModelDirectory
    settings_of: Callable[[ModelEntry], TurnSettings]
    """How turns of a model run, as the settings say now."""
    defaults: ModelDefaults
    logs: RequestLogs

    def coalesce_deltas(self, emit: Emit) -> AbstractAsyncContextManager[Emit]:
        """Small deltas of a stream together, as the settings say."""
        defaults = self.defaults
        return joined_deltas(
            emit, defaults.streaming_delta_char_limit, defaults.streaming_idle_flush_ms / 1000
        )

    async def read_request(
        self, request: web.Request, parse: Callable[[JsonObject], ParsedRequest], prefix: str
    ) -> CompletionRequest:
        """Read a request. `prefix`: of the answer's id.

        Raises:
            BridgeError, InvalidRequest, UnknownModel: it cannot be answered.
        """
        begun_at = time.monotonic()
        caller = caller_of(request)
        body = await json_body(request)
        parsed = parse(body)
        entry = await self.models.find_model(parsed.model)
        answer_id = f"{prefix}{request_id_of(request)}{secrets.token_hex(8)}"
        settings = self.settings_of(entry)
        log = None
        if wants_log(request, caller, self.defaults):
            log = self.logs.begin_log(caller.user.id, request_id_of(request))
            log.add_line(f"{request.path} asks {entry.id} of {entry.owned_by}, {len(parsed.input)} items")
        return CompletionRequest(request, caller, body, parsed, entry, settings, log, answer_id, begun_at)


def answer_errors(handler: Handler) -> Handler:
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


def collect_into(answer: AnswerEncoder) -> Emit:
    """Takes the events of an answer that is sent whole."""

    async def emit(event: TurnEvent) -> None:
        answer.collect_event(event)

    return emit


def _header_word(name: str) -> str:
    """Names within a request are the caller's; those of a header are printable ASCII."""
    return re.sub(r"[^!-+\-.-~]", "?", name)[:100]


def json_of(
    request: web.Request, value: JsonObject, headers: Mapping[str, str] | None = None
) -> web.Response:
    """A JSON answer; without `headers`, it has its request's id."""
    told = headers or {REQUEST_ID_HEADER: request_id_of(request)}
    return web.Response(body=dump_json(value), content_type="application/json", headers=told)


def log_answer_error(request: web.Request, error: ApiError | None) -> JsonObject | None:
    """An error's body for inside an answer, once the log has it."""
    if error is None:
        return None
    error_id = request_id_of(request)
    log_error(error, error_id)
    return error.build_body(error_id)


def log_end(request_id: str, model: str, begun_at: float, result: TurnResult) -> None:
    """One line for each turn, by the id that its caller has. `begun_at`: of the monotonic clock."""
    _log.info(
        "request %s: model %s %s after %.0f ms, %s rounds, %s calls",
        request_id,
        model,
        result.status,
        (time.monotonic() - begun_at) * 1000,
        result.usage.get("turn_count", 0),
        result.usage.get("function_call_count", 0),
    )


async def run_logged(turns: RememberingRunner, work: Turn, log: RequestLog | None, emit: Emit) -> TurnResult:
    """A turn, with its log where there is one."""
    if log is None:
        return await turns.run_with_memory(
            work.request, work.model, work.settings, emit, goes_on=work.goes_on
        )

    async def run(model: Model, emit: Emit) -> TurnResult:
        return await turns.run_with_memory(work.request, model, work.settings, emit, goes_on=work.goes_on)

    try:
        return await logged_turn(run, work.model, emit, note=log.add_line, text=lambda: "\n".join(log.lines))
    finally:
        log.end_log()
