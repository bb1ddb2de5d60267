"""JSON as Python values, and tolerant readers for foreign documents.

Receives values from `json.loads` or the YAML reader; gives typed views of them. Knows nothing of OpenAPI. The
readers never raise: a value of the wrong type counts as absent, and the caller decides whether that matters.
"""

import gc
import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias, TypeVar, cast

import orjson

JsonValue: TypeAlias = "bool | int | float | str | list[JsonValue] | dict[str, JsonValue] | None"
JsonObject: TypeAlias = dict[str, JsonValue]

TextT = TypeVar("TextT", str, bytes)

MAX_NESTING = 254
"""Maximum number of arrays and objects within each other in JSON of others: as many as orjson writes.

Every version of Python has a limit too, each another one, which is at least three times as high."""


class WrittenObject(JsonObject):
    """An object that keeps how its scalars were written, where JSON would write their values in another way.

    The readers make one where it is needed (`08`, `1.10`, `TRUE`, `0x1F`), and of whatever holds such an
    object or array; all other objects are plain ones.
    """

    __slots__ = ("texts",)

    def __init__(self, members: JsonObject, texts: dict[str, str] | None = None) -> None:
        super().__init__(members)
        self.texts = {} if texts is None else texts


class WrittenArray(list[JsonValue]):
    """An array that keeps how its scalars were written, by index, as `WrittenObject` does."""

    __slots__ = ("texts",)

    def __init__(self, items: list[JsonValue], texts: dict[int, str] | None = None) -> None:
        super().__init__(items)
        self.texts = {} if texts is None else texts


def written_member(container: JsonObject, key: str) -> str | None:
    """The text of the scalar under `key`, where it is not how JSON writes the value."""
    return container.texts.get(key) if isinstance(container, WrittenObject) else None


def written_items(container: list[JsonValue]) -> dict[int, str]:
    """The same for all items of an array, by index."""
    return container.texts if isinstance(container, WrittenArray) else {}


def has_null(values: list[JsonValue]) -> bool:
    """Whether null is among them, and not only what JSON cannot express."""
    texts = written_items(values)
    return any(value is None and place not in texts for place, value in enumerate(values))


def only_value(container: JsonObject, key: str) -> list[JsonValue]:
    """An array of nothing but the value under `key`, with its text."""
    value, text = container[key], written_member(container, key)
    if text is None and not holds_texts(value):
        return [value]
    return WrittenArray([value], {} if text is None else {0: text})


def select_items(container: list[JsonValue], places: Sequence[int]) -> list[JsonValue]:
    """The items at these places, with their texts."""
    items = [container[place] for place in places]
    if not isinstance(container, WrittenArray):
        return items
    texts = container.texts
    return WrittenArray(items, {new: texts[old] for new, old in enumerate(places) if old in texts})


def join_arrays(arrays: Iterable[list[JsonValue]]) -> list[JsonValue]:
    """The items of all arrays, with their texts."""
    joined: list[JsonValue] = []
    texts: dict[int, str] = {}
    for array in arrays:
        texts |= {len(joined) + place: text for place, text in written_items(array).items()}
        joined += array
    return WrittenArray(joined, texts) if texts or any(map(holds_texts, joined)) else joined


def with_texts_of(source: JsonObject, made: JsonObject) -> JsonObject:
    """`made`, which has members of `source`, with what that keeps of their texts."""
    texts = source.texts if isinstance(source, WrittenObject) else {}
    if not texts and not any(map(holds_texts, made.values())):
        return made
    return WrittenObject(made, {key: text for key, text in texts.items() if key in made})


def holds_texts(value: JsonValue) -> bool:
    """Whether it is an object or array in which some scalar has a text."""
    return isinstance(value, WrittenObject | WrittenArray)


def scalar_text(value: JsonValue, written: str | None = None) -> str | None:
    """A scalar as text, as it was written if that is known; None for null, arrays and objects."""
    if written is not None:
        return written
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value) if isinstance(value, int | float) else None


def values_within(values: Iterable[JsonValue]) -> list[JsonValue]:
    """What stands directly in those that are objects or arrays; what several share, each time."""
    return [
        below
        for value in values
        if isinstance(value, dict | list)
        for below in (value.values() if isinstance(value, dict) else value)
    ]


def object_at(container: JsonObject, key: str) -> JsonObject:
    """The object under `key`; an empty one when it is absent or of another type."""
    value = container.get(key)
    return value if isinstance(value, dict) else {}


def array_at(container: JsonObject, key: str) -> list[JsonValue]:
    """The array under `key`; an empty one when it is absent or of another type."""
    value = container.get(key)
    return value if isinstance(value, list) else []


def text_at(container: JsonObject, key: str) -> str:
    """The string under `key`; "" when it is absent or of another type."""
    value = container.get(key)
    return value if isinstance(value, str) else ""


def scalar_text_at(container: JsonObject, key: str) -> str:
    """The string under `key`, or the text of a number: YAML reads an unquoted `version: 1.0` as one."""
    value = container.get(key)
    if isinstance(value, str):
        return value
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return written_member(container, key) or str(value) if is_number else ""


def names_at(container: JsonObject, key: str) -> list[str]:
    """The names in the array under `key`; numbers and booleans as they were written, as keys are."""
    items = array_at(container, key)
    names = [item for item in items if isinstance(item, str)]
    if len(names) == len(items):
        return names
    written = written_items(items)
    texts = [scalar_text(item, written.get(place)) for place, item in enumerate(items)]
    return [text for text in texts if text is not None]


_DECODER = json.JSONDecoder()


class NestedTooDeeply(ValueError):
    """A text has more than `MAX_NESTING` arrays and objects within each other."""

    def __init__(self) -> None:
        super().__init__(f"it is nested more than {MAX_NESTING} levels deep")


def load_json(text: TextT, read: Callable[[TextT], Any] = json.loads) -> JsonValue:
    """The value of a JSON text of others, whose nesting has the same limit in every Python.

    Raises:
        ValueError: it is not JSON; `NestedTooDeeply`.
    """
    try:
        value = read(text)
    except RecursionError:
        raise NestedTooDeeply from None
    if may_nest_deeply(text) and nests_deeply(value):
        raise NestedTooDeeply
    return cast(JsonValue, value)


def load_first(text: str, start: int) -> tuple[JsonValue, int]:
    """The JSON value that begins at a place of a text, and where it ends.

    Raises:
        ValueError: as `load_json`.
    """
    try:
        value, end = _DECODER.raw_decode(text, start)
    except RecursionError:
        raise NestedTooDeeply from None
    if may_nest_deeply(text) and nests_deeply(value):
        raise NestedTooDeeply
    return value, end


def may_nest_deeply(text: str | bytes) -> bool:
    """Whether a text has enough brackets for more than `MAX_NESTING` levels, which hardly any has."""
    if isinstance(text, str):
        return text.count("[") + text.count("{") > MAX_NESTING
    return text.count(b"[") + text.count(b"{") > MAX_NESTING


def nests_deeply(value: JsonValue) -> bool:
    """Whether a value has more than `MAX_NESTING` arrays and objects within each other."""
    level: list[object] = [value]
    for _ in range(MAX_NESTING + 1):
        level = [each for each in level if isinstance(each, dict | list)]
        if not level:
            return False
        level = gc.get_referents(*level)
    return True


def dump_json(value: JsonValue) -> bytes:
    """Compact UTF-8 JSON that keeps key order.

    Integers beyond 64 bits, which orjson refuses, are written as digits. NaN and infinities become `null`.
    """
    try:
        return orjson.dumps(value)
    except TypeError:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def equality_key(value: JsonValue) -> str | int | bytes:
    """A key that is equal for equal values only; `1`, `1.0` and `true` differ, as in JSON."""
    if isinstance(value, str) or type(value) is int:
        return value
    return trim_bytes(dump_json(value))


def trim_bytes(written: bytes) -> bytes:
    """A copy without unused capacity: orjson returns the buffer it wrote into, 4 KiB or more.

    For bytes that are stored for long.
    """
    return b"%b" % written
