"""Long responses: server-sent events kept alive by comments, and JSON kept alive by white space.

A stream (WHATWG HTML 9.2) is begun by its first event; proxies cut a line that is silent (ruling 9).

Events that come together leave together: each write is a system call, and a provider's chunk holds many.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from aiohttp import hdrs, web

from bridge.tasks import run_with_companion, yield_to_loop

ResultT = TypeVar("ResultT")

KEEP_ALIVE_S = 15.0
"""Seconds of silence after which a comment is sent: proxies close a silent connection after a minute."""

MAX_UNSENT_BYTES = 64 * 1024
"""Maximum bytes of events that a slow reader has not received; beyond it the turn waits."""

SILENCE_S = 15.0
"""Seconds after which a JSON response sends its 200 and headers, then white space every `SPACE_S`."""

SPACE_S = 10.0

PATIENCE_S = 0.001
"""Seconds for which events wait for others while the turn does not pause by itself."""

HEADERS: Mapping[str, str] = {
    hdrs.CONTENT_TYPE: "text/event-stream; charset=utf-8",
    hdrs.CACHE_CONTROL: "no-cache, no-transform",
    "X-Accel-Buffering": "no",
}
_COMMENT = b": keep-alive\n\n"


class EventStream:
    """A response as an event stream; nothing is sent before the first event."""

    def __init__(self, request: web.Request, headers: Mapping[str, str]) -> None:
        self._request = request
        self._loop = asyncio.get_running_loop()
        self._unsent: list[bytes] = []
        self._unsent_bytes = 0
        self._unsent_since = 0.0
        """When the first of them came, by the loop's clock."""
        self._written_at = self._loop.time()
        self._has_ended = False
        self._has_frames: asyncio.Future[None] | None = None
        """What the writer waits for, while it does."""
        self._has_space: asyncio.Event | None = None
        """What the turn waits for, while it does."""
        self.response = web.StreamResponse(headers={**HEADERS, **headers})
        """What the handler returns."""
        self.has_begun = False
        """Whether the status has been sent, so that an error can only be reported inside the stream."""

    async def send_frames(self, frames: bytes) -> None:
        """Send complete frames within `PATIENCE_S`; waits for a slow reader."""
        self._add(frames)
        if self._loop.time() - self._unsent_since > PATIENCE_S:
            await yield_to_loop()
        if self._unsent_bytes > MAX_UNSENT_BYTES:
            self._has_space = self._has_space or asyncio.Event()
            await self._has_space.wait()

    def end_stream(self) -> None:
        """End the stream: no more frames follow."""
        self._has_ended = True
        self._wake_writer()

    async def write_frames(self, silence_s: float, silence: Callable[[], bytes]) -> None:
        """Write frames until the end, and the result of `silence` whenever nothing was sent for `silence_s`.

        Raises:
            ConnectionResetError: the reader is gone.
        """

        def look() -> None:
            """Look once for each time of silence, and not once for each frame, whether it has passed."""
            nonlocal timer
            due = self._written_at + silence_s
            if not self._unsent and due <= self._loop.time():
                self._add(silence())
                due = self._loop.time() + silence_s
            timer = self._loop.call_at(due, look)

        timer = self._loop.call_later(silence_s, look)
        try:
            while not self._has_ended or self._unsent:
                if not self._unsent:
                    self._has_frames = self._loop.create_future()
                    await self._has_frames
                await self._flush()
        finally:
            timer.cancel()

    def _add(self, frames: bytes) -> None:
        self.has_begun = True
        if not self._unsent:
            self._unsent_since = self._loop.time()
        self._unsent.append(frames)
        self._unsent_bytes += len(frames)
        self._wake_writer()

    def _wake_writer(self) -> None:
        if (waiting := self._has_frames) is not None:
            self._has_frames = None
            if not waiting.done():
                waiting.set_result(None)

    async def _flush(self) -> None:
        if not self._unsent:
            return
        if not self.response.prepared:
            await self.response.prepare(self._request)
        frames = b"".join(self._unsent)
        self._unsent.clear()
        self._unsent_bytes = 0
        self._written_at = self._loop.time()
        await self.response.write(frames)
        if self._has_space is not None:
            self._has_space.set()
            self._has_space = None


@asynccontextmanager
async def event_stream(
    request: web.Request,
    headers: Mapping[str, str],
    *,
    silence_s: float = KEEP_ALIVE_S,
    silence: Callable[[], bytes] = lambda: _COMMENT,
) -> AsyncGenerator[EventStream]:
    """Open a stream that is kept alive in this context, and ended when the context exits normally.

    `silence`: makes what is sent when nothing else was for `silence_s`; a comment by default.

    Raises:
        ConnectionResetError: the reader is gone; what runs in the context is cancelled.
    """
    stream = EventStream(request, headers)
    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(stream.write_frames(silence_s, silence), name="event stream")
            yield stream
            stream.end_stream()
    except BaseExceptionGroup as failures:
        raise failures.exceptions[0] from None
    if stream.has_begun:
        await stream.response.write_eof()


def run_kept_alive(
    request: web.Request, work: Coroutine[Any, Any, ResultT]
) -> Coroutine[Any, Any, tuple[ResultT, web.StreamResponse | None]]:
    """Await this for the result of `work`, and None if that came soon.

    Else for a response that has begun: 200, JSON, so far nothing but white space. The caller writes the rest.

    Raises:
        ConnectionResetError: the caller was gone when white space was written; the work is cancelled.
    """

    def write_spaces(running: asyncio.Future[ResultT]) -> Coroutine[Any, Any, web.StreamResponse]:
        return _write_spaces(request, running)

    return run_with_companion(work, write_spaces, SILENCE_S)


async def keep_alive(request: web.Request, running: asyncio.Future[Any]) -> web.StreamResponse | None:
    """Wait until `running`, which others may wait for, too, has ended; returns as `run_kept_alive`.

    Cancelling leaves `running` as it is. Raises what writing to a caller who is gone raises.
    """
    done, _ = await asyncio.wait({running}, timeout=SILENCE_S)
    return None if done else await _write_spaces(request, running)


async def _write_spaces(request: web.Request, running: asyncio.Future[Any]) -> web.StreamResponse:
    response = web.StreamResponse(headers={hdrs.CONTENT_TYPE: "application/json", "X-Accel-Buffering": "no"})
    await response.prepare(request)
    while not running.done():
        await response.write(b" ")
        await asyncio.wait({running}, timeout=SPACE_S)
    return response
