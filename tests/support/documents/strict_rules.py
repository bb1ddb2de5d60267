"""The documented rules of strict function calling, as a judge that shares no code with the builder.

https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
"""

from collections.abc import Iterator
from typing import cast

from toolserver.json_types import JsonObject, JsonValue

KEYWORDS = frozenset(
    (
        *("type", "description", "title", "enum", "const", "anyOf", "properties", "required", "items"),
        *("additionalProperties", "$ref", "$defs", "pattern", "format", "multipleOf", "maximum", "minimum"),
        *("exclusiveMaximum", "exclusiveMinimum", "minItems", "maxItems"),
    )
)
TYPES = frozenset(("string", "number", "integer", "boolean", "object", "array", "null"))


def problems_of(schema: JsonObject) -> list[str]:
    """What a provider would refuse; empty for a schema within the rules."""
    found = ["the root is not an object"] if schema.get("type") != "object" else []
    nodes = list(_nodes(schema, 1))
    for node, level in nodes:
        found += _problems_of_node(node)
        if level > 10:
            found.append("nested too deeply")
    values = [list_of(node, "enum") for node, _ in nodes]
    names = [name for node, _ in nodes for name in properties_of(node)]
    texts = [str(value) for allowed in values for value in allowed]
    if len(names) > 5_000:
        found.append("too many properties")
    if len(texts) > 1_000:
        found.append("too many allowed values")
    if sum(map(len, [*names, *texts])) > 120_000:
        found.append("too long")
    if any(len(allowed) > 250 and sum(len(str(value)) for value in allowed) > 15_000 for allowed in values):
        found.append("a list of values is too long")
    return found


def properties_of(node: JsonObject) -> JsonObject:
    """The properties of a schema node."""
    return cast(JsonObject, node.get("properties", {}))


def list_of(node: JsonObject, key: str) -> list[JsonValue]:
    """A list of a schema node."""
    return cast("list[JsonValue]", node.get(key, []))


def _problems_of_node(node: JsonObject) -> Iterator[str]:
    if foreign := node.keys() - KEYWORDS:
        yield f"unsupported: {sorted(foreign)}"
    if ("type" in node) == ("anyOf" in node):
        yield "needs a type or alternatives"
    types = node.get("type", [])
    names = types if isinstance(types, list) else [types]
    if not TYPES.issuperset(names):
        yield f"unknown types {names}"
    if "object" in names:
        if node.get("additionalProperties") is not False:
            yield "open object"
        if list_of(node, "required") != list(properties_of(node)):
            yield "not every property is required"
    if "array" in names and "items" not in node:
        yield "an array without items"


def _nodes(schema: JsonValue, level: int) -> Iterator[tuple[JsonObject, int]]:
    node = cast(JsonObject, schema)
    yield node, level
    for inner in properties_of(node).values():
        yield from _nodes(inner, level + 1)
    if "items" in node:
        yield from _nodes(node["items"], level + 1)
    for branch in list_of(node, "anyOf"):
        yield from _nodes(branch, level)  # "nested object levels": alternatives are none
