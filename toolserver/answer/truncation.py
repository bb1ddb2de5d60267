"""Cuts texts to a size, and keeps whole items of cut JSON readable.

Receives the beginning of a text; gives a part of it that is valid JSON, if there is one, and where that part
ends. Offsets are in characters, so that none splits a character.
"""

import re
from typing import NamedTuple

import orjson

from toolserver.answer.tolerant_json import readable_json

_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|["\[\]{},:]', re.DOTALL)
"""A complete string, the opening quote of a cut one, or a structural character."""

_LEAST_SHARE = 0.5
"""Minimum share of the text that an array's whole items must make up for it to be cut there; else a deeper
array is cut."""

_CLOSING = {"[": "]", "{": "}"}


def beginning_of(text: str, max_bytes: int) -> str:
    """The longest beginning that fits into `max_bytes` of UTF-8."""
    head = text[:max_bytes].encode("utf-8", "replace")
    return head[:max_bytes].decode("utf-8", "ignore")


class CutJson(NamedTuple):
    """A JSON text that is closed after the last whole item of the array in which it was cut."""

    text: str
    pointer: str
    """JSON pointer of that array; what followed the array is missing, too."""
    items: int
    end: int
    """Number of characters of the original before the next item."""


class _Container:
    """An array or object that is still open at the end of the text."""

    __slots__ = ("comma", "complete_items", "kind", "name")

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.complete_items = 0
        """Number of complete members or items."""
        self.comma = 0
        """Position where the last of them ends."""
        self.name = '""'
        """JSON text of the current member's name."""


def cut_json(text: str) -> CutJson | None:
    """The beginning of a JSON text, cut after a whole item of an array; None when that is impossible.

    Of nested arrays, the outermost whose whole items make up at least half of the text is cut.
    """
    stack = _open_containers(text)
    for depth, container in enumerate(stack):
        if container.kind != "[" or container.comma < len(text) * _LEAST_SHARE:
            continue
        closing = "".join(_CLOSING[open_.kind] for open_ in reversed(stack[: depth + 1]))
        closed = text[: container.comma] + closing
        readable = readable_json(closed.encode("utf-8", "replace"))
        if readable is None:
            return None
        pointer = "".join(_step(open_) for open_ in stack[:depth])
        return CutJson(readable.decode(), pointer, container.complete_items, container.comma + 1)
    return None


def _open_containers(text: str) -> list[_Container]:
    """The containers that are still open, outermost first."""
    stack: list[_Container] = []
    string = ""
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token == '"':
            break
        if token in _CLOSING:
            stack.append(_Container(token))
        elif token[0] == '"':
            string = token
        elif not stack:
            break
        elif token in "]}":
            stack.pop()
        elif token == ":":
            stack[-1].name = string
        else:
            stack[-1].complete_items += 1
            stack[-1].comma = match.start()
    return stack


def _step(container: _Container) -> str:
    if container.kind == "[":
        return f"/{container.complete_items}"
    name: str = orjson.loads(readable_json(container.name.encode()) or b'""')
    return "/" + name.replace("~", "~0").replace("/", "~1")
