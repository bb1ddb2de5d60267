"""Sequences of JSON (JSON lines, record sequences, server-sent events), split into their JSON texts."""

import re
from typing import NamedTuple

import orjson

from toolserver.answer.tolerant_json import readable_json
from toolserver.openapi.media_type import base_type

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
    """The JSON texts of a whole sequence, in UTF-8; an empty list when any of them is not JSON.

    Of a stream of events that have names or ids each item is an object: `event`, `id`, and its `data`.
    """
    encoded = text.encode("utf-8", "replace")
    is_stream = base_type(content_type) == EVENTS
    items = _events(encoded) if is_stream else [_Item(line) for line in re.split(rb"[\x1e\n]+", encoded)]
    named = any(item.event or item.id for item in items)
    written: list[bytes] = []
    for item in items:
        if stripped := item.data.strip():
            if (readable := readable_json(stripped)) is None:
                return []
            written.append(item.as_object(readable) if named else readable)
    return written


def complete_items(text: str, content_type: str) -> str:
    """The whole items at the start of a cut sequence: up to its last line end, or blank line of events."""
    ends = ("\n\n", "\n\r\n") if base_type(content_type) == EVENTS else ("\n",)
    return text[: max(text.rfind(end) + len(end) if end in text else 0 for end in ends)]


class _Item(NamedTuple):
    """One item; `event` and `id` are "" where it has none."""

    data: bytes
    event: str = ""
    id: str = ""

    def as_object(self, data: bytes) -> bytes:
        told = {"event": self.event, "id": self.id}
        members: dict[str, object] = {name: value for name, value in told.items() if value}
        return orjson.dumps({**members, "data": orjson.Fragment(data)})


def _events(encoded: bytes) -> list[_Item]:
    """The server-sent events that have data; "[DONE]", which ends many streams, does not count."""
    events: list[_Item] = []
    for block in re.split(rb"\r?\n\r?\n", encoded):
        fields: dict[bytes, list[bytes]] = {b"data": [], b"event": [], b"id": []}
        for line in block.splitlines():
            name, _, value = line.partition(b":")
            if name in fields:
                fields[name].append(value.removeprefix(b" "))
        data, event, id_ = (fields[name] for name in (b"data", b"event", b"id"))
        if data and data != [b"[DONE]"]:
            events.append(_Item(b"\n".join(data), _last(event), _last(id_)))
    return events


def _last(values: list[bytes]) -> str:
    return values[-1].decode("utf-8", "replace") if values else ""
