"""Which request to a model may run now, when not all may: users take turns, first come, first served.

A request holds its place for all its rounds. Uses the event loop only to wait. All methods run on one event
loop.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

from bridge.limits import Limits
from bridge.wire import BridgeError, ErrorCode


class RequestAdmission:
    """The places of all users' requests."""

    def __init__(self, limits: Callable[[], Limits]) -> None:
        """`limits` is asked each time; call `limits_changed` after a change."""
        self._limits = limits
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()
        """By user; whoever was served goes to the end."""
        self._running = 0
        self._closed = False

    @property
    def running(self) -> int:
        """Requests that hold a place."""
        return self._running

    @property
    def waiting(self) -> int:
        """Requests that wait for one."""
        return sum(len(line) for line in self._waiting.values())

    @asynccontextmanager
    async def place(self, user_id: str) -> AsyncGenerator[None]:
        """Wait for a place and hold it. Cancelling gives up the wait.

        Raises:
            BridgeError: `server_busy`: too many requests wait already, or no place became free within
                `request_queue_wait_seconds`.
        """
        await self._enter(user_id)
        try:
            yield
        finally:
            self._running -= 1
            self._admit()

    def limits_changed(self) -> None:
        """Let in who may run now."""
        self._admit()

    def close(self) -> None:
        """Let nobody in any more, and send away who waits."""
        self._closed = True
        for line in self._waiting.values():
            for turn in line:
                if not turn.done():
                    turn.set_exception(_busy("The bridge is stopping."))

    async def _enter(self, user_id: str) -> None:
        limits = self._limits()
        if self._closed:
            raise _busy("The bridge is stopping.")
        if self._running < limits.max_concurrent_requests and not self._waiting:
            self._running += 1
            return
        if self.waiting >= limits.request_queue_size:
            raise _busy(
                f"{self._running} requests run and {self.waiting} wait already, as many as may "
                "(MAX_CONCURRENT_REQUESTS, REQUEST_QUEUE_SIZE)."
            )
        await self._wait(user_id, limits.request_queue_wait_seconds)

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
        """Leave the line; a place that was given at the last moment goes to the next one."""
        line = self._waiting.get(user_id)
        if line is not None and turn in line:
            line.remove(turn)
            if not line:
                del self._waiting[user_id]
        elif turn.done() and not turn.cancelled() and turn.exception() is None:
            self._running -= 1
            self._admit()

    def _admit(self) -> None:
        limit = self._limits().max_concurrent_requests
        while self._waiting and self._running < limit:
            user_id, line = self._waiting.popitem(last=False)
            turn = line.popleft()
            if line:
                self._waiting[user_id] = line
            if not turn.done():
                self._running += 1
                turn.set_result(None)


def _busy(why: str) -> BridgeError:
    message = f"Server busy (503). {why} Try again in a moment."
    return BridgeError(ErrorCode.SERVER_BUSY, message, detail={"retry_after_s": 1}, retryable=True)
