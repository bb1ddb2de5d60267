"""Exchanges with other replicas that are under way, so that those with a lost one can be cut."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress


class ExchangeCut(Exception):
    """The replica at the other end is lost."""


class OpenExchanges:
    """What is open, by replica. Runs on one event loop."""

    def __init__(self) -> None:
        self._open: dict[str, set[asyncio.Timeout]] = {}
        self._awaited = 0
        self._is_idle = asyncio.Event()
        self._is_idle.set()

    @asynccontextmanager
    async def hold_exchange(self, replica: str, *, is_awaited: bool = False) -> AsyncGenerator[None]:
        """Run a block that `cut_replica` ends. `is_awaited`: `wait_until_idle` waits for its end.

        Raises:
            ExchangeCut: the replica was lost before the block ended.
        """
        scope = asyncio.timeout(None)
        exchanges = self._open.setdefault(replica, set())
        exchanges.add(scope)
        self._count(is_awaited)
        try:
            async with scope:
                yield
        except TimeoutError:
            if scope.expired():
                raise ExchangeCut from None
            raise
        finally:
            self._count(-is_awaited)
            exchanges.discard(scope)
            if not exchanges and self._open.get(replica) is exchanges:
                del self._open[replica]

    def cut_replica(self, replica: str) -> None:
        """End every exchange with a replica: it is dead, or not believed any more."""
        for scope in self._open.get(replica, ()):
            if not scope.expired():
                scope.reschedule(asyncio.get_running_loop().time())

    async def wait_until_idle(self, seconds: float) -> None:
        """Wait until no exchange is open that is to be awaited, but not longer than a time."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._is_idle.wait()

    def cut_all(self) -> None:
        """End every exchange."""
        for replica in tuple(self._open):
            self.cut_replica(replica)

    def _count(self, number: int) -> None:
        self._awaited += number
        if self._awaited:
            self._is_idle.clear()
        else:
            self._is_idle.set()
