"""The HTTP application of one bridge: every route and the middleware before it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from http import HTTPStatus

from aiohttp import hdrs, web
from aiohttp.typedefs import Handler

from bridge.app.composition import Components
from bridge.app.login_composition import compose_logins
from bridge.app.metrics_composition import compose_metrics
from bridge.app.oauth_composition import compose_oauth
from bridge.auth.attempts import AttemptLimit, Attempts
from bridge.auth.identity import bearer_token
from bridge.auth.mcp_callers import McpCallers
from bridge.auth.pairing_codes import PairingCodes
from bridge.auth.pairing_links import PairingLinks
from bridge.auth.rejected_requests import RejectedRequests
from bridge.auth.resource_server import bearer_challenge
from bridge.browsers.audited_listener import AuditedListener
from bridge.browsers.gateway import SOCKET_PATH
from bridge.browsers.transfers import Transfers
from bridge.calls.call_watch import CallWatch
from bridge.cluster.relay import Relay
from bridge.documents.sources import read_public_document
from bridge.endpoints.api.account import AccountRoutes, PageRouting
from bridge.endpoints.api.approvals import ApprovalRoutes
from bridge.endpoints.api.audit import AuditRoutes
from bridge.endpoints.api.batches import BatchRoutes
from bridge.endpoints.api.call_history import CallHistoryRoutes
from bridge.endpoints.api.call_statistics import CallStatisticsRoutes
from bridge.endpoints.api.calls import CallRoutes
from bridge.endpoints.api.devices import DeviceRoutes
from bridge.endpoints.api.document_bundles import DocumentBundleRoutes
from bridge.endpoints.api.limits import LimitRoutes
from bridge.endpoints.api.login import LoginRoutes
from bridge.endpoints.api.offered_tools import OfferedToolRoutes
from bridge.endpoints.api.pairing import PairingRoutes
from bridge.endpoints.api.providers import ProviderRoutes
from bridge.endpoints.api.selection import SelectionBounds, SelectionRoutes
from bridge.endpoints.api.servers import ServerRoutes
from bridge.endpoints.api.stored_items import MemoryChoiceRoutes, StoredItemRoutes
from bridge.endpoints.api.transfers import TransferRoutes
from bridge.endpoints.api.usage import UsageRoutes
from bridge.endpoints.mcp.calls import McpCalls
from bridge.endpoints.mcp.protected_resource import ProtectedResource
from bridge.endpoints.mcp.readers import McpReaders
from bridge.endpoints.mcp.routes import McpRoutes, refusal_response
from bridge.endpoints.mcp.subscriptions import Subscriptions
from bridge.endpoints.mcp.tasks import McpTasks
from bridge.endpoints.openai.chat_completions import ChatCompletionRoutes
from bridge.endpoints.openai.debug_logs import RequestLogs
from bridge.endpoints.openai.errors import wire_error_response
from bridge.endpoints.openai.missing_routes import advise_on_path
from bridge.endpoints.openai.request import RequestReader
from bridge.endpoints.openai.responses import ResponseRoutes
from bridge.endpoints.tool_server import USAGE_PROMPT, ToolServer
from bridge.errors import ErrorCode, WireError
from bridge.http.access import check_access
from bridge.http.answer_files import TurnFiles
from bridge.http.audit import audit_route
from bridge.http.body import SMALL_BODY_BYTES
from bridge.http.companion import CompanionRoutes
from bridge.http.login_cookie import LoginCookie
from bridge.http.middleware import (
    AllowedOrigins,
    ErrorRenderer,
    build_guard,
    cors_headers,
    is_mcp_path,
    is_model_path,
)
from bridge.http.openapi_document import api_document
from bridge.http.routing import TRUSTED_PROXIES, ApiRoute, Route, error_answer
from bridge.http.security_headers import add_security_headers
from bridge.http.static_page import PageRoutes
from bridge.http.tracing import trace_requests
from bridge.limits.settings import LiveLimits
from bridge.settings.bridge import BridgeSettings
from bridge.settings.network import origin_of

HTTP_PORT = 80

ROUTES = web.AppKey("routes", list[Route])
"""The table of all routes, except the socket's."""


def build_application(
    settings: BridgeSettings, parts: Components, base_url: str, port: int, relay: Relay | None = None
) -> web.Application:
    """Build the application to be served at `port`; `relay`: None for a single bridge."""
    origins = _allowed_origins(settings, base_url, port)
    rejected = RejectedRequests(parts.audit)
    oauth = compose_oauth(settings.oauth, parts.identity, base_url, parts.tasks)
    protected = ProtectedResource(oauth.resource)
    app = web.Application(
        middlewares=[
            *([] if parts.tracing is None else [trace_requests(parts.tracing.tracer)]),
            build_guard(
                origins,
                rejected,
                _unauthenticated_rate(parts.identity.attempts, parts.controls.limits),
                _with_challenges(protected),
                socket_path=SOCKET_PATH,
            ),
            *([] if relay is None else [relay.route_unauthenticated(parts.files.user_of_link)]),
        ],
        client_max_size=SMALL_BODY_BYTES,
    )
    app[TRUSTED_PROXIES] = settings.network.trusted_proxies
    app.on_response_prepare.append(cors_headers(origins))
    app.on_response_prepare.append(add_security_headers)
    links = PairingLinks(
        parts.store, base_url, is_open=lambda user_id: parts.gateway.pages.count_pages(user_id) > 0
    )
    page = PageRoutes(
        parts.identity,
        parts.registry,
        origin_of(base_url),
        has_login=settings.login.oidc_issuer is not None,
        built_in_clone=settings.built_in_clone,
    )
    api = api_routes(settings, parts, page, base_url, port, routing=relay)
    programs = _program_routes(settings, parts, links, base_url)
    metrics = compose_metrics(parts, settings.telemetry.metrics_token)
    logins = compose_logins(settings.login, parts.identity, parts.store, base_url, parts.tasks)
    facts = [
        *_facts_routes(api),
        *LoginRoutes(logins, parts.identity.attempts, parts.audit, base_url).list_routes(),
        *parts.readiness.list_routes(),
        *metrics.list_routes(),
        *protected.list_routes(),
    ]
    app[ROUTES] = [*api, *facts, *programs, *page.list_files(), *CompanionRoutes().list_files()]
    for route in app[ROUTES]:
        _add_route(app, route, parts, oauth.callers, relay)
    listener = AuditedListener(parts.dispatcher, parts.audit, rejected)
    parts.gateway.attach_socket(app, listener, parts.registry)
    parts.journal.on_unrecorded(parts.gateway.decline_unrecorded)
    return app


def _add_route(
    app: web.Application, route: Route, parts: Components, mcp: McpCallers, relay: Relay | None
) -> None:
    """Add a route; only this function does, so that every route has its access check."""
    audited = audit_route(route, parts.audit)
    router = None if relay is None else relay.router
    handler = check_access(audited, route.access, parts.identity, mcp, router)
    for method in (route.method, *([hdrs.METH_HEAD] if route.answers_head else [])):
        app.router.add_route(method, route.path, handler)


def _facts_routes(api: list[ApiRoute]) -> list[Route]:
    document = _answering(cache(partial(api_document, api)))
    health = _answering(lambda: {"status": "ok"})
    return [
        Route("GET", "/api/openapi.json", document, access="public", answers_head=True),
        Route("GET", "/healthz", health, access="public", answers_head=True),
    ]


def _program_routes(
    settings: BridgeSettings, parts: Components, links: PairingLinks, base_url: str
) -> list[Route]:
    """Return the routes for programs: the tool server, MCP and the model API."""
    tools = ToolServer(parts.registry, parts.engine, parts.files, links, base_url=base_url)
    reader = RequestReader(
        parts.models, parts.settings_of, settings.model_defaults, RequestLogs(), parts.registry
    )
    return [
        *tools.list_routes(),
        *_mcp_routes(settings, parts, links, base_url).list_routes(),
        *ChatCompletionRoutes(reader, parts.turns).list_routes(),
        *ResponseRoutes(reader, parts.responses.maker, parts.responses.reader).list_routes(),
    ]


def _mcp_routes(settings: BridgeSettings, parts: Components, links: PairingLinks, base_url: str) -> McpRoutes:
    files = TurnFiles(parts.files, base_url)
    watch = CallWatch()
    parts.dispatcher.observers.of_followed.append(watch.note_move)
    tasks = McpTasks(parts.store.mcp_tasks(settings.storage), parts.journal, parts.tasks, parts.access)
    readers = McpReaders(settings.tools.max_mcp_answer_bytes)
    calls = McpCalls(
        parts.registry,
        parts.engine,
        files,
        links,
        watch=watch,
        tasks=parts.tasks,
        mcp_tasks=tasks,
        readers=readers,
    )
    tracer = None if parts.tracing is None else parts.tracing.tracer
    return McpRoutes(
        parts.registry,
        calls,
        tasks,
        Subscriptions(parts.registry),
        readers=readers,
        instructions=USAGE_PROMPT,
        tracer=tracer,
    )


def render_error(request: web.Request, error: WireError) -> web.Response:
    """Return the response for an error, in the shape that clients of the request's path expect."""
    if error.code is ErrorCode.NOT_FOUND and request.match_info.http_exception is not None:
        advice = advise_on_path(request.path)
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


def api_routes(
    settings: BridgeSettings,
    parts: Components,
    page: PageRoutes,
    base_url: str,
    port: int,
    *,
    routing: PageRouting | None = None,
) -> list[ApiRoute]:
    """Return the routes of the bridge's own API and its page, as `/api/openapi.json` describes them."""
    bounds = SelectionBounds(max_tools=settings.tools.max_tools, max_tokens=settings.tools.max_tool_tokens)
    calls = CallRoutes(parts.engine, parts.dispatcher, parts.files, parts.journal)
    return [
        *_people_routes(settings, parts, page, base_url, port, routing=routing),
        *ServerRoutes(
            parts.registry,
            partial(read_public_document, bundle=parts.documents.bundle_document),
            parts.documents.read_responses,
            parts.documents.split_body,
            find_user=parts.store.find_user,
            sharing=settings.users.sharing,
        ).list_routes(),
        *DocumentBundleRoutes(parts.documents.bundle_document, parts.documents.split_body).list_routes(),
        *ApprovalRoutes(parts.approvals, settings.approvals.approval_s).list_routes(),
        *SelectionRoutes(parts.registry, bounds).list_routes(),
        *OfferedToolRoutes(parts.registry).list_routes(),
        *_usage_routes(settings, parts),
        *LimitRoutes(parts.registry, parts.controls).list_routes(),
        *ProviderRoutes(parts.models, settings.users.sharing).list_routes(),
        *calls.list_routes(),
        *BatchRoutes(parts.engine, lambda: parts.controls.limits.now, calls.describe_outcome).list_routes(),
        *CallStatisticsRoutes(parts.journal).list_routes(),  # before the route of a call by its id
        *CallHistoryRoutes(parts.dispatcher, parts.journal).list_routes(),
        *_stored_item_routes(settings, parts),
        *parts.conversations.list_routes(settings.quotas),
        *AuditRoutes(parts.audit, parts.journal).list_routes(),
        *page.list_routes(),
        *CompanionRoutes().list_routes(),
    ]


def _usage_routes(settings: BridgeSettings, parts: Components) -> list[ApiRoute]:
    budgets = parts.controls.budgets
    if budgets is None:
        raise ValueError("A bridge that runs has budgets.")
    return UsageRoutes(budgets, parts.store.usage_table(), settings.budgets).list_routes()


def _stored_item_routes(settings: BridgeSettings, parts: Components) -> list[ApiRoute]:
    kept, user_items = settings.storage, parts.store.user_items(settings.storage)
    choices = MemoryChoiceRoutes(parts.memory_choices, settings.memory)
    item_routes = StoredItemRoutes(
        user_items,
        parts.conversations.store,
        parts.store.account_tables(settings.storage),
        days=kept.cleanup_days,
        max_bytes=kept.bytes_per_user,
    )
    return [*item_routes.list_routes(), *choices.list_routes()]


def _unauthenticated_rate(attempts: Attempts, limits: LiveLimits) -> AttemptLimit:
    """Return how often an address may send requests without a valid key."""
    rate = attempts.limit_attempts(
        "requests without a valid key",
        per_key=limits.now.unauthenticated_per_minute_per_address,
        window_s=60,
    )
    limits.on_change(lambda: rate.change_rate(per_key=limits.now.unauthenticated_per_minute_per_address))
    return rate


def _people_routes(
    settings: BridgeSettings,
    parts: Components,
    page: PageRoutes,
    base_url: str,
    port: int,
    *,
    routing: PageRouting | None,
) -> list[ApiRoute]:
    account = AccountRoutes(
        parts.identity,
        parts.store,
        settings,
        offer_executor=page.offer_executor,
        operator_id=parts.registry.operator_id,
        base_url=base_url,
        port=port,
        count_pages=lambda user_id: len(parts.gateway.pages.presence_of(user_id)),
        routing=routing,
    )
    devices = DeviceRoutes(parts.identity, parts.store, parts.gateway, parts.choices)
    codes = PairingCodes(parts.store.pairing_table(), parts.identity.attempts, quotas=settings.quotas)
    pairing = PairingRoutes(parts.identity, codes, LoginCookie(base_url))
    moving = TransferRoutes(Transfers())
    return [
        *account.list_routes(),
        *pairing.list_routes(),
        *devices.list_routes(),
        *moving.list_routes(),
    ]


def _answering(value: Callable[[], object]) -> Handler:
    async def answer(_request: web.Request) -> web.Response:
        return web.json_response(value())

    return answer


def _allowed_origins(settings: BridgeSettings, base_url: str, port: int) -> AllowedOrigins:
    names = {"127.0.0.1", "localhost", "[::1]", canonical_host(settings.network.host)}
    public = base_url.partition("://")[2].rstrip("/").lower()
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
