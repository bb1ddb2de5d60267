"""The HTTP application of one bridge: every route and the middleware before it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache, partial
from http import HTTPStatus
from urllib.parse import urlsplit

from aiohttp import hdrs, web
from aiohttp.typedefs import Handler

from bridge.app.composition import Components
from bridge.app.part import UnusablePart
from bridge.auth.identity import bearer_token
from bridge.auth.resource_server import bearer_challenge
from bridge.browsers.audited_listener import AuditedListener
from bridge.browsers.gateway import SOCKET_PATH
from bridge.cluster.relay import Relay
from bridge.endpoints.mcp.protected_resource import ProtectedResource
from bridge.endpoints.mcp.routes import refusal_response
from bridge.endpoints.openai.errors import wire_error_response
from bridge.endpoints.openai.missing_routes import advise_on_path
from bridge.errors import ErrorCode, WireError
from bridge.http.access import check_access
from bridge.http.audit import audit_route
from bridge.http.body import SMALL_BODY_BYTES
from bridge.http.middleware import (
    AllowedOrigins,
    ErrorRenderer,
    build_guard,
    cors_headers,
    is_mcp_path,
    is_model_path,
)
from bridge.http.openapi_document import api_document
from bridge.http.routing import SERVES_MODELS, TIMINGS, TRUSTED_PROXIES, ApiRoute, Route, error_answer
from bridge.http.security_headers import add_security_headers
from bridge.http.tracing import trace_requests
from bridge.settings.bridge import BridgeSettings
from bridge.settings.network import origin_of
from bridge.settings.path_prefix import prefix_of

HTTP_PORT = 80

ROUTES = web.AppKey("routes", list[Route])
"""The table of all routes, except the socket's."""


def build_application(parts: Components, relay: Relay | None = None) -> web.Application:
    """Build the application of a bridge; `relay`: None for a single bridge."""
    ground, accounts = parts.ground, parts.accounts
    origins = _allowed_origins(ground.settings, ground.base_url, ground.port)
    tracer = parts.tracing.tracer
    app = web.Application(
        middlewares=[
            *([] if tracer is None else [trace_requests(tracer)]),
            build_guard(
                origins,
                accounts.rejected,
                accounts.unauthenticated,
                _with_challenges(accounts.resource),
                socket_path=SOCKET_PATH,
            ),
            *([] if relay is None else [relay.route_unauthenticated(parts.calls.files.user_of_link)]),
        ],
        client_max_size=SMALL_BODY_BYTES,
    )
    app[TRUSTED_PROXIES] = ground.settings.network.trusted_proxies
    app[TIMINGS] = ground.timings
    app[SERVES_MODELS] = parts.wing is not None
    app.on_response_prepare.append(cors_headers(origins))
    app.on_response_prepare.append(add_security_headers)
    routes = [
        *parts.readiness.list_routes(),
        *(route for part in parts.parts for route in part.list_routes()),
    ]
    api = [route for route in routes if isinstance(route, ApiRoute)]
    app[ROUTES] = [*routes, *_facts_routes(api, prefix_of(ground.base_url))]
    _refuse_doubles(app[ROUTES])
    for route in app[ROUTES]:
        _add_route(app, route, parts, relay)
    listener = AuditedListener(parts.dispatcher, parts.ground.audit, accounts.rejected)
    parts.gateway.attach_socket(app, listener, parts.registry)
    return app


def _refuse_doubles(routes: Sequence[Route]) -> None:
    """Raise UnusablePart if two routes are the same; the second one would never be served."""
    for (method, path), count in Counter((route.method, route.path) for route in routes).items():
        if count > 1:
            raise UnusablePart(f"An installed part has the route {method} {path}, which exists already.")


def _add_route(app: web.Application, route: Route, parts: Components, relay: Relay | None) -> None:
    """Add a route; only this function does, so that every route has its access check."""
    audited = audit_route(route, parts.ground.audit)
    router = None if relay is None else relay.router
    handler = check_access(audited, route.access, parts.identity, parts.accounts.mcp_callers, router)
    for method in (route.method, *([hdrs.METH_HEAD] if route.answers_head else [])):
        app.router.add_route(method, route.path, handler)


def _facts_routes(api: list[ApiRoute], prefix: str) -> list[Route]:
    document = _answering(cache(partial(api_document, api, prefix)))
    health = _answering(lambda: {"status": "ok"})
    return [
        Route("GET", "/api/openapi.json", document, access="public", answers_head=True),
        Route("GET", "/healthz", health, access="public", answers_head=True),
    ]


def render_error(request: web.Request, error: WireError) -> web.Response:
    """Return the response for an error, in the shape that clients of the request's path expect."""
    if error.code is ErrorCode.NOT_FOUND and request.match_info.http_exception is not None:
        advice = advise_on_path(request.path, serves_models=request.app[SERVES_MODELS])
        error = error.model_copy(update={"message": f"{error.message} {advice}".rstrip()})
    if is_model_path(request.path):
        return wire_error_response(request, error)
    if is_mcp_path(request.path):
        return refusal_response(error)
    return error_answer(error)


def _with_challenges(protected: ProtectedResource) -> ErrorRenderer:
    """Return what renders errors, each 401 with a challenge (RFC 9110, 15.5.2).

    At the MCP endpoints it is the way to an access token, where an authorization server is set.
    """

    def render(request: web.Request, error: WireError) -> web.Response:
        response = render_error(request, error)
        if is_mcp_path(request.path):
            response = protected.add_challenge(response, request, error)
        if response.status == HTTPStatus.UNAUTHORIZED and hdrs.WWW_AUTHENTICATE not in response.headers:
            had_token = bool(bearer_token(request.headers))
            response.headers[hdrs.WWW_AUTHENTICATE] = bearer_challenge(had_token=had_token)
        return response

    return render


def _answering(value: Callable[[], object]) -> Handler:
    async def answer(_request: web.Request) -> web.Response:
        return web.json_response(value())

    return answer


def _allowed_origins(settings: BridgeSettings, base_url: str, port: int) -> AllowedOrigins:
    names = {"127.0.0.1", "localhost", "[::1]", canonical_host(settings.network.host)}
    public = urlsplit(base_url).netloc.lower()
    hosts = (
        {f"{name}:{port}" for name in names}
        | {public}
        | {host.lower() for host in settings.network.allowed_hosts}
    )
    if port == HTTP_PORT:  # a browser leaves it out
        hosts |= names
    return AllowedOrigins(
        hosts=frozenset(hosts),
        own_origins=frozenset({origin_of(base_url)}),
        allowed_origins=frozenset(origin_of(origin) for origin in settings.network.allowed_origins),
    )


def canonical_host(host: str) -> str:
    """Return the name by which a browser on this machine reaches the bridge."""
    if host in ("", "0.0.0.0", "::", "localhost", "127.0.0.1"):
        return "127.0.0.1"
    return f"[{host}]" if ":" in host else host
