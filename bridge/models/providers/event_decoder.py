"""Reader of a stream of server-sent events: bytes in, as the network cut them; the JSON of each event out.

Follows the event stream format of the WHATWG (HTML, 9.2.6), of which providers use `data` alone: names and
ids of events are dropped, as are events without data. It differs in three things:

- An answer that begins as JSON, whatever its type says, is one event that ends with the stream.
- An event that ends with the stream counts, unless it is cut off.
- Data of an event named `error` has the member `error`, for its name may be all that says so.

Pure; knows no protocol.
"""

from __future__ import annotations

import re

import msgspec

from toolserver.json_types import JsonValue, dump_json, load_json

MAX_EVENT_BYTES = 64 * 1024 * 1024
"""Maximum bytes of one event: a generated image is one, and a line without an end would fill the memory."""

MAX_ANSWER_BYTES = 128 * 1024 * 1024
"""Maximum bytes of one answer. Chosen: 128,000 tokens in events of their own have about 40 MB."""

_DATA = re.compile(rb"^data(?:: ?(.*))?$", re.MULTILINE)
_NAMED_ERROR = re.compile(rb"^event: ?error *$", re.MULTILINE)
_END_OF_EVENT = b"\n\n"
END_OF_STREAM = b"[DONE]"
"""Data of the event after which nothing follows."""

_BEFORE = b"\xef\xbb\xbf \t\r\n"
"""Bytes that may precede an answer: those of a byte order mark, and white space."""

_DECODER = msgspec.json.Decoder()


class EventDecoder:
    """Decodes one stream. Bytes are copied once or twice, however many pieces an event comes in."""

    __slots__ = ("_has_begun", "_last", "_pieces", "_read", "_size", "_skips_line_feed", "is_json")

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        """Of the event that has not ended."""
        self._size = 0
        self._read = 0
        """Bytes of the answer so far."""
        self._last = b""
        self._skips_line_feed = False
        self._has_begun = False
        self.is_json = False
        """Whether the answer is no stream but JSON."""

    def read_bytes(self, piece: bytes) -> list[bytes]:
        """Return the data of the events that end in these bytes, as JSON text.

        Raises:
            ValueError: an event, or the answer, is too large.
        """
        self._read += len(piece)
        if self._read > MAX_ANSWER_BYTES:
            raise ValueError(f"more than {MAX_ANSWER_BYTES:,} bytes.")
        if not self._has_begun:
            piece = piece.lstrip(_BEFORE)
            self._has_begun = piece != b""
            self.is_json = piece[:1] in (b"{", b"[")
        if self.is_json:
            self._keep(piece)
            return []
        if piece and (self._skips_line_feed or b"\r" in piece):
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

    def read_end(self) -> list[bytes]:
        """Return the data of the event with which the stream ended, if there is one.

        JSON is followed by `END_OF_STREAM`.
        """
        rest = b"".join(self._pieces)
        self._pieces, self._size, self._last = [], 0, b""
        if self.is_json:
            return [rest, END_OF_STREAM] if rest else []
        data = _read_event(rest.rstrip(b"\n"))
        return [data] if data.startswith(END_OF_STREAM) or _is_json(data) else []

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
    data = b"\n".join(_DATA.findall(event))
    return _as_error(data) if b"error" in event and _NAMED_ERROR.search(event) else data


def _as_error(data: bytes) -> bytes:
    """Return the data of an event named `error` as an object with the member `error`."""
    try:
        value = load_event(data)
    except ValueError:
        value = data.decode("utf-8", "replace")
    if isinstance(value, dict) and value.get("error"):
        return data
    return dump_json({"error": value or {"type": "error"}})


def _is_json(data: bytes) -> bool:
    try:
        load_event(data)
    except ValueError:
        return False
    return True


def load_event(data: bytes) -> JsonValue:
    """Return the value of an event's data: integers of any size and halves of characters stay as they are.

    Raises:
        ValueError: it is not text, not JSON, or nested too deeply.
    """
    try:
        return load_json(data, _DECODER.decode)
    except (msgspec.DecodeError, UnicodeDecodeError):  # of halves of characters, too, which Python reads
        return load_json(data.decode())
