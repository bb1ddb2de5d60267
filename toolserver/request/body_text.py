"""Bodies that are text: sequences of JSON, server-sent events, and the charset in which a text is sent."""

import re
from collections.abc import Iterator

from toolserver.errors import RequestError
from toolserver.json_types import JsonObject, JsonValue
from toolserver.openapi.media_type import base_type
from toolserver.request.scalar_text import json_text

_UTF_8 = re.compile(r"utf-?8", re.IGNORECASE)
_CHARSET = re.compile(r';\s*charset\s*=\s*"?([^";\s]+)', re.IGNORECASE)
_NARROW = {"us-ascii": "ascii", "ascii": "ascii", "iso-8859-1": "latin-1", "latin1": "latin-1"}
_EVENT_FIELDS = {"event", "id", "retry", "data"}


def write_sequence(value: JsonValue, content_type: str, argument: str) -> str:
    """One JSON text per line, or per record of a json-seq type (RFC 7464); of an event stream, an event."""
    if isinstance(value, str):
        return value
    items = value if isinstance(value, list) else [value]
    if base_type(content_type) == "text/event-stream":
        return "".join("\n".join(_event_lines(item, argument)) + "\n\n" for item in items)
    start = "\x1e" if base_type(content_type).endswith("json-seq") else ""
    return "".join(f"{start}{json_text(item)}\n" for item in items)


def _event_lines(item: JsonValue, argument: str) -> Iterator[str]:
    """A server-sent event of an object of its fields; any other value is its data."""
    event: JsonObject = {"data": item}
    if isinstance(item, dict) and item and item.keys() <= _EVENT_FIELDS:
        event = {name: content for name, content in item.items() if content is not None}
    for name, content in event.items():
        lines = re.split(r"\r\n|[\r\n]", content if isinstance(content, str) else json_text(content))
        if len(lines) > 1 and name != "data":
            message = f'"{name}" of an event must be one line.'
            raise RequestError("invalid_arguments", message, argument=argument)
        yield from (f"{name}: {line}" for line in lines)


def in_charset(text: str, content_type: str, argument: str) -> bytes:
    """The text in the charset of its type: UTF-8, ISO-8859-1 or US-ASCII.

    Raises:
        RequestError: unsendable: another charset; invalid_arguments: a character that it does not have.
    """
    named = _CHARSET.search(content_type)
    charset = named[1].lower() if named else "utf-8"
    if _UTF_8.fullmatch(charset):
        return text.encode("utf-8", "replace")
    if charset not in _NARROW:
        raise RequestError("unsendable", f"Text cannot be written as {charset} here.", argument=argument)
    try:
        return text.encode(_NARROW[charset])
    except UnicodeEncodeError:
        message = f'"{argument}" holds a character that {charset} does not have.'
        raise RequestError("invalid_arguments", message, argument=argument) from None
