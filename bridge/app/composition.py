"""The composition of one bridge from its components. Nothing runs or listens yet."""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial

from bridge.agent.demo.model import DemoModel
from bridge.agent.loop.pending_turns import PendingRounds
from bridge.agent.memory.recorder import Memory
from bridge.agent.memory.turn_memory import TurnMemory
from bridge.agent.tools.catalog_tools import CatalogTools
from bridge.agent.tools.engine_toolbox import CallServices, Toolboxes
from bridge.agent.turn import TurnSettings
from bridge.agent.turn_runner import TurnRunner
from bridge.app.conversation_composition import ConversationComponents, compose_conversations
from bridge.app.readiness import Readiness
from bridge.app.readiness_checks import compose_readiness
from bridge.app.response_composition import ResponseComponents, compose_responses
from bridge.app.tracing_composition import Tracing, compose_tracing
from bridge.auth.access_watch import AccessWatch
from bridge.auth.forwarded_users import UserHeaders
from bridge.auth.identity import Identity
from bridge.browsers.device_routing import DeviceChoices
from bridge.browsers.gateway import BrowserGateway
from bridge.browsers.page_socket import MakeSocket
from bridge.calls.admission import AdmissionControl, Controls
from bridge.calls.approvals import Approvals
from bridge.calls.call_ids import CallIds
from bridge.calls.call_watch import CallWatch
from bridge.calls.dispatcher import Dispatcher
from bridge.calls.engine import Engine
from bridge.calls.fenced_journal import FencedJournal
from bridge.calls.ports import Journal
from bridge.calls.repeated_calls import RepeatedCalls
from bridge.catalog.registry import Registry
from bridge.catalog.server_view import LoadedServer
from bridge.documents.fetch import refuse_internal, refuse_link_local
from bridge.documents.reader import DocumentReader
from bridge.heap import freeze_document
from bridge.homes import HomeOf
from bridge.http.answer_files import AnswerFiles, TurnFiles
from bridge.http.file_links import FileLinks
from bridge.limits.budgets import Budgets
from bridge.limits.call_rules import CallRules
from bridge.limits.call_settings import UserCallSettings
from bridge.limits.circuit_breaker import Breakers
from bridge.limits.fair_queue import FairQueue
from bridge.limits.request_queue import RequestQueue
from bridge.limits.settings import LiveLimits
from bridge.metrics.bridge_metrics import BridgeMetrics, build_metrics
from bridge.providers.directory import ModelDirectory
from bridge.providers.ports import ProviderStore
from bridge.providers.shelf import DEMO_PROVIDER_NAME, ModelEntry
from bridge.providers.turn_settings import turn_settings
from bridge.providers.user_models import ModelServices, UserModels
from bridge.settings.bridge import BridgeSettings
from bridge.settings.limits import given_limits
from bridge.settings.memory import MemorySettings
from bridge.settings.network import origin_of
from bridge.storage.answer_files import FOLDER
from bridge.storage.audit_log import AuditLog
from bridge.storage.call_journal import CallJournal
from bridge.storage.resilient_items import ResilientItemStore
from bridge.storage.store import Store
from bridge.storage.users import User
from bridge.stored_items.retention_preference import MemoryChoices
from bridge.stored_items.store import ItemStore
from bridge.stored_items.ulid import Ulids
from bridge.tasks import Tasks
from toolserver.tool.selection import Selection

MANY_OPERATIONS = 2_000
"""Documents of so many operations are kept out of the searches for garbage: with 10,000 of them one such
search takes 50 ms of the event loop."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Components:
    """The components of a running bridge."""

    store: Store
    identity: Identity
    access: AccessWatch
    choices: DeviceChoices
    approvals: Approvals
    gateway: BrowserGateway
    dispatcher: Dispatcher
    journal: CallJournal
    fenced: FencedJournal | None
    """Of a replica: what writes about unsafe calls."""
    audit: AuditLog
    registry: Registry
    engine: Engine
    controls: Controls
    files: AnswerFiles
    documents: DocumentReader
    tasks: Tasks
    models: UserModels
    requests: RequestQueue
    items: ItemStore
    memory_choices: MemoryChoices
    turns: TurnRunner
    settings_of: Callable[[ModelEntry], TurnSettings]
    """Current settings of model turns."""
    responses: ResponseComponents
    conversations: ConversationComponents
    readiness: Readiness
    metrics: BridgeMetrics
    tracing: Tracing | None
    """None: nothing is traced."""


def compose_bridge(
    settings: BridgeSettings,
    store: Store,
    local_user: User,
    base_url: str,
    documents: DocumentReader,
    *,
    secret: bytes,
    homes: HomeOf | None = None,
    make_socket: MakeSocket,
) -> Components:
    """Build the components of a bridge that answers at `base_url`; `local_user` may change shared servers.

    `secret` signs tokens and ids. `homes`: those of a replica. `make_socket`: the kind of the pages' sockets.
    """
    tasks, audit = Tasks(), store.audit_log(settings.storage.audit_days)
    identity, access, choices = _compose_people(settings, store, secret)
    approvals = Approvals(store.approval_tables(), settings.approvals.approve, audit, start=tasks.start_task)
    journal, ids = store.call_journal(settings.data_dir), CallIds(secret, homes.replica if homes else "")
    gateway = _compose_gateway(identity, choices, approvals, tasks, journal, url=base_url, socket=make_socket)
    controls = _compose_controls(settings, store, gateway, tasks)
    fenced = None if homes is None else FencedJournal(store.fenced_calls(), journal, homes, tasks)
    dispatcher = _compose_dispatcher(
        settings, gateway, fenced or journal, approvals, base_url, ids=ids, limits=controls.limits
    )
    on_change = partial(_servers_changed, controls, approvals, gateway)
    registry = _compose_registry(
        store, documents, gateway, settings=settings, operator=local_user, tasks=tasks, on_change=on_change
    )
    files, repeats = _compose_files(settings, secret, identity, ids), RepeatedCalls(journal, secret)
    engine = Engine(registry, approvals, AdmissionControl(controls), dispatcher, files, repeats=repeats)
    requests, memory = _compose_requests(controls), _compose_memory(settings, store, controls)
    toolboxes = _compose_toolboxes(engine, registry, controls, gateway, files, base_url=base_url)
    memory_choices = MemoryChoices(store.memory_choices())
    turns = _compose_turns(
        requests, controls, toolboxes, memory, dispatcher, settings=settings.memory, choices=memory_choices
    )
    models = _compose_models(settings, store.model_providers(settings.storage, secret), operator=local_user)
    services = _compose_services(models, settings, controls, tasks, access)
    responses = compose_responses(turns, memory, journal, services, page_count=gateway.pages.count_pages)
    tables, epoch_of = store.conversation_tables(settings.storage), store.epoch_of
    conversations = compose_conversations(
        tables, turns, toolboxes, journal, dispatcher, registry=registry, services=services, epoch_of=epoch_of
    )
    return Components(
        store=store,
        identity=identity,
        access=access,
        choices=choices,
        approvals=approvals,
        gateway=gateway,
        dispatcher=dispatcher,
        journal=journal,
        fenced=fenced,
        audit=audit,
        registry=registry,
        engine=engine,
        controls=controls,
        files=files,
        documents=documents,
        tasks=tasks,
        models=models,
        requests=requests,
        items=memory.store,
        memory_choices=memory_choices,
        turns=turns,
        settings_of=services.settings_of,
        responses=responses,
        conversations=conversations,
        readiness=compose_readiness(
            settings, store, documents, tasks, registry=registry, engine=engine, find_route=gateway.route_to
        ),
        metrics=_compose_metrics(settings, store, homes, dispatcher, engine, turns=turns),
        tracing=compose_tracing(settings.telemetry, homes, dispatcher, engine, turns),
    )


def _compose_metrics(
    settings: BridgeSettings,
    store: Store,
    homes: HomeOf | None,
    dispatcher: Dispatcher,
    engine: Engine,
    *,
    turns: TurnRunner,
) -> BridgeMetrics:
    named = {provider.name for provider in settings.models.provider} | {DEMO_PROVIDER_NAME}
    metrics = build_metrics("" if homes is None else homes.replica, named.__contains__)
    store.on_work(metrics.note_store_work)
    dispatcher.observers.of_all.append(metrics.calls.note_move)
    engine.on_refusal(metrics.calls.note_refusal)
    turns.on_end(metrics.turns.note_turn)
    return metrics


def _compose_models(settings: BridgeSettings, providers: ProviderStore, *, operator: User) -> UserModels:
    """Whoever started the bridge may name servers of the own network, others only public ones."""
    operators = ModelDirectory(settings.models, settings.environ, demo=DemoModel())
    return UserModels(
        operators,
        providers,
        lambda user_id: refuse_link_local if user_id == operator.id else refuse_internal,
    )


def _compose_services(
    models: UserModels, settings: BridgeSettings, controls: Controls, tasks: Tasks, access: AccessWatch
) -> ModelServices:
    settings_of = partial(turn_settings, settings, controls.limits)
    return ModelServices(models, settings_of, tasks, access.hold_while)


def _compose_gateway(
    identity: Identity,
    choices: DeviceChoices,
    approvals: Approvals,
    tasks: Tasks,
    journal: CallJournal,
    *,
    url: str,
    socket: MakeSocket,
) -> BrowserGateway:
    origins = [origin_of(url)]
    gateway = BrowserGateway(
        identity, choices, approvals, tasks, journal, own_origins=origins, make_socket=socket
    )
    approvals.on_change(gateway.announce_approvals)
    return gateway


def _compose_people(
    settings: BridgeSettings, store: Store, secret: bytes
) -> tuple[Identity, AccessWatch, DeviceChoices]:
    user_headers = UserHeaders(settings.users.user_jwt_secret, trust_plain=settings.users.trust_user_headers)
    identity = Identity(store, secret, user_headers, quotas=settings.quotas)
    return identity, AccessWatch(store, identity), DeviceChoices(store)


def _compose_files(settings: BridgeSettings, secret: bytes, identity: Identity, ids: CallIds) -> AnswerFiles:
    links = FileLinks(secret, identity)
    cluster, most = settings.cluster, settings.tools.max_answer_bytes
    if (shared := cluster.answers_dir) is not None:
        return AnswerFiles(shared, links, most)
    of_replica = None if cluster.redis_url is None else ids
    return AnswerFiles(settings.data_dir / FOLDER, links, most, of_replica=of_replica)


def _compose_dispatcher(
    settings: BridgeSettings,
    gateway: BrowserGateway,
    journal: Journal,
    approvals: Approvals,
    base_url: str,
    *,
    ids: CallIds,
    limits: LiveLimits,
) -> Dispatcher:
    return Dispatcher(
        gateway,
        journal,
        approvals,
        ids,
        approval_s=settings.approvals.approval_s,
        resume_s=lambda: limits.now.page_resume_seconds,
        no_browser_message=f"No bridge page of this user is open. Open {base_url}/ in the browser, "
        "then call again.",
    )


def _compose_registry(
    store: Store,
    documents: DocumentReader,
    gateway: BrowserGateway,
    *,
    settings: BridgeSettings,
    operator: User,
    tasks: Tasks,
    on_change: Callable[[str | None], Awaitable[None]],
) -> Registry:
    def on_load(server: LoadedServer) -> None:
        tasks.start_task(
            _finish_loading(registry, documents, gateway, server), f"finish loading {server.record.id}"
        )

    registry = Registry(
        store,
        documents,
        operator_id=operator.id,
        bounds=Selection(limit=settings.tools.max_tools, max_tokens=settings.tools.max_tool_tokens),
        quotas=settings.quotas,
        tasks=tasks,
        on_change=on_change,
        on_load=on_load,
    )
    return registry


def _compose_requests(controls: Controls) -> RequestQueue:
    requests = RequestQueue(lambda: controls.limits.now)
    controls.limits.on_change(requests.limits_changed)
    return requests


def _compose_toolboxes(
    engine: Engine,
    registry: Registry,
    controls: Controls,
    gateway: BrowserGateway,
    files: AnswerFiles,
    *,
    base_url: str,
) -> Toolboxes:
    services = CallServices(engine, lambda: controls.limits.now, TurnFiles(files, base_url))

    async def wait_for_page(user_id: str) -> bool:
        resume_s = controls.limits.now.page_resume_seconds
        return await gateway.pages.wait_for_page(user_id, "", "", resume_s) is not None

    return Toolboxes(CatalogTools(registry), services, wait_for_page, page_url=f"{base_url}/")


def _compose_memory(settings: BridgeSettings, store: Store, controls: Controls) -> Memory:
    stored = store.item_store(settings.storage)
    items = ResilientItemStore(stored, controls.breakers, wait_s=_database_wait(controls))
    is_shared = bool(settings.cluster.redis_url)
    return Memory(items, Ulids(time.time, secrets.randbits), time.time, is_shared=is_shared)


def _compose_turns(
    requests: RequestQueue,
    controls: Controls,
    toolboxes: Toolboxes,
    memory: Memory,
    dispatcher: Dispatcher,
    *,
    settings: MemorySettings,
    choices: MemoryChoices,
) -> TurnRunner:
    watch = CallWatch()
    dispatcher.observers.of_followed.append(watch.note_move)
    pending = PendingRounds(time.monotonic)
    turn_memory = TurnMemory(pending, memory, settings, choices, wait_s=_database_wait(controls))
    breakers, acts_for = controls.breakers, dispatcher.may_begin_for
    return TurnRunner(
        requests,
        breakers,
        turn_memory,
        toolboxes,
        pending,
        calls=watch,
        acts_for=acts_for,
        budgets=controls.budgets,
    )


def _database_wait(controls: Controls) -> Callable[[], float]:
    return lambda: controls.limits.now.database_wait_seconds


def _compose_controls(
    settings: BridgeSettings, store: Store, gateway: BrowserGateway, tasks: Tasks
) -> Controls:
    tables = store.limit_tables()
    limits = LiveLimits(tables, given_limits(settings.limits), warn=_log.warning)
    rules = CallRules(lambda: limits.now, max_open_calls_per_user=settings.max_open_calls_per_user)
    queue = FairQueue(rules)
    limits.on_change(queue.limits_changed)

    def announce_change(user_id: str) -> None:
        tasks.start_task(gateway.announcements.breakers_changed(user_id), "announce breakers")

    breakers = Breakers(lambda: limits.now, time.monotonic, on_change=announce_change)
    named = {provider.name for provider in settings.models.provider} | {DEMO_PROVIDER_NAME}
    budgets = Budgets(settings.budgets, store.usage_table(), named.__contains__, start=tasks.start_task)
    return Controls(limits, queue, breakers, UserCallSettings(tables), budgets)


async def _servers_changed(
    controls: Controls, approvals: Approvals, gateway: BrowserGateway, user_id: str | None
) -> None:
    controls.settings.clear_cache()
    approvals.clear_cache()
    await gateway.announcements.servers_changed(user_id)


async def _finish_loading(
    registry: Registry, documents: DocumentReader, gateway: BrowserGateway, server: LoadedServer
) -> None:
    """Do the rest of loading a document: validators for its first call, and the validation report."""
    await registry.warm_validators(server)
    if len(server.compiled.operations) >= MANY_OPERATIONS:
        freeze_document()
    server.validation = await documents.validate_document(server.record.text)
    await gateway.announcements.servers_changed(server.record.owner_id)
