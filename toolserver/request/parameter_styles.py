"""Parameter styles of OpenAPI 3.x: RFC 6570 and the query styles that are not in it.

The tables of 3.0.4, 3.1.2 and 3.2.0 decide. A value without any member (`[]`, `{}`) and `null` are
"undefined" in RFC 6570's sense: the parameter is left out. Where the specification is silent, it is as in
`static/request/parameter_style.js`.
"""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias
from urllib.parse import quote

from toolserver.json_types import JsonObject, JsonValue, text_at
from toolserver.request.scalar_text import primitive_text

Pairs: TypeAlias = list[tuple[str, str]]
_Entries: TypeAlias = list[tuple[str | None, str]]
Encode: TypeAlias = Callable[[str], str]

_TRIPLE = re.compile(r"(%[0-9A-Fa-f]{2})")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_RESERVED = {"query": ":/?[]@!$&'()*+,;=", "path": ":[]@!$&'()*+,;="}
_STYLES = {
    "path": ("simple", "label", "matrix"),
    "header": ("simple",),
    "query": ("form", "spaceDelimited", "pipeDelimited", "deepObject"),
}
"""Styles that each location knows, its default first; any other is read as the default."""
_DELIMITERS = {"spaceDelimited": " ", "pipeDelimited": "|"}


def encode_strict(text: str) -> str:
    """Percent-encodes all but unreserved characters of RFC 3986; a lone surrogate becomes U+FFFD."""
    return quote(_LONE_SURROGATE.sub("\ufffd", text), safe="")


def _encode_reserved(location: str) -> Encode:
    """Lets reserved characters and `%XX` triples pass, except those that would end the place of the value."""
    safe = _RESERVED[location]

    def encode(text: str) -> str:
        parts = _TRIPLE.split(_LONE_SURROGATE.sub("\ufffd", text))
        return "".join(part if place % 2 else quote(part, safe=safe) for place, part in enumerate(parts))

    return encode


class _Style(NamedTuple):
    """How one value is written."""

    name: str
    style: str
    explode: bool
    encode: Encode
    encode_name: Encode


def write_parameter(value: JsonValue, parameter: JsonObject, location: str) -> str | None:
    """One parameter as it stands in its location: path text, header value, or `name=value` pairs of a query.

    None: leave it out. Header values are not percent-encoded (OpenAPI 3.1.2 §4.8.12.2.2).
    """
    how = _style_of(parameter, location, _encoder_of(parameter, location), encode_strict)
    if location == "query":
        return "&".join(f"{name}={text}" for name, text in _query_pairs(value, how)) or None
    entries = _entries_of(value, how)
    return _WRITERS[how.style](entries, how) if entries else None


def style_pairs(value: JsonValue, field: JsonObject, name: str) -> Pairs:
    """Name and text of each part that a value becomes by a query style; nothing is percent-encoded."""
    return _query_pairs(value, _style_of({**field, "name": name}, "query", str, str))


def _style_of(parameter: JsonObject, location: str, encode: Encode, encode_name: Encode) -> _Style:
    asked = text_at(parameter, "style")
    style = asked if asked in _STYLES[location] else _STYLES[location][0]
    explode = parameter.get("explode")
    is_exploded = explode if isinstance(explode, bool) else style == "form"
    return _Style(text_at(parameter, "name"), style, is_exploded, encode, encode_name)


def _encoder_of(parameter: JsonObject, location: str) -> Encode:
    if location == "header":
        return str
    encode = _encode_reserved(location) if parameter.get("allow_reserved") else encode_strict
    if parameter.get("slashes") and location == "path":
        return lambda text: "/".join(map(encode, text.split("/")))
    return encode


def _entries_of(value: JsonValue, how: _Style) -> _Entries:
    """What an operator joins, already encoded, with names for exploded objects; [] if undefined."""
    if value is None:
        return []
    if isinstance(value, list):
        return [(None, how.encode(primitive_text(item))) for item in value if item is not None]
    if not isinstance(value, dict):
        return [(None, how.encode(primitive_text(value)))]
    members = [
        (how.encode(key), how.encode(primitive_text(member)))
        for key, member in value.items()
        if member is not None
    ]
    return [*members] if how.explode else [(None, text) for member in members for text in member]


def _joined(entry: tuple[str | None, str]) -> str:
    name, text = entry
    return text if name is None else f"{name}={text}"


def _simple(entries: _Entries, _how: _Style) -> str:
    return ",".join(map(_joined, entries))


def _label(entries: _Entries, how: _Style) -> str:
    return "." + ("." if how.explode else ",").join(map(_joined, entries))


def _matrix(entries: _Entries, how: _Style) -> str:
    if entries[0][0] is not None:
        return "".join(f";{_joined(entry)}" for entry in entries)
    name = how.encode_name(how.name)
    texts = [*map(_joined, entries)] if how.explode else [_simple(entries, how)]
    return "".join(f";{name}={text}" if text else f";{name}" for text in texts)


_WRITERS: dict[str, Callable[[_Entries, _Style], str]] = {
    "simple": _simple,
    "label": _label,
    "matrix": _matrix,
}


def _query_pairs(value: JsonValue, how: _Style) -> Pairs:
    if how.style == "deepObject":
        return [] if value is None else [*_deep_pairs(value, how.name, how)]
    entries = _entries_of(value, how)
    if not entries:
        return []
    name = how.encode_name(how.name)
    if how.explode or entries[0][0] is not None:
        return [(name if key is None else key, text) for key, text in entries]
    delimiter = how.encode(_DELIMITERS[how.style]) if how.style in _DELIMITERS else ","
    return [(name, delimiter.join(map(_joined, entries)))]


def _deep_pairs(value: JsonValue, path: str, how: _Style) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict | list):
        members = value.items() if isinstance(value, dict) else enumerate(value)
        for key, member in members:
            yield from _deep_pairs(member, f"{path}[{key}]", how)
    else:
        yield how.encode_name(path), how.encode(primitive_text(value))
