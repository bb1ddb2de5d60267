"""What a page sends, in order: reports of calls go to the gateway, everything else to python-engineio.

python-engineio has a task for each page that reads, with a task and a timer more for each message; here one
task reads and handles. Of aiohttp this uses what is documented; `StraightReader` goes past that.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Any, Protocol

from aiohttp import WSMessage, WSMsgType, web

from bridge.browser_protocol import EVENT_RESULT
from bridge.browsers.message_budget import MessageBudget, weight_of
from bridge.browsers.socket_frames import (
    ACK,
    CONNECT,
    DISCONNECT,
    EVENT,
    PAGE_EVENTS,
    Frame,
    UnreadableFrame,
    read_frame,
)
from bridge.browsers.socket_io import message_packet
from bridge.log_lines import OncePerMinute
from bridge.tasks import sleep_safely, yield_to_loop

MAX_BATCH_WEIGHT = 16
"""Messages of one page that are handled in a row, large ones counting more, before other tasks run."""

AUTHENTICATION_S = 15.0
"""Seconds for a socket to authenticate."""

HANDSHAKE_S = 15.0
"""Seconds for the handshake after that."""

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


class PageReader:
    """Reads the messages of one page, as fast as its user's budget allows."""

    __slots__ = (
        "_awaited_acks",
        "_budget",
        "_deadline",
        "_engine",
        "_is_authenticated",
        "_is_reading",
        "_reports",
        "_sid",
        "_sock",
        "_time_limit",
        "heard_at",
    )

    def __init__(self, engine: Any, awaited_acks: dict[int, str]) -> None:
        """As `PageWriter`'s. The page has to authenticate within `AUTHENTICATION_S`."""
        self._engine = engine
        self._awaited_acks = awaited_acks
        self._budget = MessageBudget()
        self._is_authenticated = False
        self._sid = ""
        self._reports: Reports | None = None
        self._is_reading = False
        """Whether the task has handled everything before, and waits."""
        self.heard_at = 0.0
        """Time of the event loop at which the last message arrived."""
        self._deadline: float | None = asyncio.get_running_loop().time() + AUTHENTICATION_S
        """None: the handshake is complete."""
        self._time_limit: asyncio.Timeout | None = None
        """That of the wait for the next message, until then."""

    def begin_reading(self, sock: web.WebSocketResponse) -> None:
        """Read from now on what arrives at `sock`."""
        self._sock = sock

    def mark_authenticated(self, sid: str, budget: MessageBudget, reports: Reports) -> None:
        """Read from now on as the page `sid`; the handshake is due within `HANDSHAKE_S`."""
        self._sid, self._budget, self._reports = sid, budget, reports
        self._is_authenticated = True
        self._deadline = asyncio.get_running_loop().time() + HANDSHAKE_S

    def mark_ready(self) -> None:
        """Lift the time limit: the handshake is complete."""
        self._deadline = None
        # The task is in `receive` already, under the limit that was set when it began to wait.
        if self._time_limit is not None and not self._time_limit.expired():
            self._time_limit.reschedule(None)

    def add_call_allowance(self) -> None:
        """Add to the budget the messages that the page will send about one call."""
        self._budget.earn_messages()

    def charge_budget(self, count: int) -> None:
        """Charge the last message `count` on top of what its length costs."""
        self._budget.spend_messages(count)

    async def read_until_pong(self) -> None:
        """Handle messages up to and with the next pong of Engine.IO.

        Raises:
            OSError: the socket has closed.
            UnreadableFrame: the page sent a frame that no page sends, and is to be cut off.
            TimeoutError: it did not authenticate or complete the handshake in time, and is to be cut off.
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
                return

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
            raise
        finally:
            self._is_reading = False
            self._time_limit = None

    async def _handle(self, message: WSMessage) -> bool:
        """Handle one message; returns whether it is Engine.IO's pong."""
        # aiohttp would answer pings by itself, any number of them before any other task runs.
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

    def _read(self, text: str | bytes) -> Frame | None:
        try:
            frame = read_frame(text)
            # CONNECT comes first and once, so it fits exactly while the page is not authenticated.
            if frame is not None and self._is_authenticated == (frame.packet_type == CONNECT):
                raise UnreadableFrame("a packet out of order")
        except UnreadableFrame as error:
            _log.warning("A socket is closed because it sent a frame that no page sends: %s.", error)
            raise
        return frame

    def _take_report(self, frame: Frame) -> bool:
        """Whether it is a report of a call; then it has been handled, whatever came of that."""
        reports, is_ack = self._reports, frame.packet_type == ACK
        # A result that asks for an ack takes the library's way, which answers it.
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

    async def _pass_on(self, frame: Frame) -> None:
        """Have the library handle what is no report of a call."""
        # Other names are passed over: a newer page may send them, and the library reserves some of them.
        if frame.packet_type != EVENT or frame.content[0] in PAGE_EVENTS:
            await self._engine.receive(message_packet(frame))
        if frame.packet_type == DISCONNECT:
            raise OSError
