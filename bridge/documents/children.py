"""The processes that read documents: one for whoever comes next, and those set aside with slow documents.

A document that takes longer than others are to wait keeps its process and gives up its turn; the next one
gets another process. So a slow document costs its own tools time, and everybody else a few seconds at most.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from bridge.documents.piped_child import Child
from bridge.errors import BridgeError

PATIENCE_S = 5.0
"""Seconds after which a document is set aside: others wait for as long."""

MAX_ASIDE = 2
"""Maximum number of documents that are read beside the next one: each process may take 4 GiB. Further slow
ones keep their turn until one of these ends."""


@dataclass(eq=False, slots=True)
class _Turn:
    """One document's turn of a process."""

    child: Child
    timer: asyncio.TimerHandle | None = None
    is_aside: bool = False


class Children:
    """Gives each document a process, one after another. All methods run on one event loop."""

    def __init__(
        self, spawn: Callable[[], Awaitable[Child]], end: Callable[[Child], Awaitable[None]]
    ) -> None:
        """`spawn` starts a process, `end` kills one that has not ended."""
        self._spawn = spawn
        self._end = end
        self._next: Child | None = None
        self._lock = asyncio.Lock()
        self._held_at = 0.0
        """Loop time at which the lock was taken."""
        self._aside: set[_Turn] = set()

    def busy_seconds(self) -> float | None:
        """Return for how many seconds a document keeps the others waiting; None: none does."""
        if not self._lock.locked():
            return None
        return asyncio.get_running_loop().time() - self._held_at

    def count_aside(self) -> int:
        """Return how many documents are set aside."""
        return len(self._aside)

    @asynccontextmanager
    async def take_child(self) -> AsyncGenerator[Child]:
        """Hold a process for one request.

        A request that raises ends it, since the rest of its answer must not be taken for the next one's; but
        a `BridgeError` is what the process reported.
        """
        turn = await self._begin_turn()
        is_intact = False
        try:
            yield turn.child
            is_intact = True
        except BridgeError:
            is_intact = True
            raise
        finally:
            await self._end_turn(turn, keeps_child=is_intact)

    async def close(self) -> None:
        """End every process; what they read fails."""
        for turn in tuple(self._aside):
            await self._end(turn.child)
        async with self._lock:
            child, self._next = self._next, None
            if child is not None:
                await self._end(child)

    async def _begin_turn(self) -> _Turn:
        await self._lock.acquire()
        try:
            loop = asyncio.get_running_loop()
            self._held_at = loop.time()
            if self._next is None or self._next.returncode is not None:
                self._next = await self._spawn()
        except BaseException:
            self._lock.release()
            raise
        turn = _Turn(self._next)
        turn.timer = loop.call_later(PATIENCE_S, self._set_aside, turn)
        return turn

    def _set_aside(self, turn: _Turn) -> None:
        if len(self._aside) >= MAX_ASIDE:
            turn.timer = asyncio.get_running_loop().call_later(PATIENCE_S, self._set_aside, turn)
            return
        turn.is_aside = True
        self._aside.add(turn)
        self._next = None
        self._lock.release()

    async def _end_turn(self, turn: _Turn, *, keeps_child: bool) -> None:
        if turn.timer is not None:
            turn.timer.cancel()
        if turn.is_aside:
            self._aside.discard(turn)
            await self._end_aside(turn.child, keeps_child=keeps_child)
            return
        try:
            if not keeps_child:
                self._next = None
                await self._end(turn.child)
        finally:
            self._lock.release()

    async def _end_aside(self, child: Child, *, keeps_child: bool) -> None:
        """End a process that was set aside, or that in its place: what was slow to read is still parsed."""
        unneeded: Child | None = child
        if keeps_child and not self._lock.locked():
            unneeded, self._next = self._next, child
        if unneeded is not None:
            await self._end(unneeded)
