"""The bridge as one running thing: composes the rooms, starts them in order and stops them in reverse."""

from __future__ import annotations

import json
import logging
import os
import secrets
import socket
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from aiohttp import web
from aiohttp.typedefs import Handler

from bridge import __version__
from bridge.admission import Admission
from bridge.approvals import Approvals
from bridge.audit import AuditKind
from bridge.breaker import Breakers
from bridge.call_settings import CallSettingsBook
from bridge.config import Settings, origin_of
from bridge.dispatch import Dispatcher
from bridge.edges.account_http import AccountRoutes
from bridge.edges.answer_files import AnswerFiles
from bridge.edges.api_document import api_document
from bridge.edges.approvals_http import ApprovalRoutes
from bridge.edges.audit_http import AuditRoutes
from bridge.edges.audit_log import AuditLog
from bridge.edges.audited_calls import AuditedCalls
from bridge.edges.audited_routes import audited
from bridge.edges.batch_http import BatchRoutes
from bridge.edges.browser_gateway import SOCKET_PATH, BrowserGateway
from bridge.edges.call_journal import CallJournal
from bridge.edges.calls_http import CallRoutes
from bridge.edges.device_choices import DeviceChoices
from bridge.edges.devices_http import DeviceRoutes
from bridge.edges.document_fetch import fetch_public
from bridge.edges.document_sources import OWN_ONLY, ReferenceRules, read_document
from bridge.edges.document_worker import DocumentWorker
from bridge.edges.forwarded_users import UserHeaders
from bridge.edges.history_http import HistoryRoutes
from bridge.edges.http_guard import Doors, cors_headers, guard, plain_sockets
from bridge.edges.http_routes import SMALL_BODY_BYTES, Route
from bridge.edges.identity import Identity
from bridge.edges.limits_http import LimitRoutes
from bridge.edges.page_http import PageRoutes
from bridge.edges.pairing import PairingDesk
from bridge.edges.pairing_http import PairingRoutes
from bridge.edges.pairing_links import PairingLinks
from bridge.edges.references_http import ReferenceRoutes
from bridge.edges.refusals import Refusals
from bridge.edges.selection_http import SelectionBounds, SelectionRoutes
from bridge.edges.servers_http import ServerRoutes
from bridge.edges.store import Store
from bridge.edges.store_people import User
from bridge.edges.tasks import Tasks
from bridge.edges.tool_http import ToolServer
from bridge.engine import Engine
from bridge.gate import Controls, Gate
from bridge.limits import LiveLimits
from bridge.rate_limit import RateLimit
from bridge.registry import Registry
from bridge.servers import LoadedServer
from toolserver.selection import Selection

LOCAL_USER = "local"
"""The one user of a bridge that nobody configured otherwise; it may change shared servers."""

RUNNING_FILE = "running.json"
"""In the data folder: where the bridge that uses it can be reached."""

SHUTDOWN_SECONDS = 1.0
"""For the last answers; aiohttp waits so long twice. Every open call is settled before."""
HTTP_PORT = 80

_log = logging.getLogger(__name__)


class AddressInUse(Exception):
    """Nothing can listen at the address of the settings; the text says why."""


@dataclass(frozen=True, slots=True)
class Rooms:
    """Everything one running bridge is made of."""

    store: Store
    identity: Identity
    choices: DeviceChoices
    approvals: Approvals
    gateway: BrowserGateway
    dispatcher: Dispatcher
    journal: CallJournal
    audit: AuditLog
    registry: Registry
    engine: Engine
    controls: Controls
    files: AnswerFiles
    worker: DocumentWorker
    tasks: Tasks


@dataclass(frozen=True, slots=True)
class Bridge:
    """A running bridge."""

    rooms: Rooms
    runner: web.AppRunner
    base_url: str
    local_user: User
    key: str
    """The local user's API key; kept in the data folder, so that it stays the same."""
    data_dir: Path

    async def page_url(self) -> str:
        """The page's address with a one-time ticket of the local user; no log sees the fragment."""
        return page_url(self.base_url, await self.rooms.store.add_ticket(self.local_user.id))

    async def share(
        self, source: str, *, named: str | None = None, rules: ReferenceRules = OWN_ONLY
    ) -> LoadedServer:
        """Offer the document of a file or address, with the files it refers to, to every user.

        Raises:
            BridgeError: `document_unreachable` or `invalid_document`.
        """
        found = await read_document(source, rules, self.rooms.worker.bundle)
        return await self.rooms.registry.share(named or source, found.text, source_url=found.source_url)

    async def close(self) -> None:
        """Stop answering, let running calls end for a while, settle the others, end tasks and processes."""
        for site in list(self.runner.sites):
            await site.stop()  # A page that is disconnected tries again at once.
        controls = self.rooms.controls
        await controls.admission.close(controls.limits.now.tool_shutdown_timeout_seconds)
        self.rooms.dispatcher.stop()
        await self.rooms.tasks.close()
        await self.rooms.gateway.close()
        await self.runner.cleanup()
        await self.rooms.journal.flush()
        self.rooms.audit.note(AuditKind.STOPPED, None, "bridge")
        await self.rooms.audit.flush()
        await self.rooms.worker.close()
        await self.rooms.store.close()
        self._forget_address()

    def _forget_address(self) -> None:
        """Take back what tells the commands where to call, unless another bridge wrote it."""
        path = self.data_dir / RUNNING_FILE
        with suppress(OSError, ValueError):
            if json.loads(path.read_text(encoding="utf-8"))["pid"] == os.getpid():
                path.unlink()


def page_url(base_url: str, ticket: str) -> str:
    """The page's address with a ticket."""
    return f"{base_url}/#ticket={ticket}"


async def start_bridge(settings: Settings, store: Store) -> Bridge:
    """Start a bridge on an opened store; it answers when this returns.

    Raises:
        AddressInUse: nothing can listen there.
        OSError: the data folder cannot be written.
    """
    listener = _listen(settings.host, settings.port)
    port = listener.getsockname()[1]
    base_url = settings.public_url or f"http://{_canonical_host(settings.host)}:{port}"
    local_user = await store.ensure_user(LOCAL_USER)
    key = await _local_key(settings.data_dir, store, local_user)
    rooms = _compose(settings, store, local_user, base_url)
    if unsettled := await rooms.journal.settle():
        _log.warning("%d calls were under way when the bridge last ended.", unsettled)
    rooms.tasks.start(rooms.journal.run(), "old calls")
    rooms.tasks.start(rooms.audit.run(), "old entries of the audit log")
    rooms.audit.note(
        AuditKind.STARTED, None, "bridge", detail={"version": __version__, "unsettled": unsettled}
    )
    await rooms.controls.limits.load()
    for record, error in await rooms.registry.load():
        _log.error("Server %s cannot be loaded: %s", record.id, error.error.message)
    await rooms.files.sweep()
    runner = web.AppRunner(
        _application(settings, rooms, base_url, port),
        handler_cancellation=True,
        access_log=None,
        shutdown_timeout=SHUTDOWN_SECONDS,
    )
    await runner.setup()
    await web.SockSite(runner, listener).start()
    running = {"base_url": base_url, "pid": os.getpid()}
    (settings.data_dir / RUNNING_FILE).write_text(json.dumps(running), encoding="utf-8")
    return Bridge(rooms, runner, base_url, local_user, key, settings.data_dir)


def _listen(host: str, port: int) -> socket.socket:
    try:
        return socket.create_server((host, port), family=_family(host))
    except OSError as error:
        raise AddressInUse(f"cannot listen on {host}:{port}: {error.strerror or error}") from None


def _compose(settings: Settings, store: Store, local_user: User, base_url: str) -> Rooms:
    tasks = Tasks()
    user_headers = UserHeaders(settings.user_jwt_secret, trust_plain=settings.trust_user_headers)
    identity = Identity(store, _secret(settings.data_dir), user_headers)
    choices = DeviceChoices(store)
    audit = store.audit_log(settings.audit_days)
    approvals = Approvals(store.approval_tables(), settings.approve, audit, start=tasks.start)
    gateway = BrowserGateway(identity, choices, approvals, tasks, [origin_of(base_url)])
    approvals.on_change(gateway.announce_approvals)
    journal = store.call_journal()
    dispatcher = Dispatcher(
        gateway,
        journal,
        approvals,
        approval_s=settings.approval_s,
        no_browser_message=f"No bridge page of this user is open. Open {base_url}/ in the browser, "
        "then call again.",
    )
    worker = DocumentWorker()

    def on_load(server: LoadedServer) -> None:
        tasks.start(_finish_loading(registry, worker, gateway, server), f"finish loading {server.record.id}")

    controls = _compose_controls(settings, store, gateway, tasks)

    async def on_change(user_id: str | None) -> None:
        controls.settings.forget()
        approvals.forget()
        await gateway.announce_servers(user_id)

    registry = Registry(
        store,
        worker,
        operator_id=local_user.id,
        bounds=Selection(limit=settings.max_tools, max_tokens=settings.max_tool_tokens),
        on_change=on_change,
        on_load=on_load,
    )
    files = AnswerFiles(settings.data_dir / "files", identity, settings.max_answer_bytes)
    engine = Engine(registry, approvals, Gate(dispatcher, controls), files)
    return Rooms(
        store=store,
        identity=identity,
        choices=choices,
        approvals=approvals,
        gateway=gateway,
        dispatcher=dispatcher,
        journal=journal,
        audit=audit,
        registry=registry,
        engine=engine,
        controls=controls,
        files=files,
        worker=worker,
        tasks=tasks,
    )


def _compose_controls(settings: Settings, store: Store, gateway: BrowserGateway, tasks: Tasks) -> Controls:
    tables = store.limit_tables()
    limits = LiveLimits(tables, settings.limits, warn=_log.warning)
    admission = Admission(lambda: limits.now, max_open_calls_per_user=settings.max_open_calls_per_user)
    limits.on_change(admission.limits_changed)

    def tell(user_id: str) -> None:
        tasks.start(gateway.announce_breakers(user_id), "announce breakers")

    breakers = Breakers(lambda: limits.now, time.monotonic, on_change=tell)
    return Controls(limits, admission, breakers, CallSettingsBook(tables))


async def _finish_loading(
    registry: Registry, worker: DocumentWorker, gateway: BrowserGateway, server: LoadedServer
) -> None:
    """What can wait when a document is loaded: validators ahead of the first call, the validation report."""
    await registry.warm_validators(server)
    server.validation = await worker.validate(server.record.text)
    await gateway.announce_servers(server.record.owner_id)


def _application(settings: Settings, rooms: Rooms, base_url: str, port: int) -> web.Application:
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
    bounds = SelectionBounds(max_tools=settings.max_tools, max_tokens=settings.max_tool_tokens)
    links = PairingLinks(rooms.store, base_url, is_open=lambda user_id: rooms.gateway.page_count(user_id) > 0)
    page = PageRoutes(rooms.identity, rooms.registry, origin_of(base_url))
    calls = CallRoutes(rooms.identity, rooms.engine, rooms.dispatcher, rooms.files, rooms.journal)
    table: list[Route] = [
        *_people_routes(settings, rooms, base_url, port),
        *ServerRoutes(rooms.identity, rooms.registry, fetch_public).routes(),
        *ReferenceRoutes(rooms.identity, rooms.worker.bundle).routes(),
        *ApprovalRoutes(rooms.identity, rooms.approvals, settings.approval_s).routes(),
        *SelectionRoutes(rooms.identity, rooms.registry, bounds).routes(),
        *LimitRoutes(rooms.identity, rooms.registry, rooms.controls).routes(),
        *calls.routes(),
        *BatchRoutes(rooms.identity, rooms.engine, lambda: rooms.controls.limits.now, calls.facts).routes(),
        *HistoryRoutes(rooms.identity, rooms.dispatcher, rooms.journal).routes(),
        *AuditRoutes(rooms.identity, rooms.audit, rooms.registry.operator_id).routes(),
        *page.routes(),
    ]
    for route in table:
        app.router.add_route(route.method, route.path, audited(route, rooms.identity, rooms.audit))
    app.router.add_get("/api/openapi.json", _fixed(api_document(table)))
    app.router.add_get("/healthz", _fixed({"status": "ok"}))
    tools = ToolServer(rooms.identity, rooms.registry, rooms.engine, rooms.files, links, base_url=base_url)
    app.add_routes(tools.routes())
    page.attach(app)
    rooms.gateway.attach(app, AuditedCalls(rooms.dispatcher, rooms.audit, refusals))
    return app


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


def _fixed(value: object) -> Handler:
    async def answer(_request: web.Request) -> web.Response:
        return web.json_response(value)

    return answer


def _doors(settings: Settings, base_url: str, port: int) -> Doors:
    names = {"127.0.0.1", "localhost", "[::1]", _canonical_host(settings.host)}
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


def _canonical_host(host: str) -> str:
    if host in ("", "0.0.0.0", "::", "localhost", "127.0.0.1"):
        return "127.0.0.1"
    return f"[{host}]" if ":" in host else host


def _family(host: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in host else socket.AF_INET


def _secret(data_dir: Path) -> bytes:
    return bytes.fromhex(_kept(data_dir / "secret.key", secrets.token_hex(32)))


async def _local_key(data_dir: Path, store: Store, local_user: User) -> str:
    """The key that is printed at every start; a new one when it was revoked."""
    path = data_dir / "local.key"
    if path.exists() and await store.holder_of_key(key := path.read_text(encoding="utf-8").strip()):
        return key
    path.unlink(missing_ok=True)
    _, key = await store.add_key(local_user.id, "printed at start")
    return _kept(path, key)


def _kept(path: Path, fresh: str) -> str:
    """The text of a file that only its owner may read; written first when there is none."""
    try:
        with os.fdopen(
            os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8"
        ) as file:
            file.write(fresh)
    except FileExistsError:
        return path.read_text(encoding="utf-8").strip()
    return fresh
