"""Shapes of JSON in words, from JSON Schema."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

from make.reference.docstrings import texts_of_fields
from make.reference.parts import table

Schema = Mapping[str, Any]

_BOUNDS = {
    "minimum": "at least {}",
    "maximum": "at most {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "maxItems": "at most {}",
    "pattern": "`{}`",
}


def section(name: str, schema: Schema, heading: str) -> Iterator[str]:
    """A heading, what the shape is, and a table of its fields."""
    yield from (f"{heading} `{name}`", "")
    about = re.sub(r"\bNone\b", "null", " ".join(str(schema.get("description", "")).split()))
    if about:
        yield from (about, "")
    if "enum" in schema:
        yield from ("One of " + ", ".join(f"`{value}`" for value in schema["enum"]) + ".", "")
    elif schema.get("properties"):
        required = set(schema.get("required", ()))
        rows = [_row(name, field, what, field in required) for field, what in schema["properties"].items()]
        yield from table(("field", "type", "meaning"), rows)
        yield ""
    elif not about:
        yield from (f"{type_of(schema).capitalize()}.", "")


def _row(shape: str, field: str, schema: Schema, is_required: bool) -> tuple[str, str, str]:
    text = str(schema.get("description", "")) or texts_of_fields().get((shape, field), "")
    default = "" if is_required else _default(schema)
    return f"`{field}`", type_of(schema) + default, text


def _default(schema: Schema) -> str:
    if "default" not in schema:
        return ", optional"
    default = schema["default"]
    return f", default {'empty' if default in ([], {}) else f'`{json.dumps(default)}`'}"


def type_of(schema: Schema) -> str:
    """The type in words, with links to other shapes."""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        return f"[{name}](#{name.lower()})"
    if alternatives := schema.get("anyOf") or schema.get("oneOf"):
        return " or ".join(dict.fromkeys(type_of(each) for each in alternatives))
    if "const" in schema:
        return f"`{schema['const']}`"
    if "enum" in schema:
        return " or ".join(f"`{value}`" for value in schema["enum"])
    return _plain(schema) + "".join(
        f", {words.format(schema[key])}" for key, words in _BOUNDS.items() if key in schema
    )


def _plain(schema: Schema) -> str:
    match schema.get("type"):
        case "array":
            items = schema.get("items")
            return f"list of {type_of(items)}" if items else "list"
        case "object":
            values = schema.get("additionalProperties")
            return (
                f"object of {type_of(cast('Schema', values))}"
                if isinstance(values, dict) and values
                else "object"
            )
        case str() as name:
            return name
        case _:
            return "any"
