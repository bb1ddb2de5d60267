"""The bridge itself, whole and with its real store: its dispatcher, and the tool route in front of it."""

import shutil
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from unittest.mock import patch
from urllib.parse import urlsplit

from sqlalchemy import URL

from bench.measure import Sample, drive
from bench.payloads import ARGUMENTS_TEXT, CHANGE_TEXT
from bench.peer import LoadOrder
from bench.peer_link import PeerLink
from bench.plain_variants import Variant, nothing
from bench.shop_bridge import CHANGING_TOOL, TOOL, ShopBridge, start_shop
from bridge.app.parts import records
from bridge.calls.limits.settings import Deadline
from bridge.calls.open_call import OpenCall
from bridge.calls.outcome import CallOutcome
from bridge.calls.state_machine import CallState
from bridge.heap import freeze_heap
from bridge.storage.call_journal import CallJournal

UNWRITTEN, SAFE, UNSAFE = "dispatch_unwritten", "dispatch", "dispatch_unsafe"
"""Names of the variants whose ratios are the cost of the journal."""

ROUTE, ROUTE_UNWRITTEN, ROUTE_UNSAFE = "route", "route_unwritten", "route_unsafe"
"""Names of the variants by HTTP; the last two make the same unsafe call, without a journal and with it."""

_TITLES = {ROUTE: "by HTTP", ROUTE_UNWRITTEN: "unsafe, no journal", ROUTE_UNSAFE: "unsafe"}

_DEADLINE_S = 30.0


class _NoJournal(CallJournal):
    """Keeps nothing."""

    async def record_opened(self, call: OpenCall, within_s: float, *, may_begin: bool) -> None:
        """Nothing is written."""

    def hold_opening(self, call: OpenCall) -> bool:
        """Nothing is written."""
        return True

    def record_ended(self, call: OpenCall, *, may_begin: bool, epoch: int | None = None) -> None:
        """Nothing is written."""


@dataclass(frozen=True)
class RunningBridge(ShopBridge):
    """A bridge with a data folder of its own and one connected page."""

    folder: Path

    async def stop(self) -> None:
        """Close it and remove its data."""
        await self.bridge.close()
        shutil.rmtree(self.folder, ignore_errors=True)


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
    unwritten, running = await start_measured(peer, _NoJournal), await start_measured(peer)
    freeze_heap()
    return [*_journal_variants(unwritten, running, peer), _route_variant(running, peer, ROUTE, safe=True)]


async def start_journal_variants(peer: PeerLink, database: URL) -> Sequence[Variant]:
    """The same without a safe call by HTTP, on a PostgreSQL database."""
    unwritten = await start_measured(peer, _NoJournal)
    running = await start_measured(peer, database=database)
    freeze_heap()
    return _journal_variants(unwritten, running, peer)


def _journal_variants(unwritten: RunningBridge, running: RunningBridge, peer: PeerLink) -> Sequence[Variant]:
    """Each next to the one that it is compared with; the last of each bridge stops it."""
    return [
        dispatch_variant(unwritten, UNWRITTEN, "bridge: dispatch + gateway, no journal", safe=True),
        dispatch_variant(running, SAFE, "bridge: dispatch + gateway", safe=True),
        dispatch_variant(running, UNSAFE, "bridge: the same, journal first", safe=False),
        _route_variant(unwritten, peer, ROUTE_UNWRITTEN, safe=False, stop=unwritten.stop),
        _route_variant(running, peer, ROUTE_UNSAFE, safe=False, stop=running.stop),
    ]


async def start_measured(
    peer: PeerLink,
    journal: type[CallJournal] = CallJournal,
    *,
    answer_bytes: int = 0,
    database: URL | None = None,
) -> RunningBridge:
    """Start a bridge with one connected page, whose answers are of that size (see `PageOrder`).

    Without `database` it has a SQLite file.
    """
    folder = Path(tempfile.mkdtemp(prefix="bench-"))
    with patch.object(records, "CallJournal", journal):
        shop = await start_shop(folder, database)
    running = RunningBridge(shop.bridge, shop.server, folder)
    order = await running.page_of(shop.bridge.local_user)
    await peer.connect_page(replace(order, answer_bytes=answer_bytes))
    return running


def dispatch_variant(running: RunningBridge, name: str, title: str, *, safe: bool) -> Variant:
    """The same call, once as one that only reads and once as one that may change something."""
    dispatcher = running.bridge.components.dispatcher
    request = running.compose_call(safe=safe)

    async def call() -> None:
        outcome = await dispatcher.dispatch_call(request, _FreeSlot())
        if outcome.state is not CallState.SUCCEEDED:
            raise RuntimeError(f"The call ended {outcome.state}: {outcome.error}")

    async def measure(in_flight: int, seconds: float) -> Sample:
        return await drive(call, in_flight=in_flight, seconds=seconds)

    return Variant(name, title, measure, nothing, running.settle)


def _route_variant(
    running: RunningBridge,
    peer: PeerLink,
    name: str,
    *,
    safe: bool,
    stop: Callable[[], Awaitable[None]] = nothing,
) -> Variant:
    """A call by HTTP, of a tool that only reads or of one that changes something."""
    address = urlsplit(running.bridge.base_url)
    host, port = str(address.hostname), int(address.port or 80)
    tool, arguments = (TOOL, ARGUMENTS_TEXT) if safe else (CHANGING_TOOL, CHANGE_TEXT)

    async def measure(in_flight: int, seconds: float) -> Sample:
        key, path = running.bridge.key, f"/tools/{tool}"
        return await peer.load(LoadOrder(host, port, path, key, arguments, in_flight, seconds))

    return Variant(name, f"bridge: POST /tools/…, {_TITLES[name]}", measure, stop, running.settle)
