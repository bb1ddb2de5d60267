"""Load in a closed loop or at a pace, and what it says: latency, throughput and processor time."""

import asyncio
import math
import time
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any


@dataclass(frozen=True, slots=True)
class Sample:
    """One repetition of one measurement."""

    calls: int
    seconds: float
    p50_ms: float
    p99_ms: float

    @property
    def calls_per_s(self) -> float:
        """Throughput over the whole repetition."""
        return self.calls / self.seconds


def percentile(ordered: Sequence[float], share: float) -> float:
    """The smallest value that at least `share` of the values do not exceed; `ordered` is ascending."""
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


async def drive(call: Callable[[], Awaitable[object]], *, in_flight: int, seconds: float) -> Sample:
    """Keep `in_flight` calls open for `seconds`; each worker starts its next call when the last one ended.

    Raises:
        ExceptionGroup: a call failed; a benchmark of failures would say nothing.
    """
    taken: list[float] = []
    begin = time.perf_counter()
    end = begin + seconds

    async def work() -> None:
        while (start := time.perf_counter()) < end:
            await call()
            taken.append(time.perf_counter() - start)

    return await _sample_work(work, in_flight, taken, begin)


async def drive_paced(
    call: Callable[[], Awaitable[object]], *, per_second: float, in_flight: int, seconds: float
) -> Sample:
    """Begin a call every so often for `seconds`, however long each takes, at most `in_flight` at a time.

    A call's time counts from when it was due: those that wait for others are not left out.

    Raises:
        ExceptionGroup: a call failed.
    """
    taken: list[float] = []
    begin = time.perf_counter()
    due_times = (begin + number / per_second for number in count())

    async def work() -> None:
        while (due := next(due_times)) < begin + seconds:
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            await call()
            taken.append(time.perf_counter() - due)

    return await _sample_work(work, in_flight, taken, begin)


async def _sample_work(
    work: Callable[[], Coroutine[Any, Any, None]], in_flight: int, taken: list[float], begin: float
) -> Sample:
    """Run as many workers at once, and sum up the seconds that they have added to `taken` since `begin`."""
    async with asyncio.TaskGroup() as group:
        for _ in range(in_flight):
            group.create_task(work())
    elapsed = time.perf_counter() - begin
    taken.sort()
    return Sample(len(taken), elapsed, percentile(taken, 0.5) * 1000, percentile(taken, 0.99) * 1000)


def time_each(action: Callable[[], object], *, rounds: int = 7, seconds: float = 0.1) -> float:
    """Microseconds per call of a synchronous action: the best of `rounds`, the least disturbed one."""
    count = 1
    while (spent := _time_loop(action, count)) < seconds / 10:
        count *= 4
    count = max(1, int(count * seconds / max(spent, 1e-9)))
    return min(_time_loop(action, count) for _ in range(rounds)) / count * 1e6


def _time_loop(action: Callable[[], object], count: int) -> float:
    start = time.perf_counter()
    for _ in range(count):
        action()
    return time.perf_counter() - start
