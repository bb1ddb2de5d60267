"""Server-sent events as bytes: how many there are, and those that a listener has not had.

Frames are as `bridge.endpoints.openai.encoders` writes them: one event of the Responses API each, numbered without
a gap, its JSON in one line.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import cast

from toolserver.json_types import JsonObject

_END = b"\n\n"
_DATA = b"data: "


def count_of(frames: bytes) -> int:
    """How many events there are."""
    return frames.count(_END)


def newer(first: int, frames: bytes, after: int) -> bytes:
    """The events with a number above `after`; `first`: the number of the first one."""
    start = 0
    for _ in range(after + 1 - first):
        start = frames.find(_END, start) + len(_END)
        if start < len(_END):
            return b""
    return frames[start:]


def bodies_of(chunks: Iterable[bytes]) -> Iterator[JsonObject]:
    """What the events say, in order."""
    for frames in chunks:
        for line in frames.split(b"\n"):
            if line.startswith(_DATA):
                yield cast(JsonObject, json.loads(line.removeprefix(_DATA)))
