"""Starts a bridge: its parts in order, then the HTTP server."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import socket
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from aiohttp import web

from bridge import __version__
from bridge.app.composition import Components
from bridge.app.http_application import build_application, canonical_host, render_error
from bridge.app.listening import listen_at
from bridge.app.local_key import open_local_key
from bridge.app.part import AmongReplicas, Ground
from bridge.app.parts.documents import DocumentsPart, Offer
from bridge.app.secret_files import choose_secret, write_private
from bridge.app.server import SHUTDOWN_SECONDS, Bridge
from bridge.audit import AuditKind
from bridge.cluster.relay import Relay
from bridge.documents.reader import DocumentReader
from bridge.documents.worker import DocumentWorker
from bridge.http.connections import IDLE_S, Connection, Connections, StraightConnection
from bridge.http.middleware import refuse_expectations
from bridge.http.request_handler import build_request_handler
from bridge.http.written_paths import read_paths
from bridge.lazy_modules import load_lazily
from bridge.library_versions import may_use_insides
from bridge.metrics.metric_definitions import Instruments
from bridge.settings.bridge import BridgeSettings
from bridge.settings.cluster import ClusterSettings
from bridge.settings.running_bridge import RUNNING_FILE
from bridge.settings.users import LOCAL_USER
from bridge.storage.audit_log import AuditLog
from bridge.storage.database import Engines
from bridge.storage.encryption import Encryption
from bridge.storage.store import NO_HOOKS, Store, StoreHooks
from bridge.storage.users import UserTables
from bridge.tasks import Tasks
from bridge.timings import USUAL_TIMINGS, Timings

if TYPE_CHECKING:
    from bridge.app.replica import Replica  # loads Redis's client, which a bridge alone does without

SECRET_FILE = "secret.key"
"""Name of the file in the data folder that holds the secret for tokens and ids."""

_log = logging.getLogger(__name__)


async def offer_nothing(_documents: DocumentsPart) -> None:
    """Offer no documents, as `Offer`."""


async def start_bridge(
    settings: BridgeSettings,
    engines: Engines,
    *,
    documents: DocumentReader | None = None,
    offer: Offer = offer_nothing,
    is_straight: bool | None = None,
    among: Callable[[Store], AmongReplicas] | None = None,
    hooks: StoreHooks = NO_HOOKS,
    timings: Timings = USUAL_TIMINGS,
) -> Bridge:
    """Start a bridge on an opened database, which is closed with it; it answers when this returns.

    `documents`: None for a process of its own. The bridge closes it. `is_straight`: whether it uses the
    insides of its libraries; None: if their versions were read. `among`: None: as the settings say. `hooks`:
    of the store; those of a replica are its own.

    Raises:
        UnfitLibraries: it cannot do without those of a version that was not.
        UnusablePart: an installed package brings a part that cannot be made.
        AddressInUse: nothing can listen there.
        StoreError: another bridge uses the data folder or the database, or it cannot be written.
        OSError: the same.
    """
    async with AsyncExitStack() as unstarted:
        unstarted.push_async_callback(engines.close_connections)
        path = may_use_insides() if is_straight is None else is_straight
        listener = unstarted.enter_context(listen_at(settings.network.host, settings.network.port))
        secret = choose_secret(settings.cluster.secret_key, settings.data_dir / SECRET_FILE)
        replica = _make_replica(settings.cluster, engines, secret, timings)
        instruments = Instruments("" if replica is None else replica.id)
        used = hooks if replica is None else replica.hooks
        store = Store(engines, replace(used, on_work=instruments.note_store_work))
        unstarted.push_async_callback(store.close)
        port = listener.getsockname()[1]
        ground = await _prepare_ground(
            settings, store, secret, port, replica, is_straight=path, timings=timings
        )
        if among is not None:
            given = among(store)
        else:
            given = AmongReplicas() if replica is None else replica.open_relay(store)
        parts = Components(ground, instruments, documents or DocumentWorker(), offer, given)
        bridge = await _start_parts(parts, listener, given.relay, replica)
        unstarted.pop_all()
        return bridge


async def _prepare_ground(
    settings: BridgeSettings,
    store: Store,
    secret: bytes,
    port: int,
    replica: Replica | None,
    *,
    is_straight: bool,
    timings: Timings,
) -> Ground:
    base_url = settings.network.public_url or f"http://{canonical_host(settings.network.host)}:{port}"
    return Ground(
        settings=settings,
        store=store,
        secret=secret,
        operator=await UserTables(store).ensure_user(LOCAL_USER),
        base_url=base_url,
        port=port,
        homes=None if replica is None else replica.homes,
        is_straight=is_straight,
        timings=timings,
        tasks=Tasks(),
        audit=AuditLog(store, settings.storage.audit_days),
    )


def _make_replica(
    settings: ClusterSettings, engines: Engines, secret: bytes, timings: Timings
) -> Replica | None:
    if settings.redis_url is None or settings.replica_url is None:
        return None
    make: type[Replica] = load_lazily("replica")
    return make(settings, engines, secret, timings=timings)


async def _start_parts(
    parts: Components, listener: socket.socket, relay: Relay | None, replica: Replica | None
) -> Bridge:
    ground = parts.ground
    key_ids = Encryption(ground.settings.storage).key_ids
    data_dir, store, tasks = ground.settings.data_dir, ground.store, ground.tasks
    runner = await _set_up(build_application(parts, relay))
    key = await open_local_key(data_dir, store, ground.operator, ground.secret if replica else None)
    if replica is None:
        await store.claim.take_claim()
    else:
        await replica.join(parts, key_ids)
    tasks.keep_running(store.claim.keep_claim, "the database lease")
    for part in parts.parts:
        await part.start()
    detail = {"version": __version__, "unsettled": parts.records.unsettled}
    ground.audit.add_entry(AuditKind.STARTED, None, "bridge", detail=detail)
    if replica is not None:
        await replica.begin(parts)
    server = await _serve(runner, listener, parts, relay)
    running = {
        "base_url": ground.base_url,
        "pid": os.getpid(),
        "key_ids": key_ids,
        "database": store.dialect_name,
        "replica": replica and replica.id,
    }
    write_private(data_dir / RUNNING_FILE, json.dumps(running))
    return Bridge(parts, runner, server, ground.base_url, ground.operator, key, data_dir, relay, replica)


async def _set_up(app: web.Application) -> web.AppRunner:
    runner = web.AppRunner(app, shutdown_timeout=SHUTDOWN_SECONDS)
    await runner.setup()
    return runner


async def _serve(
    runner: web.AppRunner, listener: socket.socket, parts: Components, relay: Relay | None
) -> asyncio.Server:
    tasks, is_straight = parts.ground.tasks, parts.ground.is_straight
    connections = Connections(kind=StraightConnection if is_straight else Connection)
    tasks.keep_running(connections.watch_headers, "connections without a header")
    access = parts.accounts.access
    tasks.keep_running(partial(access.keep_looking, connections.list_work), "callers who lost access")
    if runner.server is None:
        raise ValueError("The runner must be set up first.")
    handler = build_request_handler(runner.app) if is_straight else runner.server.request_handler
    runner.server.request_handler = refuse_expectations(handler, render_error)
    read_paths(runner.server, parts.ground.base_url)
    if relay is not None:
        await relay.serve_replicas(runner.server, connections)
    return await connections.listen_on(
        runner.server, listener, access_log=None, auto_decompress=False, keepalive_timeout=IDLE_S
    )
