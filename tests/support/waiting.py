"""Bounded waiting for something that another task, a browser or a socket brings about."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar, cast

T = TypeVar("T")

POLL_S = 0.01
"""Time between two looks: short against a loopback round trip, long against the cost of a look."""


async def eventually(
    look: Callable[[], T | Awaitable[T]], *, within_s: float = 20.0, what: str = "the expected state"
) -> T:
    """Call `look` until it gives something true, and return that.

    Time is the running loop's, so that a virtual clock shortens it. An exception of `look` ends the wait.

    Raises:
        AssertionError: nothing true came within `within_s` seconds; the message holds the last value seen.
    """
    loop = asyncio.get_running_loop()
    deadline = loop.time() + within_s
    while True:
        seen = look()
        value = cast("T", await seen if isinstance(seen, Awaitable) else seen)
        if value:
            return value
        if loop.time() >= deadline:
            raise AssertionError(f"{what} did not come within {within_s} s; last seen: {value!r}")
        await asyncio.sleep(POLL_S)
