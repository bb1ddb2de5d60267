"""Socket.IO made fit for one kind of traffic: JSON messages to exactly one page.

python-socketio looks for binary parts in every message and starts a task for every send; the bridge has
neither binary messages nor rooms. Both are replaced through its extension points (`serializer`,
`client_manager`); `make bench` shows what that is worth.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import orjson
import socketio
from socketio.packet import EVENT, Packet


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
