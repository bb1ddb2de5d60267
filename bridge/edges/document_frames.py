"""The byte frames between the bridge and its document worker.

A frame is four bytes of length (big endian), then the payload; an empty frame ends an answer. JSON and plain
text only, never pickle: the worker has read a foreign document, and nothing it sends may run code here.
"""

from __future__ import annotations

import struct
from typing import BinaryIO

MAX_FRAME_BYTES = 64 * 1024 * 1024
"""Above the largest document (32 MiB) with room; a longer frame means that the peer is broken."""

LENGTH = struct.Struct(">I")


def frame(payload: bytes) -> bytes:
    """One frame."""
    return LENGTH.pack(len(payload)) + payload


def frame_length(prefix: bytes) -> int:
    """The payload's length in bytes.

    Raises:
        ValueError: it exceeds `MAX_FRAME_BYTES`.
    """
    (length,) = LENGTH.unpack(prefix)
    if length > MAX_FRAME_BYTES:
        raise ValueError(f"frame of {length} bytes")
    return length


def read_frame(stream: BinaryIO) -> bytes | None:
    """Read one frame, blocking; None at the end of the stream."""
    prefix = stream.read(LENGTH.size)
    return stream.read(frame_length(prefix)) if len(prefix) == LENGTH.size else None
