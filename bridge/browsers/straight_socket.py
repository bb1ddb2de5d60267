"""The straight path through a page's WebSocket: what calls need goes past the queues of the libraries.

An event is written to the transport in the turn of the event loop in which it is made, unless something else
has to be written first; acks and results of calls are handled where they arrive, unless something that came
before them still waits. ADR 31 has the reasons, ADR 47 when a bridge does without.
"""

from __future__ import annotations

import asyncio
from typing import Any

from aiohttp import web

from bridge.browser_protocol import EVENT_RESULT
from bridge.browsers.arrivals import PageWebSocket
from bridge.browsers.message_budget import weight_of
from bridge.browsers.page_reader import PageReader
from bridge.browsers.page_socket import PageSocket
from bridge.browsers.page_writer import PageWriter, Records
from bridge.browsers.socket_frames import (
    ACK,
    EVENT,
    MESSAGE,
    UnreadableFrame,
    WholeMessage,
    event_text,
    frame_head,
    read_frame,
)
from bridge.browsers.socket_io import Outbox
from bridge.tasks import Tasks

MAX_ARRIVED_WEIGHT = 64
"""Reports of calls of one page that are handled in a row where they arrive, large ones counting more: about a
millisecond."""

ARRIVED_BYTES = 4 * 1024
"""Bytes that count as one of those: of as much as aiohttp can read at once, the end is left to the task, and
then all that comes after it."""

JOINED_BYTES = 16 * 1024
"""Bytes up to which a message is copied behind the head of its frame; beyond, two writes are cheaper."""

GATHERED_BYTES, MAX_GATHERED = 4 * 1024, 16
"""Bytes of an event that may wait for others of the same turn of the event loop, and how many may: what their
page has read of it is known only when they are written."""

_OF_CALLS = (f"{MESSAGE}{ACK}", f'{MESSAGE}{EVENT}["{EVENT_RESULT}"')
"""How the reports of calls begin that need no answer."""


class StraightWriter(PageWriter):
    """Writes an event to the transport where it is sent, unless something else has to be written first."""

    __slots__ = ("_gathered",)

    def __init__(self, engine: Any, awaited_acks: dict[int, str], records: Records, tasks: Tasks) -> None:
        super().__init__(engine, awaited_acks, records, tasks)
        self._gathered: dict[object, bytes] | None = None
        """Frames that are written at the end of this turn of the event loop, by the ids of their acks; None:
        there are none."""

    def send_event(self, event: str, data: object, *, of_call: str | None = None) -> None:
        """As `PageWriter`'s, in this turn of the event loop, with the other events of that.

        It waits if something else has to be written first or the page reads slowly.
        """
        ack_id = self._await_ack(of_call)
        text = event_text(event, data, ack_id)
        may_write = self.is_ready and self._engine.queue.is_empty and self._may_write()
        # A call that is alone is not gathered: a turn of the event loop would cost it more than a write.
        if may_write and len(text) <= GATHERED_BYTES and len(self._awaited_acks) != 1:
            self._gather(ack_id, text)  # recorded when it is written
        elif not self._may_send(ack_id):
            pass  # withdrawn: it could not be recorded
        elif may_write:
            self._write(text)
        else:
            self._put_event(text)

    def withdraw_call(self, call_id: str) -> bool:
        """See `PageWriter`."""
        if self._gathered is not None:
            for ack_id in self._acks_of(call_id):
                self._gathered.pop(ack_id, None)
        return super().withdraw_call(call_id)

    def write_past_queue(self, message: WholeMessage) -> None:
        """See `PageWriter`."""
        if self._line is None or not self.is_ready or not self._engine.queue.is_empty:
            return
        transport = self._line.transport
        if transport is None or not self._may_write() or self._gathered is not None:
            return
        if not transport.get_write_buffer_size():
            transport.write(message.frame)

    def _may_write(self) -> bool:
        """Whether the connection takes something now."""
        return self._line is not None and not self._line.writing_paused and self._is_open()

    def _gather(self, ack_id: int | None, text: bytes) -> None:
        """Write a message together with the others of this turn: each write is a system call."""
        if self._gathered is None:
            self._gathered = {}
            asyncio.get_running_loop().call_soon(self.write_gathered)
        self._gathered[ack_id or object()] = frame_head(len(text)) + text
        if len(self._gathered) >= MAX_GATHERED:
            self.write_gathered()

    def write_gathered(self) -> None:
        """Have recorded and write what was gathered, unless the socket has ended meanwhile."""
        # First recorded, then taken: what cannot be recorded is withdrawn from what was gathered.
        if self._gathered is not None:
            self._records.write_openings()
        gathered, self._gathered = self._gathered, None
        if gathered is None or self._line is None or not self._is_open():
            return
        if (transport := self._line.transport) is not None:
            transport.write(b"".join(gathered.values()))

    def _write(self, text: bytes) -> None:
        self.write_gathered()  # it was sent before
        if self._line is None or (transport := self._line.transport) is None:
            return
        if len(text) <= JOINED_BYTES:
            transport.write(frame_head(len(text)) + text)
        else:
            transport.write(frame_head(len(text)))
            transport.write(text)

    def _write_waiting(self) -> None:
        """Write what waits in the outbox, as far as the connection takes it; a task writes the rest."""
        if not self._is_writing:
            self._write_some(self._engine.queue)
            super()._write_waiting()

    async def _write_next(self, outbox: Outbox) -> None:
        await self._drain()
        self._write_some(outbox)

    def _write_some(self, outbox: Outbox) -> None:
        while not outbox.is_empty and self._may_write():
            self._write(outbox.first_text())
            outbox.drop_first()


class StraightReader(PageReader):
    """Handles reports of calls within the callback in which they arrive; the task reads the rest."""

    __slots__ = ("_is_holding", "_records", "_taken")

    def __init__(self, engine: Any, awaited_acks: dict[int, str], records: Records) -> None:
        super().__init__(engine, awaited_acks)
        self._records = records
        self._taken = 0
        """Weight of what was handled of the bytes that are arriving."""
        self._is_holding = False
        """Whether endings that they report are gathered."""

    def begin_arrivals(self) -> None:
        """Note that bytes have arrived; `take_arrived` is called with the messages in them."""
        self._taken = 0
        self.heard_at = asyncio.get_running_loop().time()

    def end_arrivals(self) -> None:
        """Have the endings written that these bytes reported."""
        if self._is_holding:
            self._is_holding = False
            self._records.write_endings()

    def take_arrived(self, text: str) -> bool:
        """Handle a report of a call where it arrives; False: it is for the task that waits.

        That is so while something which came before is being handled, after `MAX_ARRIVED_WEIGHT` of the same
        bytes, and for what no call has paid for: then the reading may have to pause.
        """
        weight = 1 + len(text) // ARRIVED_BYTES
        if not self._is_reading or self._deadline is not None or self._taken + weight > MAX_ARRIVED_WEIGHT:
            return False
        if not text.startswith(_OF_CALLS) or not self._budget.spend_allowance(weight_of(text)):
            return False
        try:
            frame = read_frame(text)
        except UnreadableFrame:
            return False  # the task reads it again, and ends the socket
        self._taken += weight
        # Results of one read are written to the database together; an ack writes nothing.
        if frame is not None and frame.packet_type == EVENT and not self._is_holding:
            self._is_holding = True
            self._records.hold_endings()
        return frame is not None and self._take_report(frame)


class StraightPageSocket(PageSocket):
    """A page's WebSocket whose messages are handled as they arrive, or else in the task that waits."""

    def _make_parts(
        self, awaited_acks: dict[int, str]
    ) -> tuple[web.WebSocketResponse, PageReader, PageWriter]:
        reader = StraightReader(self._engine, awaited_acks, self._shared.records)
        writer = StraightWriter(self._engine, awaited_acks, self._shared.records, self._shared.tasks)
        limit = self._engine.server.max_http_buffer_size
        return PageWebSocket(limit, reader, writer.write_gathered), reader, writer
