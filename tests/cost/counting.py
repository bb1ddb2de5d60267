"""What the guard counts: calls on the thread of the event loop, and bytes that stay allocated."""

import gc
import sys
import tracemalloc
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from types import FrameType

ROUNDS = 5

COUNTED = ("call", "c_call")
"""Events of `sys.setprofile`: calls of Python functions, with each time a coroutine is resumed, and of
functions in C that Python calls. What C does inside, and other threads, are not seen."""


class Calls:
    """Number of calls so far."""

    count = 0


@contextmanager
def counted_calls() -> Generator[Calls]:
    """Count the calls of this thread, without the garbage collector, whose callbacks would be counted."""
    calls = Calls()

    def note(_frame: FrameType, event: str, _argument: object) -> None:
        if event in COUNTED:
            calls.count += 1

    gc.disable()
    sys.setprofile(note)
    try:
        yield calls
    finally:
        sys.setprofile(None)
        gc.enable()


async def calls_of(
    operation: Callable[[], Awaitable[object]], times: int, settle: Callable[[], Awaitable[None]]
) -> float:
    """Calls for one time, of an operation that is done `times` times at once: least of some rounds.

    Rounds differ by how many pieces the same bytes come in, and by timers that end meanwhile. `settle` waits
    for what was put off, uncounted, so that every round begins alike.
    """
    await operation()  # what is cached or loaded at the first time
    counts: list[int] = []
    for _ in range(ROUNDS):
        await settle()
        with counted_calls() as calls:
            await operation()
        counts.append(calls.count)
    return min(counts) / times


def waste_calls(count: int) -> None:
    """Make so many calls more: a regression, for the test of the guard."""
    for _ in range(count):
        _nothing()


def _nothing() -> None:
    """A call."""


@contextmanager
def traced_memory() -> Generator[Callable[[], int]]:
    """Follow allocations; the function that is given returns how many bytes made since are still held."""
    gc.collect()
    tracemalloc.start()

    def held() -> int:
        gc.collect()
        return tracemalloc.get_traced_memory()[0]

    try:
        yield held
    finally:
        tracemalloc.stop()
