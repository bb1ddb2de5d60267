"""The bridge itself, whole and with its real store: its dispatcher, and the tool route in front of it."""

import shutil
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from bench.measure import Sample, drive
from bench.payloads import ARGUMENTS_TEXT, CHAT_ID, MESSAGE_ID
from bench.peer import LoadOrder, PageOrder
from bench.peer_link import PeerLink
from bench.plain_variants import Variant, nothing
from bridge.app.server import Bridge, start_bridge
from bridge.auth.identity import SESSION
from bridge.browsers.gateway import SOCKET_PATH
from bridge.calls.open_call import OpenCall
from bridge.calls.outcome import CallOutcome
from bridge.calls.request import CallContext, CallRequest
from bridge.calls.state_machine import CallState
from bridge.catalog.server_view import LoadedServer
from bridge.limits.settings import Deadline
from bridge.settings.approvals import ApprovalSettings
from bridge.settings.bridge import BridgeSettings
from bridge.settings.limits import Limits
from bridge.settings.network import NetworkSettings
from bridge.storage.call_journal import CallJournal
from bridge.storage.store import Store
from bridge.storage.users import User
from bridge.storage.write_ahead_log import WriteAheadLog
from examples.document_files import read_document_text

UNWRITTEN, SAFE, UNSAFE = "dispatch_unwritten", "dispatch", "dispatch_unsafe"
"""Names of the variants whose ratios are the cost of the journal."""

_OPERATION = "GET /products"
_TOOL = "listProducts"
_DEADLINE_S = 30.0
_SESSION_S = 3600.0

UNLIMITED = Limits(calls_per_minute_per_user=1_000_000)
"""What is measured is the bridge, not the rate that it allows."""


class _NoJournal(CallJournal):
    """Keeps nothing."""

    async def record_opened(self, call: OpenCall, within_s: float, *, may_begin: bool) -> None:
        """Nothing is written."""

    def record_ended(self, call: OpenCall, *, may_begin: bool) -> None:
        """Nothing is written."""


class _StoreWithoutJournal(Store):
    """The database without a journal of calls."""

    def call_journal(self, folder: Path) -> CallJournal:
        """One that keeps nothing."""
        return _NoJournal(self._session, self._thread, WriteAheadLog.open_log(folder))


@dataclass(frozen=True, slots=True)
class RunningBridge:
    """A bridge with one accepted server and one connected page."""

    bridge: Bridge
    server: LoadedServer
    folder: Path

    async def page_of(self, user: User) -> PageOrder:
        """A page of a user, to be connected."""
        parts = self.bridge.components
        device = await parts.store.add_device(user.id, "{}", "bench")
        facts = {"sub": user.id, "name": user.name, "device": device.id}
        token = parts.identity.sign_token(SESSION, facts, _SESSION_S)
        socket_url = f"{self.bridge.base_url}{SOCKET_PATH}/?EIO=4&transport=websocket"
        return PageOrder(socket_url.replace("http://", "ws://"), token, page_id=device.id)

    async def stop(self) -> None:
        """Close it and remove its data."""
        await self.bridge.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    async def settle(self) -> None:
        """Return when the database has all calls: who reads the newest one waits for them."""
        await self.bridge.components.journal.list_calls(self.bridge.local_user.id, before=None, limit=1)


class _FreeSlot:
    """What is measured here has no queue in front of it."""

    def start_deadline(self) -> Deadline:
        return Deadline(_DEADLINE_S, "call")

    def acquire_now(self) -> bool:
        return True

    async def acquire_slot(self) -> None:
        return None

    def release_slot(self) -> None:
        return None

    def record_outcome(self, outcome: CallOutcome) -> None:
        return None


async def start_bridge_variants(peer: PeerLink) -> Sequence[Variant]:
    """Dispatcher and gateway without a journal, with it for safe and for unsafe calls, and the HTTP route."""
    unwritten, running = await start_measured(peer, _StoreWithoutJournal), await start_measured(peer, Store)
    return [
        _dispatch_variant(
            unwritten, UNWRITTEN, "bridge: dispatch + gateway, no journal", safe=True, stop=unwritten.stop
        ),
        _dispatch_variant(running, SAFE, "bridge: dispatch + gateway", safe=True),
        _dispatch_variant(running, UNSAFE, "bridge: the same, journal first", safe=False),
        _route_variant(running, peer),
    ]


async def start_measured(peer: PeerLink, store: type[Store]) -> RunningBridge:
    """Start a bridge with one connected page."""
    folder = Path(tempfile.mkdtemp(prefix="bench-"))
    bridge = await start_bridge(
        BridgeSettings(
            data_dir=folder,
            network=NetworkSettings(port=0),
            approvals=ApprovalSettings(approve="all"),
            limits=UNLIMITED,
        ),
        store.open_store(folder / "bridge.sqlite"),
    )
    parts, user = bridge.components, bridge.local_user
    server = await parts.registry.share_document(
        "shop.json", read_document_text("shop.json"), source_url="http://127.0.0.1:9/documents/shop.json"
    )
    digests = {operation.key: operation.digest for operation in server.compiled.operations}
    await parts.registry.accept_operations(user.id, server.record.id, digests)
    running = RunningBridge(bridge, server, folder)
    await peer.connect_page(await running.page_of(user))
    return running


def _dispatch_variant(
    running: RunningBridge,
    name: str,
    title: str,
    *,
    safe: bool,
    stop: Callable[[], Awaitable[None]] = nothing,
) -> Variant:
    """The same call, once as one that only reads and once as one that may change something."""
    dispatcher = running.bridge.components.dispatcher
    digest = next(each.digest for each in running.server.compiled.operations if each.key == _OPERATION)
    request = CallRequest(
        CallContext(running.bridge.local_user.id, CHAT_ID, MESSAGE_ID),
        tool_name=_TOOL,
        server_id=running.server.record.id,
        operation_key=_OPERATION,
        operation_digest=digest,
        origin="",
        safe=safe,
        arguments_text=ARGUMENTS_TEXT,
    )

    async def call() -> None:
        outcome = await dispatcher.dispatch_call(request, _FreeSlot())
        if outcome.state is not CallState.SUCCEEDED:
            raise RuntimeError(f"The call ended {outcome.state}: {outcome.error}")

    async def measure(in_flight: int, seconds: float) -> Sample:
        return await drive(call, in_flight=in_flight, seconds=seconds)

    return Variant(name, title, measure, stop, running.settle)


def _route_variant(running: RunningBridge, peer: PeerLink) -> Variant:
    address = urlsplit(running.bridge.base_url)
    host, port = str(address.hostname), int(address.port or 80)

    async def measure(in_flight: int, seconds: float) -> Sample:
        key, path = running.bridge.key, f"/tools/{_TOOL}"
        return await peer.load(LoadOrder(host, port, path, key, ARGUMENTS_TEXT, in_flight, seconds))

    return Variant("route", "bridge: POST /tools/… by HTTP", measure, running.stop, running.settle)
