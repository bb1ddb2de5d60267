"""The running bridge: its components, started in order and stopped in reverse."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import socket
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import urlsplit

from aiohttp import web

from bridge import __version__
from bridge.app.composition import Components, compose_bridge
from bridge.app.http_application import HTTP_PORT, build_application, canonical_host, render_error
from bridge.app.local_key import open_local_key
from bridge.app.secret_files import choose_secret, write_private
from bridge.audit import AuditKind
from bridge.browsers.followed_devices import FollowedDevices
from bridge.browsers.page_socket import MakeSocket, PageSocket
from bridge.browsers.returning_users import ReturningUsers
from bridge.calls.fenced_journal import STOP_COMMIT_S
from bridge.catalog.followed_servers import FollowedOwners
from bridge.catalog.server_view import LoadedServer
from bridge.cluster.counters import ReplicaCounters
from bridge.cluster.passing_on import HomeFinder, Hosting
from bridge.cluster.relay import Relay
from bridge.documents.reader import DocumentReader
from bridge.documents.sources import OWN_ONLY, ReferenceRules, read_document
from bridge.documents.worker import DocumentWorker
from bridge.http.connections import IDLE_S, Connection, Connections, StraightConnection
from bridge.http.final_slash import ignore_final_slash
from bridge.http.middleware import refuse_expectations
from bridge.http.request_handler import build_request_handler
from bridge.lazy_modules import load_lazily
from bridge.library_versions import may_use_insides
from bridge.metrics.loop_lag import measure_lag
from bridge.settings.bridge import BridgeSettings
from bridge.settings.cluster import ClusterSettings
from bridge.settings.network import page_url
from bridge.settings.running_bridge import RUNNING_FILE, reason_of_refusal
from bridge.settings.users import LOCAL_USER
from bridge.storage.encryption import Encryption
from bridge.storage.open_pages import OPEN_PAGES_FILE
from bridge.storage.store import Store
from bridge.storage.users import User

if TYPE_CHECKING:
    from bridge.app.replica import Replica  # loads Redis's client, which a bridge alone does without

SHUTDOWN_SECONDS = 1.0
"""Seconds for the last responses; aiohttp waits twice that long. Every open call is settled before."""

SECRET_FILE = "secret.key"
"""Name of the file in the data folder that holds the secret for tokens and ids."""

_log = logging.getLogger(__name__)


class AddressInUse(Exception):
    """The bridge cannot listen at the address in its settings; the text says why."""


@dataclass(frozen=True, slots=True)
class Bridge:
    """A running bridge."""

    components: Components
    runner: web.AppRunner
    server: asyncio.Server
    base_url: str
    local_user: User
    key: str
    """The local user's API key; stored in the data folder, so that it stays the same."""
    data_dir: Path
    relay: Relay | None = None
    """With several replicas: what passes requests on, and serves those of other replicas."""
    replica: Replica | None = None

    async def page_url(self) -> str:
        """Return the page's address with a one-time ticket of the local user; fragments appear in no log."""
        return page_url(self.base_url, await self.components.store.add_ticket(self.local_user.id))

    async def share_document(
        self, source: str, *, named: str | None = None, rules: ReferenceRules = OWN_ONLY
    ) -> LoadedServer:
        """Offer the document of a file or address to every user, with the files that it refers to.

        Raises:
            BridgeError: `document_unreachable` or `invalid_document`.
        """
        return await share_document(self.components, source, named=named, rules=rules)

    async def close(self) -> None:
        """Stop accepting requests, give running calls time, settle the others, end tasks and processes.

        A replica hands its users over first.
        """
        if self.replica is not None:
            limits = self.components.controls.limits.now
            await self.replica.drain(self.components, limits.tool_shutdown_timeout_seconds)
        self.components.readiness.stop()
        if self.relay is not None:
            self.relay.stop_listening()
        self.server.close()  # A page that is disconnected tries again at once.
        if self.relay is not None:
            await self.relay.hang_up()
        self.components.registry.changes.close()
        self.components.requests.refuse_requests()
        await self._wait_for_calls()
        await self._end_work()
        await self.components.tasks.close()
        await self.components.gateway.close_sockets()
        await self.runner.cleanup()
        if self.relay is not None:
            await self.relay.close()
        if self.replica is not None:
            await self.replica.leave()
        await self.components.models.close_providers()
        await self.components.journal.close_journal()
        self.components.audit.add_entry(AuditKind.STOPPED, None, "bridge")
        await self.components.audit.flush_entries()
        await self.components.documents.close()
        await self.components.store.close()
        if self.components.tracing is not None:
            await self.components.tracing.close()
        self._forget_address()

    async def _wait_for_calls(self) -> None:
        """Give running calls time, and requests that a replica passed on."""
        controls = self.components.controls
        controls.queue.close_queue()
        within_s = controls.limits.now.tool_shutdown_timeout_seconds
        async with asyncio.TaskGroup() as group:
            group.create_task(controls.queue.wait_until_idle(within_s), name="wait for calls")
            if self.relay is not None:
                group.create_task(self.relay.end_exchanges(within_s), name="wait for requests passed on")

    async def _end_work(self) -> None:
        """End what still runs; what a caller must not hear before it is written is written."""
        await self.components.responses.running.stop_background()
        await self.components.conversations.runs.stop_all()
        self.components.dispatcher.stop_calls()
        if self.components.fenced is not None:
            await self.components.fenced.wait_until_committed(STOP_COMMIT_S)

    def _forget_address(self) -> None:
        """Remove the file with this bridge's address, unless another bridge wrote it."""
        path = self.data_dir / RUNNING_FILE
        with suppress(OSError, ValueError):
            if json.loads(path.read_text(encoding="utf-8"))["pid"] == os.getpid():
                path.unlink()


@dataclass(frozen=True, slots=True)
class RelayEnd:
    """Where and as what a replica answers other replicas."""

    listener: socket.socket
    """Bound to the address by which other replicas reach this one."""
    homes: HomeFinder
    hosting: Hosting
    secret: bytes
    """The same in all replicas."""


async def share_document(
    parts: Components, source: str, *, named: str | None = None, rules: ReferenceRules = OWN_ONLY
) -> LoadedServer:
    """Offer the document of a file or address to every user, with the files that it refers to.

    Raises:
        BridgeError: `document_unreachable` or `invalid_document`.
    """
    found = await read_document(source, rules, parts.documents.bundle_document)
    return await parts.registry.share_document(named or source, found.text, source_url=found.source_url)


Offer: TypeAlias = Callable[[Components], Awaitable[None]]
"""Offers documents to every user."""


async def start_bridge(
    settings: BridgeSettings,
    store: Store,
    *,
    documents: DocumentReader | None = None,
    end: RelayEnd | None = None,
    offer: Offer | None = None,
    is_straight: bool | None = None,
) -> Bridge:
    """Start a bridge on an opened store; it answers when this returns.

    `documents`: None for a process of its own. The bridge closes it. `end`: of a replica among several.
    `offer` is awaited before anybody is served: a call of a tool of these documents would find none.
    `is_straight`: whether it uses the insides of its libraries; None: if their versions were read.

    Raises:
        UnfitLibraries: it cannot do without those of a version that was not.
        AddressInUse: nothing can listen there.
        StoreError: another bridge uses the data folder or the database, or it cannot be written.
        OSError: the same.
    """
    path = may_use_insides() if is_straight is None else is_straight
    listener = _listen(settings.network.host, settings.network.port)
    try:
        return await _start_on(
            listener, settings, store, documents or DocumentWorker(), end=end, offer=offer, is_straight=path
        )
    except BaseException:
        listener.close()
        raise


async def _start_on(
    listener: socket.socket,
    settings: BridgeSettings,
    store: Store,
    documents: DocumentReader,
    *,
    end: RelayEnd | None,
    offer: Offer | None,
    is_straight: bool,
) -> Bridge:
    port = listener.getsockname()[1]
    secret = choose_secret(settings.cluster.secret_key, settings.data_dir / SECRET_FILE)
    key_ids = Encryption(settings.storage).key_ids
    base_url = settings.network.public_url or f"http://{canonical_host(settings.network.host)}:{port}"
    local_user = await store.ensure_user(LOCAL_USER)
    replica = _compose_replica(settings.cluster, store)
    key = await open_local_key(settings.data_dir, store, local_user, secret if replica else None)
    homes = None if replica is None else replica.homes
    parts = compose_bridge(
        settings,
        store,
        local_user,
        base_url,
        documents,
        secret=secret,
        homes=homes,
        make_socket=_choose_socket(is_straight),
    )
    relay = (
        await replica.join(parts, secret, key_ids, is_straight=is_straight)
        if replica
        else _compose_relay(end, parts, is_straight=is_straight)
    )
    unsettled = 0 if replica else await _take_over_calls(store, parts)
    _start_sweeps(settings, store, parts)
    parts.audit.add_entry(
        AuditKind.STARTED, None, "bridge", detail={"version": __version__, "unsettled": unsettled}
    )
    await parts.controls.limits.load_stored()
    await _load_servers(parts)
    if offer is not None:
        await offer(parts)
    await parts.files.sweep_files()
    if replica is None:
        await _take_over_answers(parts)
    runner = await _set_up(build_application(settings, parts, base_url, port, relay))
    if replica is None:
        returning = ReturningUsers(settings.data_dir / OPEN_PAGES_FILE, parts.gateway.pages)
        await returning.expect_pages()
        parts.tasks.keep_running(returning.keep_file, "users with an open page")
    else:
        await replica.begin(parts)
    server = await _serve(runner, listener, parts, relay, is_straight=is_straight)
    running = {
        "base_url": base_url,
        "pid": os.getpid(),
        "key_ids": key_ids,
        "database": store.database,
        "replica": replica and replica.id,
    }
    write_private(settings.data_dir / RUNNING_FILE, json.dumps(running))
    return Bridge(parts, runner, server, base_url, local_user, key, settings.data_dir, relay, replica)


def _choose_socket(is_straight: bool) -> MakeSocket:
    return load_lazily("straight_socket") if is_straight else PageSocket


def _compose_replica(settings: ClusterSettings, store: Store) -> Replica | None:
    if settings.redis_url is None or settings.replica_url is None:
        return None
    make: Callable[[ClusterSettings, Store, socket.socket], Replica] = load_lazily("replica")
    address = urlsplit(settings.replica_url)
    return make(settings, store, _listen(address.hostname or "", address.port or HTTP_PORT))


def _start_sweeps(settings: BridgeSettings, store: Store, parts: Components) -> None:
    """Begin what looks after the database, and measures the event loop, until the stop."""
    parts.tasks.keep_running(lambda: measure_lag(parts.metrics.instruments.loop_lag), "lag of the event loop")
    parts.tasks.keep_running(store.claim.keep_claim, "the database lease")
    parts.tasks.keep_running(parts.journal.sweep_hourly, "old calls")
    followed = FollowedDevices(parts.store, parts.identity, parts.choices, parts.gateway)
    parts.tasks.keep_running(followed.keep_reading, "browsers that are not let in any more")
    parts.tasks.keep_running(parts.audit.sweep_hourly, "old entries of the audit log")
    parts.tasks.keep_running(store.retention_sweep(settings.storage).sweep_regularly, "old answers")


async def _load_servers(parts: Components) -> None:
    """Load what users have added, and begin to follow whose servers are shared."""
    for record, error in await parts.registry.load_servers():
        _log.error("Server %s cannot be loaded: %s", record.id, error.error.message)
    owners = FollowedOwners(parts.registry, parts.store)
    await owners.read_owners()
    parts.tasks.keep_running(owners.keep_reading, "users whose shared servers are offered")


async def _take_over_calls(store: Store, parts: Components) -> int:
    """Settle what another process left of calls; returns how many were running."""
    await store.claim.take_claim()
    if unsettled := await parts.journal.settle_orphans():
        _log.warning("%d calls were running when the bridge last stopped.", unsettled)
    parts.engine.restore_repeats(await parts.journal.list_repeatable())
    return unsettled


async def _take_over_answers(parts: Components) -> None:
    """End or go on with what another process left of conversations and responses."""
    if interrupted := await parts.conversations.runs.take_over_left():
        _log.warning("%d conversations were being answered when the bridge last stopped.", interrupted)
    if interrupted := await parts.responses.continuer.resume_orphaned():
        _log.warning("%d responses were in progress when the bridge last stopped.", interrupted)


def _compose_relay(end: RelayEnd | None, parts: Components, *, is_straight: bool) -> Relay | None:
    if end is None:
        return None
    relay = Relay(
        end.homes,
        end.hosting,
        parts.store.relayed_records(),
        secret=end.secret,
        listener=end.listener,
        counters=ReplicaCounters(),
        is_straight=is_straight,
    )
    parts.gateway.ask_homes(relay.find_route)
    return relay


async def _set_up(app: web.Application) -> web.AppRunner:
    runner = web.AppRunner(app, shutdown_timeout=SHUTDOWN_SECONDS)
    await runner.setup()
    return runner


async def _serve(
    runner: web.AppRunner,
    listener: socket.socket,
    parts: Components,
    relay: Relay | None,
    *,
    is_straight: bool,
) -> asyncio.Server:
    tasks = parts.tasks
    connections = Connections(kind=StraightConnection if is_straight else Connection)
    tasks.keep_running(connections.watch_headers, "connections without a header")
    parts.access.watch_requests(connections.list_work)
    tasks.keep_running(parts.access.keep_looking, "callers who may not get in any more")
    if runner.server is None:
        raise ValueError("The runner must be set up first.")
    handler = build_request_handler(runner.app) if is_straight else runner.server.request_handler
    runner.server.request_handler = refuse_expectations(handler, render_error)
    ignore_final_slash(runner.server)
    if relay is not None:
        await relay.serve_replicas(runner.server, connections)
    return await connections.listen_on(
        runner.server, listener, access_log=None, auto_decompress=False, keepalive_timeout=IDLE_S
    )


def _listen(host: str, port: int) -> socket.socket:
    try:
        return socket.create_server((host, port), family=_family(host))
    except OSError as error:
        raise AddressInUse(f"cannot listen on {host}:{port}: {reason_of_refusal(error)}") from None


def _family(host: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in host else socket.AF_INET
