"""An event loop whose clock jumps to the next timer: minutes in microseconds, the same every time."""

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class Stuck(Exception):
    """Nothing will ever happen again, and somebody still waits."""


class _JumpingSelector(selectors.SelectSelector):
    """Waits for no file: whoever would wait has moved the clock instead."""

    now = 0.0

    def select(self, timeout: float | None = None) -> list[Any]:
        if timeout is None:
            raise Stuck
        self.now += max(0.0, timeout)
        return []


class VirtualLoop(asyncio.SelectorEventLoop):
    """Starts at second 0."""

    def __init__(self) -> None:
        self._jumping = _JumpingSelector()
        super().__init__(self._jumping)

    def time(self) -> float:
        return self._jumping.now

    def stand_still(self, seconds: float) -> None:
        """Nothing runs for so long, as in a process that is stopped; then all is due at once."""
        self._jumping.now += seconds


def run_virtually(work: Coroutine[Any, Any, T], loop: VirtualLoop | None = None) -> T:
    """Run `work` on a clock of its own, and close the loop.

    Raises:
        Stuck: `work` waits for something that cannot happen.
    """
    loop = loop or VirtualLoop()
    try:
        return loop.run_until_complete(work)
    finally:
        loop.close()
