"""Exchanges with other replicas that are under way, so that those with a lost one can be cut."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager


class ExchangeCut(Exception):
    """The replica at the other end is lost."""


class OpenExchanges:
    """What is open, by replica. Runs on one event loop."""

    def __init__(self) -> None:
        self._open: dict[str, set[asyncio.Timeout]] = {}

    @asynccontextmanager
    async def hold_exchange(self, replica: str) -> AsyncGenerator[None]:
        """Run a block that `cut_replica` ends.

        Raises:
            ExchangeCut: the replica was lost before the block ended.
        """
        scope = asyncio.timeout(None)
        exchanges = self._open.setdefault(replica, set())
        exchanges.add(scope)
        try:
            async with scope:
                yield
        except TimeoutError:
            if scope.expired():
                raise ExchangeCut from None
            raise
        finally:
            exchanges.discard(scope)
            if not exchanges and self._open.get(replica) is exchanges:
                del self._open[replica]

    def cut_replica(self, replica: str) -> None:
        """End every exchange with a replica: it is dead, or not believed any more."""
        for scope in self._open.get(replica, ()):
            if not scope.expired():
                scope.reschedule(asyncio.get_running_loop().time())
