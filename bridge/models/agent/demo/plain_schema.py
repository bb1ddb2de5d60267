"""The schema of arguments without what strict mode adds, as the rules of the demo model read it. Pure.

Strict mode requires every property and allows null instead, and says patterns in descriptions only.
"""

from __future__ import annotations

import re

from toolserver.json_types import JsonObject, JsonValue, array_at, object_at, text_at

MAX_DEPTH = 4
"""Maximum depth of objects and arrays within each other; what lies deeper is not filled."""

_PATTERN = re.compile(r"Pattern: `([^`]+)`")
_SIMPLE = re.compile(r"(?:(?:\[[^\[\]\\]+\]|\\[d.]|[A-Za-z0-9_:-])(?:\{\d{1,3}\}|[+?])?)+")
_MAX_REPEATS = 3
_MAX_PATTERN = 100


def plain_schema(schema: JsonObject, depth: int = MAX_DEPTH) -> JsonObject:
    """Return the schema with optional properties as such, and with its pattern if that is simple."""
    if depth == 0:
        return {}
    plain = {**schema, **_without_null(schema)}
    if isinstance(kinds := plain.get("type"), list):
        plain["type"] = next((kind for kind in kinds if kind != "null"), "null")
    properties = object_at(plain, "properties")
    optional = {name for name, each in properties.items() if isinstance(each, dict) and _takes_null(each)}
    plain["required"] = [name for name in array_at(plain, "required") if name not in optional]
    plain["properties"] = {
        name: plain_schema(each, depth - 1) for name, each in properties.items() if isinstance(each, dict)
    }
    plain["items"] = plain_schema(object_at(plain, "items"), depth - 1)
    plain["pattern"] = _simple_pattern(plain)
    return plain


def _without_null(schema: JsonObject) -> JsonObject:
    """Return the one form of a schema that is also null."""
    forms = [
        form for form in array_at(schema, "anyOf") if isinstance(form, dict) and form.get("type") != "null"
    ]
    return forms[0] if len(forms) == 1 else {}


def _takes_null(schema: JsonObject) -> bool:
    forms: list[JsonValue] = [schema, *array_at(schema, "anyOf")]
    kinds = [form.get("type") for form in forms if isinstance(form, dict)]
    return any(kind == "null" or (isinstance(kind, list) and "null" in kind) for kind in kinds)


def _simple_pattern(schema: JsonObject) -> str:
    """Return the pattern that a whole text has to match; "" for one that could take long: it is foreign."""
    said = _PATTERN.search(text_at(schema, "description"))
    pattern = text_at(schema, "pattern") or (said[1] if said else "")
    inner = pattern.removeprefix("^").removesuffix("$")
    is_simple = _SIMPLE.fullmatch(inner) and len(inner) <= _MAX_PATTERN and inner.count("+") <= _MAX_REPEATS
    return inner if is_simple else ""
