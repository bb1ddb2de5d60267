"""Socket.IO made fit for one kind of traffic: JSON messages to exactly one page.

python-socketio looks for binary parts in every message and starts a task for every send; the bridge has
neither binary messages nor rooms. Both are replaced through its extension points (`serializer`,
`client_manager`). python-engineio starts a task and a timer for every message that it receives; that is
replaced in `PageSocket`. `make bench` shows what it is worth.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import orjson
import socketio
from engineio import packet as engine
from engineio.async_drivers.aiohttp import WebSocket
from socketio.packet import EVENT, Packet

from bridge.edges.tasks import breathe

_MESSAGE = str(engine.MESSAGE)

BREATH = 16
"""Messages of one page in a row before everybody else has a turn."""


class WireJson:
    """orjson in the shape python-socketio wants (`dumps` to str)."""

    @staticmethod
    def dumps(value: Any, **_options: Any) -> str:
        """Compact JSON text."""
        return orjson.dumps(value).decode()

    @staticmethod
    def loads(text: str | bytes, **_options: Any) -> Any:
        """Parse; raises ValueError."""
        return orjson.loads(text)


class JsonPacket(Packet):
    """A packet that is text; a binary one from a peer is refused by the server."""

    uses_binary_events = False


class OnePageSender(socketio.AsyncManager):
    """Sends to one page, in the caller's own task."""

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
        """Send to the page `to`; nothing happens when it is gone."""
        sid = to or room
        if sid is None or (eio_sid := self.eio_sid_from_sid(sid, namespace)) is None:
            return
        ack_id = self._generate_ack_id(sid, callback) if callback else None
        packet = self.server.packet_class(EVENT, namespace=namespace, data=[event, data], id=ack_id)
        await self.server._send_packet(eio_sid, packet)


class PageSocket(WebSocket):
    """A WebSocket whose messages are handled as they come, in the one task that waits for them.

    What python-engineio waits for, with its timeout, is then everything else: above all the pongs, without
    which a page counts as gone.
    """

    async def wait(self) -> str | bytes:
        """The next packet that is no message. Raises, as the library wants it, once the socket has closed."""
        socket = cast(Any, self.handler).__self__
        handled = 0
        while _is_message(data := await super().wait()):
            await socket.receive(engine.Packet(encoded_packet=data))
            handled += 1
            if handled % BREATH == 0:  # what has arrived together is read without letting others run
                await breathe()
        return data


def _is_message(data: str | bytes) -> bool:
    return isinstance(data, str) and data.startswith(_MESSAGE)


def use_page_sockets(sio: socketio.AsyncServer) -> None:
    """Have a server that was just made use `PageSocket`."""
    eio: Any = sio.eio
    eio._async = {**eio._async, "websocket": PageSocket}
