"""Fits the values that a schema lists to the types that it states.

Receives allowed values, a default or examples with the stated types; gives them as a caller has to send them,
and sentences about each that had to be converted or left out. Where a text is wanted, a number or boolean
becomes the text that the author wrote. Knows nothing of references.
"""

import math
import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

from toolserver.json_types import (
    JsonObject,
    JsonValue,
    WrittenObject,
    dump_json,
    holds_texts,
    scalar_text,
    written_items,
)
from toolserver.openapi.json_text import MAX_DIGITS
from toolserver.schema.alternatives import Tag
from toolserver.schema.hints import ENUM_CHARS, clean_text
from toolserver.schema.keywords import NO_VALUE, type_of
from toolserver.schema.shape import Shape

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,99})(\.[0-9]{1,99})?([eE][-+]?[0-9]{1,3})?")
_SCALARS = frozenset(("string", "integer", "number", "boolean"))
_EXAMPLES = "examples"
_LIST = "its list of values has"

_ReadShape = Callable[[JsonValue], Shape]


class _Item(NamedTuple):
    """A value as it was read, and how it was written if JSON writes it in another way."""

    value: JsonValue
    written: str | None = None


_NULL = _Item(None)


class _Conversion(NamedTuple):
    old: str
    """As it was written."""
    new: JsonValue


class FittedEnum(NamedTuple):
    """A list of allowed values and the types that they have."""

    values: list[JsonValue]
    """Without null. Empty: nothing is known about the values."""
    types: tuple[str, ...] | None
    problems: tuple[str, ...] = ()


def fit_enum(values: list[JsonValue], types: tuple[str, ...] | None, *, nullable: bool = False) -> FittedEnum:
    """The allowed values that fit the stated types.

    For a string, scalars become the text that was written. Texts become the numbers and booleans that they
    are the JSON of, if other values fit as they are. If none fits, the stated type was wrong rather than
    every value: then the values determine it.
    """
    texts = written_items(values)
    if not texts:
        if types is None:
            present: list[JsonValue] = [value for value in values if value is not None]
            return FittedEnum(present, _types_of(present))
        if all(_suits(value, types) for value in values):
            return FittedEnum(values, types)
    items = [_item(value, texts.get(index)) for index, value in enumerate(values)]
    if types is None:
        return _fit_untyped(items)
    return _fit_typed(items, types, nullable=nullable)


def _item(value: JsonValue, written: str | None) -> _Item:
    """An allowed value; what JSON cannot express, such as `.nan`, can only be meant as a text."""
    return _Item(written) if value is None and written is not None else _Item(value, written)


def _fit_untyped(items: list[_Item]) -> FittedEnum:
    """Beside texts, a number or boolean in an unusual form is one, too; by itself it is what it seems."""
    present: list[JsonValue] = [item.value for item in items if item != _NULL]
    types = _types_of(present)
    if types is None or "string" not in types:
        return FittedEnum(present, types)
    values = [item.value if item.written is None else item.written for item in items if item != _NULL]
    converted = [_Conversion(item.written, item.written) for item in items if item.written is not None]
    return FittedEnum(values, _types_of(values), tuple(_told(converted, _LIST)))


def _fit_typed(items: list[_Item], types: tuple[str, ...], *, nullable: bool) -> FittedEnum:
    listed = [item for item in items if item != _NULL]
    is_any_right = any(_suits(item.value, types) for item in listed)
    if listed and not is_any_right and "string" not in types:
        return _types_by_values([item.value for item in listed], types)
    values: list[JsonValue] = []
    converted: list[_Conversion] = []
    left_out: list[str] = []
    for item in listed:
        fitted = _fit(item, types)
        if fitted is None:
            left_out.append(_as_written(item))
            continue
        values.append(fitted.value)
        if fitted is not item:
            converted.append(_Conversion(_as_written(item), fitted.value))
    if listed and not values:
        return _types_by_values([item.value for item in listed], types)
    if values and not nullable and len(listed) < len(items):
        left_out.append("null")
    problems = [*_told(converted, _LIST), *_lost(left_out, types)]
    return FittedEnum(values, types, tuple(problems))


def _types_by_values(values: list[JsonValue], types: tuple[str, ...]) -> FittedEnum:
    found = _types_of(values)
    problem = f"{_LIST} nothing that is {_named(types)}, its type; taken as {_named(found or ())}"
    return FittedEnum(values, found, (problem,))


def settle_values(shape: Shape, read_shape: _ReadShape) -> None:
    """Fits the default and the examples of a shape, which has to have its types by now."""
    if "default" in shape.keywords:
        item = _Item(shape.keywords.pop("default"), shape.default_text)
        (value,), problems = _fit_annotations([item], shape, read_shape, "its default has")
        if _is_no_number(value, item, shape.types):
            problems = (NO_VALUE,)
        else:
            shape.keywords["default"] = value
        shape.problems += problems
    examples = shape.keywords.get(_EXAMPLES)
    if isinstance(examples, list):
        texts = written_items(examples)
        items = [_Item(value, texts.get(index)) for index, value in enumerate(examples)]
        values, problems = _fit_annotations(items, shape, read_shape, "its examples have")
        pairs = zip(values, items, strict=True)
        shape.keywords[_EXAMPLES] = [
            each for each, item in pairs if not _is_no_number(each, item, shape.types)
        ]
        shape.problems += problems


def _is_no_number(value: JsonValue, item: _Item, types: tuple[str, ...] | None) -> bool:
    """Whether a default is what no number of JSON can be: `.nan`, or digits that no reader takes."""
    if value is None:
        return item.written is not None
    if isinstance(value, float):
        return not math.isfinite(value)
    is_digits = isinstance(value, str) and len(value) > MAX_DIGITS and value.removeprefix("-").isdecimal()
    return is_digits and types is not None and "string" not in types


def _fit_annotations(
    items: list[_Item], shape: Shape, read_shape: _ReadShape, place: str
) -> tuple[list[JsonValue], tuple[str, ...]]:
    """The values; one that fits in no way stays as it is, since it restricts nothing."""
    converted: list[_Conversion] = []
    values = [_fit_deeply(item, shape, read_shape, converted) for item in items]
    return values, tuple(_told(converted, place))


def _fit_deeply(item: _Item, shape: Shape, read_shape: _ReadShape, converted: list[_Conversion]) -> JsonValue:
    """The value, of an array each item, of an object each member in which something has a text of its own."""
    value = item.value
    if isinstance(value, list) and isinstance(shape.items, dict):
        if not holds_texts(value) and all(isinstance(each, str | dict | list) for each in value):
            return value
        inner = read_shape(shape.items)
        texts = written_items(value)
        return [
            _fit_deeply(_Item(each, texts.get(index)), inner, read_shape, converted)
            for index, each in enumerate(value)
        ]
    if isinstance(value, WrittenObject):
        fitted = dict(value)
        for key, each in value.items():
            written = value.texts.get(key)
            if written is not None or holds_texts(each):
                inner = _shape_of(key, shape, read_shape)
                fitted[key] = _fit_deeply(_Item(each, written), inner, read_shape, converted)
        return fitted
    types = shape.types
    if types is None or isinstance(value, dict | list) or item == _NULL or _suits(value, types):
        return value
    suiting = _fit(item, types)
    if suiting is None:
        return value
    converted.append(_Conversion(_as_written(item), suiting.value))
    return suiting.value


def _shape_of(key: str, shape: Shape, read_shape: _ReadShape) -> Shape:
    schema = shape.properties.get(key, shape.additional_schema())
    return read_shape(schema) if isinstance(schema, dict) else Shape()


def fit_tag(tag: Tag, stated: Shape) -> tuple[JsonObject | None, tuple[str, ...]]:
    """The schema that limits a discriminator's property to the values of one branch; None for no limit.

    `stated` is the property as the branch describes it. Its own values stay where they have none of the
    branch's; else those do that select no other branch. Keys of a mapping are texts, whatever the property
    is.
    """
    types = stated.types or ("string",)
    name = types[0] if len(types) == 1 else ""
    if stated.alternatives or name not in _SCALARS:
        return None, ()
    fitted = [(text, _fit(_Item(text), types)) for text in tag.values]
    values = [item.value for _, item in fitted if item is not None]
    others = [item.value for text in tag.mapped if (item := _fit(_Item(text), types)) is not None]
    allowed = [value for value in values if stated.enum is None or value in stated.enum]
    if allowed and tag.mapped:
        allowed += [value for value in stated.enum or () if value not in others]
    converted = [
        _Conversion(_as_written(_Item(text)), item.value)
        for text, item in fitted
        if item is not None and item.value != text
    ]
    told = [*_told(converted, "its discriminator has")]
    lost = [text for text, item in fitted if item is None or item.value not in allowed]
    if lost and tag.mapped:
        told.append(
            f"its discriminator has {_listed(lost)}, which `{clean_text(tag.name)}` may not be; left out"
        )
    return {"type": name, "enum": allowed} if allowed else None, tuple(told)


def _fit(item: _Item, types: tuple[str, ...]) -> _Item | None:
    """The item itself if it suits, else one that means the same; None where there is none."""
    value = item.value
    if _suits(value, types):
        return item
    if "string" in types:
        text = scalar_text(value, item.written)
        return None if text is None else _Item(text)
    if not isinstance(value, str):
        return None
    if "boolean" in types and value in ("true", "false"):
        return _Item(value == "true")
    number = _NUMBER.fullmatch(value)
    if number is None:
        return None
    read = float(value) if number[1] or number[2] else int(value)
    if not math.isfinite(read):
        return None
    if isinstance(read, float) and read.is_integer() and abs(read) < 2**53:
        read = int(read)
    return _Item(read) if _suits(read, types) else None


def _suits(value: JsonValue, types: tuple[str, ...]) -> bool:
    name = type_of(value)
    if name == "number" and isinstance(value, float) and not math.isfinite(value):
        return False
    return name in types or (name == "integer" and "number" in types)


def _types_of(values: list[JsonValue]) -> tuple[str, ...] | None:
    return tuple(dict.fromkeys(map(type_of, values))) or None


def _as_written(item: _Item) -> str:
    return item.written if item.written is not None else dump_json(item.value).decode()


def _told(converted: list[_Conversion], place: str) -> Iterable[str]:
    by_type: dict[str, list[_Conversion]] = {}
    for each in converted:
        by_type.setdefault(type_of(each.new), []).append(each)
    for name, alike in by_type.items():
        olds = _listed(each.old for each in alike)
        news = _listed(dump_json(each.new).decode() for each in alike)
        yield f"{place} {olds} where {_named((name,))} belongs; taken as {news}"


def _lost(left_out: list[str], types: tuple[str, ...]) -> Iterable[str]:
    if left_out:
        yield f"{_LIST} {_listed(left_out)} where {_named(types)} belongs; left out"


def _listed(values: Iterable[str]) -> str:
    """The distinct values; a list of thousands is cut."""
    return clean_text(", ".join(dict.fromkeys(values)), ENUM_CHARS)


def _named(types: tuple[str, ...]) -> str:
    return " or ".join(f"{'an' if name[0] in 'aio' else 'a'} {name}" for name in types)
