"""Sequences of JSON (JSON lines, record sequences, server-sent events), split into their JSON texts."""

import re

import orjson

from toolserver.document.media_type import base_type

EVENTS = "text/event-stream"
_TYPES = frozenset(
    (
        EVENTS,
        *("application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonl"),
        *("application/json-seq", "application/jsonlines", "application/x-json-stream"),
    )
)


def is_sequence(content_type: str) -> bool:
    """Whether a body of this type is a sequence of JSON texts."""
    mime = base_type(content_type)
    return mime in _TYPES or mime.endswith("+json-seq")


def items_of(text: str, content_type: str) -> list[bytes]:
    """The JSON texts of a whole sequence, in UTF-8; an empty list when any of them is not JSON."""
    encoded = text.encode("utf-8", "replace")
    is_stream = base_type(content_type) == EVENTS
    lines = _event_texts(encoded) if is_stream else re.split(rb"[\x1e\n]+", encoded)
    items = [line.strip() for line in lines if line.strip()]
    try:
        for item in items:
            orjson.loads(item)
    except orjson.JSONDecodeError:
        return []
    return items


def complete_items(text: str, content_type: str) -> str:
    """The whole items at the start of a cut sequence: up to its last line end, or blank line of events."""
    ends = ("\n\n", "\n\r\n") if base_type(content_type) == EVENTS else ("\n",)
    return text[: max(text.rfind(end) + len(end) if end in text else 0 for end in ends)]


def _event_texts(encoded: bytes) -> list[bytes]:
    """The data of each server-sent event; "[DONE]", which ends many streams, does not count."""
    data: list[bytes] = []
    for event in re.split(rb"\r?\n\r?\n", encoded):
        fields = [line[5:].removeprefix(b" ") for line in event.splitlines() if line.startswith(b"data:")]
        if fields and fields != [b"[DONE]"]:
            data.append(b"\n".join(fields))
    return data
