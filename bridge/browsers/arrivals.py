"""Messages on their way from aiohttp's parser of WebSocket frames to the task that waits for them.

aiohttp puts each into a queue and wakes the task, which takes two turns of the event loop and a future for
every message. Here a message is offered to its page first.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol, cast

from aiohttp import WSCloseCode, WSMessage, WSMsgType, web
from aiohttp._websocket.reader import WebSocketDataQueue
from aiohttp.http import WebSocketReader, WebSocketWriter, WSMessageTextBytes

READ_AHEAD_BYTES = 2**18
"""Bytes of messages that are not handled yet, twice which stops the reading: as aiohttp has it."""


class Arrivals(WebSocketDataQueue):
    """aiohttp's queue of messages. One that the page takes never enters it, and none overtakes another."""

    __slots__ = ("_take",)

    def __init__(self, protocol: web.RequestHandler, take: Callable[[str], bool]) -> None:
        """`take` handles a text at once, or returns False; it is not offered one while others wait here."""
        super().__init__(protocol, READ_AHEAD_BYTES, loop=asyncio.get_running_loop())
        self._take = take

    def offer_message(self, data: WSMessage | WSMessageTextBytes, size: int) -> None:
        """Hand a message over at once, or queue it. What it raises would end the socket."""
        if data[0] is WSMsgType.TEXT and not self._buffer and self._take(data[1]):
            return
        super().feed_data(data, size)

    feed_data = offer_message
    """Its name in aiohttp, which calls it for each message."""


class ArrivalHandler(Protocol):
    """Handles what arrives, within the callback in which it does: the page's reader. Methods never wait."""

    def begin_arrivals(self) -> None:
        """Note that bytes have arrived; `take_arrived` is called with the texts in them."""
        ...

    def take_arrived(self, text: str) -> bool:
        """Handle a text at once, or return False: see `Arrivals`."""
        ...

    def end_arrivals(self) -> None:
        """Note that all texts in those bytes were offered."""
        ...


class _Parser:
    """A parser of frames as aiohttp's protocol calls it; tells when everything of a read was offered."""

    __slots__ = ("_handler", "_parser")

    def __init__(self, parser: WebSocketReader, handler: ArrivalHandler) -> None:
        self._parser = parser
        self._handler = handler

    def parse_frames(self, data: bytes) -> tuple[bool, bytes]:
        try:
            return self._parser.feed_data(data)
        finally:
            self._handler.end_arrivals()

    feed_data = parse_frames
    """Its name in aiohttp."""

    def feed_eof(self) -> None:
        self._parser.feed_eof()


class PageWebSocket(web.WebSocketResponse):
    """aiohttp's side of a page's WebSocket, whose messages come by `Arrivals`."""

    def __init__(
        self, max_msg_size: int, handler: ArrivalHandler, write_gathered: Callable[[], None]
    ) -> None:
        """`write_gathered` writes what was gathered to be written together."""
        super().__init__(max_msg_size=max_msg_size, autoping=False, compress=False)
        self._handler = handler
        self._write_gathered = write_gathered

    async def close(self, *, code: int = WSCloseCode.OK, message: bytes = b"", drain: bool = True) -> bool:
        """As aiohttp's: nothing may follow the frame that this writes."""
        self._write_gathered()
        return await super().close(code=code, message=message, drain=drain)

    def _post_start(self, request: web.BaseRequest, protocol: str | None, writer: WebSocketWriter) -> None:
        """As aiohttp's, without subprotocols, heartbeats and compression."""
        self._ws_protocol, self._writer = protocol, writer
        handler = self._handler
        self._reader = Arrivals(request.protocol, handler.take_arrived)
        parser = WebSocketReader(self._reader, self._max_msg_size, compress=False, decode_text=True)
        watched = cast(WebSocketReader, _Parser(parser, handler))
        request.protocol.set_parser(watched, data_received_cb=handler.begin_arrivals)
        request.protocol.keep_alive(False)
