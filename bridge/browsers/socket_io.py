"""python-socketio adapted to one kind of traffic: JSON messages to and from exactly one page.

What the library still does is the handshake, the end of a socket, and the events that a page sends once in a
while. It looks for binary parts in every message, starts a task for every send and keeps a room for
each page; the bridge uses neither. What a call needs does not pass through it at all: see `page_socket`.

Only this module and `page_socket` depend on the internals of python-socketio, python-engineio and aiohttp;
`tests/contract/test_library_internals.py` fails when a new version of them has changed those.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from typing import Any

import orjson
import socketio
from engineio import packet as engine
from socketio.packet import Packet

from bridge.browsers.socket_frames import Frame
from bridge.browsers.unread_messages import UnreadMessages


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


class Outbox:
    """What a page is still to be sent, in the place of the library's queue, oldest first.

    A packet stays here until it is written. Tells its page's `UnreadMessages` what is put into it; pings and
    the like are not counted.
    """

    __slots__ = ("_on_packet", "_on_written", "_packets", "unread")

    def __init__(self) -> None:
        self.unread: UnreadMessages | None = None
        self._packets: deque[Any] | None = None  # an empty one is as large as everything else of an idle page
        self._on_packet: Callable[[], None] | None = None
        self._on_written: asyncio.Future[None] | None = None

    @property
    def is_empty(self) -> bool:
        """Whether everything was written."""
        return self._packets is None

    def write_with(self, on_packet: Callable[[], None]) -> None:
        """Call `on_packet` whenever there is something to be written, from now on."""
        self._on_packet = on_packet
        if self._packets is not None:
            on_packet()

    async def put(self, packet: Any) -> None:
        """Add a packet; called by the library."""
        self.add_packet(packet)

    def add_packet(self, packet: Any) -> None:
        """Add a packet."""
        if self._packets is None:
            self._packets = deque()
        self._packets.append(packet)
        if self.unread is not None and packet.packet_type == engine.MESSAGE:
            self.unread.message_queued(packet.data)
        if self._on_packet is not None:
            self._on_packet()

    def first_text(self) -> bytes:
        """Return the text of the oldest packet; there must be one."""
        return b"" if self._packets is None else self._packets[0].encode().encode()

    def drop_first(self) -> None:
        """Forget the oldest packet: it was written, or its socket has ended."""
        if self._packets is None:
            return
        if self._packets.popleft().packet_type == engine.MESSAGE and self.unread is not None:
            self.unread.message_written()
        if not self._packets:
            self._packets = None
            if self._on_written is not None and not self._on_written.done():
                self._on_written.set_result(None)

    def drop_packets(self) -> None:
        """Forget everything: the socket has ended."""
        self._on_packet = None
        while self._packets is not None:
            self.drop_first()

    async def join(self) -> None:
        """Wait until everything was written, or the socket has ended; called by the library."""
        if self._packets is not None:
            self._on_written = self._on_written or asyncio.get_running_loop().create_future()
            await asyncio.shield(self._on_written)


def message_packet(message: str | Frame) -> Any:
    """Return the packet of a message of Socket.IO: its text to be sent, or the frame that has arrived."""
    return engine.Packet(engine.MESSAGE, message)


def ping_packet() -> Any:
    """Return the packet of a ping, which the page answers."""
    return engine.Packet(engine.PING)


def library_log() -> logging.Logger:
    """Return the logger of python-socketio and python-engineio; errors only, unless a level was set.

    Without a logger, they would add a handler of their own that writes to standard error.
    """
    log = logging.getLogger("socketio.server")
    if log.level == logging.NOTSET:
        log.setLevel(logging.ERROR)
    return log


def use_sockets(sio: socketio.AsyncServer, make_socket: Callable[[Any, Any], Any]) -> None:
    """Make a newly created server use `Outbox`, and what `make_socket` gives, for each page.

    `make_socket` is called with the engine's handler of a WebSocket and its server; what it gives is called
    with the `environ` of the request, serves the WebSocket until it ends, and pings the page.
    """
    eio: Any = sio.eio
    greet = eio.handlers["connect"]

    async def handle_connect(eio_sid: str, environ: dict[str, Any]) -> None:
        await greet(eio_sid, environ)
        eio.sockets[eio_sid].last_ping = None  # so the library starts no task that pings

    eio.create_queue = Outbox
    eio.on("connect", handle_connect)
    eio._async = {**eio._async, "websocket": make_socket}
