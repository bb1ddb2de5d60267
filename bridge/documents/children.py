"""The processes that read documents: one for whoever comes next, and two for slow documents.

A document that takes longer than others are to wait gives up its turn. It keeps its process while one of the
slow places is free; else it loses it, and begins again when a place is. So a slow document costs its own
tools time, and everybody else a few seconds at most. Users are served in rotation, so that any number of slow
documents of one user is one for the others.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from bridge.documents.piped_child import Child
from bridge.errors import BridgeError
from bridge.log_lines import current_user

ResultT = TypeVar("ResultT")

PATIENCE_S = 2.0
"""Seconds after which a document gives up its turn: each other user may keep one waiting for as long."""

SLOW_PLACES = 2
"""Maximum number of slow documents that are read beside the next one: each process may take 4 GiB."""


class Places:
    """A number of places; whoever waits for one is served in rotation between users, each in order."""

    def __init__(self, number: int) -> None:
        self._free = number
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()
        self._served_last = ""

    @property
    def is_full(self) -> bool:
        """Whether no place is free."""
        return self._free == 0

    def take_free(self) -> bool:
        """Take a place if one is free; then nobody waits."""
        is_free = self._free > 0
        self._free -= is_free
        return is_free

    async def take_place(self, user_id: str) -> None:
        """Wait for a place; `leave_place` must follow. Cancelling gives up the wait."""
        if self.take_free():
            self._served_last = user_id
            return
        place = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(user_id, deque()).append(place)
        try:
            await place
        except asyncio.CancelledError:
            if not place.cancelled():
                self.leave_place()
            raise

    def leave_place(self) -> None:
        """Give a place to whoever is next."""
        while self._waiting:
            if next(iter(self._waiting)) == self._served_last:
                self._waiting.move_to_end(self._served_last)
            user_id, line = self._waiting.popitem(last=False)
            place = line.popleft()
            if line:
                self._waiting[user_id] = line
            if not place.done():
                self._served_last = user_id
                place.set_result(None)
                return
        self._free += 1


@dataclass(eq=False, slots=True)
class _Turn:
    """One document's turn of a process."""

    child: Child
    interruption: asyncio.Timeout
    """Ends what uses the process, when the turn is over and no slow place is free."""
    timer: asyncio.TimerHandle | None = None
    is_slow: bool = False
    """Whether it goes on in a slow place."""


class Children:
    """Gives each document a process, one after another. All methods run on one event loop."""

    def __init__(
        self,
        spawn: Callable[[], Awaitable[Child]],
        end: Callable[[Child], Awaitable[None]],
        *,
        patience_s: float = PATIENCE_S,
    ) -> None:
        """`spawn` starts a process, `end` kills one that has not ended."""
        self._patience_s = patience_s
        self._spawn = spawn
        self._end = end
        self._next: Child | None = None
        self._turn = Places(1)
        self._held_at = 0.0
        """Loop time at which the turn was taken."""
        self._slow_places = Places(SLOW_PLACES)
        self._slow: set[Child] = set()

    def busy_seconds(self) -> float | None:
        """Return for how many seconds a document keeps the others waiting; None: none does."""
        if not self._turn.is_full:
            return None
        return asyncio.get_running_loop().time() - self._held_at

    def count_slow(self) -> int:
        """Return how many documents are read in slow places."""
        return len(self._slow)

    async def use_child(self, request: Callable[[Child], Awaitable[ResultT]]) -> ResultT:
        """Return what a request says that has a process for itself; it is begun at most twice.

        A request that raises ends its process, since the rest of its answer must not be taken for the next
        one's; but a `BridgeError` is what the process reported.
        """
        interruption = asyncio.timeout(None)
        try:
            async with interruption:
                turn = await self._begin_turn(interruption)
                return await _use(turn.child, request, partial(self._end_turn, turn))
        except TimeoutError:
            if not interruption.expired():
                raise
        child = await self._take_slow_place()
        return await _use(child, request, partial(self._leave_slow_place, child))

    async def close(self) -> None:
        """End every process; what they read fails."""
        for child in tuple(self._slow):
            await self._end(child)
        await self._turn.take_place("")
        try:
            child, self._next = self._next, None
            if child is not None:
                await self._end(child)
        finally:
            self._turn.leave_place()

    async def _begin_turn(self, interruption: asyncio.Timeout) -> _Turn:
        await self._turn.take_place(current_user())
        try:
            loop = asyncio.get_running_loop()
            self._held_at = loop.time()
            if self._next is None or self._next.returncode is not None:
                self._next = await self._spawn()
        except BaseException:
            self._turn.leave_place()
            raise
        turn = _Turn(self._next, interruption)
        turn.timer = loop.call_later(self._patience_s, self._take_from_turn, turn)
        return turn

    def _take_from_turn(self, turn: _Turn) -> None:
        if not self._slow_places.take_free():
            turn.interruption.reschedule(asyncio.get_running_loop().time())
            return
        turn.is_slow = True
        self._slow.add(turn.child)
        self._next = None
        self._turn.leave_place()

    async def _end_turn(self, turn: _Turn, keeps_child: bool) -> None:
        if turn.timer is not None:
            turn.timer.cancel()
        if turn.is_slow:
            await self._leave_slow_place(turn.child, keeps_child)
            return
        try:
            if not keeps_child:
                self._next = None
                await self._end(turn.child)
        finally:
            self._turn.leave_place()

    async def _take_slow_place(self) -> Child:
        await self._slow_places.take_place(current_user())
        try:
            child = await self._spawn()
        except BaseException:
            self._slow_places.leave_place()
            raise
        self._slow.add(child)
        return child

    async def _leave_slow_place(self, child: Child, keeps_child: bool) -> None:
        """End a process of a slow place, or the next one's instead: what was slow to read is still parsed."""
        unneeded: Child | None = child
        if keeps_child and not self._turn.is_full:
            unneeded, self._next = self._next, child
        try:
            if unneeded is not None:
                await self._end(unneeded)
        finally:
            self._slow.discard(child)
            self._slow_places.leave_place()


async def _use(
    child: Child, request: Callable[[Child], Awaitable[ResultT]], leave: Callable[[bool], Awaitable[None]]
) -> ResultT:
    """Run a request; `leave` is told whether the process can be used again."""
    keeps_child = False
    try:
        answer = await request(child)
        keeps_child = True
        return answer
    except BridgeError:
        keeps_child = True
        raise
    finally:
        await leave(keeps_child)
