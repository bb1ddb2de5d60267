"""What a strict model can say for an argument schema, each with what it means: a judge of nulls.

Walks the schema as it is advertised and shares no code with the reader of nulls.
"""

from collections.abc import Iterable, Iterator
from itertools import islice, product
from typing import TypeAlias, cast

from tests.support.documents.strict_rules import list_of, properties_of
from toolserver.json_types import JsonObject, JsonValue

Said: TypeAlias = tuple[JsonValue, JsonValue]
"""A value as a strict model writes it, and the value that it means."""

MOST = 100
"""Maximum number of sayings for one schema."""

_SCALARS: dict[JsonValue, JsonValue] = {
    "string": "x",
    "integer": 7,
    "number": 0.5,
    "boolean": True,
    "null": None,
}
_LEFT_OUT = object()


def sayings(schema: JsonValue) -> list[Said]:
    """Values for one schema: null wherever it may be said, and one value of each type and form."""
    return [*islice(_sayings(cast(JsonObject, schema)), MOST)]


def _sayings(node: JsonObject) -> Iterator[Said]:
    if str(node.get("description", "")).endswith("May be null."):
        yield None, None
    if "anyOf" in node:
        for branch in list_of(node, "anyOf"):
            yield from _sayings(cast(JsonObject, branch))
    elif "enum" in node:
        yield from ((value, value) for value in list_of(node, "enum"))
    else:
        types = node["type"] if isinstance(node["type"], list) else [node["type"]]
        for name in types:
            yield from _typed(str(name), node)


def _typed(name: str, node: JsonObject) -> Iterator[Said]:
    if name == "object":
        yield from _objects(node)
    elif name == "array":
        yield [], []
        yield from (([said], [meant]) for said, meant in _sayings(cast(JsonObject, node["items"])))
    else:
        yield _SCALARS[name], _SCALARS[name]


def _objects(node: JsonObject) -> Iterator[Said]:
    """Each property is there; null is how a strict model leaves an optional one out."""
    names = properties_of(node)
    members = [[*_members(name, node)] for name in names]
    for chosen in product(*members):
        said: JsonObject = dict(zip(names, (one for one, _ in chosen), strict=True))
        pairs: Iterable[tuple[str, object]] = zip(names, (meant for _, meant in chosen), strict=True)
        yield said, cast(JsonValue, {name: meant for name, meant in pairs if meant is not _LEFT_OUT})


def _members(name: str, node: JsonObject) -> Iterator[tuple[JsonValue, object]]:
    if name not in list_of(node, "required"):
        yield None, _LEFT_OUT
    yield from sayings(properties_of(node)[name])
