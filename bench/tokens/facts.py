"""Counts the facts that an argument schema tells, in any writer's way to compose it.

A fact is a name, a type, an allowed value, a bound, a default, that something is required, a format, a
pattern, an example, or a description, each at its place in the arguments. What a reference leads to counts
at each place that refers to it, but once in a circle. Alternatives and parts stand at the place of the whole.
"""

from collections.abc import Iterator
from typing import TypeAlias, cast

Schema: TypeAlias = dict[str, object]
Fact: TypeAlias = tuple[str, str, str]
"""Place, kind and value."""

MAX_FACTS = 50_000
_COMPOSED = ("allOf", "anyOf", "oneOf")
_VALUES = (
    *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength"),
    *("minItems", "maxItems", "minProperties", "maxProperties", "uniqueItems", "default", "format"),
    *("pattern", "description", "deprecated", "contentEncoding", "contentMediaType"),
)


class TooMany(Exception):
    """There are more than `MAX_FACTS`: references lead to references."""


def facts_of(schema: Schema) -> set[Fact]:
    """All of one schema.

    Raises:
        TooMany
    """
    found: set[Fact] = set()
    for count, fact in enumerate(_facts(schema, schema, "", ())):
        if count > MAX_FACTS:
            raise TooMany
        found.add(fact)
    return found


def _facts(root: Schema, node: object, place: str, above: tuple[str, ...]) -> Iterator[Fact]:
    if not isinstance(node, dict):
        return
    schema = cast(Schema, node)
    ref = schema.get("$ref")
    if isinstance(ref, str) and ref not in above:
        yield from _facts(root, _target(root, ref), place, (*above, ref))
    yield from _own_facts(schema, place)
    for name, inner in _inner(schema):
        if name:
            yield place + name, "name", ""
        yield from _facts(root, inner, place + name, above)


def _own_facts(schema: Schema, place: str) -> Iterator[Fact]:
    kinds = schema.get("type")
    for kind in cast(list[object], kinds) if isinstance(kinds, list) else [kinds]:
        if isinstance(kind, str):
            yield place, "type", kind
    if schema.get("nullable") is True:
        yield place, "type", "null"
    listed = schema.get("enum", [schema["const"]] if "const" in schema else [])
    for value in cast(list[object], listed) if isinstance(listed, list) else []:
        yield place, "enum", repr(value)
    required = schema.get("required")
    for name in cast(list[object], required) if isinstance(required, list) else []:
        yield f"{place}.{name}", "required", ""
    for key in _VALUES:
        if schema.get(key) not in (None, "", False) or (key == "default" and key in schema):
            yield place, key, repr(schema[key])
    if "example" in schema or schema.get("examples"):
        yield place, "example", ""


def _inner(schema: Schema) -> Iterator[tuple[str, object]]:
    for key in ("properties", "patternProperties"):
        found = schema.get(key)
        for name, inner in cast(Schema, found).items() if isinstance(found, dict) else ():
            yield f".{name}", inner
    for key, step in (("items", "[]"), ("additionalProperties", ".*")):
        if isinstance(schema.get(key), dict):
            yield step, schema[key]
    for key in _COMPOSED:
        parts = schema.get(key)
        for part in cast(list[object], parts) if isinstance(parts, list) else []:
            yield "", part


def _target(root: Schema, ref: str) -> object:
    *above, last = [
        step.replace("~1", "/").replace("~0", "~") for step in ref.removeprefix("#").strip("/").split("/")
    ]
    holder = root
    for step in above:
        inner = holder.get(step)
        if not isinstance(inner, dict):
            return None
        holder = cast(Schema, inner)
    return holder.get(last)
