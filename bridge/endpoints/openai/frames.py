"""Frames of server-sent events, as each of the two protocols writes them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from toolserver.json_types import JsonObject, dump_json, text_at

DONE = b"data: [DONE]\n\n"
"""Last frame of every stream of Chat Completions."""

_NAME = re.compile(r"[\w.-]+", re.ASCII)


def encode_chunks(bodies: Iterable[JsonObject]) -> bytes:
    """Encode chunks of Chat Completions, which have no names."""
    return b"".join(b"data: %b\n\n" % dump_json(body) for body in bodies)


def encode_events(bodies: Iterable[JsonObject]) -> bytes:
    """Encode events of the Responses API, each named by its type."""
    return b"".join(
        b"%bdata: %b\n\n" % (_name_line(text_at(body, "type")), dump_json(body)) for body in bodies
    )


def _name_line(kind: str) -> bytes:
    """Build the line with the name; a provider may send types of its own, and none may end the line."""
    return b"event: %b\n" % kind.encode() if _NAME.fullmatch(kind) else b""
