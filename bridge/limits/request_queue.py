"""The queue of requests to models: users in rotation, each user's requests first come, first served.

A request holds its place for all its rounds. One user occupies neither all places nor the whole queue: others
find a free place, and when the queue is full, the last request of the user with the most waiting requests is
refused. Uses the event loop only to wait. All methods run on one event loop.
"""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

from bridge.errors import BridgeError, ErrorCode
from bridge.settings.limits import Limits


class RequestQueue:
    """The places and the waiting requests of all users."""

    def __init__(self, limits: Callable[[], Limits]) -> None:
        """`limits` is read each time; call `limits_changed` after a change."""
        self._limits = limits
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()
        """By user; a user who was served moves to the end."""
        self._running: Counter[str] = Counter()
        """By user; users without a running request have no entry."""
        self._closed = False

    @property
    def running(self) -> int:
        """Number of requests that hold a place."""
        return self._running.total()

    @property
    def waiting(self) -> int:
        """Number of requests that wait for a place."""
        return sum(len(line) for line in self._waiting.values())

    @asynccontextmanager
    async def hold_place(self, user_id: str) -> AsyncGenerator[None]:
        """Wait for a place and hold it. Cancelling gives up the wait.

        Raises:
            BridgeError: `server_busy`: too many requests wait, or no place became free within
                `request_queue_wait_seconds`.
        """
        await self._enter(user_id)
        try:
            yield
        finally:
            self._leave(user_id)

    def limits_changed(self) -> None:
        """Admit the requests that may run now."""
        self._admit()

    def refuse_requests(self) -> None:
        """Admit no more requests, and refuse the waiting ones."""
        self._closed = True
        for line in self._waiting.values():
            for turn in line:
                if not turn.done():
                    turn.set_exception(_busy("The bridge is stopping."))

    async def _enter(self, user_id: str) -> None:
        limits = self._limits()
        if self._closed:
            raise _busy("The bridge is stopping.")
        if user_id not in self._waiting and self._has_place_for(user_id):
            self._running[user_id] += 1
            return
        if self.waiting >= limits.request_queue_size:
            self._make_room_for(user_id)
        await self._wait(user_id, limits.request_queue_wait_seconds)

    def _has_place_for(self, user_id: str) -> bool:
        limits = self._limits()
        return (
            self.running < limits.max_concurrent_requests
            and self._running[user_id] < limits.max_concurrent_requests_per_user
        )

    def _make_room_for(self, user_id: str) -> None:
        """Refuse the last request of the user with the most waiting; the new one, if that is its own user."""
        busy = _busy(
            f"{self.running} requests run and {self.waiting} wait already, as many as may "
            "(MAX_CONCURRENT_REQUESTS, MAX_CONCURRENT_REQUESTS_PER_USER, REQUEST_QUEUE_SIZE)."
        )
        longest = max(self._waiting, key=lambda user: len(self._waiting[user]), default=user_id)
        mine = len(self._waiting.get(user_id, ()))
        if len(self._waiting.get(longest, ())) <= mine + 1:
            raise busy
        last = self._waiting[longest].pop()
        if not last.done():
            last.set_exception(busy)

    def _leave(self, user_id: str) -> None:
        self._running[user_id] -= 1
        if not self._running[user_id]:
            del self._running[user_id]
        self._admit()

    async def _wait(self, user_id: str, seconds: float) -> None:
        turn = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(user_id, deque()).append(turn)
        try:
            async with asyncio.timeout(seconds):
                await turn
        except TimeoutError:
            self._withdraw(user_id, turn)
            message = f"No other request ended within {seconds:g} s (REQUEST_QUEUE_WAIT_SECONDS)."
            raise _busy(message) from None
        except BaseException:
            self._withdraw(user_id, turn)
            raise

    def _withdraw(self, user_id: str, turn: asyncio.Future[None]) -> None:
        """Leave the queue; a place that was granted at the last moment goes to the next request."""
        line = self._waiting.get(user_id)
        if line is not None and turn in line:
            line.remove(turn)
            if not line:
                del self._waiting[user_id]
        elif turn.done() and not turn.cancelled() and turn.exception() is None:
            self._leave(user_id)

    def _admit(self) -> None:
        while (user_id := next(filter(self._has_place_for, self._waiting), None)) is not None:
            line = self._waiting.pop(user_id)
            turn = line.popleft()
            if line:
                self._waiting[user_id] = line
            if not turn.done():
                self._running[user_id] += 1
                turn.set_result(None)


def _busy(why: str) -> BridgeError:
    message = f"Server busy (503). {why} Try again in a moment."
    return BridgeError(ErrorCode.SERVER_BUSY, message, detail={"retry_after_s": 1}, retryable=True)
