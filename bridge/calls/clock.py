"""A deadline that does not run while its call waits for its user."""

from __future__ import annotations

import asyncio
from collections.abc import Callable


class Clock:
    """A deadline that can be paused; fires once."""

    def __init__(self, seconds: float, expire: Callable[[], None]) -> None:
        """Starts immediately, on the running loop; calls `expire` when `seconds` have passed."""
        self._loop = asyncio.get_running_loop()
        self._expire = expire
        self._left_s = seconds
        self._until = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self.resume_time()

    @property
    def left_s(self) -> float:
        """Seconds left, never below zero."""
        left = self._left_s if self._timer is None else self._until - self._loop.time()
        return max(0.0, left)

    def pause_time(self) -> None:
        """Pause the clock; pausing it again has no effect."""
        if self._timer is not None:
            self._left_s = self.left_s
            self._timer.cancel()
            self._timer = None

    def resume_time(self) -> None:
        """Resume the clock."""
        if self._timer is None:
            self._until = self._loop.time() + self._left_s
            self._timer = self._loop.call_later(self._left_s, self._expire)
