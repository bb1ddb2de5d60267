"""Frames of server-sent events, as each of the two protocols writes them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from toolserver.json_types import JsonObject, dump_json, text_at

DONE = b"data: [DONE]\n\n"
"""Last frame of every stream of Chat Completions."""

_NAME = re.compile(r"[\w.-]+", re.ASCII)


def encode_chunks(bodies: Sequence[JsonObject]) -> bytes:
    """Encode chunks of Chat Completions, which have no names."""
    if len(bodies) == 1:
        return b"data: %b\n\n" % dump_json(bodies[0])
    return b"".join([b"data: %b\n\n" % dump_json(body) for body in bodies])


def encode_events(bodies: Sequence[JsonObject]) -> bytes:
    """Encode events of the Responses API, each named by its type."""
    if len(bodies) == 1:
        return _encode_event(bodies[0])
    return b"".join([_encode_event(body) for body in bodies])


def _encode_event(body: JsonObject) -> bytes:
    return b"%bdata: %b\n\n" % (_name_line(text_at(body, "type")), dump_json(body))


@lru_cache(128)
def _name_line(kind: str) -> bytes:
    """Build the line with the name; a provider may send types of its own, and none may end the line."""
    return b"event: %b\n" % kind.encode() if _NAME.fullmatch(kind) else b""
