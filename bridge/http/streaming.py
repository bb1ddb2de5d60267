"""Long responses: server-sent events kept alive by comments, and JSON kept alive by white space.

A stream (WHATWG HTML 9.2) is begun by its first event; proxies cut a line that is silent (ruling 9).

Events that come together leave together: each write is a system call, and a provider's chunk holds many.

An answer whose caller loses access says so in its last event, or as the error that follows the white space.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from types import TracebackType
from typing import Any, TypeAlias, TypeVar, cast

from aiohttp import hdrs, web
from aiohttp.http import StreamWriter

from bridge.errors import WireError
from bridge.http.connections import Connection, ending_of, may_answer_straight
from bridge.http.routing import error_bytes, timings_of
from bridge.tasks import SideTask, run_with_companion, run_without_waiting, yield_to_loop

ResultT = TypeVar("ResultT")

MAX_UNSENT_BYTES = 64 * 1024
"""Maximum bytes of events that a slow reader has not received; beyond it the turn waits."""

LAST_WORD_S = 0.5
"""Seconds for the end of an answer to be written whose caller has lost access."""

PATIENCE_S = 0.001
"""Seconds for which events wait for others while the turn does not pause by itself."""

HEADERS: Mapping[str, str] = {
    hdrs.CONTENT_TYPE: "text/event-stream; charset=utf-8",
    hdrs.CACHE_CONTROL: "no-cache, no-transform",
    "X-Accel-Buffering": "no",
}
_COMMENT = b": keep-alive\n\n"

DescribeFailure: TypeAlias = Callable[[WireError], bytes]
"""Return the last bytes of an answer that has begun, and is ended by an error."""


def failure_event(error: WireError) -> bytes:
    """Return an event with an error, named as it is where a stream has no errors of its own."""
    return b"event: error\ndata: %b\n\n" % error_bytes(error)


class EventStream:
    """A response as an event stream; nothing is sent before the first event.

    Within its context it is kept alive; it ends when the context exits normally. A task writes where that has
    to wait, the first frames or those for a slow reader; most are written without one.
    """

    __slots__ = (
        "_describe_failure",
        "_flushing",
        "_has_space",
        "_is_endless",
        "_is_prepared",
        "_is_straight",
        "_loop",
        "_protocol",
        "_request",
        "_silence",
        "_silence_s",
        "_timer",
        "_unsent",
        "_unsent_bytes",
        "_unsent_since",
        "_writer",
        "_writing",
        "_written_at",
        "has_begun",
        "response",
    )

    def __init__(
        self,
        request: web.Request,
        headers: Mapping[str, str],
        silence_s: float,
        silence: Callable[[], bytes],
        describe_failure: DescribeFailure,
        *,
        is_endless: bool,
    ) -> None:
        self._request = request
        self._protocol = request.protocol
        self._is_straight = may_answer_straight(request)
        self._describe_failure = describe_failure
        self._is_endless = is_endless
        self._writer = cast(StreamWriter, request.writer)
        self._silence_s = silence_s
        self._silence = silence
        self._loop = asyncio.get_running_loop()
        self._unsent: list[bytes] = []
        self._unsent_bytes = 0
        self._unsent_since = 0.0
        """When the first of them came, by the loop's clock."""
        self._written_at = self._loop.time()
        self._writing = SideTask()
        self._flushing: asyncio.Handle | None = None
        """What writes at once, when it is about to."""
        self._is_prepared = False
        self._has_space: asyncio.Event | None = None
        """What the turn waits for, while it does."""
        self.response = web.StreamResponse(headers={**HEADERS, **headers})
        """What the handler returns."""
        self.has_begun = False
        """Whether the status has been sent, so that an error can only be reported inside the stream."""

    async def __aenter__(self) -> EventStream:
        """Open the stream.

        Raises:
            BridgeError: `rate_limited`: it has no end of its own, and its user has too many such streams.
        """
        if self._is_endless and isinstance(self._protocol, Connection):
            self._protocol.enter_stream()
        await self._writing.__aenter__()
        self._timer = self._loop.call_later(self._silence_s, self._look)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the stream, once all is written.

        Raises:
            ConnectionResetError: the reader is gone; what ran in the context was cancelled.
        """
        self._timer.cancel()
        if self._is_endless and isinstance(self._protocol, Connection):
            self._protocol.leave_stream()
        if self._flushing is not None:
            self._flushing.cancel()
            if error is None:
                self._flush()
        await self._writing.__aexit__(kind, error, trace)
        if not self.has_begun:
            return
        if error is None:
            await self.response.write_eof()
        elif kind is asyncio.CancelledError:
            await _write_last_word(self._request, self.response, self._describe_failure)

    async def send_frames(self, frames: bytes) -> None:
        """Send complete frames within `PATIENCE_S`; waits for a slow reader."""
        self._add(frames)
        if self._loop.time() - self._unsent_since > PATIENCE_S:
            await yield_to_loop()
        if self._unsent_bytes > MAX_UNSENT_BYTES:
            self._has_space = self._has_space or asyncio.Event()
            await self._has_space.wait()

    def _look(self) -> None:
        """Look once for each time of silence, and not once for each frame, whether it has passed."""
        due = self._written_at + self._silence_s
        if not self._unsent and due <= self._loop.time():
            self._add(self._silence())
            due = self._loop.time() + self._silence_s
        self._timer = self._loop.call_at(due, self._look)

    def _add(self, frames: bytes) -> None:
        self.has_begun = True
        if not self._unsent:
            self._unsent_since = self._loop.time()
            if not self._writing.is_running:
                self._flushing = self._loop.call_soon(self._flush)
        self._unsent.append(frames)
        self._unsent_bytes += len(frames)

    def _flush(self) -> None:
        """Write at once what has come in this turn of the loop; if that has to wait, in a task."""
        self._flushing = None
        transport = self._protocol.transport
        is_open = self._is_prepared and transport is not None and not transport.is_closing()
        if is_open and self._is_straight and not self._protocol.writing_paused:
            run_without_waiting(self._writer.write(self._take_unsent(), drain=False))
            self._make_space()
        else:
            self._writing.start(self._write_frames())

    async def _write_frames(self) -> None:
        """Write what there is, and what comes meanwhile.

        Raises:
            ConnectionResetError: the reader is gone.
        """
        if not self._is_prepared:
            await self.response.prepare(self._request)
            self._is_prepared = True
        while self._unsent:
            await self._writer.drain()
            await self.response.write(self._take_unsent())
            self._make_space()

    def _make_space(self) -> None:
        """Let the turn go on, if it waits."""
        if self._has_space is not None:
            self._has_space.set()
            self._has_space = None

    def _take_unsent(self) -> bytes:
        frames = b"".join(self._unsent)
        self._unsent.clear()
        self._unsent_bytes = 0
        self._written_at = self._loop.time()
        return frames


async def _write_last_word(
    request: web.Request, response: web.StreamResponse, describe_failure: DescribeFailure
) -> None:
    """End an answer with an error whose caller has lost access; nothing if it is cancelled otherwise."""
    if (why := ending_of(request)) is None:
        return
    with suppress(TimeoutError, ConnectionError):
        async with asyncio.timeout(LAST_WORD_S):
            await response.prepare(request)
            await response.write(describe_failure(why))
            await response.write_eof()


def event_stream(
    request: web.Request,
    headers: Mapping[str, str],
    *,
    silence_s: float | None = None,
    silence: Callable[[], bytes] = lambda: _COMMENT,
    describe_failure: DescribeFailure = failure_event,
    is_endless: bool = False,
) -> EventStream:
    """Return a stream to be opened as a context.

    `silence`: makes what is sent when nothing else was for `silence_s`, which is `Timings.keep_alive_s` by
    default; a comment by default. `describe_failure`: makes the last event of a stream whose caller loses
    access. `is_endless`: whether it has no end of its own; a user has only so many of those.
    """
    if silence_s is None:
        silence_s = timings_of(request).keep_alive_s
    return EventStream(request, headers, silence_s, silence, describe_failure, is_endless=is_endless)


def run_kept_alive(
    request: web.Request,
    work: Coroutine[Any, Any, ResultT],
    *,
    outlasts_client: bool = False,
    describe_failure: DescribeFailure = error_bytes,
) -> Coroutine[Any, Any, tuple[ResultT, web.StreamResponse | None]]:
    """Await this for the result of `work`, and None if that came within `Timings.silence_s`.

    Else for a response that has begun: 200, JSON, so far nothing but white space. The caller writes the rest.
    `describe_failure`: makes the rest where the caller loses access.

    Raises:
        ConnectionResetError: the caller was gone when white space was written; the work is cancelled, unless
            it `outlasts_client`: then that is raised once it has ended.
    """

    def write_spaces(running: asyncio.Future[ResultT]) -> Coroutine[Any, Any, web.StreamResponse]:
        return _write_spaces(request, running, describe_failure)

    silence_s = timings_of(request).silence_s
    return run_with_companion(work, write_spaces, silence_s, ends_work=not outlasts_client)


async def _write_spaces(
    request: web.Request, running: asyncio.Future[Any], describe_failure: DescribeFailure
) -> web.StreamResponse:
    response = web.StreamResponse(headers={hdrs.CONTENT_TYPE: "application/json", "X-Accel-Buffering": "no"})
    await response.prepare(request)
    try:
        while not running.done():
            await response.write(b" ")
            await asyncio.wait({running}, timeout=timings_of(request).space_s)
    except asyncio.CancelledError:
        await _write_last_word(request, response, describe_failure)
        raise
    return response
