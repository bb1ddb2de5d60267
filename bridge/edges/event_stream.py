"""An answer as server-sent events (WHATWG HTML 9.2), begun by its first event, kept alive by comments."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager

from aiohttp import hdrs, web

KEEP_ALIVE_S = 15.0
"""Of silence after which a comment is sent: proxies cut a line that is silent for a minute."""

HEADERS: Mapping[str, str] = {
    hdrs.CONTENT_TYPE: "text/event-stream; charset=utf-8",
    hdrs.CACHE_CONTROL: "no-cache, no-transform",
    "X-Accel-Buffering": "no",
}
_COMMENT = b": keep-alive\n\n"


class EventStream:
    """One answer; nothing of it is sent before the first event."""

    def __init__(self, request: web.Request, headers: Mapping[str, str]) -> None:
        self._request = request
        self._sent = asyncio.Event()
        self.response = web.StreamResponse(headers={**HEADERS, **headers})
        """What the handler returns."""
        self.has_begun = False
        """Whether the status has left, so that an error can only be told inside."""

    async def send(self, frames: bytes) -> None:
        """Whole frames, as they are. Waits for a slow reader.

        Raises:
            ConnectionResetError: the reader is gone.
        """
        if not self.has_begun:
            self.has_begun = True
            await self.response.prepare(self._request)
        self._sent.set()
        await self.response.write(frames)

    async def keep_alive(self, silence_s: float) -> None:
        """Send a comment whenever nothing was sent for so long; runs until it is cancelled."""
        while True:
            self._sent.clear()
            try:
                async with asyncio.timeout(silence_s):
                    await self._sent.wait()
            except TimeoutError:
                await self.send(_COMMENT)


@asynccontextmanager
async def event_stream(
    request: web.Request, headers: Mapping[str, str], *, silence_s: float = KEEP_ALIVE_S
) -> AsyncGenerator[EventStream]:
    """A stream that is kept alive while its context is open, and ended when that is left well.

    Raises:
        ConnectionResetError: the reader is gone; what runs in the context is cancelled.
    """
    stream = EventStream(request, headers)
    try:
        async with asyncio.TaskGroup() as group:
            keeper = group.create_task(stream.keep_alive(silence_s), name="keep alive")
            yield stream
            keeper.cancel()
    except BaseExceptionGroup as failures:
        raise failures.exceptions[0] from None
    if stream.has_begun:
        await stream.response.write_eof()
