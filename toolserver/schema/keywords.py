"""Normalizes the plain keywords of a schema to the form that JSON Schema 2020-12 requires.

Receives keyword values as real documents write them (numbers in quotes, booleans for exclusive bounds, one
`example`); gives valid values, or nothing. A value that cannot be read is left out: it would make the whole
schema invalid. Knows nothing of references and composition.
"""

import math
from collections.abc import Callable, KeysView, Mapping
from functools import cache

from toolserver.errors import quote_text
from toolserver.json_types import JsonObject, JsonValue, equality_key, only_value
from toolserver.schema.hints import clean_text
from toolserver.schema.pattern import length_bounds, portable_pattern

NO_VALUE = "its default is no value that JSON has; left out"

_LARGEST = 2**63
"""Integers from -2^63 up to below this have 64 bits, which every reader of JSON can hold in some way."""

BOUNDS = frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"})
"""Keywords of numbers whose values are numbers."""

TYPES = ("string", "number", "integer", "boolean", "object", "array", "null")
TYPE_ALIASES: Mapping[str, str] = {
    "any": "",
    "bool": "boolean",
    "date": "string",
    "datetime": "string",
    "double": "number",
    "enum": "string",
    "file": "string",
    "float": "number",
    "int": "integer",
    "int32": "integer",
    "int64": "integer",
    "list": "array",
    "long": "integer",
    "map": "object",
    "str": "string",
    "uuid": "string",
}
"""Names that documents use for types although no specification defines them."""

_NO_TYPE = "its `type` is no name of a type; left out"

TYPE_SIGNS: Mapping[str, tuple[str, ...]] = {
    "object": (
        *("properties", "required", "additionalProperties", "patternProperties", "minProperties"),
        *("maxProperties", "propertyNames"),
    ),
    "array": ("items", "prefixItems", "minItems", "maxItems", "uniqueItems"),
    "string": ("minLength", "maxLength", "pattern", "format"),
    "number": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
}
"""Keywords that imply the type of a schema which does not state it."""


def read_types(value: JsonValue) -> tuple[str, ...] | None:
    """The known types that a `type` keyword states, each once; None when it states none."""
    if isinstance(value, str) and value in TYPES:
        return (value,)
    names = value if isinstance(value, list) else [value]
    types: list[str] = []
    for name in names:
        if not isinstance(name, str):
            continue
        known = TYPE_ALIASES.get(name.lower(), name.lower())
        if known in TYPES and known not in types:
            types.append(known)
    if "number" in types and "integer" in types:
        types.remove("integer")
    return tuple(types) or None


def describe_unread_type(value: JsonValue) -> str:
    """What is told of a `type` that states no known type; "" of one that says nothing, or "any"."""
    names = value if isinstance(value, list) else [value]
    if all(name is None or (isinstance(name, str) and name.lower() in ("any", "")) for name in names):
        return ""
    unknown = [quote_text(name) for name in names if isinstance(name, str)]
    return f"its type {' or '.join(unknown)} is unknown; left out" if unknown else _NO_TYPE


def types_by_signs(keys: set[str] | KeysView[str]) -> tuple[str, ...] | None:
    """The types that these keywords imply; None when they imply none."""
    return tuple(name for name, signs in TYPE_SIGNS.items() if not keys.isdisjoint(signs)) or None


def read_number(value: JsonValue) -> int | float | None:
    """A finite number, also from text: older YAML readers leave `1e9` as a string."""
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    if not isinstance(value, int | float):
        return None
    if isinstance(value, int):
        return value if _as_float(value) is not None else None
    if not math.isfinite(value):
        return None
    return int(value) if value.is_integer() and abs(value) < _LARGEST else value


def _as_float(value: int) -> float | None:
    try:
        return float(value)
    except OverflowError:
        return None


def writable_bounds(node: JsonObject) -> JsonObject:
    """The node with the bounds that every reader of JSON takes.

    Beside an integer a bound beyond 64 bits goes: some refuse it with its digits, some as floating point. It
    is described all the same.
    """
    if BOUNDS.isdisjoint(node):
        return node
    large = {key: value for key in BOUNDS & node.keys() if (value := _beyond_64_bits(node[key])) is not None}
    if not large:
        return node
    kept = {key: value for key, value in node.items() if key not in large}
    return kept if node.get("type") in ("integer", ["integer", "null"]) else {**kept, **large}


def _beyond_64_bits(value: JsonValue) -> float | None:
    """A bound that an integer of 64 bits cannot be, as floating point; None for any other."""
    if not isinstance(value, int | float) or -_LARGEST <= value < _LARGEST:
        return None
    return float(value)


def _count(value: JsonValue) -> int | None:
    number = read_number(value)
    return number if isinstance(number, int) and 0 <= number < _LARGEST else None


def _positive(value: JsonValue) -> int | float | None:
    number = read_number(value)
    return number if number is not None and number > 0 else None


def _text(value: JsonValue) -> str | None:
    return value if isinstance(value, str) and value else None


def _pattern(value: JsonValue) -> str | None:
    """The pattern, as every reader can compile it where it has such a form."""
    return portable_pattern(value) or value if isinstance(value, str) and value else None


def _title(value: JsonValue) -> str | None:
    return clean_text(value) or None if isinstance(value, str) else None


def _truth(value: JsonValue) -> bool | None:
    return True if value is True else None


def _listed(value: JsonValue) -> JsonValue:
    return value if isinstance(value, list) and value else None


READERS: Mapping[str, Callable[[JsonValue], JsonValue]] = {
    "title": _title,
    "format": _text,
    "minimum": read_number,
    "maximum": read_number,
    "exclusiveMinimum": read_number,
    "exclusiveMaximum": read_number,
    "minLength": _count,
    "maxLength": _count,
    "pattern": _pattern,
    "multipleOf": _positive,
    "minItems": _count,
    "maxItems": _count,
    "uniqueItems": _truth,
    "minProperties": _count,
    "maxProperties": _count,
    "contentEncoding": _text,
    "contentMediaType": _text,
    "deprecated": _truth,
    "writeOnly": _truth,
    "examples": _listed,
}
_RESTRICTING = frozenset(READERS) - {
    *("title", "format", "contentEncoding", "contentMediaType", "deprecated", "writeOnly", "examples")
}
"""Those of them that rule values out."""

PLAIN = frozenset((*READERS, "default", "example"))
"""The keywords that `read_keywords` reads."""

ANNOTATIONS = frozenset({"title", "default", "examples", "deprecated", "writeOnly"})
"""Keywords that describe a value without restricting it."""

_ONLY_FOR: Mapping[str, frozenset[str]] = {
    "string": frozenset({"minLength", "maxLength", "pattern", "contentEncoding", "contentMediaType"}),
    "number": frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}),
    "array": frozenset({"minItems", "maxItems", "uniqueItems"}),
    "object": frozenset({"minProperties", "maxProperties"}),
}


def read_keywords(schema: JsonObject) -> JsonObject:
    """The plain keywords of `schema`: bounds, lengths, pattern, format, title, default, examples, flags."""
    keywords: JsonObject = {}
    for key, value in schema.items():
        read = READERS.get(key)
        if read is not None and (known := read(value)) is not None:
            keywords[key] = known
    for bound, exclusive in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        if bound in keywords and schema.get(exclusive) is True:  # OpenAPI 3.0 has a boolean, 2020-12 a number
            keywords[exclusive] = keywords.pop(bound)
    pattern = keywords.get("pattern")
    if isinstance(pattern, str) and portable_pattern(pattern) is None:
        combine_keywords(keywords, length_bounds(pattern))
    if "default" in schema and _is_json(schema["default"]):
        keywords["default"] = schema["default"]
    if "example" in schema and "examples" not in keywords and _is_json(schema["example"]):
        keywords["examples"] = only_value(schema, "example")
    return keywords


def list_unread(schema: JsonObject, read: JsonObject) -> list[str]:
    """The keywords that restrict values and are left out, because what they say cannot be read."""
    unread = [key for key in schema if key in _RESTRICTING and key not in read]
    return [
        f"`{key}`" for key in unread if not isinstance(schema[key], bool | None) and not _is_moved(key, read)
    ]


def _is_moved(key: str, read: JsonObject) -> bool:
    """Whether a bound is exclusive by the word of another keyword, as in OpenAPI 3.0."""
    return key in ("minimum", "maximum") and f"exclusive{key.capitalize()}" in read


def _is_json(value: JsonValue) -> bool:
    """Whether a value is more than YAML's `.nan` or `.inf`, which JSON would tell as null."""
    return not isinstance(value, float) or math.isfinite(value)


_TIGHTER: Mapping[str, Callable[[int | float, int | float], int | float]] = {
    **dict.fromkeys(("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"), max),
    **dict.fromkeys(("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"), min),
}


def combine_keywords(keywords: JsonObject, more: JsonObject) -> None:
    """Adds `more` to `kept` as `allOf` does: the tighter bound holds; of anything else the first stays."""
    for key, value in more.items():
        present = keywords.get(key)
        tighter = _TIGHTER.get(key)
        if tighter is not None and isinstance(present, int | float) and isinstance(value, int | float):
            keywords[key] = tighter(present, value)
        else:
            keywords.setdefault(key, value)


def keywords_for(types: tuple[str, ...], keywords: JsonObject) -> JsonObject:
    """The part of `keywords` that applies to values of `types`."""
    foreign = _foreign_to(types)
    return {key: value for key, value in keywords.items() if key not in foreign}


@cache
def _foreign_to(types: tuple[str, ...]) -> frozenset[str]:
    families = {"number" if name == "integer" else name for name in types}
    return frozenset(key for family, own in _ONLY_FOR.items() if family not in families for key in own)


def type_of(value: JsonValue) -> str:
    """The JSON Schema type of a value; whole numbers are integers."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    if isinstance(value, float):
        return "integer" if value.is_integer() else "number"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list) else "object"


def unique_values(values: list[JsonValue]) -> list[JsonValue]:
    """The distinct values, in order; `1` and `true` are different, as in JSON."""
    distinct: dict[str | int | bytes, JsonValue] = {}
    for value in values:
        distinct.setdefault(equality_key(value), value)
    return list(distinct.values())
