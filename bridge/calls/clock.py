"""Deadlines that do not run while their calls wait for their users, all on one timer; and waking a task."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Hashable

EARLY_S = 0.001
"""Seconds that an event loop may call too early: uvloop counts in milliseconds."""

LOOK_EVERY_S = 0.01
"""Seconds between two looks at all alarms, however many are due one after the other: thousands of calls may
be open. So much later than asked for may an alarm ring."""


class Alarms:
    """Alarms at times of the running event loop, on one timer of it.

    Nearly all are cancelled long before they are due, and a timer for each costs what sending costs.
    The timer is set for the earliest alarm, and left alone when that is cancelled.
    """

    def __init__(self) -> None:
        self._pending: dict[Hashable, tuple[float, Callable[[], None]]] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._timer_at = math.inf

    def set_alarm(self, key: Hashable, at: float, ring: Callable[[], None]) -> None:
        """Call `ring` at that time, unless the alarm of the same key is set anew or cancelled before."""
        self._pending[key] = (at, ring)
        if at < self._timer_at:
            self._start_timer(at)

    def cancel_alarm(self, key: Hashable) -> None:
        """Cancel an alarm, if there is one."""
        self._pending.pop(key, None)

    def _start_timer(self, at: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer, self._timer_at = asyncio.get_running_loop().call_at(at, self._look), at

    def _look(self) -> None:
        self._timer, self._timer_at = None, math.inf
        now = asyncio.get_running_loop().time() + EARLY_S
        try:
            for key in [key for key, (at, _) in self._pending.items() if at <= now]:
                if (alarm := self._pending.pop(key, None)) is not None:  # none that another one has cancelled
                    alarm[1]()
        finally:  # also after a bug in one of them: the others are still due
            earliest = min((at for at, _ in self._pending.values()), default=math.inf)
            if earliest < self._timer_at:
                self._start_timer(max(earliest, now + LOOK_EVERY_S))


class Clock:
    """A deadline that can be paused; fires once.

    What it calls is not kept while it is paused: a call and what rings for it would keep each other, and the
    answer of a call that has ended with them, until the garbage collector finds them.
    """

    __slots__ = ("_alarms", "_is_running", "_left_s", "_loop", "_until")

    def __init__(self, alarms: Alarms, seconds: float) -> None:
        """Paused at first, on the running loop."""
        self._alarms = alarms
        self._loop = asyncio.get_running_loop()
        self._left_s = seconds
        self._until = 0.0
        self._is_running = False

    @property
    def left_s(self) -> float:
        """Seconds left, never below zero."""
        return max(0.0, self._until - self._loop.time()) if self._is_running else self._left_s

    def pause_time(self) -> None:
        """Pause the clock; pausing it again has no effect."""
        if self._is_running:
            self._left_s = max(0.0, self._until - self._loop.time())
            self._is_running = False
            self._alarms.cancel_alarm(self)

    def resume_time(self, expire: Callable[[], None]) -> None:
        """Resume the clock; it calls `expire` when no time is left."""
        if not self._is_running:
            self._is_running = True
            self._until = self._loop.time() + self._left_s
            self._alarms.set_alarm(self, self._until, expire)


class Wakeup:
    """Wakes the one task that waits. Being woken before it waits is not lost."""

    __slots__ = ("_is_set", "_waiter")

    def __init__(self) -> None:
        self._is_set = False
        self._waiter: asyncio.Future[None] | None = None

    def set(self) -> None:
        """Wake the task now, or have its next wait end at once."""
        self._is_set = True
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    async def wait(self) -> None:
        """Wait until it is set, and reset it. Cancelling is safe."""
        if not self._is_set:
            self._waiter = asyncio.get_running_loop().create_future()
            try:
                await self._waiter
            finally:
                self._waiter = None
        self._is_set = False
