"""Reader of a stream of server-sent events: bytes in, as the network cut them; the JSON of each event out.

Follows the event stream format of the WHATWG (HTML, 9.2.6), of which providers use `data` alone: names and
ids of events are dropped, as are events without data. Pure; knows no protocol.
"""

from __future__ import annotations

import json
import re
from typing import cast

import msgspec

from toolserver.json_types import JsonValue

MAX_EVENT_BYTES = 64 * 1024 * 1024
"""Maximum bytes of one event: a generated image is one, and a line without an end would fill the memory."""

_DATA = re.compile(rb"^data(?:: ?(.*))?$", re.MULTILINE)
_END_OF_EVENT = b"\n\n"
_DECODER = msgspec.json.Decoder()


class EventDecoder:
    """Decodes one stream. Bytes are copied once or twice, however many pieces an event comes in."""

    __slots__ = ("_last", "_pieces", "_size", "_skips_line_feed")

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        """Of the event that has not ended."""
        self._size = 0
        self._last = b""
        self._skips_line_feed = False

    def read_bytes(self, piece: bytes) -> list[bytes]:
        """Return the data of the events that end in these bytes, as JSON text.

        Raises:
            ValueError: an event is too large.
        """
        if self._skips_line_feed or b"\r" in piece:
            piece = self._with_line_feeds(piece)
        if _END_OF_EVENT not in self._last + piece:
            self._keep(piece)
            return []
        if self._pieces:
            piece = b"".join((*self._pieces, piece))
            self._pieces, self._size = [], 0
        whole, _, rest = piece.rpartition(_END_OF_EVENT)
        self._last = b""
        self._keep(rest)
        return [data for event in whole.split(_END_OF_EVENT) if (data := _read_event(event))]

    def _keep(self, piece: bytes) -> None:
        if piece:
            self._pieces.append(piece)
            self._size += len(piece)
            self._last = piece[-1:]
        if self._size > MAX_EVENT_BYTES:
            raise ValueError(f"an event of more than {MAX_EVENT_BYTES:,} bytes.")

    def _with_line_feeds(self, piece: bytes) -> bytes:
        """Return the bytes with every end of a line as one line feed; CR and LF may come apart."""
        if self._skips_line_feed and piece.startswith(b"\n"):
            piece = piece[1:]
        self._skips_line_feed = piece.endswith(b"\r")
        return piece.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def _read_event(event: bytes) -> bytes:
    if event.startswith(b"data: ") and b"\n" not in event:
        return event[6:]
    return b"\n".join(_DATA.findall(event))


def load_event(data: bytes) -> JsonValue:
    """Return the value of an event's data: integers of any size and halves of characters stay as they are.

    Raises:
        ValueError, RecursionError: it is not text, not JSON, or nested too deeply.
    """
    try:
        return _DECODER.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError):  # of halves of characters, too, which Python reads
        return cast(JsonValue, json.loads(data.decode()))
