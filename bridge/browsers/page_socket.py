"""The WebSocket of one page: how it begins and ends, and what python-engineio sees of it.

`PageReader` handles what the page sends, `PageWriter` writes what it is sent. python-engineio also has a task
for each page that pings; here one alarm serves many.
"""

from __future__ import annotations

import asyncio
import logging
import time
from dataclasses import dataclass
from math import ceil
from typing import Any, Protocol

from aiohttp import web
from engineio.async_drivers.aiohttp import WebSocket

from bridge.browsers.message_budget import MessageBudget
from bridge.browsers.page_reader import PageReader, Reports
from bridge.browsers.page_writer import PageWriter, Records
from bridge.browsers.socket_frames import UnreadableFrame
from bridge.browsers.socket_io import ping_packet
from bridge.browsers.unread_messages import AllUnread, UnreadMessages
from bridge.calls.clock import Alarms
from bridge.http.connections import Connection
from bridge.log_lines import OncePerMinute, name_user
from bridge.tasks import Tasks

PING_INTERVAL_S = 25.0
PING_TIMEOUT_S = 20.0
"""Seconds, Engine.IO's own defaults: a frozen page is noticed after 20 to 45 s (measured in Chromium)."""

PING_STEP_S = 0.1
"""Seconds within which pages are pinged together, so that few alarms ring, and few pages at a time."""

_KEY = "tool_bridge.page_socket"

_log = logging.getLogger(__name__)
_log.addFilter(OncePerMinute())


@dataclass(frozen=True, slots=True)
class SharedBySockets:
    """What the sockets of all pages share."""

    unread: AllUnread
    pings: Alarms
    tasks: Tasks
    records: Records
    ping_interval_s: float = PING_INTERVAL_S
    ping_timeout_s: float = PING_TIMEOUT_S


class PageSocket(WebSocket):
    """A WebSocket whose messages are handled in the one task that waits for them.

    A frame that no page sends ends the socket, and so does one that does not authenticate or complete the
    handshake in time, and one whose page answers no ping.
    """

    def __init__(self, handler: Any, server: Any, *, shared: SharedBySockets) -> None:
        """Called by the library, on the running loop, when it answers a WebSocket upgrade.

        `handler`: the engine's, which is not called: `_serve` does what it does.
        """
        super().__init__(handler, server)
        self._engine: Any = handler.__self__
        self._shared = shared
        self._unread = UnreadMessages(shared.unread, self._drop_unread)
        self._line: web.RequestHandler | None = None
        self._sock, self.reader, self.writer = self._make_parts({})

    def _make_parts(
        self, awaited_acks: dict[int, str]
    ) -> tuple[web.WebSocketResponse, PageReader, PageWriter]:
        """Make aiohttp's side of the socket, and what reads and writes there."""
        limit = self._engine.server.max_http_buffer_size
        sock = web.WebSocketResponse(max_msg_size=limit, autoping=False, compress=False)
        writer = PageWriter(self._engine, awaited_acks, self._shared.records, self._shared.tasks)
        return sock, PageReader(self._engine, awaited_acks), writer

    async def __call__(self, environ: dict[str, Any]) -> Any:
        """Serve the socket until it ends; `page_socket_of` finds it by the same `environ`.

        However the socket ends, the bridge learns of it immediately: if a connection broke while it was being
        closed, python-engineio would remember the socket until the next ping goes unanswered.
        """
        environ[_KEY] = self
        request: web.Request = environ["aiohttp.request"]
        self._line = request.protocol
        engine = self._engine
        engine.queue.unread = self._unread
        try:
            http_writer = await self._sock.prepare(request)
            engine.connected = engine.upgraded = True
            self.reader.begin_reading(self._sock)
            self.writer.begin_writing(self._sock, self._line, http_writer.drain)
            self._await_ping()
            await self._serve()
            return self._sock
        finally:
            self._shared.pings.cancel_alarm(self)
            self._unread.leave_page()
            await engine.close(wait=False, abort=True, reason=engine.server.reason.TRANSPORT_CLOSE)
            engine.server.sockets.pop(engine.sid, None)
            engine.queue.drop_packets()

    async def _serve(self) -> None:
        try:
            while True:
                await self.reader.read_until_pong()
                self._engine.last_ping = None
                self._await_ping()
        except (UnreadableFrame, TimeoutError):
            self.cut_connection()  # a close frame would wait for an answer that such a page need not give
        except OSError:
            pass  # it has closed

    def _await_ping(self) -> None:
        """Ping the page when it is due."""
        self._shared.pings.set_alarm(self, _together(self._shared.ping_interval_s), self._ping)

    def _ping(self) -> None:
        """Ping the page, and cut it off unless it answers in time: no one reads there."""
        self._engine.last_ping = time.time()
        self._shared.pings.set_alarm(self, _together(self._shared.ping_timeout_s), self.cut_connection)
        self._engine.queue.add_packet(ping_packet())

    def cut_connection(self) -> None:
        """Abort the connection immediately, whether or not the other side has read what was sent."""
        if self._line is not None and self._line.transport is not None:
            self._line.transport.abort()

    def _drop_unread(self) -> None:
        _log.warning("A page is disconnected because it does not read what it is sent.")
        self.cut_connection()

    def mark_authenticated(self, sid: str, user_id: str, budget: MessageBudget, reports: Reports) -> None:
        """Mark as the page `sid` of a user, whose messages charge `budget`; its reports go to `reports`."""
        name_user(user_id)
        self._unread.enter_page(user_id)
        if isinstance(self._line, Connection):
            self._line.mark_authenticated()
        self.reader.mark_authenticated(sid, budget, reports)

    def mark_ready(self) -> None:
        """Mark the handshake as complete: the page may be sent events past the queue, and be silent."""
        self.writer.is_ready = True
        self.reader.mark_ready()


class MakeSocket(Protocol):
    """Makes the socket of a page: `PageSocket`, or a class that is one."""

    def __call__(self, handler: Any, server: Any, *, shared: SharedBySockets) -> PageSocket:
        """See `PageSocket`."""
        ...


def _together(seconds: float) -> float:
    """Return a time at least so many seconds from now, the same for all pages of one `PING_STEP_S`."""
    return ceil((asyncio.get_running_loop().time() + seconds) / PING_STEP_S) * PING_STEP_S


def page_socket_of(environ: dict[str, Any]) -> PageSocket:
    """Return the socket that python-socketio reports as connecting."""
    return environ[_KEY]
