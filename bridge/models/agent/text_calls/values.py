"""Converts the values of a text call to the types that the tool's schema wants.

A text call has only texts. A text that cannot be read as the schema wants stays a text: checking the
arguments then tells the model what is wrong with it.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator
from contextlib import suppress

from toolserver.json_types import JsonObject, JsonValue, array_at, load_json, object_at

_MAX_REFERENCES = 8
_INTEGER = re.compile(r"[+-]?\d{1,4000}")


def typed_arguments(texts: dict[str, str], schema: JsonObject) -> JsonObject:
    """Return the arguments of a call, each text converted to the type of its property."""
    properties = object_at(schema, "properties")
    others = object_at(schema, "additionalProperties")
    return {
        key: _typed(text, object_at(properties, key) if key in properties else others, schema)
        for key, text in texts.items()
    }


def _typed(text: str, schema: JsonObject, root: JsonObject) -> JsonValue:
    plain = list(_alternatives(schema, root, _MAX_REFERENCES))
    for alternative in plain:
        for value in (*array_at(alternative, "enum"), *_const(alternative)):
            if not isinstance(value, str) and _json_of(value) == text:
                return value
    kinds = [kind for alternative in plain for kind in _kinds(alternative)]
    for kind in sorted(kinds, key=lambda kind: kind != "null"):
        with suppress(ValueError):
            return _READERS[kind](text)
    return text if kinds else _structure(text)


def _alternatives(schema: JsonObject, root: JsonObject, left: int) -> Iterator[JsonObject]:
    """Yield the alternative schemas that a value may match, references followed."""
    reference = schema.get("$ref")
    if isinstance(reference, str) and left:
        yield from _alternatives(_at(root, reference), root, left - 1)
    branches = [*array_at(schema, "anyOf"), *array_at(schema, "oneOf")]
    for branch in branches:
        if isinstance(branch, dict) and left:
            yield from _alternatives(branch, root, left - 1)
    if not branches and reference is None:
        yield schema


def _at(root: JsonObject, reference: str) -> JsonObject:
    """Return the schema that a local reference names; an empty one when there is none."""
    found = root
    for step in reference.removeprefix("#/").split("/"):
        found = object_at(found, step.replace("~1", "/").replace("~0", "~"))
    return found


def _kinds(schema: JsonObject) -> list[str]:
    kind = schema.get("type")
    kinds = kind if isinstance(kind, list) else [kind]
    return [kind for kind in kinds if isinstance(kind, str) and kind in _READERS]


def _const(schema: JsonObject) -> list[JsonValue]:
    return [schema["const"]] if "const" in schema else []


def _read_null(text: str) -> JsonValue:
    if text != "null":
        raise ValueError
    return None


def _read_boolean(text: str) -> JsonValue:
    if text.lower() not in ("true", "false"):
        raise ValueError
    return text.lower() == "true"


def _read_integer(text: str) -> JsonValue:
    if not _INTEGER.fullmatch(text):
        raise ValueError
    return int(text)


def _read_number(text: str) -> JsonValue:
    if _INTEGER.fullmatch(text):
        return int(text)
    value = load_json(text)
    if not isinstance(value, float) or not math.isfinite(value):
        raise ValueError
    return value


def _read_array(text: str) -> JsonValue:
    value = load_json(text)
    if not isinstance(value, list):
        raise ValueError
    return value


def _read_object(text: str) -> JsonValue:
    value = load_json(text)
    if not isinstance(value, dict):
        raise ValueError
    return value


_READERS: dict[str, Callable[[str], JsonValue]] = {
    "null": _read_null,
    "boolean": _read_boolean,
    "integer": _read_integer,
    "number": _read_number,
    "array": _read_array,
    "object": _read_object,
    "string": str,
}
"""Readers by JSON type. Each raises ValueError for a text that is not of its type."""


def _structure(text: str) -> JsonValue:
    """Read objects and arrays as such where the schema allows anything; any other text stays a text."""
    if text.startswith(("{", "[")):
        with suppress(ValueError):
            return load_json(text)
    return text


def _json_of(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False)
