"""10,000 pages of one bridge: how long they take to connect, and what calls notice of them.

The bridge has one core. On the other are the crowd of pages (`bench.crowd.pages`) and, before it in turn, the
page that runs the calls, and their caller (`bench.peer`).
"""

import asyncio
import os
import sys
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import orjson

from bench.bridge_variants import RunningBridge, start_measured
from bench.measure import Sample
from bench.payloads import ARGUMENTS_TEXT
from bench.peer import LoadOrder
from bench.peer_link import PeerLink
from bench.report import print_table
from bench.shop_bridge import TOOL
from bridge.auth.identity import SESSION
from bridge.browsers.gateway import SOCKET_PATH
from bridge.heap import freeze_heap
from bridge.operating_system import descriptor_limit, raise_descriptor_limit
from tests.support.stores.devices import add_device

PAGES, USERS = 10_000, 2_000
"""Each user has several tabs of one browser."""

QUICK_PAGES, QUICK_USERS = 1_000, 200
AT_ONCE = 64
"""Pages that connect at the same time."""

CALLS_PER_S = 100.0
"""Pace of the caller, which begins a call when it is due, however long others take."""

IN_FLIGHT = 32
"""Most of them at the same time."""

SLICE_S = 1.0
IDLE_S = 30.0
"""At least one ping of every page, and its answer."""

_SPARE_DESCRIPTORS = 500
_SESSION_S = 3600.0


@dataclass(frozen=True, slots=True)
class Slices:
    """Calls that were made one second after another."""

    samples: list[Sample]

    def figures(self) -> tuple[int, float, float]:
        """Number of calls, the median of all slices' p50, and the worst of their p99, in ms."""
        middle = sorted(sample.p50_ms for sample in self.samples)[len(self.samples) // 2]
        worst = max(sample.p99_ms for sample in self.samples)
        return sum(sample.calls for sample in self.samples), middle, worst


Call = Callable[[Callable[[float], bool], float], Awaitable[Slices]]
"""Calls for so many seconds, and as long as the function says so of what is left of them; at least once."""


async def measure_many_pages(*, quick: bool = False) -> dict[str, object]:
    """Connect them all while calls are made, wait, announce something to all of them, and print a table.

    Raises:
        SystemExit: the machine does not allow so many connections.
    """
    pages, users = (QUICK_PAGES, QUICK_USERS) if quick else (PAGES, USERS)
    _require_descriptors(pages)
    peer = await PeerLink.start()
    running = await start_measured(peer)
    try:
        tokens = running.folder / "tokens"
        tokens.write_text("\n".join(await _sign_in(running, pages, users)), encoding="utf-8")
        freeze_heap()
        calls = _caller(peer, _paced(running))
        return await _measure(running, peer, tokens, calls, pages, idle_s=IDLE_S / 5 if quick else IDLE_S)
    finally:
        await peer.close()
        await running.stop()


async def _measure(
    running: RunningBridge, peer: PeerLink, tokens: Path, calls: Call, pages: int, *, idle_s: float
) -> dict[str, object]:
    alone = await calls(lambda left_s: left_s > 0, 3)
    memory = _memory_mib()
    async with _crowd(running, peer, tokens) as crowd:
        before = time.process_time()
        while_connecting = await calls(lambda _: not crowd.done(), 0)
        connecting_s = time.process_time() - before
        told = await crowd
        held_kib = (_memory_mib() - memory) * 1024 / pages
        before = time.process_time()
        await asyncio.sleep(idle_s)
        idle_share = (time.process_time() - before) / idle_s
        beside = await calls(lambda left_s: left_s > 0, 5)
        announcing = asyncio.create_task(
            running.bridge.components.gateway.announcements.servers_changed(None)
        )
        announced = await calls(lambda left_s: left_s > 0, 2)
        await announcing
    rows: list[list[object]] = [
        ["no page but the one that runs them", *alone.figures()],
        [f"while {pages:,} pages connect", *while_connecting.figures()],
        ["all are connected, idle", *beside.figures()],
        ["while something is announced to all", *announced.figures()],
    ]
    print_table("Calls of a tool", ["", "calls", "p50 ms", "p99 ms of the worst second"], rows)
    facts: dict[str, object] = {
        "pages": pages,
        "connected_s": told["seconds"],
        "greeting_p50_ms": told["p50_ms"],
        "greeting_longest_ms": told["longest_ms"],
        "server_ms_per_page": connecting_s / pages * 1000,
        "resident_kib_per_page": held_kib,
        "idle_processor_percent": idle_share * 100,
    }
    print_table("The pages", ["", "figure"], [[name, value] for name, value in facts.items()])
    return {**facts, **{f"calls {row[0]}": row[1:] for row in rows}}


def _require_descriptors(pages: int) -> None:
    raise_descriptor_limit()
    if (limit := descriptor_limit()) < pages + _SPARE_DESCRIPTORS:
        sys.exit(
            f"{pages:,} pages need {pages + _SPARE_DESCRIPTORS:,} descriptors in one process; this machine "
            f"allows {limit:,}. Raise the hard limit (`ulimit -Hn`), or use --quick."
        )


async def _sign_in(running: RunningBridge, pages: int, users: int) -> list[str]:
    """A session for each page."""
    parts = running.bridge.components
    tokens: list[str] = []
    for number in range(users):
        user = await parts.users.ensure_user(f"user-{number}")
        device = await add_device(parts.store, user.id, "bench")
        facts = {"sub": user.id, "name": user.name, "device": device.id}
        tokens += [parts.identity.sign_token(SESSION, facts, _SESSION_S)] * (pages // users)
    return tokens


def _paced(running: RunningBridge) -> LoadOrder:
    address = urlsplit(running.bridge.base_url)
    host, port, path = str(address.hostname), int(address.port or 80), f"/tools/{TOOL}"
    key = running.bridge.key
    return LoadOrder(host, port, path, key, ARGUMENTS_TEXT, IN_FLIGHT, SLICE_S, per_second=CALLS_PER_S)


def _caller(peer: PeerLink, order: LoadOrder) -> Call:
    async def call(go_on: Callable[[float], bool], seconds: float) -> Slices:
        until, samples = time.monotonic() + seconds, [await peer.load(order)]
        while go_on(until - time.monotonic()):
            samples.append(await peer.load(order))
        return Slices(samples)

    return call


@asynccontextmanager
async def _crowd(
    running: RunningBridge, peer: PeerLink, tokens: Path
) -> "AsyncGenerator[asyncio.Task[dict[str, float]]]":
    """The pages; the task ends with their figures when all are connected."""
    address = urlsplit(running.bridge.base_url)
    path = f"{SOCKET_PATH}/?EIO=4&transport=websocket"
    arguments = (str(address.hostname), str(address.port), path, str(tokens), str(AT_ONCE))
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bench.crowd.pages", *arguments),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    if peer.cores:
        os.sched_setaffinity(process.pid, {peer.cores[1]})

    async def read(output: asyncio.StreamReader) -> dict[str, float]:
        if not (line := await output.readline()):
            raise ConnectionError("The crowd's process ended; its error is above.")
        return orjson.loads(line)

    reading = asyncio.create_task(read(process.stdout))
    try:
        yield reading
    finally:
        reading.cancel()
        process.stdin.close()
        await process.wait()


def _memory_mib() -> float:
    """What this process has in memory now; 0 where the system does not tell."""
    try:
        lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    except OSError:
        return 0.0
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS:"))
