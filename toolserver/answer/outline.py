"""The outline of a long answer: its shape, first items, and where to ask for more, in a few kilobytes.

A model that reads it can ask for exactly what it needs (`answer_query`). However deep or wide an answer is,
and whatever its keys are, its outline has at most `OUTLINE_BYTES`.
"""

from typing import NamedTuple

import orjson

from toolserver.answer.exact_values import TooLong, WrittenNumber, write_exact
from toolserver.answer.value_shape import ValueShape, longest_arrays, query_of, shape_of, write_shape
from toolserver.json_types import JsonValue

OUTLINE_BYTES = 6 * 1024
"""Maximum bytes of an outline: with all that stands beside it, an answer leaves less than 8 KiB."""

_SHAPE_BYTES = 3584
_FIRST_BYTES = 2048
_MAX_SHOWN = 3
"""Maximum number of arrays of which the first item is shown."""


class _Trim(NamedTuple):
    """How much of a value is shown as an example."""

    levels: int
    members: int
    chars: int
    """Of each string."""


_TRIMS = (_Trim(5, 40, 120), _Trim(4, 25, 60), _Trim(3, 15, 40), _Trim(2, 8, 24), _Trim(1, 4, 16))


def outline_of(value: JsonValue, *, complete: bool = True) -> bytes:
    """The outline as JSON: `shape`, `first`, and `complete` if it is false.

    `first` has the first items of the longest arrays by the query that selects them, or `@` where there are
    none. Numbers keep their text; strings that are cut end with `…`.
    """
    shape = shape_of(value)
    told: dict[str, object] = {"shape": _fitting_shape(shape)}
    if first := _first_items(value, shape):
        told["first"] = {path: orjson.Fragment(item) for path, item in first.items()}
    if not complete:
        told["complete"] = False
    return orjson.dumps(told)


def _fitting_shape(shape: ValueShape) -> str:
    """The shape in `_SHAPE_BYTES` of JSON: what is escaped takes more bytes than characters."""
    room = _SHAPE_BYTES
    written = _without_surrogates(write_shape(shape, room))
    while len(orjson.dumps(written)) > _SHAPE_BYTES:
        room = room * 2 // 3
        written = _without_surrogates(write_shape(shape, room))
    return written


def _without_surrogates(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def _first_items(value: JsonValue, shape: ValueShape) -> dict[str, bytes]:
    arrays = longest_arrays(shape, _MAX_SHOWN)
    examples = {_first_of(keys): _at(value, keys) for keys in arrays} if arrays else {"@": value}
    shown: dict[str, bytes] = {}
    left = _FIRST_BYTES
    for query, example in examples.items():
        left -= len(orjson.dumps(query)) + 2
        item = _trimmed_json(example, left)
        if item is not None:
            shown[query] = item
            left -= len(item)
    return shown


def _first_of(keys: tuple[str, ...]) -> str:
    return _without_surrogates(f"{query_of(keys)}[0]" if keys else "[0]")


def _at(value: JsonValue, keys: tuple[str, ...]) -> JsonValue:
    """The first item of the array that some keys lead to."""
    found = value
    for key in keys:
        assert isinstance(found, dict)
        found = found[key]
    assert isinstance(found, list)
    return found[0]


def _trimmed_json(value: JsonValue, max_bytes: int) -> bytes | None:
    """As much of a value as fits; None if nothing does."""
    for trim in _TRIMS:
        try:
            return write_exact(_trimmed(value, trim, trim.levels), max(0, max_bytes))
        except TooLong:
            continue
    return None


def _trimmed(value: JsonValue, trim: _Trim, levels: int) -> JsonValue:
    match value:
        case dict():
            members = list(value.items())[: trim.members] if levels > 0 else []
            return {_cut(key, trim.chars): _trimmed(each, trim, levels - 1) for key, each in members}
        case list():
            return [_trimmed(each, trim, levels - 1) for each in value[:1]] if levels > 0 else []
        case str():
            return _cut(value, trim.chars)
        case WrittenNumber():
            return value if len(value.text) <= trim.chars else _cut(value.text, trim.chars)
        case int() if not isinstance(value, bool) and value.bit_length() > 4 * trim.chars:
            return _cut(str(value), trim.chars)
        case _:
            return value


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
