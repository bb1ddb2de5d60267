"""A request to a model as both endpoints (Chat Completions, Responses) read it, answer it and log it."""

from __future__ import annotations

import logging
import re
import secrets
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from aiohttp import web

from bridge.auth.identity import Caller
from bridge.calls.request import ALL_TOOLS, ToolScope
from bridge.catalog.registry import Registry
from bridge.catalog.server_view import UserView
from bridge.endpoints.openai.debug_logs import RequestLog, RequestLogs
from bridge.endpoints.openai.delta_coalescing import CoalescedDeltas
from bridge.endpoints.openai.errors import REQUEST_ID_HEADER, error_response, request_id_of
from bridge.endpoints.openai.request_headers import (
    DEBUG_HEADER,
    asks_for_log,
    is_from_open_webui,
    is_task,
    json_body,
    wants_log,
)
from bridge.http.access import caller_of
from bridge.http.chat_headers import chat_id_of, message_id_of
from bridge.http.declared_routes import DeclaredRoutes
from bridge.http.routing import Handler, Route
from bridge.models.agent.errors import of_invalid, of_model, unknown_model
from bridge.models.agent.model import ModelError, ModelRequest
from bridge.models.agent.provider_options import without_effect
from bridge.models.agent.request_fields import InvalidRequest, ParsedRequest
from bridge.models.agent.request_tools import TOOL_SERVERS
from bridge.models.agent.turn import AnswerWriter, Emit, Turn, TurnEvent, TurnResult, TurnSettings
from bridge.models.providers.directory import UnknownModel
from bridge.models.providers.listed_models import ModelEntry
from bridge.models.providers.user_models import UserModels
from bridge.openai_errors import ApiError, ApiFailure, log_error
from bridge.settings.answer_format import MarkerForm
from bridge.settings.chat.model_defaults import ModelDefaults
from bridge.tasks import log_failures
from toolserver.errors import quote_text
from toolserver.json_types import JsonObject, dump_json, object_at, text_at

DROPPED_HEADER = "X-Tool-Bridge-Dropped"
"""Members of the request that had no effect, separated by commas."""

MAX_DROPPED = 20
"""Maximum number of such members that an answer names."""

MAX_LISTED = 50
"""Maximum number of servers that an error names."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class CompletionRequest:
    """A request to a model, once it has been read."""

    http: web.Request
    caller: Caller
    body: JsonObject
    parsed: ParsedRequest
    entry: ModelEntry
    settings: TurnSettings
    log: RequestLog | None
    answer_id: str
    started_at: float
    """When reading began, by the monotonic clock."""
    scope: ToolScope
    """The bridge's tools that the request chooses."""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    """Headers of every answer to it."""

    @property
    def is_for_programs(self) -> bool:
        """Whether the answer is a title or JSON: no program that reads it expects markers."""
        form = object_at(object_at(self.parsed.options, "text"), "format")
        return is_task(self.http) or text_at(form, "type").startswith("json")

    def build_turn(self, markers: MarkerForm) -> Turn:
        """Build the turn. `markers`: how the answer's text names stored items; with "off" none is stored."""
        with_tools = not is_task(self.http)
        request = replace(
            self.parsed.build_turn(self.caller.user.id, self.answer_id, may_have_tools=with_tools),
            chat_id=chat_id_of(self.http),
            from_open_webui=is_from_open_webui(self.http),
            asked_by=self.caller.name,
            caller_id=self.caller.id,
            message_id=message_id_of(self.http),
            to_store="nothing" if markers == "off" else "output",
            is_task=is_task(self.http),
            scope=self.scope,
        )
        return Turn(request, self.entry.model, self.settings, self.log)


def _build_headers(request: CompletionRequest) -> Mapping[str, str]:
    parsed = request.parsed
    headers = {REQUEST_ID_HEADER: request_id_of(request.http)}
    without = without_effect(parsed.options, request.settings.features)
    unlogged = () if request.log or not asks_for_log(request.http) else (DEBUG_HEADER,)
    if dropped := (*parsed.dropped, *without, *_left_out(request), *unlogged):
        headers[DROPPED_HEADER] = ", ".join(map(_header_word, dropped[:MAX_DROPPED]))
    return headers


def _left_out(request: CompletionRequest) -> tuple[str, ...]:
    """List the members that the model's provider does not take."""
    parsed = request.parsed
    return request.entry.left_out(
        ModelRequest(
            model=parsed.model,
            input=parsed.input,
            instructions=parsed.instructions,
            tools=parsed.caller_tools,
            options=parsed.options,
            chat_options=parsed.chat_options,
        )
    )


@dataclass(frozen=True, slots=True)
class RequestReader:
    """Reads requests of both endpoints."""

    models: UserModels
    settings_of: Callable[[ModelEntry], TurnSettings]
    """Current settings of model turns."""
    defaults: ModelDefaults
    logs: RequestLogs
    registry: Registry

    def coalesce_deltas(self, emit: Emit) -> CoalescedDeltas:
        """Small deltas of a stream together, as the settings say."""
        defaults = self.defaults
        return CoalescedDeltas(
            emit, defaults.streaming_delta_char_limit, defaults.streaming_idle_flush_ms / 1000
        )

    async def read_request(
        self, request: web.Request, parse: Callable[[JsonObject], ParsedRequest], prefix: str
    ) -> CompletionRequest:
        """Read a request. `prefix`: of the answer's id.

        Raises:
            BridgeError, InvalidRequest, UnknownModel: it cannot be answered.
        """
        started_at = time.monotonic()
        caller = caller_of(request)
        body = await json_body(request)
        parsed = parse(body)
        entry = await self.models.find_model(caller.user.id, parsed.model)
        scope = await self._choose_tools(caller.user.id, parsed.tool_servers)
        answer_id = f"{prefix}{request_id_of(request)}{secrets.token_hex(8)}"
        settings = self.settings_of(entry)
        log = None
        if wants_log(request, caller, self.defaults):
            log = self.logs.begin_log(caller.user.id, request_id_of(request))
            log.add_line(f"{request.path} asks {entry.id} of {entry.owned_by}, {len(parsed.input)} items")
        read = CompletionRequest(
            request, caller, body, parsed, entry, settings, log, answer_id, started_at, scope
        )
        return replace(read, headers=_build_headers(read))

    async def _choose_tools(self, user_id: str, names: tuple[str, ...] | None) -> ToolScope:
        """Return the scope of the named servers; while the catalog cannot be read, an empty one.

        Raises:
            InvalidRequest: a name is no server of the user's.
        """
        if names is None:
            return ALL_TOOLS
        view = await log_failures(self.registry.view_of_user(user_id), "The choice of servers")
        if view is None:
            return ToolScope(servers=frozenset())
        return ToolScope(servers=frozenset[str]().union(*_find_servers(view, names)))


def _find_servers(view: UserView, names: tuple[str, ...]) -> Iterator[frozenset[str]]:
    """Yield the ids for each name."""
    for place, name in enumerate(names):
        ids = view.ids_of_servers(name)
        if not ids:
            known = [f"{server.record.id} ({server.record.title})" for server in view.servers]
            listed = ", ".join(known[:MAX_LISTED]) + (", ..." if len(known) > MAX_LISTED else "")
            servers = f"Your servers are: {listed}." if known else "You have no servers."
            message = f"There is no server {quote_text(name)}. {servers}"
            raise InvalidRequest(message, param=f"{TOOL_SERVERS}[{place}]", code="invalid_value")
        yield ids


class ModelRoutes(DeclaredRoutes):
    """Declared routes whose errors have the form of OpenAI's API."""

    def list_routes(self) -> list[Route]:
        """Return the declared routes."""
        return [replace(row, handler=_answer_errors(row.handler)) for row in super().list_routes()]


def _answer_errors(handler: Handler) -> Handler:
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


def collect_into(writer: AnswerWriter) -> Emit:
    """Takes the events of an answer that is sent whole."""

    async def emit(event: TurnEvent) -> None:
        writer.write_event(event)

    return emit


def _header_word(name: str) -> str:
    """Names within a request are the caller's; those of a header are printable ASCII."""
    return re.sub(r"[^!-+\-.-~]", "?", name)[:100]


def json_of(
    request: web.Request, value: JsonObject, headers: Mapping[str, str] | None = None
) -> web.Response:
    """A JSON answer; without `headers`, it has its request's id."""
    answer_headers = headers or {REQUEST_ID_HEADER: request_id_of(request)}
    return web.Response(body=dump_json(value), content_type="application/json", headers=answer_headers)


def log_answer_error(request: web.Request, error: ApiError | None) -> JsonObject | None:
    """An error's body for inside an answer, once the log has it."""
    if error is None:
        return None
    error_id = request_id_of(request)
    log_error(error, error_id)
    return error.build_body(error_id)


def log_end(request_id: str, model: str, started_at: float, result: TurnResult) -> None:
    """One line for each turn, by the id that its caller has. `started_at`: of the monotonic clock."""
    _log.info(
        "request %s: model %s %s after %.0f ms, %s rounds, %s calls",
        request_id,
        model,
        result.status,
        (time.monotonic() - started_at) * 1000,
        result.usage.get("turn_count", 0),
        result.usage.get("function_call_count", 0),
    )
