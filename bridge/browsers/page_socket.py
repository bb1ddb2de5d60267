"""The WebSocket of one page.

python-engineio has four tasks for each page: one that reads, with a task and a timer more for each message,
one that writes what is in a queue, one that pings. Here one task reads, and one writes while something waits.
Of aiohttp this uses what is documented; `StraightPageSocket` goes past that.
"""

from __future__ import annotations

import asyncio
import logging
import time
from contextlib import suppress
from dataclasses import dataclass
from math import ceil
from typing import Any, Protocol

from aiohttp import WSMessage, WSMsgType, web
from engineio import packet as engine
from engineio.async_drivers.aiohttp import WebSocket

from bridge.browser_protocol import EVENT_RESULT
from bridge.browsers.socket_frames import (
    ACK,
    CONNECT,
    DISCONNECT,
    EVENT,
    MESSAGE,
    PAGE_EVENTS,
    Frame,
    UnreadableFrame,
    WholeMessage,
    event_text,
    read_frame,
)
from bridge.browsers.socket_io import Outbox, message_packet, ping_packet
from bridge.browsers.unread_messages import AllUnread, UnreadMessages
from bridge.calls.clock import Alarms
from bridge.http.connections import Connection
from bridge.limits.message_budget import MessageBudget, weight_of
from bridge.log_lines import OncePerMinute, name_user
from bridge.tasks import Tasks, sleep_safely, yield_to_loop

MAX_BATCH_WEIGHT = 16
"""Messages of one page that are handled in a row, large ones counting more, before other tasks run."""

PING_INTERVAL_S = 25
PING_TIMEOUT_S = 20
"""Seconds, Engine.IO's own defaults: a frozen page is noticed after 20 to 45 s (measured in Chromium)."""

PING_STEP_S = 0.1
"""Seconds within which pages are pinged together, so that few alarms ring, and few pages at a time."""

AUTHENTICATION_S = 15.0
"""Seconds for a socket to authenticate."""

HANDSHAKE_S = 15.0
"""Seconds for the handshake after that."""

_KEY = "tool_bridge.page_socket"

_log = logging.getLogger(__name__)
_log.addFilter(OncePerMinute())


class Reports(Protocol):
    """Receives what a page reports of its calls, at once and in order: the gateway. Methods never wait."""

    def take_ack(self, sid: str, call_id: str, arguments: list[Any]) -> None:
        """Handle the acknowledgement of a call that was sent to the page."""
        ...

    def take_result(self, sid: str, payload: Any = None) -> None:
        """Handle `bridge:result`, whatever is in it."""
        ...


class Records(Protocol):
    """Writes what has to be on record of calls before anybody hears of it: the journal of a bridge alone."""

    def write_openings(self) -> None:
        """Write those of calls whose messages are written next.

        Calls that could not be recorded have been withdrawn when this returns (`withdraw_call`).
        """
        ...

    def hold_endings(self) -> None:
        """Gather the endings from now on; `write_endings` must be called before anything else runs."""
        ...

    def write_endings(self) -> None:
        """Write those that were gathered, together, and each further one at once."""
        ...


@dataclass(frozen=True, slots=True)
class SharedBySockets:
    """What the sockets of all pages share."""

    unread: AllUnread
    pings: Alarms
    tasks: Tasks
    records: Records


class PageSocket(WebSocket):
    """A WebSocket whose messages are handled in the one task that waits for them.

    What python-engineio itself still waits for, with its timeout, is everything else: above all the pongs,
    without which a page counts as gone. A frame that no page sends ends the socket, and so does one that does
    not authenticate or complete the handshake in time.
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
        self._budget = MessageBudget()
        self._is_authenticated = False
        self._sid = ""
        self._reports: Reports | None = None
        self._awaited_acks: dict[int, str] = {}
        """Calls that the page has not acknowledged, by the id of the ack."""
        self._last_ack_id = 0
        self._is_reading = False
        """Whether the task has handled everything before, and waits."""
        self.heard_at = 0.0
        """Time of the event loop at which the last message arrived."""
        self._is_writing = False
        """Whether a task writes what waits."""
        self._deadline: float | None = asyncio.get_running_loop().time() + AUTHENTICATION_S
        self._time_limit: asyncio.Timeout | None = None
        """That of the wait for the next message, until the handshake is complete."""

    async def __call__(self, environ: dict[str, Any]) -> Any:
        """Serve the socket until it ends; `page_socket_of` finds it by the same `environ`.

        aiohttp would answer pings by itself, any number of them before any other task runs. However the
        socket ends, the bridge learns of it immediately: if a connection broke while it was being closed,
        python-engineio would remember the socket until the next ping goes unanswered.
        """
        environ[_KEY] = self
        request: web.Request = environ["aiohttp.request"]
        self._line = request.protocol
        engine = self._engine
        engine.queue.unread = self._unread
        try:
            await self._open(request)
            engine.connected = engine.upgraded = True
            engine.queue.write_with(self._write_waiting)
            self._await_ping()
            await self._serve()
            return self._sock
        finally:
            self._shared.pings.cancel_alarm(self)
            self._unread.leave_page()
            await engine.close(wait=False, abort=True, reason=engine.server.reason.TRANSPORT_CLOSE)
            engine.server.sockets.pop(engine.sid, None)
            engine.queue.drop_packets()

    async def _open(self, request: web.Request) -> None:
        """Answer the upgrade."""
        limit = self._engine.server.max_http_buffer_size
        self._sock = web.WebSocketResponse(max_msg_size=limit, autoping=False, compress=False)
        await self._sock.prepare(request)

    async def _serve(self) -> None:
        with suppress(OSError, UnreadableFrame, TimeoutError):
            while True:
                await self.wait()
                self._engine.last_ping = None
                self._await_ping()

    def _await_ping(self) -> None:
        """Ping the page after `PING_INTERVAL_S`."""
        self._shared.pings.set_alarm(self, _together(PING_INTERVAL_S), self._ping)

    def _ping(self) -> None:
        """Ping the page, and cut it off unless it answers within `PING_TIMEOUT_S`: nobody reads there."""
        self._engine.last_ping = time.time()
        self._shared.pings.set_alarm(self, _together(PING_TIMEOUT_S), self.cut_connection)
        self._engine.queue.add_packet(ping_packet())

    def cut_connection(self) -> None:
        """Abort the connection immediately, whether or not the other side has read what was sent."""
        if self._line is not None and self._line.transport is not None:
            self._line.transport.abort()

    def send_event(self, event: str, data: object, *, of_call: str | None = None) -> None:
        """Send an event; `of_call`: the call that it brings, and that the page acknowledges.

        It is written after all that was to be sent before. A socket that has ended is sent nothing.
        """
        ack_id = self._await_ack(of_call)
        if self._may_send(ack_id):
            self._put_event(event_text(event, data, ack_id))

    def _await_ack(self, call_id: str | None) -> int | None:
        """Return the id by which the page acknowledges a call; None: it is none."""
        if call_id is None:
            return None
        self._last_ack_id += 1
        self._awaited_acks[self._last_ack_id] = call_id
        return self._last_ack_id

    def _put_event(self, text: bytes) -> None:
        """Have an event written after all that waits."""
        if not self._engine.closed:
            self._engine.queue.add_packet(message_packet(text[len(MESSAGE) :].decode()))

    def _may_send(self, ack_id: int | None) -> bool:
        """Have what is sent next recorded; returns whether that has not withdrawn it."""
        self._shared.records.write_openings()
        return ack_id is None or ack_id in self._awaited_acks

    def withdraw_call(self, call_id: str) -> bool:
        """Drop a call whose message is not written yet; returns whether it was sent to this page."""
        found = self._acks_of(call_id)
        for ack_id in found:
            del self._awaited_acks[ack_id]
        return bool(found)

    def _acks_of(self, call_id: str) -> list[int]:
        return [ack_id for ack_id, awaited in self._awaited_acks.items() if awaited == call_id]

    def write_past_queue(self, message: WholeMessage) -> None:
        """Write a message, unless the handshake is not complete or something is still to be written.

        What is still to be written tells the page as much as a beat: that the bridge lives.
        """
        transport = None if self._line is None else self._line.transport
        if transport is None or self._deadline is not None or not self._engine.queue.is_empty:
            return
        if not transport.get_write_buffer_size():
            self._put_event(message.text)

    def _write_waiting(self) -> None:
        """Have a task write what waits in the outbox."""
        if not self._is_writing and not self._engine.queue.is_empty and self._is_open():
            self._is_writing = True
            self._shared.tasks.start_task(self._write_rest(), f"what {self._sid or 'a socket'} is sent")

    async def _write_rest(self) -> None:
        """Write whenever the page has read enough of what it was sent, until nothing waits."""
        outbox = self._engine.queue
        try:
            while not outbox.is_empty and self._is_open():
                await self._write_next(outbox)
        except ConnectionError:
            pass  # the connection broke; what waits is dropped with the socket
        finally:
            self._is_writing = False

    async def _write_next(self, outbox: Outbox) -> None:
        """Write some of what waits, as soon as the page has read enough."""
        await self._sock.send_str(outbox.first_text().decode())
        outbox.drop_first()

    def _is_open(self) -> bool:
        transport = None if self._line is None else self._line.transport
        return transport is not None and not transport.is_closing() and not self._sock.closed

    def _drop_unread(self) -> None:
        _log.warning("A page is disconnected because it does not read what it is sent.")
        self.cut_connection()

    def mark_authenticated(self, sid: str, user_id: str, budget: MessageBudget, reports: Reports) -> None:
        """Mark as the page `sid` of a user, whose messages charge `budget` and whose reports go to `reports`.

        The handshake is due within `HANDSHAKE_S`.
        """
        name_user(user_id)
        self._unread.enter_page(user_id)
        if isinstance(self._line, Connection):
            self._line.mark_authenticated()
        self._sid, self._budget, self._reports = sid, budget, reports
        self._is_authenticated = True
        self._deadline = asyncio.get_running_loop().time() + HANDSHAKE_S

    def mark_ready(self) -> None:
        """Lift the time limit: the handshake is complete."""
        self._deadline = None
        if self._time_limit is not None and not self._time_limit.expired():
            self._time_limit.reschedule(None)

    def add_call_allowance(self) -> None:
        """Add to the budget the messages that the page will send about one call."""
        self._budget.earn_messages()

    def charge_budget(self, count: int) -> None:
        """Charge the last message `count` on top of what its length costs."""
        self._budget.spend_messages(count)

    def _take_report(self, frame: Frame) -> bool:
        """Whether it is a report of a call; then it has been handled, whatever came of that."""
        reports, is_ack = self._reports, frame.packet_type == ACK
        is_result = frame.packet_type == EVENT and frame.ack_id is None and frame.content[0] == EVENT_RESULT
        if reports is None or not (is_ack or is_result):
            return False
        try:
            if is_result:
                reports.take_result(self._sid, *frame.content[1:])
            elif (call_id := self._awaited_acks.pop(frame.ack_id or 0, None)) is not None:
                reports.take_ack(self._sid, call_id, frame.content)
        except Exception:
            _log.exception("A page's report of a call could not be handled.")
        return True

    async def wait(self) -> str:
        """Handle messages until the next pong, and return that.

        Raises:
            OSError: the socket has closed; the exception that the library expects.
            UnreadableFrame: the page sent a frame that no page sends, and was cut off.
            TimeoutError: it did not authenticate or complete the handshake in time, and was cut off.
        """
        handled = 0
        while True:
            message = await self._next()
            self.heard_at = asyncio.get_running_loop().time()
            is_pong = await self._handle(message)
            weight = weight_of(message.data)
            handled += weight
            if (wait_s := self._budget.spend_messages(weight)) > 0:
                _log.warning("A page sends more messages than its calls need; they are read more slowly.")
                await sleep_safely(wait_s)
            elif handled >= MAX_BATCH_WEIGHT:  # reading messages that are already here never waits
                handled = 0
                await yield_to_loop()
            if is_pong:
                return message.data

    async def _handle(self, message: WSMessage) -> bool:
        """Handle one message; returns whether it is Engine.IO's pong, for which the library waits."""
        if message.type is WSMsgType.PING:
            await self._sock.pong(message.data)
        if message.type in (WSMsgType.PING, WSMsgType.PONG):
            return False
        if message.type not in (WSMsgType.TEXT, WSMsgType.BINARY):
            raise OSError
        frame = self._read(message.data)
        if frame is not None and not self._take_report(frame):
            await self._pass_on(frame)
        return frame is None

    async def _pass_on(self, frame: Frame) -> None:
        """Have the library handle what is no report of a call."""
        if frame.packet_type != EVENT or frame.content[0] in PAGE_EVENTS:
            await self._engine.receive(engine.Packet(engine.MESSAGE, frame))
        if frame.packet_type == DISCONNECT:
            raise OSError

    async def _next(self) -> WSMessage:
        self._is_reading = True
        try:
            if self._deadline is None:
                return await self._sock.receive()
            async with asyncio.timeout_at(self._deadline) as self._time_limit:
                if not self._is_authenticated and asyncio.get_running_loop().time() >= self._deadline:
                    raise TimeoutError  # messages already received are returned without a wait that could end
                return await self._sock.receive()
        except TimeoutError:
            missing = "complete the handshake" if self._is_authenticated else "authenticate"
            _log.warning("A socket is closed because it did not %s in time.", missing)
            self.cut_connection()
            raise
        finally:
            self._is_reading = False
            self._time_limit = None

    def _read(self, text: str | bytes) -> Frame | None:
        try:
            frame = read_frame(text)
            if frame is not None and self._is_authenticated == (frame.packet_type == CONNECT):
                raise UnreadableFrame("a packet out of order")
        except UnreadableFrame as error:
            _log.warning("A socket is closed because it sent a frame that no page sends: %s.", error)
            self.cut_connection()
            raise
        return frame


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
