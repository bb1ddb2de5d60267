"""Socket.IO adapted to one kind of traffic: JSON messages to exactly one page.

python-socketio looks for binary parts in every message and starts a task for every send; the bridge uses
neither binary messages nor Socket.IO rooms. Both are replaced through its extension points (`serializer`,
`client_manager`). python-engineio starts a task and a timer for every message that it receives; that is
replaced in `PageSocket`. `make bench` shows what this saves.

For `PageSocket` there is no extension point. Only this module depends on the libraries' internals
(`use_page_sockets`, and what `PageSocket` calls of the engine's socket);
`tests/contract/test_library_internals.py` fails when a new version of them has changed those.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from functools import partial
from itertools import count
from typing import Any

import orjson
import socketio
from aiohttp import WSMessage, WSMsgType, web
from engineio import packet as engine
from engineio.async_drivers.aiohttp import WebSocket
from socketio.packet import Packet

from bridge.browsers.socket_frames import (
    CONNECT,
    DISCONNECT,
    EVENT,
    MESSAGE,
    PAGE_EVENTS,
    Frame,
    UnreadableFrame,
    read_frame,
)
from bridge.browsers.unread_messages import AllUnread, UnreadMessages
from bridge.http.connections import mark_authenticated
from bridge.limits.message_budget import MessageBudget, weight_of
from bridge.log_lines import OncePerMinute
from bridge.tasks import sleep_safely, yield_to_loop

MAX_BATCH_WEIGHT = 16
"""Messages of one page that are handled in a row, large ones counting more, before other tasks run."""

AUTHENTICATION_S = 15.0
"""Seconds for a socket to authenticate."""

HANDSHAKE_S = 15.0
"""Seconds for the handshake after that."""

MAX_WRITTEN_CHARS = 256 * 1024
"""Characters of messages that are taken for writing at once; the library keeps them until all are written."""

_KEY = "tool_bridge.page_socket"

_log = logging.getLogger(__name__)
_log.addFilter(OncePerMinute())


class WireJson:
    """orjson behind the interface that python-socketio expects (`dumps` returns str)."""

    @staticmethod
    def dumps(value: Any, **_options: Any) -> str:
        """Compact JSON text."""
        return orjson.dumps(value).decode()

    @staticmethod
    def loads(text: str | bytes, **_options: Any) -> Any:
        """Parse JSON text; raises ValueError."""
        return orjson.loads(text)


class JsonPacket(Packet):
    """A text packet that has already been decoded to a `Frame`."""

    uses_binary_events = False

    def decode(self, encoded_packet: Frame) -> int:
        """Copy the decoded frame; returns 0, because no binary parts follow."""
        self.packet_type, self.id, self.data = encoded_packet
        self.namespace = None
        return 0


class OnePageSender(socketio.AsyncManager):
    """Sends to one page, in the caller's own task."""

    def __init__(self) -> None:
        super().__init__()
        self._ack_ids = count(1)

    async def emit(  # noqa: PLR0917 - the signature is AsyncManager's
        self,
        event: str,
        data: Any,
        namespace: str,
        room: str | None = None,
        skip_sid: object = None,
        callback: Callable[..., Any] | None = None,
        to: str | None = None,
        **_options: Any,
    ) -> None:
        """Send to the page `to`; does nothing when the page is gone."""
        sid = to or room
        if sid is None or (eio_sid := self.eio_sid_from_sid(sid, namespace)) is None:
            return
        ack_id = None
        if callback is not None:
            ack_id = next(self._ack_ids)
            self.callbacks.setdefault(sid, {})[ack_id] = callback
        packet = self.server.packet_class(EVENT, namespace=namespace, data=[event, data], id=ack_id)
        await self.server.eio.send(eio_sid, packet.encode())


class Outbox(asyncio.Queue[Any]):
    """The packets that a page is to be sent, in the place of the library's own queue.

    Tells its page's `UnreadMessages` what is put into it; pings and the like are not counted.
    """

    def __init__(self) -> None:
        super().__init__()
        self.unread: UnreadMessages | None = None
        self._taken_chars = 0

    async def get(self) -> Any:
        """Return the next packet; begins a batch."""
        self._taken_chars = 0
        return await super().get()

    def get_nowait(self) -> Any:
        """Return the next packet of the batch.

        Raises:
            asyncio.QueueEmpty: there is none, or the batch is large enough.
        """
        if self._taken_chars >= MAX_WRITTEN_CHARS:
            raise asyncio.QueueEmpty
        packet = super().get_nowait()
        if (text := _message_text(packet)) is not None:
            self._taken_chars += len(text)
        return packet

    def drop_packets(self) -> None:
        """Forget what was not taken: the socket has ended. The library refers to it until its next ping."""
        self._taken_chars = 0
        while not self.empty():
            super().get_nowait()
            self.task_done()

    def put_nowait(self, item: Any) -> None:
        """Add a packet; None ends the socket."""
        super().put_nowait(item)
        if self.unread is not None and (text := _message_text(item)) is not None:
            self.unread.message_queued(text)


def _message_text(packet: Any) -> str | None:
    return packet.data if packet is not None and packet.packet_type == engine.MESSAGE else None


class PageSocket(WebSocket):
    """A WebSocket whose messages are handled as they arrive, in the one task that waits for them.

    What python-engineio itself still waits for, with its timeout, is everything else: above all the pongs,
    without which a page counts as gone. A frame that no page sends ends the socket, and so does one that does
    not authenticate or complete the handshake in time.
    """

    def __init__(self, handler: Any, server: Any, *, all_unread: AllUnread) -> None:
        """Called by the library, on the running loop, when it answers a WebSocket upgrade."""
        super().__init__(handler, server)
        self._engine: Any = handler.__self__
        self._unread = UnreadMessages(all_unread, self._drop_unread)
        self._request: web.Request | None = None
        self._budget = MessageBudget()
        self._is_authenticated = False
        self.heard_at = 0.0
        """Time of the event loop at which the last message arrived."""
        self._deadline: float | None = asyncio.get_running_loop().time() + AUTHENTICATION_S

    async def __call__(self, environ: dict[str, Any]) -> Any:
        """Serve the socket until it ends; `page_socket_of` finds it by the same `environ`.

        aiohttp would answer pings by itself, any number of them before any other task runs. However the
        socket ends, the bridge learns of it immediately: if a connection broke while it was being closed,
        python-engineio would remember the socket until the next ping goes unanswered.
        """
        environ[_KEY] = self
        request: web.Request = environ["aiohttp.request"]
        self.environ, self._request = environ, request
        self._engine.queue.unread = self._unread
        limit: int = self._engine.server.max_http_buffer_size
        self._sock = web.WebSocketResponse(max_msg_size=limit, autoping=False, compress=False)
        try:
            await self._sock.prepare(request)
            await self.handler(self)
            return self._sock
        finally:
            self._unread.leave_page()
            server = self._engine.server
            await self._engine.close(wait=False, abort=True, reason=server.reason.TRANSPORT_CLOSE)
            server.sockets.pop(self._engine.sid, None)
            self._engine.queue.drop_packets()

    def cut_connection(self) -> None:
        """Abort the connection immediately, whether or not the other side has read what was sent."""
        if self._request is not None and self._request.transport is not None:
            self._request.transport.abort()

    def write_past_queue(self, frame: bytes) -> None:
        """Write a WebSocket frame, unless the handshake is not complete or something is still to be written.

        What is still to be written tells the page as much as a beat: that the bridge lives.
        """
        transport = None if self._request is None else self._request.transport
        if transport is None or transport.is_closing() or self._deadline is not None or self._sock.closed:
            return
        if self._engine.queue.empty() and not transport.get_write_buffer_size():
            transport.write(frame)

    def _drop_unread(self) -> None:
        _log.warning("A page is disconnected because it does not read what it is sent.")
        self.cut_connection()

    async def send(self, message: str) -> None:
        """Write a packet; called by the library for one after the other."""
        await self._sock.send_str(message)
        if message.startswith(MESSAGE):
            self._unread.message_written()

    def mark_authenticated(self, user_id: str, budget: MessageBudget) -> None:
        """Mark as a user's page whose messages charge `budget`; the handshake is due within `HANDSHAKE_S`."""
        self._unread.enter_page(user_id)
        if self._request is not None:
            mark_authenticated(self._request)
        self._budget, self._is_authenticated = budget, True
        self._deadline = asyncio.get_running_loop().time() + HANDSHAKE_S

    def mark_ready(self) -> None:
        """Lift the time limit: the handshake is complete."""
        self._deadline = None

    def add_call_allowance(self) -> None:
        """Add to the budget the messages that the page will send about one call."""
        self._budget.earn_messages()

    def charge_budget(self, count: int) -> None:
        """Charge the last message `count` on top of what its length costs."""
        self._budget.spend_messages(count)

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
        if frame is not None:
            await self._pass_on(frame)
        return frame is None

    async def _pass_on(self, frame: Frame) -> None:
        if frame.packet_type != EVENT or frame.content[0] in PAGE_EVENTS:
            await self._engine.receive(engine.Packet(engine.MESSAGE, frame))
        if frame.packet_type == DISCONNECT:
            raise OSError

    async def _next(self) -> WSMessage:
        if self._deadline is None:
            return await self._sock.receive()
        try:
            async with asyncio.timeout_at(self._deadline):
                if not self._is_authenticated and asyncio.get_running_loop().time() >= self._deadline:
                    raise TimeoutError  # messages already received are returned without a wait that could end
                return await self._sock.receive()
        except TimeoutError:
            missing = "complete the handshake" if self._is_authenticated else "authenticate"
            _log.warning("A socket is closed because it did not %s in time.", missing)
            self.cut_connection()
            raise

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


def page_socket_of(environ: dict[str, Any]) -> PageSocket:
    """Return the socket that python-socketio reports as connecting."""
    return environ[_KEY]


def library_log() -> logging.Logger:
    """Return the logger of python-socketio and python-engineio; errors only, unless a level was set.

    Without a logger, they would add a handler of their own that writes to standard error.
    """
    log = logging.getLogger("socketio.server")
    if log.level == logging.NOTSET:
        log.setLevel(logging.ERROR)
    return log


def use_page_sockets(sio: socketio.AsyncServer, all_unread: AllUnread) -> None:
    """Make a newly created server use `PageSocket` and `Outbox`."""
    eio: Any = sio.eio
    eio.create_queue = Outbox
    eio._async = {**eio._async, "websocket": partial(PageSocket, all_unread=all_unread)}
