"""Several processes on one virtual clock, which can be killed, stopped and continued, or sleep.

Whatever runs belongs to the process in whose context it was scheduled. A killed one runs nothing more, not
even a cleanup; of a frozen one everything waits, and happens when it goes on.
"""

import asyncio
import contextvars
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from tests.faults.virtual_time import VirtualLoop

T = TypeVar("T")

_CURRENT: contextvars.ContextVar["Program | None"] = contextvars.ContextVar("process", default=None)


class Program:
    """An operating-system process."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.is_dead = self.is_frozen = False
        self.slept_s = 0.0
        """How far its monotonic clock is behind, because its machine slept."""
        self.thawed_at = float("-inf")
        """By the clock of the world; of a pause after which it has to look around."""
        self.stood_until = float("-inf")
        """The end of its last pause."""
        self.pent: list[_Turn] = []

    @property
    def context(self) -> contextvars.Context:
        """A new context that belongs to it."""
        context = contextvars.Context()
        context.run(_CURRENT.set, self)
        return context

    def enter(self, action: Callable[[], None]) -> None:
        """Let it do something as soon as it can."""
        asyncio.get_running_loop().call_soon(action, context=self.context)

    def start(self, work: Coroutine[Any, Any, T]) -> "asyncio.Task[T]":
        return asyncio.get_running_loop().create_task(work, context=self.context)

    def freeze(self) -> None:
        self.is_frozen = True

    def bury(self) -> None:
        """Let everything of it run once more, so that nothing is left: its tasks are cancelled."""
        self.is_dead = False
        self.thaw()

    def thaw(self, slept_s: float = 0.0) -> None:
        """Go on, unless it was killed. `slept_s`: for so long its own clock stood, unlike CLOCK_BOOTTIME."""
        self.is_frozen = False
        self.slept_s += slept_s
        pent, self.pent = self.pent, []
        for turn in pent:
            turn.take_again()


class _Turn:
    """Something scheduled."""

    __slots__ = ("_args", "_callback", "_context", "_loop", "_process", "due", "handle")

    def __init__(
        self, loop: "ProgramLoop", context: contextvars.Context, callback: Callable[..., Any], args: Any
    ) -> None:
        self._loop, self._context, self._callback, self._args = loop, context, callback, args
        self._process = context.get(_CURRENT)
        self.due: float | None = None
        """By the clock of its process."""
        self.handle: asyncio.Handle | None = None

    def __call__(self) -> None:
        process = self._process
        if process is not None:
            if self.handle is not None and self.handle.cancelled():
                return
            if process.is_frozen or process.is_dead:
                process.pent.append(self)
                return
            if self.due is not None and self.due - (self._loop.world_time() - process.slept_s) > 1e-9:
                self._loop.take_turn(self, self._context, self.due + process.slept_s)
                return
        self._callback(*self._args)

    def take_again(self) -> None:
        self._loop.take_turn(self, self._context, None)


class ProgramLoop(VirtualLoop):
    """A virtual loop that knows which process a callback belongs to."""

    def world_time(self) -> float:
        return super().time()

    def time(self) -> float:
        """By the clock of whoever asks."""
        process = _CURRENT.get()
        return super().time() - (0.0 if process is None else process.slept_s)

    def take_turn(self, turn: _Turn, context: contextvars.Context, at: float | None) -> None:
        """Call a turn once more, now or at a time of the world's clock."""
        if at is None:
            super().call_soon(turn, context=context)
        else:
            super().call_at(at, turn, context=context)

    def call_soon(
        self, callback: Callable[..., Any], *args: Any, context: contextvars.Context | None = None
    ) -> asyncio.Handle:
        context = contextvars.copy_context() if context is None else context  # an empty one is false
        turn = _Turn(self, context, callback, args)
        turn.handle = super().call_soon(turn, context=context)
        return turn.handle

    def call_at(
        self,
        when: float,
        callback: Callable[..., Any],
        *args: Any,
        context: contextvars.Context | None = None,
    ) -> asyncio.TimerHandle:
        """`when`: by the clock of the process that asks."""
        asking = _CURRENT.get()
        at = when + (0.0 if asking is None else asking.slept_s)
        context = contextvars.copy_context() if context is None else context  # an empty one is false
        turn = _Turn(self, context, callback, args)
        owner = context.get(_CURRENT)
        turn.due = at - (0.0 if owner is None else owner.slept_s)
        handle = super().call_at(at, turn, context=context)
        turn.handle = handle
        return handle


def outside() -> contextvars.Context:
    """A context that belongs to no process."""
    return contextvars.Context()
