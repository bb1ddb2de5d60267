"""python-socketio adapted to one kind of traffic: JSON messages to and from exactly one page.

What the library still does is the handshake, the pings, the end of a socket, and the events that a page sends
once in a while. It looks for binary parts in every message, starts a task for every send and keeps a room for
each page; the bridge uses neither. What a call needs does not pass through it at all: see `page_socket`.

Only this module and `page_socket` depend on the internals of python-socketio, python-engineio and aiohttp;
`tests/contract/test_library_internals.py` fails when a new version of them has changed those.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any

import orjson
import socketio
from engineio import packet as engine
from socketio.packet import Packet

from bridge.browsers.socket_frames import Frame
from bridge.browsers.unread_messages import UnreadMessages

MAX_WRITTEN_CHARS = 256 * 1024
"""Characters of messages that are taken for writing at once; the library keeps them until all are written."""


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

    def put_text(self, text: str) -> None:
        """Add a message of Socket.IO."""
        self.put_nowait(engine.Packet(engine.MESSAGE, text))


def _message_text(packet: Any) -> str | None:
    return packet.data if packet is not None and packet.packet_type == engine.MESSAGE else None


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
    with the `environ` of the request, and serves the WebSocket until it ends.
    """
    eio: Any = sio.eio
    eio.create_queue = Outbox
    eio._async = {**eio._async, "websocket": make_socket}
