"""Work that several ask for at the same time is done once, for all of them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

from bridge.errors import BridgeError

ValueT = TypeVar("ValueT")


class SingleFlight(Generic[ValueT]):
    """Runs one look-up for a key at a time. Methods run on one event loop."""

    def __init__(self) -> None:
        self._running: dict[str, asyncio.Future[ValueT]] = {}

    async def run(self, key: str, look: Callable[[], Awaitable[ValueT]]) -> ValueT:
        """Return what `look` returns, or what the running look-up for the same key does.

        Each waits only for itself: when who looks is cancelled, another one looks.

        Raises:
            BridgeError: that of the look-up, for all who wait for it.
        """
        while (other := self._running.get(key)) is not None:
            await asyncio.wait({other})
            if not other.cancelled():
                return other.result()
        mine: asyncio.Future[ValueT] = asyncio.get_running_loop().create_future()
        self._running[key] = mine
        try:
            value = await look()
            mine.set_result(value)
            return value
        except BridgeError as error:
            mine.set_exception(error)
            mine.exception()  # it is known, also if nobody waits
            raise
        finally:
            del self._running[key]
            if not mine.done():
                mine.cancel()
