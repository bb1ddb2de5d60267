"""Texts that are cut: how much of one fits, and how its whole items are kept readable.

Receives the beginning of a text; gives a part of it that is JSON, where there is one, and says where that
part ends. Offsets are characters, so that none splits one.
"""

import re
from typing import NamedTuple

import orjson

_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|["\[\]{},:]', re.DOTALL)
"""A whole string, the quote of one that is cut, or a mark of structure."""

_LEAST_SHARE = 0.5
"""An array is cut only where its whole items are at least this much of the text; else a deeper one is."""

_CLOSING = {"[": "]", "{": "}"}


def beginning_of(text: str, max_bytes: int) -> str:
    """The longest beginning that fits into `max_bytes` of UTF-8."""
    head = text[:max_bytes].encode("utf-8", "replace")
    return head[:max_bytes].decode("utf-8", "ignore")


class CutJson(NamedTuple):
    """A JSON text closed after the last whole item of the array in which it was cut."""

    text: str
    pointer: str
    """JSON pointer of that array; what stands after the array is missing, too."""
    items: int
    end: int
    """Characters of the original up to the next item."""


class _Container:
    """An array or object that is open where the text ends."""

    __slots__ = ("comma", "kind", "name", "passed")

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.passed = 0
        """Members or items that are whole."""
        self.comma = 0
        """Where the last of them ends."""
        self.name = '""'
        """JSON text of the member's name at present."""


def cut_json(text: str) -> CutJson | None:
    """The beginning of a JSON text, cut after a whole item of an array; None when it cannot be.

    Of several arrays inside each other the outermost is cut whose whole items are at least half of the text.
    """
    stack = _open_containers(text)
    for depth, container in enumerate(stack):
        if container.kind != "[" or container.comma < len(text) * _LEAST_SHARE:
            continue
        closing = "".join(_CLOSING[open_.kind] for open_ in reversed(stack[: depth + 1]))
        closed = text[: container.comma] + closing
        if not _is_json(closed):
            return None
        pointer = "".join(_step(open_) for open_ in stack[:depth])
        return CutJson(closed, pointer, container.passed, container.comma + 1)
    return None


def _open_containers(text: str) -> list[_Container]:
    """Outermost first."""
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
            stack[-1].passed += 1
            stack[-1].comma = match.start()
    return stack


def _step(container: _Container) -> str:
    if container.kind == "[":
        return f"/{container.passed}"
    name: str = orjson.loads(container.name)
    return "/" + name.replace("~", "~0").replace("/", "~1")


def _is_json(text: str) -> bool:
    try:
        orjson.loads(text)
    except orjson.JSONDecodeError:
        return False
    return True
