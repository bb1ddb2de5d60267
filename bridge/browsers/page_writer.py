"""What a page is sent, in order: events of the bridge, and what python-engineio has for it.

python-engineio has a task for each page that writes what is in a queue; here one writes while something
waits. Of aiohttp this uses what is documented; `StraightWriter` goes past that.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from aiohttp import web

from bridge.browsers.socket_frames import MESSAGE, WholeMessage, event_text
from bridge.browsers.socket_io import Outbox, message_packet
from bridge.tasks import Tasks


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


class PageWriter:
    """Writes to one page. Methods never wait."""

    __slots__ = (
        "_awaited_acks",
        "_drain",
        "_engine",
        "_is_writing",
        "_last_ack_id",
        "_line",
        "_records",
        "_sock",
        "_tasks",
        "is_ready",
    )

    def __init__(self, engine: Any, awaited_acks: dict[int, str], records: Records, tasks: Tasks) -> None:
        """`engine`: the library's socket, whose queue is an `Outbox`.

        `awaited_acks`: the calls that the page has not acknowledged, by the id of the ack; the page's reader
        takes out what is acknowledged.
        """
        self._engine = engine
        self._awaited_acks = awaited_acks
        self._records = records
        self._tasks = tasks
        self._last_ack_id = 0
        self._line: web.RequestHandler | None = None
        self._is_writing = False
        """Whether a task writes what waits."""
        self.is_ready = False
        """Whether the handshake is complete."""

    def begin_writing(
        self, sock: web.WebSocketResponse, line: web.RequestHandler, drain: Callable[[], Awaitable[None]]
    ) -> None:
        """Write from now on to `sock`, on its `line`; `drain` waits until the page has read most of it."""
        self._sock, self._line, self._drain = sock, line, drain
        self._engine.queue.write_with(self._write_waiting)

    def send_event(self, event: str, data: object, *, of_call: str | None = None) -> None:
        """Send an event; `of_call`: the call that it brings, and that the page acknowledges.

        It is written after all that was to be sent before. A socket that has ended is sent nothing.
        """
        ack_id = self._await_ack(of_call)
        # The call is awaited before it is recorded: a failing record withdraws it from what is awaited.
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
        self._records.write_openings()
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
        if transport is None or not self.is_ready or not self._engine.queue.is_empty:
            return
        if not transport.get_write_buffer_size():
            self._put_event(message.text)

    def _write_waiting(self) -> None:
        """Have a task write what waits in the outbox."""
        if not self._is_writing and not self._engine.queue.is_empty and self._is_open():
            self._is_writing = True
            self._tasks.start_task(self._write_rest(), f"what {self._engine.sid} is sent")

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
        # Forgotten only once it is written: until then it counts as unread, and nothing may overtake it.
        await self._sock.send_str(outbox.first_text().decode())
        outbox.drop_first()

    def _is_open(self) -> bool:
        transport = None if self._line is None else self._line.transport
        return transport is not None and not transport.is_closing() and not self._sock.closed
