"""Middleware for every request: host, origin, CORS, and the boundary that catches every exception.

The routes of tools and models answer other origins only where the settings name them, with a bearer key
and never with cookies; `/api` and the socket answer the bridge page alone. `Host` is checked on every route
against DNS rebinding.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import TypeAlias, cast

from aiohttp import hdrs, web
from aiohttp.typedefs import Handler, Middleware

from bridge.auth.attempts import AttemptLimit
from bridge.auth.rejected_requests import ACCESS_DENIED, RejectedRequests
from bridge.auth.resource_server import METADATA_PATH
from bridge.errors import BUG, BridgeError, ErrorCode, WireError
from bridge.http.connections import AnyHandler, is_relay_request
from bridge.http.relayed import relayed_of
from bridge.http.routing import address_of, limit_key_of
from bridge.log_lines import OncePerMinute, name_user
from toolserver.answer.response_headers import ANSWER_HEADERS

MODEL_PREFIX = "/v1/"

MCP_PATH = "/mcp"
"""End of the paths at which MCP clients ask: of all servers together, and of one."""

_OPEN_PREFIXES = ("/tools/", "/servers/", MODEL_PREFIX)
_OPEN_PATHS = frozenset({MCP_PATH, "/openapi.json", "/api/config", "/system"})
"""Routes that other origins may use: of tools and of models (ruling 12)."""

ALLOW_METHODS = "GET, POST, OPTIONS"
ALLOW_HEADERS = (
    "authorization, content-type, x-session-id, accept, if-none-match, x-tool-deadline, traceparent"
)
"""Request headers that Open WebUI's page and careful clients send."""

MODEL_HEADERS = (
    "x-tool-bridge-calls, x-tool-bridge-debug, x-tool-bridge-markers, x-tool-bridge-task, "
    "openai-organization, openai-project, openai-beta, "
    "x-stainless-arch, x-stainless-lang, x-stainless-os, x-stainless-package-version, x-stainless-runtime, "
    "x-stainless-runtime-version, x-stainless-retry-count, x-stainless-timeout, x-stainless-helper-method"
)
"""Further request headers of OpenAI's JavaScript client, on the model API."""

MCP_HEADERS = "mcp-protocol-version, mcp-method, mcp-name, mcp-session-id, last-event-id"
"""Further request headers of MCP clients in a browser."""

EXPOSE_HEADERS = "content-disposition, location, etag, www-authenticate"
MODEL_EXPOSE_HEADERS = "x-request-id, retry-after, x-should-retry, x-tool-bridge-dropped, www-authenticate"
TOOL_EXPOSE_HEADERS = f"{EXPOSE_HEADERS}, {ANSWER_HEADERS}"
MAX_AGE_SECONDS = "600"

_METADATA_CORS = {
    hdrs.ACCESS_CONTROL_ALLOW_METHODS: "GET, OPTIONS",
    hdrs.ACCESS_CONTROL_ALLOW_HEADERS: "*",
    hdrs.ACCESS_CONTROL_MAX_AGE: MAX_AGE_SECONDS,
}
MAX_QUOTED_CHARS = 200
"""Maximum characters of a foreign path, host or origin in an error."""

METRICS_PATH = "/metrics"
"""What monitors read under whatever address they reach a bridge: each replica behind a balancer has its own,
which no setting can name. A page whose name leads here (DNS rebinding) has no token to show."""

MAX_PORT = 65_535
_HOST = re.compile(r"(?P<name>\[[0-9a-f:.]+\]|[^\s:/?#@\[\]\\]+)(?::(?P<port>[0-9]{1,5}))?", re.ASCII)
"""Pattern of RFC 9110, 7.2, without user names, paths and second ports, which no browser sends."""

_log = logging.getLogger(__name__)
_log.addFilter(OncePerMinute(by_arguments=True))  # which are routes, and not what is called


ErrorRenderer = Callable[[web.Request, WireError], web.Response]
"""Return the response for an error, in the shape that clients of the request's path expect."""


@dataclass(frozen=True, slots=True)
class AllowedOrigins:
    """The hosts and origins that the bridge answers."""

    hosts: frozenset[str]
    """Host names in lower case: `name:port`, or `name` for any port."""
    own_origins: frozenset[str]
    """Origins of the bridge page itself."""
    allowed_origins: frozenset[str]
    """Origins whose pages may use the tool-server routes."""

    def knows_host(self, host: str) -> bool:
        """Return whether a `Host` header names this bridge; an invalid one never does."""
        if host in self.hosts:  # as nearly every client sends it
            return True
        parts = _HOST.fullmatch(host.lower())
        if parts is None or int(parts["port"] or 0) > MAX_PORT:
            return False
        return parts[0] in self.hosts or parts["name"] in self.hosts

    def may_read_tools(self, origin: str) -> bool:
        """Return whether pages of an origin may use the tool-server routes."""
        return origin in self.allowed_origins or origin in self.own_origins


def build_guard(
    origins: AllowedOrigins,
    rejected: RejectedRequests,
    unauthenticated: AttemptLimit,
    render: ErrorRenderer,
    *,
    socket_path: str,
) -> Middleware:
    """Return the middleware that checks every request, and catches every exception.

    It is one, since each costs every request a coroutine. `unauthenticated` counts requests without a key by
    address; what asks for `socket_path` must be a handshake.
    """
    answer_failure = _failure_renderer(rejected, unauthenticated, render)

    @web.middleware
    async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
        name_user("")  # the task has served others before, on the same connection
        try:
            if relayed_of(request) is None:  # else checked where it arrived
                _check_host(origins, request)
                preflight = _check_origin(origins, request)
                if preflight is not None:
                    return preflight
            _check_encoding(request)
            if request.path.startswith(socket_path):
                request = _without_compression(request)
            return await handler(request)
        except (BridgeError, web.HTTPException) as error:
            return await answer_failure(request, error)
        except ConnectionError:
            if request.transport is not None and not request.transport.is_closing():
                return render(request, _unexpected(request))
            raise  # the caller hung up amid the answer, which aiohttp expects
        except Exception:  # the HTTP boundary: one of the listed places
            return render(request, _unexpected(request))

    return guard


def refuse_expectations(handler: AnyHandler, render: ErrorRenderer) -> AnyHandler:
    """Return a handler that answers unsupported `Expect` headers itself, before aiohttp sees them.

    aiohttp quotes them in its own response, and fails where they are not text.
    """

    async def refuse(request: web.BaseRequest, expected: str) -> web.StreamResponse:
        message = f"Only Expect: 100-continue is supported, not {_shortened(expected)!r}."
        error = WireError(code=ErrorCode.INVALID_REQUEST, message=message)
        return render(cast(web.Request, request), error)

    def handle(request: web.BaseRequest) -> Awaitable[web.StreamResponse]:
        expected = request.headers.get(hdrs.EXPECT)
        if expected is None or expected.lower() == "100-continue":
            return handler(request)
        return refuse(request, expected)

    return handle


_Failure: TypeAlias = BridgeError | web.HTTPException


def _failure_renderer(
    rejected: RejectedRequests, unauthenticated: AttemptLimit, render: ErrorRenderer
) -> Callable[[web.Request, _Failure], Awaitable[web.StreamResponse]]:
    """Return what makes the response for a refusal; those of requests without access are recorded.

    A redirect is raised again.
    """

    async def answer(request: web.Request, failure: _Failure) -> web.StreamResponse:
        if isinstance(failure, BridgeError):
            error = await _counted(failure, unauthenticated, limit_key_of(request))
            if error.code in ACCESS_DENIED:
                rejected.record_rejection(
                    error.code, f"address {address_of(request)}", endpoint=_endpoint_of(request)
                )
            return render(request, error)
        if failure.status < HTTPStatus.BAD_REQUEST:
            raise failure  # a redirect, which aiohttp makes the response of
        response = render(request, _wire_error(request, failure))
        if hdrs.ALLOW in failure.headers:  # RFC 9110, 15.5.6: a 405 says which methods there are
            response.headers[hdrs.ALLOW] = failure.headers[hdrs.ALLOW]
        return response

    return answer


def _unexpected(request: web.Request) -> WireError:
    _log.exception("%s failed.", _endpoint_of(request))
    return BUG


async def _counted(error: BridgeError, unauthenticated: AttemptLimit, address: str) -> WireError:
    """Return the error for the caller; after too many unauthenticated requests, `rate_limited`.

    While replicas cannot count them together, it is `cluster_unavailable`.
    """
    if error.error.code is not ErrorCode.UNAUTHORIZED:
        return error.error
    try:
        await unauthenticated.take_attempt(address)
    except BridgeError as uncounted:
        return uncounted.error
    return error.error


def _endpoint_of(request: web.Request) -> str:
    """Return method and path pattern of the route, without the caller's values."""
    resource = request.match_info.route.resource
    return f"{request.method} {resource.canonical}" if resource else f"{request.method} elsewhere"


def _check_host(origins: AllowedOrigins, request: web.Request) -> None:
    host = request.headers.get(hdrs.HOST, "")  # `request.host` asks DNS for our name where there is none
    if not origins.knows_host(host) and request.path != METRICS_PATH:
        host = _shortened(host)
        message = f"This bridge does not answer to the host {host!r}. Start it with --allow-host {host}"
        raise BridgeError(ErrorCode.FOREIGN_HOST, message, detail={"host": host})


def _check_origin(origins: AllowedOrigins, request: web.Request) -> web.Response | None:
    """Refuse what pages of other origins may not ask for; returns the answer if it is a preflight."""
    path, given = request.path, request.headers.getall(hdrs.ORIGIN, ())
    if len(given) > 1:  # one that is checked must not hide one that is believed elsewhere
        message = "A request has one Origin header, this one several. Look at the proxy before the bridge."
        raise BridgeError(ErrorCode.INVALID_REQUEST, message)
    origin = given[0] if given else None
    is_preflight = request.method == hdrs.METH_OPTIONS
    if is_open_path(path):
        if is_preflight:
            return _preflight(origins, origin, path)
        if is_mcp_path(path):  # which MCP demands, whatever key the request brings
            _check_allowed(origins, origin)
    elif is_metadata_path(path):
        return web.Response(status=204, headers=_METADATA_CORS) if is_preflight else None
    elif origin is not None and origin not in origins.own_origins:
        message = f"Pages of {_shortened(origin)} may not use this part of the bridge."
        raise BridgeError(ErrorCode.FOREIGN_ORIGIN, message, detail={"origin": _shortened(origin)})
    elif _is_foreign_fetch(request):
        message = "Pages of other origins may not use this part of the bridge."
        raise BridgeError(ErrorCode.FOREIGN_ORIGIN, message)
    return None


def _check_encoding(request: web.Request) -> None:
    """Refuse compressed bodies: a small body could expand without bounds."""
    encoding = request.headers.get(hdrs.CONTENT_ENCODING)
    if encoding is not None and encoding.strip().lower() not in ("", "identity"):
        quoted = _shortened(encoding.strip().lower())
        message = f"The bridge does not decompress bodies. Send it without Content-Encoding: {quoted}"
        raise BridgeError(ErrorCode.UNSUPPORTED_ENCODING, message, detail={"encoding": quoted})


def _is_foreign_fetch(request: web.Request) -> bool:
    """Return whether a browser says that another site fetches this; following a link does not count."""
    site = request.headers.get("Sec-Fetch-Site", "none")
    return site not in ("same-origin", "none") and request.headers.get("Sec-Fetch-Mode") != "navigate"


def _shortened(text: str) -> str:
    """Return foreign text that is safe in a response: valid Unicode, and not too long."""
    return text.encode("utf-8", "replace").decode()[:MAX_QUOTED_CHARS]


def is_model_path(path: str) -> bool:
    """Return whether a path belongs to the model API."""
    return re.sub("/+", "/", path).startswith(MODEL_PREFIX) if "//" in path else path.startswith(MODEL_PREFIX)


def is_mcp_path(path: str) -> bool:
    """Return whether a path is one at which MCP clients ask."""
    return path == MCP_PATH or (path.startswith("/servers/") and path.endswith(MCP_PATH))


def is_metadata_path(path: str) -> bool:
    """Return whether a path is one of the metadata that pages of every origin may read (RFC 9728, 3.1)."""
    return path.startswith(METADATA_PATH)


def is_open_path(path: str) -> bool:
    """Return whether a path belongs to the routes of tools and models, which other origins may use."""
    if "//" in path:
        path = re.sub("/+", "/", path)
    return path.startswith(_OPEN_PREFIXES) or path in _OPEN_PATHS


def cors_headers(origins: AllowedOrigins) -> Callable[[web.Request, web.StreamResponse], Awaitable[None]]:
    """Return a signal that adds CORS headers to all responses of the open routes, also errors and streams."""

    async def add(request: web.Request, response: web.StreamResponse) -> None:
        path = request.path
        if is_relay_request(request):  # the replica at which it arrived adds them
            return
        if not is_open_path(path):
            if is_metadata_path(path):
                response.headers[hdrs.ACCESS_CONTROL_ALLOW_ORIGIN] = "*"
            return
        response.headers.add(hdrs.VARY, "Origin")
        origin = request.headers.get(hdrs.ORIGIN)
        if origin is not None and origins.may_read_tools(origin):
            response.headers[hdrs.ACCESS_CONTROL_ALLOW_ORIGIN] = origin
            response.headers[hdrs.ACCESS_CONTROL_EXPOSE_HEADERS] = _exposed_headers(path)

    return add


def _exposed_headers(path: str) -> str:
    if is_model_path(path):
        return MODEL_EXPOSE_HEADERS
    return EXPOSE_HEADERS if is_mcp_path(path) else TOOL_EXPOSE_HEADERS


def _check_allowed(origins: AllowedOrigins, origin: str | None) -> None:
    if origin is not None and not origins.may_read_tools(origin):
        quoted = _shortened(origin)
        message = f"Pages of {quoted} may not use this bridge. Start it with --allow-origin {quoted}"
        raise BridgeError(ErrorCode.FOREIGN_ORIGIN, message, detail={"origin": quoted})


def _preflight(origins: AllowedOrigins, origin: str | None, path: str) -> web.Response:
    _check_allowed(origins, origin)
    further = MODEL_HEADERS if is_model_path(path) else MCP_HEADERS if is_mcp_path(path) else ""
    headers = {
        hdrs.ACCESS_CONTROL_ALLOW_METHODS: ALLOW_METHODS,
        hdrs.ACCESS_CONTROL_ALLOW_HEADERS: f"{ALLOW_HEADERS}, {further}" if further else ALLOW_HEADERS,
        hdrs.ACCESS_CONTROL_MAX_AGE: MAX_AGE_SECONDS,
    }
    return web.Response(status=204, headers=headers)


def _wire_error(request: web.Request, error: web.HTTPException) -> WireError:
    code = {404: ErrorCode.NOT_FOUND, 405: ErrorCode.METHOD_NOT_ALLOWED, 413: ErrorCode.TOO_LARGE}.get(
        error.status, ErrorCode.INVALID_REQUEST
    )
    message = f"{request.method} {_shortened(request.path)}: {error.reason}."
    return WireError(code=code, message=message)


def _without_compression(request: web.Request) -> web.Request:
    """Return the handshake of a WebSocket of Engine.IO 4, without the offer to compress messages.

    Without deflate for each message an idle page costs 30 KB instead of 130 KB and a message half the time
    (measured in Chromium). aiohttp negotiates what the request offers, so the offer is left out; subprotocols
    too, of which aiohttp would log that none is known. What is no handshake python-engineio would take for a
    socket that is about to open.

    Raises:
        BridgeError: `invalid_request`: it is no such handshake.
    """
    if not _is_handshake(request):
        message = "Only a WebSocket of Engine.IO 4 can be opened here: ?EIO=4&transport=websocket"
        raise BridgeError(ErrorCode.INVALID_REQUEST, message)
    headers = request.headers.copy()
    headers.popall(hdrs.SEC_WEBSOCKET_EXTENSIONS, None)
    headers.popall(hdrs.SEC_WEBSOCKET_PROTOCOL, None)
    return request.clone(headers=headers)


def _is_handshake(request: web.Request) -> bool:
    query, connection = request.query, request.headers.getall(hdrs.CONNECTION, [])
    return (
        request.method == hdrs.METH_GET
        and query.getall("EIO", []) == ["4"]
        and query.getall("transport", []) == ["websocket"]
        and not {"sid", "j"} & query.keys()
        and "upgrade" in {token.strip().lower() for line in connection for token in line.split(",")}
        and [upgrade.lower() for upgrade in request.headers.getall(hdrs.UPGRADE, [])] == ["websocket"]
        and web.WebSocketResponse().can_prepare(request).ok
    )
