"""`POST /mcp` and `/servers/{server}/mcp`: tools for MCP clients of both eras, without sessions (ruling 37).

Who asks is known from the key or access token alone; nothing that a client says of itself counts.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from typing import TypeAlias

import orjson
from aiohttp import web

from bridge import __version__
from bridge.browser_protocol import ARGUMENT_BYTES
from bridge.catalog.registry import Registry
from bridge.endpoints.mcp.answer import Answer, answer_list, error_answer, http_response
from bridge.endpoints.mcp.batches import McpBatches, read_batch
from bridge.endpoints.mcp.calls import McpCalls
from bridge.endpoints.mcp.headers import VERSION_HEADER, check_modern, is_modern_request
from bridge.endpoints.mcp.protocol import (
    CANCELLED,
    INVALID_PARAMS,
    LEGACY_VERSIONS,
    METHOD_NOT_FOUND,
    MODERN_VERSION,
    SERVER_INFO_KEY,
    RpcError,
    RpcMessage,
    error_bytes,
    of_wire,
    read_message,
    result_bytes,
)
from bridge.endpoints.mcp.readers import SESSION_HEADER, McpReaders, session_of
from bridge.endpoints.mcp.subscriptions import Subscriptions, list_owner
from bridge.endpoints.mcp.tasks import EXTENSION, McpTasks
from bridge.endpoints.mcp.traced_messages import trace_message
from bridge.errors import WireError
from bridge.http.access import caller_of
from bridge.http.body import read_limited
from bridge.http.declared_routes import DeclaredRoutes, route
from bridge.http.routing import error_answer as error_response
from bridge.tracing.tracer import Tracer
from toolserver.json_types import JsonObject, text_at

MESSAGE_BYTES = ARGUMENT_BYTES + 64 * 1024
"""Maximum bytes of a message: the arguments of a call, and its envelope."""

LIST_TTL_MS = 30_000
"""Milliseconds for which a client may use a list of tools again without asking."""

INFO: JsonObject = {"name": "direct-tool-bridge", "title": "Direct Tool Bridge", "version": __version__}

_Handler: TypeAlias = "Callable[[web.Request, RpcMessage], Awaitable[web.StreamResponse]]"


class McpRoutes(DeclaredRoutes):
    """Handlers of the MCP endpoints: of all servers together, and of one.

    Other methods than POST are 405: no session is kept.
    """

    bases = ("", "/servers/{server}")

    def __init__(
        self,
        registry: Registry,
        calls: McpCalls,
        tasks: McpTasks,
        subscriptions: Subscriptions,
        *,
        readers: McpReaders,
        instructions: str,
        tracer: Tracer | None = None,
    ) -> None:
        """`instructions`: what models are told about the tools as a whole; `tracer`: None traces nothing."""
        self._tracer = tracer
        self._registry = registry
        self._calls = calls
        self._batches = McpBatches(calls, self._list_of_tools)
        self._readers = readers
        self._instructions = instructions
        self._modern: Mapping[str, _Handler] = {
            "server/discover": self._discover,
            "tools/list": self._list_tools,
            "tools/call": self._calls.answer_modern,
            "subscriptions/listen": subscriptions.listen,
            "tasks/get": tasks.answer_get,
            "tasks/update": tasks.answer_update,
            "tasks/cancel": tasks.answer_cancel,
        }
        self._legacy: Mapping[str, _Handler] = {
            "initialize": self._initialize,
            "ping": _answer_ping,
            "tools/list": self._list_tools,
            "tools/call": self._calls.answer_legacy,
        }

    @route("POST /mcp", access="mcp")
    async def answer_message(self, request: web.Request) -> web.StreamResponse:
        """Answer one request or notification, or a batch of them."""
        message: RpcMessage | None = None
        try:
            body = await read_limited(request, MESSAGE_BYTES, what="message")
            if (batch := read_batch(request, body)) is not None:
                return await self._batches.answer_batch(request, batch)
            message = read_message(body)
            if self._tracer is None:
                return await self._begin_answer(request, message)
            with trace_message(self._tracer, message, request.headers.get(VERSION_HEADER, "")):
                return await self._begin_answer(request, message)
        except RpcError as error:
            if message is not None:
                error.request_id = message.request_id
                if not is_modern_request(message, request.headers):
                    error.status = HTTPStatus.OK  # anything else would end a legacy client's session
            return http_response(error_answer(error))

    def _begin_answer(self, request: web.Request, message: RpcMessage) -> Awaitable[web.StreamResponse]:
        """Return what answers a message when it is awaited.

        Raises:
            RpcError: the message is none of its version of MCP.
        """
        is_modern = is_modern_request(message, request.headers)
        if is_modern:
            check_modern(message, request.headers)
        if message.request_id is None:
            if not is_modern and message.method == CANCELLED:
                self._calls.cancel_call(caller_of(request), message)
            return _accept()
        answer = (self._modern if is_modern else self._legacy).get(message.method)
        if answer is None:
            text = f"The bridge has no method {message.method[:100]!r} in this version of MCP."
            raise RpcError(METHOD_NOT_FOUND, text)
        return answer(request, message)

    async def _discover(self, _request: web.Request, message: RpcMessage) -> web.Response:
        result: JsonObject = {
            "resultType": "complete",
            "supportedVersions": [MODERN_VERSION, *LEGACY_VERSIONS],
            "capabilities": {"tools": {"listChanged": True}, "extensions": {EXTENSION: {}}},
            "instructions": self._instructions,
            "ttlMs": 3_600_000,
            "cacheScope": "public",
            "_meta": {SERVER_INFO_KEY: INFO},
        }
        return _result_answer(message, result)

    async def _initialize(self, _request: web.Request, message: RpcMessage) -> web.Response:
        wanted = text_at(message.params, "protocolVersion")
        result: JsonObject = {
            "protocolVersion": wanted if wanted in LEGACY_VERSIONS else LEGACY_VERSIONS[0],
            "capabilities": {"tools": {}},
            "serverInfo": INFO,
            "instructions": self._instructions,
        }
        session = session_of(message)
        return _result_answer(message, result, {SESSION_HEADER: session} if session else None)

    async def _list_tools(self, request: web.Request, message: RpcMessage) -> web.Response:
        return await answer_list(await self._list_of_tools(request, message))

    async def _list_of_tools(self, request: web.Request, message: RpcMessage) -> bytes:
        if message.params.get("cursor") is not None:
            raise RpcError(INVALID_PARAMS, "The list of tools has one page; there is no such cursor.")
        caller = caller_of(request)
        view = await self._registry.view_of_user(list_owner(caller))
        room = self._readers.room_of(request, message)
        server_id = request.match_info.get("server")
        tools = orjson.Fragment(await self._registry.lists.list_mcp_tools(view, server_id, room))
        result: dict[str, object] = {"tools": tools}
        if message.is_modern:
            result = {"resultType": "complete", **result, "ttlMs": LIST_TTL_MS, "cacheScope": "private"}
        return result_bytes(message.request_id, result)


async def _accept() -> web.Response:
    """The answer to a notification."""
    return web.Response(status=HTTPStatus.ACCEPTED)


async def _answer_ping(_request: web.Request, message: RpcMessage) -> web.Response:
    return _result_answer(message, {})


def _result_answer(
    message: RpcMessage, result: object, headers: Mapping[str, str] | None = None
) -> web.Response:
    return http_response(Answer(result_bytes(message.request_id, result)), headers)


def refusal_response(error: WireError) -> web.Response:
    """Return the response for a request that the bridge refused before its message was read."""
    plain = error_response(error)
    plain.body = error_bytes(of_wire(error))
    return plain
