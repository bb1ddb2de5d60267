"""Multipart bodies as bytes (RFC 7578, RFC 2046), names escaped as browsers do."""

import hashlib
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from toolserver.json_types import JsonObject, JsonValue, array_at, text_at
from toolserver.openapi.media_type import OCTETS, base_type
from toolserver.request.body_text import in_charset
from toolserver.request.file_content import read_file, type_by_name
from toolserver.request.form import FormField, field_text, has_style, items_of
from toolserver.request.parameter_styles import style_pairs

_TEXT = "text/plain"
"""What a part without a type is (RFC 7578 §4.4)."""


class _Part(NamedTuple):
    name: str
    content: bytes
    rule: JsonObject
    content_type: str = ""
    filename: str | None = None


def write_multipart(fields: Sequence[FormField], content_type: str, boundary: str) -> tuple[bytes, str]:
    """The body, and its type with the boundary; parts of another kind than form-data carry no name.

    `boundary`: "" for one made of the content, so that no content holds it by chance.

    Raises:
        RequestError: invalid_arguments, unsendable.
    """
    is_form = base_type(content_type) == "multipart/form-data"
    parts = [(_head_of(part, is_form), part.content) for field in fields for part in _parts_of(field)]
    if not boundary:
        digest = hashlib.sha256(b"".join(piece for part in parts for piece in part))
        boundary = f"----tool-bridge-{digest.hexdigest()[:32]}"
    written = b"".join(b"--%b\r\n%b%b\r\n" % (boundary.encode(), head, content) for head, content in parts)
    return written + f"--{boundary}--\r\n".encode(), f"{content_type}; boundary={boundary}"


def _parts_of(field: FormField) -> Iterator[_Part]:
    name, value, rule, argument = field
    if value is None:
        return
    if rule.get("file"):
        yield from (_file_part(item, field) for item in items_of(value))
    elif has_style(rule):
        for key, text in style_pairs(value, rule, name):
            yield _Part(key, text.encode("utf-8", "replace"), rule)
    else:
        yield from (_value_part(name, item, rule, argument) for item in items_of(value))


def _value_part(name: str, item: JsonValue, rule: JsonObject, argument: str) -> _Part:
    content_type = text_at(rule, "content_type") or (
        "application/json" if isinstance(item, dict | list) else ""
    )
    text = field_text(item, rule.get("content_type"))
    return _Part(name, in_charset(text, content_type or _TEXT, argument), rule, content_type)


def _file_part(item: JsonValue, field: FormField) -> _Part:
    file = read_file(item, field.argument)
    listed = text_at(field.rule, "content_type") or "*/*"
    several = [each for each in array_at(field.rule, "content_types") if isinstance(each, str)]
    planned = OCTETS if "*" in listed else listed
    content_type = file.content_type or type_by_name(file.filename, several or [listed]) or planned
    # Without a file name, servers take a part for a text field; "blob" is what browsers write.
    return _Part(field.name, file.content, field.rule, content_type, file.filename or "blob")


def _head_of(part: _Part, is_form: bool) -> bytes:
    file = "" if part.filename is None else f"; filename={_quoted(part.filename)}"
    lines: list[str] = []
    if is_form:
        lines.append(f"Content-Disposition: form-data; name={_quoted(part.name)}{file}")
    elif file:
        lines.append(f"Content-Disposition: attachment{file}")
    if part.content_type and (part.content_type != _TEXT or file):
        lines.append(f"Content-Type: {part.content_type}")
    for header in array_at(part.rule, "headers"):
        if isinstance(header, list):
            lines.append(": ".join(map(str, header)))
    return "\r\n".join([*lines, "", ""]).encode("utf-8", "replace")


def _quoted(name: str) -> str:
    """As HTML's multipart/form-data encoding writes names."""
    escaped = name.replace("\n", "%0A").replace("\r", "%0D").replace('"', "%22")
    return f'"{escaped}"'
