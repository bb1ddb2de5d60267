"""Strict function calling, per tool: a schema that providers enforce to the letter, or why there is none.

Receives argument schemas as `argument_schemas` writes them; gives schemas within the rules of strict mode
(https://platform.openai.com/docs/guides/structured-outputs#supported-schemas): every property required,
optional ones nullable, no further properties, no unsupported keyword. Constraints that are removed remain in
the descriptions. With a strict schema a model sends null for every optional argument that it leaves out:
`toolserver.schema.nulls` removes those nulls again, and the result is validated against the original schema.

A tool is not strict if it would lose something by that: free-form values and maps have no strict form, and
where null is a value of an optional property, it cannot also mean that the property is left out.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import cast

import orjson

from toolserver.json_types import JsonObject, JsonValue, array_at, object_at, trim_bytes
from toolserver.schema.hints import clean_text
from toolserver.schema.nulls import ends_with_null, find_clash, may_be_left_out, takes_null
from toolserver.schema.write import FREE_FORM_BRANCHES

MAX_PROPERTIES = 5_000
"""Maximum number of properties in all objects of a schema together."""

MAX_LEVELS = 10
"""Maximum nesting of objects and arrays, counting the root and the values in the innermost one."""

MAX_ENUM_VALUES = 1_000
"""Maximum number of allowed values of all properties together."""

MANY_VALUES = 250
MAX_MANY_VALUES_CHARS = 15_000
"""Maximum characters of the values in one list that has more than `MANY_VALUES`."""

MAX_CHARS = 120_000
"""Maximum characters of all property names and allowed values together."""

COPIED_KEYS = ("type", "description", "enum", "anyOf", "properties", "items")

_CACHED = 4_096
_MAX_QUOTED_CHARS = 200
_NULL: JsonObject = {"type": "null"}


@dataclass(frozen=True, slots=True)
class Strict:
    """A tool's schema for strict mode."""

    schema_json: bytes
    """Compact JSON; empty when the tool cannot be strict."""
    reason: str
    """Why the tool cannot be strict, as a sentence; "" when it can."""

    @property
    def is_strict(self) -> bool:
        """Whether there is a strict schema."""
        return not self.reason


class _NotStrict(Exception):
    """The schema has no strict form; the exception's text is the reason."""


def _not_strict(place: str, what: str) -> _NotStrict:
    return _NotStrict(f"`{clean_text(place, _MAX_QUOTED_CHARS)}` {what}")


@lru_cache(maxsize=_CACHED)
def strict_schema(schema_json: bytes) -> Strict:
    """The strict form of an argument schema; property order stays. Pure, and cached."""
    counts = _Counts()
    try:
        schema = _object(cast(JsonObject, orjson.loads(schema_json)), "", 1, counts)
        counts.values = _count_values(schema)
        counts.check()
    except _NotStrict as reason:
        return Strict(b"", str(reason))
    return Strict(trim_bytes(orjson.dumps(schema)), "")


@dataclass(slots=True)
class _Counts:
    """Counters for the limits of strict mode."""

    properties: int = 0
    values: int = 0
    """Counted in the finished schema."""
    chars: int = 0

    def check(self) -> None:
        for count, most, what in (
            (self.properties, MAX_PROPERTIES, "properties"),
            (self.values, MAX_ENUM_VALUES, "allowed values"),
            (self.chars, MAX_CHARS, "characters of names and values"),
        ):
            if count > most:
                raise _NotStrict(f"It has {count:,} {what}; strict mode takes {most:,}.")


def _rewritten(node: JsonObject, place: str, level: int, counts: _Counts) -> JsonObject:
    if level > MAX_LEVELS:
        raise _not_strict(place, f"is nested deeper than the {MAX_LEVELS} levels of strict mode.")
    if any(isinstance(value, dict | list) for value in array_at(node, "enum")):
        raise _not_strict(place, "lists whole objects as its values.")
    branches = node.get("anyOf")
    if branches == FREE_FORM_BRANCHES:
        raise _not_strict(place, "takes any value, which strict mode cannot express.")
    if isinstance(branches, list):
        return _alternatives(node, branches, place, level, counts)
    types = node.get("type")
    if types == "object":
        return _or_null(node, _object(node, place, level, counts))
    if types == "array":
        items = _rewritten(object_at(node, "items"), f"{place}[]", level + 1, counts)
        return _or_null(node, {**_copied(node), "items": items})
    return _scalar(node, place, counts)


def _object(node: JsonObject, place: str, level: int, counts: _Counts) -> JsonObject:
    properties = object_at(node, "properties")
    if isinstance(node.get("additionalProperties"), dict):
        raise _not_strict(place, "is a map whose keys are not known in advance.")
    if "patternProperties" in node:
        raise _not_strict(place, "has keys that only a pattern describes.")
    if level > 1 and not properties and node.get("additionalProperties") is not False:
        raise _not_strict(place, "is an object of unknown keys.")
    if node.get("additionalProperties") is True:  # of an object that is cut: what it needs, and more
        raise _not_strict(place, "is not described in full.")
    required = array_at(node, "required")
    counts.properties += len(properties)
    counts.chars += sum(map(len, properties))
    rewritten: JsonObject = {}
    for name, schema in properties.items():
        inner = f"{place}.{name}" if place else name
        strict = _rewritten(cast(JsonObject, schema), inner, level + 1, counts)
        if takes_null(schema) and may_be_left_out(name, node):
            raise _not_strict(inner, "may be left out and may be null; strict mode has null for both.")
        rewritten[name] = strict if name in required else _nullable(strict)
    names: list[JsonValue] = list(properties)
    return {**_copied(node), "properties": rewritten, "required": names, "additionalProperties": False}


def _alternatives(
    node: JsonObject, branches: list[JsonValue], place: str, level: int, counts: _Counts
) -> JsonObject:
    forms: list[JsonValue] = [
        _rewritten(cast(JsonObject, branch), place, level, counts) for branch in branches
    ]
    if clash := find_clash(branches, place):
        what = "may be left out in one form and may be null in another; strict mode has null for both."
        raise _not_strict(clash, what)
    return _or_null(node, {**_copied(node), "anyOf": forms})


def _scalar(node: JsonObject, place: str, counts: _Counts) -> JsonObject:
    if not isinstance(node.get("type"), str | list):
        raise _not_strict(place, "has no type.")
    values = array_at(node, "enum")
    chars = sum(len(value) if isinstance(value, str) else 1 for value in values)
    counts.chars += chars
    if len(values) > MANY_VALUES and chars > MAX_MANY_VALUES_CHARS:
        raise _not_strict(place, f"lists {len(values)} values of {chars:,} characters.")
    return _or_null(node, _copied(node))


def _count_values(strict: JsonObject) -> int:
    """The allowed values of a strict schema, with the null that stands for "left out" in each list."""
    inner = [*object_at(strict, "properties").values(), *array_at(strict, "anyOf"), strict.get("items")]
    below = sum(_count_values(schema) for schema in inner if isinstance(schema, dict))
    return len(array_at(strict, "enum")) + below


def _copied(node: JsonObject) -> JsonObject:
    return {key: value for key, value in node.items() if key in COPIED_KEYS}


def _or_null(node: JsonObject, strict: JsonObject) -> JsonObject:
    """Makes the schema accept null if the words "May be null." say so: of objects and arrays only they do."""
    return _nullable(strict) if ends_with_null(node) else strict


def _nullable(strict: JsonObject) -> JsonObject:
    types = strict.get("type")
    branches = strict.get("anyOf")
    if isinstance(branches, list):
        return strict if _NULL in branches else {**strict, "anyOf": [*branches, _NULL]}
    if isinstance(types, list):
        return strict if "null" in types else _with_null_value({**strict, "type": [*types, "null"]})
    if types in ("object", "array"):
        description = strict.get("description")
        outer: JsonObject = {"description": description} if description else {}
        inner: JsonObject = {key: value for key, value in strict.items() if key != "description"}
        return {**outer, "anyOf": [inner, _NULL]}
    return _with_null_value({**strict, "type": [types, "null"]})


def _with_null_value(strict: JsonObject) -> JsonObject:
    values = strict.get("enum")
    if isinstance(values, list) and None not in values:
        strict["enum"] = [*values, None]
    return strict
