"""JSON of APIs as values whose numbers keep their text, and a writer that stops when it has written enough.

`1.10`, `-0` and integers of any size come out of a query as the API sent them; what a query computes is a new
number. Values may share parts, so that a few kilobytes in memory can be gigabytes in writing.
"""

import json
from collections.abc import Iterator
from typing import cast

from toolserver.json_types import JsonValue, load_json

_MAX_DIGITS = 4000
"""Python turns no more into an integer, and none of an API needs to be compared that precisely."""


class WrittenNumber(float):
    """A number that Python would write in another way than the API."""

    __slots__ = ("text",)

    text: str

    @classmethod
    def of_text(cls, text: str) -> "WrittenNumber":
        """The number that a JSON text says."""
        number = cls(text)
        number.text = text
        return number


WrittenNumber.__name__ = "float"  # the library goes by the names of types


class TooLong(Exception):
    """A value has more bytes as JSON than were allowed."""


def read_exact(text: str) -> JsonValue:
    """The value of a JSON text.

    Raises:
        ValueError: it is not JSON, or `NestedTooDeeply`.
    """
    return load_json(text, _DECODER.decode)


def write_exact(value: object, max_bytes: int) -> bytes:
    """A value as compact JSON.

    Raises:
        TooLong: it has more than `max_bytes`; no more than that was written.
    """
    written: list[bytes] = []
    left = max_bytes
    for piece in _pieces(value, max_bytes):
        encoded = piece.encode("utf-8", "replace")
        left -= len(encoded)
        if left < 0:
            raise TooLong
        written.append(encoded)
    return b"".join(written)


def _pieces(value: object, max_chars: int) -> Iterator[str]:
    match value:
        case str():
            yield _quoted(value, max_chars)
        case dict():
            yield "{"
            members = cast("dict[object, object]", value)
            for place, (key, member) in enumerate(members.items()):
                yield "," if place else ""
                yield _quoted(str(key), max_chars) + ":"
                yield from _pieces(member, max_chars)
            yield "}"
        case list():
            yield "["
            for place, item in enumerate(cast("list[object]", value)):
                yield "," if place else ""
                yield from _pieces(item, max_chars)
            yield "]"
        case WrittenNumber():
            yield value.text
        case _:
            yield json.dumps(value)


def _quoted(text: str, max_chars: int) -> str:
    """A string as JSON; one that cannot fit is not even copied."""
    if len(text) > max_chars:
        raise TooLong
    return json.dumps(text, ensure_ascii=False)


def _integer(digits: str) -> int | float:
    return WrittenNumber.of_text(digits) if digits == "-0" or len(digits) > _MAX_DIGITS else int(digits)


def _fraction(digits: str) -> float:
    number = float(digits)
    return number if repr(number) == digits else WrittenNumber.of_text(digits)


_DECODER = json.JSONDecoder(parse_int=_integer, parse_float=_fraction)
