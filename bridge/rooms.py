"""The parts of one bridge, put together: who needs whom. Nothing runs and nothing listens yet."""

from __future__ import annotations

import logging
import os
import secrets
import time
from dataclasses import dataclass
from pathlib import Path

from bridge.admission import Admission
from bridge.approvals import Approvals
from bridge.artifacts.ports import ItemStore
from bridge.artifacts.ulid import Ulids
from bridge.breaker import Breakers
from bridge.call_settings import CallSettingsBook
from bridge.config import MemorySettings, Settings, origin_of
from bridge.dispatch import Dispatcher
from bridge.edges.answer_files import AnswerFiles
from bridge.edges.audit_log import AuditLog
from bridge.edges.browser_gateway import BrowserGateway
from bridge.edges.call_journal import CallJournal
from bridge.edges.device_choices import DeviceChoices
from bridge.edges.document_worker import DocumentWorker
from bridge.edges.forwarded_users import UserHeaders
from bridge.edges.guarded_items import GuardedItemStore
from bridge.edges.identity import Identity
from bridge.edges.model_book import ModelBook
from bridge.edges.store import Store
from bridge.edges.store_people import User
from bridge.edges.tasks import Tasks
from bridge.edges.turn_files import TurnFiles
from bridge.engine import Engine
from bridge.gate import Controls, Gate
from bridge.limits import LiveLimits
from bridge.registry import Registry
from bridge.request_admission import RequestAdmission
from bridge.servers import LoadedServer
from bridge.turns.admitted import Turns
from bridge.turns.demo_model import DemoModel
from bridge.turns.engine_toolbox import CallRoom, Toolboxes
from bridge.turns.own_tools import OwnTools
from bridge.turns.pending_rounds import PendingRounds
from bridge.turns.recorder import Memory
from bridge.turns.remembering import Remembering
from toolserver.selection import Selection

_log = logging.getLogger(__name__)


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
    models: ModelBook
    requests: RequestAdmission
    items: ItemStore
    turns: Remembering


def compose(settings: Settings, store: Store, local_user: User, base_url: str) -> Rooms:
    """The rooms of a bridge that answers at `base_url`; `local_user` may change shared servers."""
    tasks = Tasks()
    identity = _compose_identity(settings, store)
    choices = DeviceChoices(store)
    audit = store.audit_log(settings.audit_days)
    approvals = Approvals(store.approval_tables(), settings.approve, audit, start=tasks.start)
    gateway = BrowserGateway(identity, choices, approvals, tasks, [origin_of(base_url)])
    approvals.on_change(gateway.announce_approvals)
    journal = store.call_journal(settings.data_dir)
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
    requests, items = _compose_requests(controls), _compose_items(settings, store, controls)
    toolboxes = _compose_toolboxes(engine, registry, controls, gateway, TurnFiles(files, base_url))
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
        models=ModelBook(settings.models, settings.environ, demo=DemoModel()),
        requests=requests,
        items=items,
        turns=_compose_turns(requests, controls.breakers, toolboxes, items, settings.memory),
    )


def _compose_identity(settings: Settings, store: Store) -> Identity:
    user_headers = UserHeaders(settings.user_jwt_secret, trust_plain=settings.trust_user_headers)
    return Identity(store, _secret(settings.data_dir), user_headers)


def _compose_requests(controls: Controls) -> RequestAdmission:
    requests = RequestAdmission(lambda: controls.limits.now)
    controls.limits.on_change(requests.limits_changed)
    return requests


def _compose_toolboxes(
    engine: Engine, registry: Registry, controls: Controls, gateway: BrowserGateway, files: TurnFiles
) -> Toolboxes:
    room = CallRoom(engine, lambda: controls.limits.now, files)
    return Toolboxes(OwnTools(registry), room, lambda user_id: gateway.page_count(user_id) > 0)


def _compose_items(settings: Settings, store: Store, controls: Controls) -> GuardedItemStore:
    return GuardedItemStore(store.item_store(settings.kept), controls.breakers)


def _compose_turns(
    requests: RequestAdmission,
    breakers: Breakers,
    toolboxes: Toolboxes,
    items: ItemStore,
    settings: MemorySettings,
) -> Remembering:
    pending = PendingRounds(time.monotonic)
    ulids = Ulids(time.time, secrets.randbits)
    memory = Memory(items, ulids, time.time, keeps_reasoning=settings.reasoning != "disabled")
    return Remembering(Turns(requests, breakers, toolboxes, pending), pending, memory, settings)


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


def _secret(data_dir: Path) -> bytes:
    return bytes.fromhex(kept_text(data_dir / "secret.key", secrets.token_hex(32)))


def kept_text(path: Path, fresh: str) -> str:
    """The text of a file that only its owner may read; written first when there is none."""
    try:
        with os.fdopen(
            os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8"
        ) as file:
            file.write(fresh)
    except FileExistsError:
        return path.read_text(encoding="utf-8").strip()
    return fresh
