"""The frames between bridge and page: the Engine.IO 4 and Socket.IO 5 that ours uses, in WebSocket frames.

python-socketio reads more (binary parts, other namespaces, long polling), logs a traceback for what it cannot
read, and carries on. Here a frame is read completely or not at all, so that a socket that sends nonsense is
closed.
"""

from __future__ import annotations

import re
import struct
from typing import Any, Final, Literal, NamedTuple, cast

import orjson

from bridge.browser_protocol import EVENT_DECISION, EVENT_HELLO, EVENT_RESULT, EVENT_VISIBILITY

PAGE_EVENTS = frozenset({EVENT_HELLO, EVENT_RESULT, EVENT_DECISION, EVENT_VISIBILITY})
"""Events that pages send. Others are ignored: a newer page may know more of them."""

PONG = "3"
MESSAGE = "4"
CONNECT: Final = 0
DISCONNECT: Final = 1
EVENT: Final = 2
ACK: Final = 3

_ACK_ID = re.compile(r"[0-9]{1,15}", re.ASCII)
_FINAL_TEXT = 0x81
_SHORT, _MEDIUM = 126, 1 << 16
"""Bytes from which a WebSocket frame has its length in two bytes more, and in eight (RFC 6455, 5.2)."""

_HEAD, _MEDIUM_HEAD, _LONG_HEAD = (struct.Struct(form).pack for form in ("!BB", "!BBH", "!BBQ"))
_EVENT_START = f"{MESSAGE}{EVENT}".encode()
_ONE_ARGUMENT = 2
"""Maximum length of an event: its name and its data."""


class UnreadableFrame(Exception):
    """Bytes that no page sends; the message says what is wrong with them."""


class Frame(NamedTuple):
    """A decoded Socket.IO packet of the only namespace."""

    packet_type: Literal[0, 1, 2, 3]
    ack_id: int | None
    content: Any


class WholeMessage(NamedTuple):
    """A message that is the same for many pages, as a text and in its WebSocket frame."""

    text: bytes
    frame: bytes


def read_frame(text: str | bytes) -> Frame | None:
    """Decode what a page sent; None: a pong.

    Raises:
        UnreadableFrame: it is nothing that a page sends.
    """
    if not isinstance(text, str):
        raise UnreadableFrame("a binary frame")
    if text == PONG:
        return None
    if not text.startswith(MESSAGE):
        raise UnreadableFrame("neither a message nor a pong")
    found = None if text[2:3] == "[" else _ACK_ID.match(text, 2)
    ack_id = int(found[0]) if found else None
    content = _read_json(text[found.end() if found else 2 :])
    match text[1:2]:
        case "0" if ack_id is None and isinstance(content, dict | None):
            return Frame(CONNECT, None, content)
        case "1" if ack_id is None and content is None:
            return Frame(DISCONNECT, None, None)
        case "2" if _is_event(content):
            return Frame(EVENT, ack_id, content)
        case "3" if ack_id and isinstance(content, list):  # our ack ids begin at 1
            return Frame(ACK, ack_id, content)
        case _:
            raise UnreadableFrame("not a Socket.IO packet that a page sends")


def event_text(event: str, data: object, ack_id: int | None = None) -> bytes:
    """Return the text of an event for a page; it acknowledges the event by `ack_id`, if that is given.

    Raises:
        TypeError: `data` has what JSON does not have.
    """
    start = _EVENT_START if ack_id is None else b"%b%d" % (_EVENT_START, ack_id)
    return start + orjson.dumps([event, data])


def frame_head(length: int) -> bytes:
    """Return what stands before a text of so many bytes in a WebSocket frame to a page."""
    if length < _SHORT:
        return _HEAD(_FINAL_TEXT, length)
    if length < _MEDIUM:
        return _MEDIUM_HEAD(_FINAL_TEXT, _SHORT, length)
    return _LONG_HEAD(_FINAL_TEXT, _SHORT + 1, length)


def _read_json(text: str) -> Any:
    if not text:
        return None
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise UnreadableFrame(f"not JSON: {error}") from None


def _is_event(content: Any) -> bool:
    if not isinstance(content, list):
        return False
    parts = cast("list[Any]", content)
    return 0 < len(parts) <= _ONE_ARGUMENT and isinstance(parts[0], str)
