"""What a call costs in time beside a thread that runs Python all the time, and what that thread gets done.

Answers are rendered, arguments searched for secrets and rows written in threads of a bridge. The floor is the
same with the interval at which Python has threads give way to each other by itself.
"""

import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager

from bench.bridge_variants import SAFE, RunningBridge, dispatch_variant, start_measured
from bench.measure import Sample
from bench.peer_link import PeerLink
from bench.report import print_table
from bridge.cli.event_loop import THREADS_YIELD_S
from bridge.heap import freeze_heap

PYTHONS_OWN_S = 0.005
IN_FLIGHT = (1, 16)


async def measure_busy_thread(seconds: float) -> dict[str, object]:
    """Measure each load beside the thread, with both intervals, for `seconds` each."""
    peer = await PeerLink.start()
    try:
        running = await start_measured(peer)
        try:
            freeze_heap()
            return await _compare(running, peer, seconds)
        finally:
            await running.stop()
    finally:
        await peer.close()


async def _compare(running: RunningBridge, peer: PeerLink, seconds: float) -> dict[str, object]:
    call = dispatch_variant(running, SAFE, "bridge: dispatch + gateway", safe=True)
    peer.place_threads(beside_the_peer=True)
    await call.measure(IN_FLIGHT[-1], seconds)
    found: dict[str, object] = {}
    rows: list[list[object]] = []
    for in_flight in IN_FLIGHT:
        for interval_s in (PYTHONS_OWN_S, THREADS_YIELD_S):
            await call.settle()
            with _thread_busy(interval_s) as work:
                sample: Sample = await call.measure(in_flight, seconds)
            steps = work.steps / sample.seconds
            rows.append(
                [in_flight, interval_s * 1e3, sample.calls_per_s, sample.p50_ms, sample.p99_ms, steps]
            )
            found[f"{in_flight}/{interval_s * 1e3:g} ms"] = {
                "calls_per_s": sample.calls_per_s,
                "p50_ms": sample.p50_ms,
                "p99_ms": sample.p99_ms,
                "steps_per_s": steps,
            }
    head = ["in flight", "interval ms", "calls/s", "p50 ms", "p99 ms", "thread's steps/s"]
    print_table("Calls beside a thread that is busy", head, rows)
    return found


class _Work:
    """What the thread has done."""

    steps = 0


@contextmanager
def _thread_busy(interval_s: float) -> Generator[_Work]:
    """A thread that runs Python all the time, with that interval for all threads."""
    work, is_over, before = _Work(), threading.Event(), sys.getswitchinterval()

    def run() -> None:
        while not is_over.is_set():
            sum([number * 2 for number in range(2_000)])
            work.steps += 1

    sys.setswitchinterval(interval_s)
    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield work
    finally:
        is_over.set()
        thread.join()
        sys.setswitchinterval(before)
