"""Exchanges with other replicas that are under way, so that those with a lost one can be cut."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from types import TracebackType


class ExchangeCut(Exception):
    """The replica at the other end is lost."""


class HeldExchange:
    """The context of one exchange."""

    __slots__ = ("_exchanges", "_is_awaited", "_replica", "_scope")

    def __init__(self, exchanges: OpenExchanges, replica: str, *, is_awaited: bool) -> None:
        self._exchanges = exchanges
        self._replica = replica
        self._is_awaited = is_awaited
        self._scope = asyncio.timeout(None)

    async def __aenter__(self) -> None:
        """Begin."""
        await self._scope.__aenter__()
        self._exchanges.begin(self._replica, self._scope, is_awaited=self._is_awaited)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End.

        Raises:
            ExchangeCut: the replica was lost before the block ended.
        """
        self._exchanges.end(self._replica, self._scope, is_awaited=self._is_awaited)
        try:
            await self._scope.__aexit__(kind, error, trace)
        except TimeoutError:
            raise ExchangeCut from None
        if isinstance(error, TimeoutError) and self._scope.expired():
            raise ExchangeCut from None


class OpenExchanges:
    """What is open, by replica. Runs on one event loop."""

    def __init__(self) -> None:
        self._open: dict[str, set[asyncio.Timeout]] = {}
        self._awaited = 0
        self._is_idle = asyncio.Event()
        self._is_idle.set()

    def hold_exchange(self, replica: str, *, is_awaited: bool = False) -> HeldExchange:
        """Run a block that `cut_replica` ends. `is_awaited`: `wait_until_idle` waits for its end.

        The context raises `ExchangeCut` if the replica was lost before the block ended.
        """
        return HeldExchange(self, replica, is_awaited=is_awaited)

    def begin(self, replica: str, scope: asyncio.Timeout, *, is_awaited: bool) -> None:
        """Take note of an exchange, which ends when its scope expires."""
        self._open.setdefault(replica, set()).add(scope)
        self._count(is_awaited)

    def end(self, replica: str, scope: asyncio.Timeout, *, is_awaited: bool) -> None:
        """Forget an exchange."""
        self._count(-is_awaited)
        exchanges = self._open[replica]
        exchanges.discard(scope)
        if not exchanges:
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
