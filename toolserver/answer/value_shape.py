"""The shape of a value of an answer: keys, types, how many items; merged over items of arrays.

Bounded in work: of a long array and of an object with many keys, only a part is looked at. Counts are exact.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import chain, islice

from toolserver.json_types import JsonValue

SAMPLED_ITEMS = 40
"""Items of an array that are looked at: the first, and a quarter as many of its last."""

MAX_FIELDS = 150
MAX_LEVELS = 12
MAX_NODES = 20_000

_MAX_KEY_CHARS = 80
_MAX_KEYS_TO_ARRAYS = 3
_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(slots=True)
class ValueShape:
    """The values at one place, as far as they were looked at."""

    seen: int = 0
    """Number of values that were looked at."""
    scalars: dict[str, None] = field(default_factory=dict[str, None])
    """Types of those that are neither object nor array, in order of appearance."""
    objects: int = 0
    fields: dict[str, "ValueShape"] = field(default_factory=dict[str, "ValueShape"])
    most_fields: int = 0
    """Number of keys of the object with most of them."""
    arrays: int = 0
    items: "ValueShape | None" = None
    fewest: int = 0
    """Number of items of the shortest array; `most` of the longest."""
    most: int = 0


class _Nodes:
    """Counts what was looked at."""

    def __init__(self) -> None:
        self._left = MAX_NODES

    def take_node(self) -> bool:
        self._left -= 1
        return self._left >= 0


def shape_of(value: JsonValue) -> ValueShape:
    """The shape of one value, `MAX_LEVELS` deep."""
    shape = ValueShape()
    _note(shape, value, MAX_LEVELS, _Nodes())
    return shape


def _note(shape: ValueShape, value: JsonValue, levels: int, nodes: _Nodes) -> None:
    if not nodes.take_node():
        return
    shape.seen += 1
    if isinstance(value, dict):
        _note_object(shape, value, levels, nodes)
    elif isinstance(value, list):
        _note_array(shape, value, levels, nodes)
    else:
        shape.scalars.setdefault(_type_of(value))


def _note_object(shape: ValueShape, value: dict[str, JsonValue], levels: int, nodes: _Nodes) -> None:
    shape.objects += 1
    shape.most_fields = max(shape.most_fields, len(value))
    if levels <= 0:
        return
    for key, member in islice(value.items(), MAX_FIELDS):
        known = shape.fields.get(key)
        if known is None:
            if len(shape.fields) >= MAX_FIELDS:
                continue
            known = shape.fields[key] = ValueShape()
        _note(known, member, levels - 1, nodes)


def _note_array(shape: ValueShape, value: list[JsonValue], levels: int, nodes: _Nodes) -> None:
    count = len(value)
    shape.fewest = min(shape.fewest, count) if shape.arrays else count
    shape.most = max(shape.most, count)
    shape.arrays += 1
    if levels <= 0 or not value:
        return
    shape.items = shape.items or ValueShape()
    last = value[max(SAMPLED_ITEMS, count - SAMPLED_ITEMS // 4) :]
    for item in chain(value[:SAMPLED_ITEMS], last):
        _note(shape.items, item, levels - 1, nodes)


def _type_of(value: bool | float | str | None) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case str():
            return "string"
        case int():
            return "integer"
        case _:
            return "number"


class _Full(Exception):
    """A shape has no room."""


class _Writer:
    """Writes a shape as one line, as far as there is room."""

    def __init__(self, max_chars: int, levels: int, fields: int) -> None:
        self._left = max_chars
        self._levels = levels
        self._fields = fields
        self._pieces: list[str] = []

    def write(self, shape: ValueShape) -> str:
        self._write_shape(shape, self._levels)
        return "".join(self._pieces)

    def _add(self, piece: str) -> None:
        self._left -= len(piece)
        if self._left < 0:
            raise _Full
        self._pieces.append(piece)

    def _write_shape(self, shape: ValueShape, levels: int) -> None:
        separator = ""
        if shape.objects:
            self._write_object(shape, levels)
            separator = " | "
        if shape.arrays:
            self._add(separator)
            self._write_array(shape, levels)
            separator = " | "
        if shape.scalars:
            self._add(separator + " | ".join(shape.scalars))
        elif not separator:
            self._add("…")

    def _write_object(self, shape: ValueShape, levels: int) -> None:
        if levels <= 0 and shape.most_fields:
            self._add(f"{{… {_count(shape.most_fields, 'key')}}}")
            return
        self._add("{")
        for place, (key, member) in enumerate(islice(shape.fields.items(), self._fields)):
            mark = "?" if member.seen < shape.objects else ""
            self._add(f"{', ' if place else ''}{_key_text(key)}{mark}: ")
            self._write_shape(member, levels - 1)
        more = max(shape.most_fields, len(shape.fields)) - self._fields
        self._add(f", … {more:,} more}}" if more > 0 else "}")

    def _write_array(self, shape: ValueShape, levels: int) -> None:
        count = f"{shape.most:,}" if shape.fewest == shape.most else f"{shape.fewest:,} to {shape.most:,}"
        if shape.items is None or (levels <= 0 and (shape.items.objects or shape.items.arrays)):
            self._add(f"[{count} items]" if shape.most else "[]")
            return
        self._add(f"[{count} of ")
        self._write_shape(shape.items, levels - 1)
        self._add("]")


_TRIES = ((MAX_LEVELS, MAX_FIELDS), (MAX_LEVELS, 40), (6, 40), (5, 20), (4, 20), (3, 12), (2, 12), (1, 8))
"""Levels and keys of each object, from the longest form to the shortest."""


def write_shape(shape: ValueShape, max_chars: int) -> str:
    """A shape as one line such as `{orders: [200 of {id: string, note?: null | string}], next: null}`.

    Keys are written as JMESPath wants them; `?` marks those that some items lack. Keys and levels
    without room are only counted.
    """
    for levels, fields in _TRIES:
        try:
            return _Writer(max_chars, levels, fields).write(shape)
        except _Full:
            continue
    kinds: Iterable[str] = (*("object",) * bool(shape.objects), *("array",) * bool(shape.arrays))
    return " | ".join([*kinds, *shape.scalars])


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _key_text(key: str) -> str:
    if _PLAIN_KEY.fullmatch(key) and len(key) <= _MAX_KEY_CHARS:
        return key
    shown = key if len(key) <= _MAX_KEY_CHARS else key[: _MAX_KEY_CHARS - 1] + "…"
    return '"' + shown.replace("\\", "\\\\").replace('"', '\\"') + '"'


def longest_arrays(shape: ValueShape, most: int) -> list[tuple[str, ...]]:
    """The keys to the arrays with most items that are reached through objects alone, the longest first."""
    found: list[tuple[int, tuple[str, ...]]] = []
    level: list[tuple[tuple[str, ...], ValueShape]] = [((), shape)]
    for _ in range(_MAX_KEYS_TO_ARRAYS + 1):
        found += [(each.most, keys) for keys, each in level if each.most]
        level = [((*keys, key), member) for keys, each in level for key, member in each.fields.items()]
    return [keys for _, keys in sorted(found, key=lambda each: -each[0])[:most]]


def query_of(keys: Iterable[str]) -> str:
    """The JMESPath that leads along some keys; `@` for none."""
    return ".".join(map(_key_text, keys)) or "@"
