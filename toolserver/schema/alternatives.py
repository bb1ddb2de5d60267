"""Branches of `anyOf` and `oneOf`: what each adds, and which discriminator values select it.

Receives branches as the document has them, with references already followed where that matters; gives facts
about them. Knows nothing of how alternatives are written.
"""

from typing import NamedTuple

from toolserver.json_types import (
    JsonObject,
    JsonValue,
    array_at,
    has_null,
    join_arrays,
    object_at,
    only_value,
    text_at,
)
from toolserver.openapi.document import schema_reference_of
from toolserver.schema.hints import clean_text, value_text
from toolserver.schema.keywords import ANNOTATIONS, read_types

_NOT_CONSTRAINING = ANNOTATIONS | {
    "description",
    "example",
    "externalDocs",
    "xml",
    "$comment",
    "discriminator",
}
_ENUM_KEYS = _NOT_CONSTRAINING | {"type", "enum", "const", "format"}


class Tag(NamedTuple):
    """The values of one property that select one branch."""

    name: str
    values: tuple[str, ...]
    optional: bool = False
    """Whether a value without the property takes the form named by `defaultMapping` (OpenAPI 3.2 §4.25)."""
    mapped: tuple[str, ...] = ()
    """The values that select one of the branches; empty if the only value is the name of the schema."""


def discriminator_of(schema: JsonObject) -> JsonObject:
    """What distinguishes alternatives; Swagger 2.0 names only the property. {} when nothing does."""
    stated = schema.get("discriminator")
    if isinstance(stated, str):
        stated = JsonObject(propertyName=stated)
    return stated if isinstance(stated, dict) and text_at(stated, "propertyName") else {}


def tag_of(branch: JsonValue, discriminator: JsonObject | None) -> Tag | None:
    """What a discriminator says about a branch: its mapped values, else the name of the schema it refers to.

    None for a branch that is not a reference: nothing names it.
    """
    ref = schema_reference_of(branch)
    if discriminator is None or ref is None:
        return None
    name = ref.rsplit("/", 1)[-1]
    mapping = object_at(discriminator, "mapping")
    values = tuple(value for value, target in mapping.items() if target in (ref, name))
    optional = "defaultMapping" in discriminator
    mapped = tuple(mapping) if values else ()
    return Tag(text_at(discriminator, "propertyName"), values or (name,), optional, mapped)


def is_unconstrained(schema: JsonValue) -> bool:
    """Whether the schema accepts any value."""
    return not isinstance(schema, dict) or not schema.keys() - _NOT_CONSTRAINING


def describes_form(schema: JsonObject) -> bool:
    """Whether the schema says more of a value than its type and the names that it requires."""
    return bool(schema.keys() - _NOT_CONSTRAINING - {"type", "required", "not"})


def is_null(schema: JsonObject) -> bool:
    """Whether the schema accepts only null."""
    if "const" in schema:
        return has_null(only_value(schema, "const"))
    if read_types(schema.get("type")) == ("null",):
        return True
    return schema.get("enum") == [None] and has_null(array_at(schema, "enum"))


def only_requires(schema: JsonObject) -> list[str] | None:
    """The names that a branch requires if it does nothing else; [] for a bare `not`; None for others."""
    constraints = schema.keys() - _NOT_CONSTRAINING
    if constraints == {"not"}:
        return []
    if (
        "required" not in constraints
        or constraints - {"required", "not", "type"}
        or schema.get("type", "object") != "object"
    ):
        return None
    return [name for name in array_at(schema, "required") if isinstance(name, str)]


def is_enum(schema: JsonObject) -> bool:
    """Whether a branch does nothing but list values."""
    values = [schema["const"]] if "const" in schema else array_at(schema, "enum")
    return (
        bool(values)
        and not any(isinstance(value, dict | list) for value in values)
        and all(key in _ENUM_KEYS or key.startswith("x-") for key in schema)
    )


def one_enum(branches: list[JsonObject]) -> tuple[JsonObject, str]:
    """Several lists of values as one list, and what each branch said about its single value."""
    lists: list[list[JsonValue]] = []
    meanings: list[str] = []
    for branch in branches:
        own = only_value(branch, "const") if "const" in branch else array_at(branch, "enum")
        lists.append(own)
        meaning = clean_text(text_at(branch, "description") or text_at(branch, "title"))
        if meaning and len(own) == 1:
            meanings.append(f"{value_text(own[0])} = {meaning}")
    text = "; ".join(meanings)
    return {"enum": join_arrays(lists)}, text if not text or text.endswith(".") else f"{text}."
