"""How long a tool call takes from this process to a page and back, compared in one run.

Two processes on two cores: the event loop of this one holds every server, the other plays the page (and the
HTTP caller). Threads that write for a server may use both cores, as they would elsewhere; what the journal
costs is measured with all of them on the core of the loop too. Variants take turns within every repetition,
so that a noisy neighbor disturbs all of them alike.
"""

import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from bench.bridge_variants import (
    ROUTE,
    ROUTE_UNSAFE,
    ROUTE_UNWRITTEN,
    SAFE,
    UNSAFE,
    UNWRITTEN,
    start_bridge_variants,
    start_journal_variants,
)
from bench.measure import Sample
from bench.peer_link import PeerLink
from bench.plain_variants import Variant, start_defaults, start_floor, start_route_floor
from bench.report import print_table
from tests.support.stores.postgresql import PostgresServer

IN_FLIGHT = (1, 16, 128)
_WARM_UP_S = 0.5


@dataclass(frozen=True, slots=True)
class Effort:
    """How long to measure: `repetitions` of `seconds` for each variant and load."""

    repetitions: int = 5
    seconds: float = 0.6


@dataclass(slots=True)
class Cell:
    """All repetitions of one variant under one load."""

    samples: list[Sample] = field(default_factory=list[Sample])
    settled_s: list[float] = field(default_factory=list[float])
    """From the last call of a repetition to when all that was put off is written."""
    server_us: list[float] = field(default_factory=list[float])
    """Processor time of this process per call."""
    peer_share: list[float] = field(default_factory=list[float])
    """Share of one core that the peer used; near 1 it is the peer that limits."""

    @property
    def settled(self) -> list[float]:
        """Calls per second, what was put off counted."""
        pairs = zip(self.samples, self.settled_s, strict=True)
        return [sample.calls / (sample.seconds + later) for sample, later in pairs]

    def summary(self) -> dict[str, float]:
        """Best and median; the best repetition is the one that neighbors disturbed least."""
        return {
            "calls_per_s_best": max(sample.calls_per_s for sample in self.samples),
            "calls_per_s": statistics.median(sample.calls_per_s for sample in self.samples),
            "p50_ms_best": min(sample.p50_ms for sample in self.samples),
            "p50_ms": statistics.median(sample.p50_ms for sample in self.samples),
            "p99_ms_best": min(sample.p99_ms for sample in self.samples),
            "p99_ms": statistics.median(sample.p99_ms for sample in self.samples),
            "server_cpu_us_best": min(self.server_us),
            "server_cpu_us": statistics.median(self.server_us),
            "peer_cpu_share": statistics.median(self.peer_share),
        }


Cells = dict[tuple[str, int, bool], Cell]
"""By variant, load, and whether threads may use both cores."""


async def compare_round_trips(effort: Effort) -> dict[str, object]:
    """Measure every variant, print one table per load and give all figures."""
    peer = await PeerLink.start()
    variants: list[Variant] = []
    try:
        variants += [await start_defaults(peer), await start_floor(peer)]
        variants += [*await start_bridge_variants(peer), await start_route_floor(peer)]
        cells = await _measure_all(variants, peer, effort)
    finally:
        for variant in variants:
            await variant.stop()
        await peer.close()
    summaries = {key: cell.summary() for key, cell in cells.items()}
    for in_flight in IN_FLIGHT:
        _print_load(variants, summaries, in_flight)
    _print_routes(summaries)
    found: dict[str, object] = {}
    for (name, in_flight, is_spread), figures in summaries.items():
        found |= {f"{name}/{in_flight}": figures} if is_spread else {}
    return found | _compare_journals(cells, "SQLite")


async def compare_journals_on_postgresql(effort: Effort) -> dict[str, object]:
    """Measure what the journal costs of a bridge that is alone on an empty PostgreSQL database."""
    server, peer = PostgresServer(), await PeerLink.start()
    variants: Sequence[Variant] = ()
    try:
        with server.database() as database:
            variants = await start_journal_variants(peer, database)
            try:
                cells = await _measure_all(variants, peer, effort)
            finally:
                for variant in variants:
                    await variant.stop()
    finally:
        await peer.close()
        server.remove()
    return _compare_journals(cells, "PostgreSQL")


def _compare_journals(cells: Cells, database: str) -> dict[str, object]:
    found: dict[str, object] = {}
    for is_spread, name in ((True, "journal"), (False, "journal_one_core")):
        journal = {in_flight: _journal_figures(cells, in_flight, is_spread) for in_flight in IN_FLIGHT}
        _print_journal(journal, database, is_spread)
        found |= {f"{name}/{in_flight}": figures for in_flight, figures in journal.items()}
    by_http = {in_flight: _http_figures(cells, in_flight) for in_flight in IN_FLIGHT}
    title = f"An unsafe tool by HTTP with the journal on {database}, to the same without any"
    head = ["in flight", "calls/s", "all written", "no journal: µs", "µs more"]
    print_table(title, head, [[str(in_flight), *each.values()] for in_flight, each in by_http.items()])
    return found | {f"journal_by_http/{in_flight}": figures for in_flight, figures in by_http.items()}


async def _measure_all(variants: Sequence[Variant], peer: PeerLink, effort: Effort) -> Cells:
    of_journal = [variant for variant in variants if variant.name in (UNWRITTEN, SAFE, UNSAFE)]
    cells: Cells = {}
    for variant in variants:
        await variant.measure(IN_FLIGHT[1], _WARM_UP_S)
        await variant.settle()
    for _ in range(effort.repetitions):
        for is_spread, chosen in ((True, variants), (False, of_journal)):
            peer.place_threads(beside_the_peer=is_spread)
            for in_flight in IN_FLIGHT:
                for variant in chosen:
                    cell = cells.setdefault((variant.name, in_flight, is_spread), Cell())
                    await _measure(variant, peer, cell, in_flight, effort.seconds)
    return cells


async def _measure(variant: Variant, peer: PeerLink, cell: Cell, in_flight: int, seconds: float) -> None:
    await peer.touch()
    peer_before, before = peer.cpu_s, time.process_time()
    sample = await variant.measure(in_flight, seconds)
    began = time.perf_counter()
    await variant.settle()
    settled_s = time.perf_counter() - began
    spent = time.process_time() - before
    await peer.touch()
    cell.samples.append(sample)
    cell.settled_s.append(settled_s)
    cell.server_us.append(spent / sample.calls * 1e6)
    cell.peer_share.append((peer.cpu_s - peer_before) / (sample.seconds + settled_s))


def _journal_figures(cells: Cells, in_flight: int, is_spread: bool) -> dict[str, float]:
    """What the journal costs behind the HTTP route."""
    without, safe, unsafe = (cells[name, in_flight, is_spread] for name in (UNWRITTEN, SAFE, UNSAFE))
    later = (each.p50_ms - bare.p50_ms for each, bare in zip(unsafe.samples, without.samples, strict=True))
    return {
        "safe_to_unwritten": _ratio(safe, without),
        "safe_to_unwritten_settled": _settled_ratio(safe, without),
        "unsafe_to_unwritten": _ratio(unsafe, without),
        "unsafe_to_unwritten_settled": _settled_ratio(unsafe, without),
        "unsafe_later_ms": statistics.median(later),
        "unwritten_us": statistics.median(without.server_us),
        "safe_extra_us": _extra_us(safe, without),
        "unsafe_extra_us": _extra_us(unsafe, without),
    }


def _http_figures(cells: Cells, in_flight: int) -> dict[str, float]:
    """What it costs of a whole call."""
    without, unsafe = (cells[name, in_flight, True] for name in (ROUTE_UNWRITTEN, ROUTE_UNSAFE))
    return {
        "unsafe_to_unwritten": _ratio(unsafe, without),
        "unsafe_to_unwritten_settled": _settled_ratio(unsafe, without),
        "unwritten_us": statistics.median(without.server_us),
        "unsafe_extra_us": _extra_us(unsafe, without),
    }


def _ratio(cell: Cell, bare: Cell) -> float:
    """Median ratio of calls per second within each repetition, where both stand next to each other."""
    pairs = zip(cell.samples, bare.samples, strict=True)
    return statistics.median(each.calls_per_s / without.calls_per_s for each, without in pairs)


def _settled_ratio(cell: Cell, bare: Cell) -> float:
    pairs = zip(cell.settled, bare.settled, strict=True)
    return statistics.median(each / without for each, without in pairs)


def _extra_us(cell: Cell, bare: Cell) -> float:
    pairs = zip(cell.server_us, bare.server_us, strict=True)
    return statistics.median(each - without for each, without in pairs)


def _print_journal(figures: dict[int, dict[str, float]], database: str, is_spread: bool) -> None:
    head = ["in flight", "safe: calls/s", "all written", "unsafe: calls/s", "all written"]
    head += ["ms later at p50", "no journal: µs", "safe: µs more", "unsafe: µs more"]
    rows = [[str(in_flight), *each.values()] for in_flight, each in figures.items()]
    where = "its thread on either core" if is_spread else "its thread on the core of the loop"
    print_table(f"With the journal on {database}, to the same without any; {where}", head, rows)


def _print_routes(summaries: dict[tuple[str, int, bool], dict[str, float]]) -> None:
    """The whole tool route beside the least that a POST to a page can cost: each one's best repetition."""
    rows: list[list[object]] = []
    for in_flight in IN_FLIGHT:
        ours, floor = (
            summaries[name, in_flight, True]["server_cpu_us_best"] for name in (ROUTE, "route_floor")
        )
        rows.append([str(in_flight), floor, ours, ours / floor])
    print_table("A tool by HTTP, processor time", ["in flight", "floor: µs", "route: µs", "ratio"], rows)


def _print_load(
    variants: Sequence[Variant], summaries: dict[tuple[str, int, bool], dict[str, float]], in_flight: int
) -> None:
    defaults, floor = summaries["defaults", in_flight, True], summaries["floor", in_flight, True]
    rows: list[list[object]] = []
    for variant in variants:
        own = summaries[variant.name, in_flight, True]
        rows.append(
            [
                variant.title,
                own["calls_per_s_best"],
                own["calls_per_s"],
                own["p50_ms_best"],
                own["p50_ms"],
                own["p99_ms"],
                own["server_cpu_us_best"],
                own["p50_ms"] / defaults["p50_ms"],
                own["p50_ms"] / floor["p50_ms"],
                own["server_cpu_us_best"] / floor["server_cpu_us_best"],
                own["peer_cpu_share"],
            ]
        )
    head = [
        "variant",
        "calls/s best",
        "median",
        "p50 ms best",
        "median",
        "p99 ms",
        "server µs/call",
        "p50 : defaults",
        "p50 : floor",
        "µs : floor",
        "peer core",
    ]
    print_table(f"Round trip, {in_flight} in flight", head, rows)
