"""The HTTP side of one bridge: every route, and what a request passes before it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

from aiohttp import web
from aiohttp.typedefs import Handler

from bridge.config import Settings, origin_of
from bridge.edges.account_http import AccountRoutes
from bridge.edges.api_document import api_document
from bridge.edges.approvals_http import ApprovalRoutes
from bridge.edges.audit_http import AuditRoutes
from bridge.edges.audited_calls import AuditedCalls
from bridge.edges.audited_routes import audited
from bridge.edges.batch_http import BatchRoutes
from bridge.edges.browser_gateway import SOCKET_PATH
from bridge.edges.calls_http import CallRoutes
from bridge.edges.devices_http import DeviceRoutes
from bridge.edges.document_sources import read_public_document
from bridge.edges.history_http import HistoryRoutes
from bridge.edges.http_guard import Doors, cors_headers, guard, plain_sockets
from bridge.edges.http_routes import SMALL_BODY_BYTES, Route
from bridge.edges.kept_http import KeptRoutes
from bridge.edges.limits_http import LimitRoutes
from bridge.edges.memory_choice_http import MemoryChoiceRoutes
from bridge.edges.model_asked import AskedReader
from bridge.edges.model_http import ModelRoutes
from bridge.edges.page_http import PageRoutes
from bridge.edges.pairing import PairingDesk
from bridge.edges.pairing_http import PairingRoutes
from bridge.edges.pairing_links import PairingLinks
from bridge.edges.references_http import ReferenceRoutes
from bridge.edges.refusals import Refusals
from bridge.edges.request_logs import RequestLogs
from bridge.edges.responses_http import ResponseRoutes
from bridge.edges.selection_http import SelectionBounds, SelectionRoutes
from bridge.edges.servers_http import ServerRoutes
from bridge.edges.tool_http import ToolServer
from bridge.limits import LiveLimits
from bridge.rate_limit import RateLimit
from bridge.rooms import Rooms

HTTP_PORT = 80


def application(settings: Settings, rooms: Rooms, base_url: str, port: int) -> web.Application:
    """Ready to be served at `port`."""
    doors = _doors(settings, base_url, port)
    refusals = Refusals(rooms.audit)
    app = web.Application(
        middlewares=[
            *guard(doors, refusals, _strangers(rooms.controls.limits)),
            plain_sockets(SOCKET_PATH),
        ],
        client_max_size=SMALL_BODY_BYTES,
    )
    app.on_response_prepare.append(cors_headers(doors))
    links = PairingLinks(rooms.store, base_url, is_open=lambda user_id: rooms.gateway.page_count(user_id) > 0)
    page = PageRoutes(rooms.identity, rooms.registry, origin_of(base_url))
    table = api_routes(settings, rooms, page, base_url, port)
    for route in table:
        app.router.add_route(route.method, route.path, audited(route, rooms.identity, rooms.audit))
    app.router.add_get("/api/openapi.json", _answering(cache(partial(api_document, table))))
    app.router.add_get("/healthz", _answering(lambda: {"status": "ok"}))
    tools = ToolServer(rooms.identity, rooms.registry, rooms.engine, rooms.files, links, base_url=base_url)
    app.add_routes(tools.routes())
    asked = AskedReader(
        rooms.identity, rooms.models, rooms.settings_of, settings.model_defaults, RequestLogs()
    )
    app.add_routes(ModelRoutes(asked, rooms.turns).routes())
    app.add_routes(ResponseRoutes(asked, rooms.responses.maker, rooms.responses.reader).routes())
    page.attach(app)
    rooms.gateway.attach(app, AuditedCalls(rooms.dispatcher, rooms.audit, refusals))
    return app


def api_routes(settings: Settings, rooms: Rooms, page: PageRoutes, base_url: str, port: int) -> list[Route]:
    """The bridge's own API and its page, as `/api/openapi.json` describes them."""
    bounds = SelectionBounds(max_tools=settings.max_tools, max_tokens=settings.max_tool_tokens)
    calls = CallRoutes(rooms.identity, rooms.engine, rooms.dispatcher, rooms.files, rooms.journal)
    return [
        *_people_routes(settings, rooms, base_url, port),
        *ServerRoutes(
            rooms.identity, rooms.registry, partial(read_public_document, bundle=rooms.worker.bundle)
        ).routes(),
        *ReferenceRoutes(rooms.identity, rooms.worker.bundle).routes(),
        *ApprovalRoutes(rooms.identity, rooms.approvals, settings.approval_s).routes(),
        *SelectionRoutes(rooms.identity, rooms.registry, bounds).routes(),
        *LimitRoutes(rooms.identity, rooms.registry, rooms.controls).routes(),
        *calls.routes(),
        *BatchRoutes(rooms.identity, rooms.engine, lambda: rooms.controls.limits.now, calls.facts).routes(),
        *HistoryRoutes(rooms.identity, rooms.dispatcher, rooms.journal).routes(),
        *_kept_routes(settings, rooms),
        *rooms.conversations.routes(rooms.identity),
        *AuditRoutes(rooms.identity, rooms.audit, rooms.journal, rooms.registry.operator_id).routes(),
        *page.routes(),
    ]


def _kept_routes(settings: Settings, rooms: Rooms) -> list[Route]:
    kept, book = settings.kept, rooms.store.kept_book(settings.kept)
    choices = MemoryChoiceRoutes(rooms.identity, rooms.memory_choices, settings.memory)
    of_kept = KeptRoutes(
        rooms.identity,
        book,
        rooms.conversations.tables,
        days=kept.cleanup_days,
        max_bytes=kept.bytes_per_user,
    )
    return [*of_kept.routes(), *choices.routes()]


def _strangers(limits: LiveLimits) -> RateLimit:
    """How often an address may ask without a valid key, as the limits say."""
    rate = RateLimit(
        "requests without a valid key",
        per_key=limits.now.unauthenticated_per_minute_per_address,
        window_s=60,
    )
    limits.on_change(lambda: rate.allow(per_key=limits.now.unauthenticated_per_minute_per_address))
    return rate


def _people_routes(settings: Settings, rooms: Rooms, base_url: str, port: int) -> list[Route]:
    account = AccountRoutes(
        rooms.identity,
        rooms.store,
        settings,
        operator_id=rooms.registry.operator_id,
        base_url=base_url,
        port=port,
    )
    devices = DeviceRoutes(rooms.identity, rooms.store, rooms.gateway, rooms.choices)
    pairing = PairingRoutes(rooms.identity, PairingDesk(rooms.store))
    return [*account.routes(), *pairing.routes(), *devices.routes()]


def _answering(value: Callable[[], object]) -> Handler:
    async def answer(_request: web.Request) -> web.Response:
        return web.json_response(value())

    return answer


def _doors(settings: Settings, base_url: str, port: int) -> Doors:
    names = {"127.0.0.1", "localhost", "[::1]", canonical_host(settings.host)}
    public = base_url.partition("://")[2].rstrip("/").lower()
    hosts = (
        {f"{name}:{port}" for name in names} | {public} | {host.lower() for host in settings.allowed_hosts}
    )
    if port == HTTP_PORT:  # a browser leaves it out
        hosts |= names
    return Doors(
        hosts=frozenset(hosts),
        own_origins=frozenset({origin_of(base_url)}),
        allowed_origins=frozenset(origin_of(origin) for origin in settings.allowed_origins),
    )


def canonical_host(host: str) -> str:
    """What a browser on this machine calls the address that the bridge listens on."""
    if host in ("", "0.0.0.0", "::", "localhost", "127.0.0.1"):
        return "127.0.0.1"
    return f"[{host}]" if ":" in host else host
