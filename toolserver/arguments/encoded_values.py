"""Values that came as the text of their JSON: some clients encode arrays, objects and numbers once too often.

Receives arguments and the schema that tools are advertised with; gives the arguments with each such text
replaced by its value. That is done where the schema allows no text, and only if the value is allowed there.
A text is read once: one that is still a text then, or that holds further such texts, stays as it is. Nulls in
it that only mean "left out" are left out, as where nothing is encoded.
"""

from collections.abc import Callable, Iterable
from typing import TypeAlias, cast

from toolserver.arguments.exact_json import read_json
from toolserver.arguments.validation_cost import count_values
from toolserver.json_types import JsonObject, JsonValue, array_at, equality_key, object_at
from toolserver.schema.nulls import without_added_nulls

Fits: TypeAlias = Callable[[JsonObject, JsonValue], bool]
"""Returns whether a value fits a node of the schema."""

MAX_VALUES = 10_000
"""Maximum number of values that are looked at, for each alternative anew; with more, nothing is decoded.

A text counts as one for each `CHARS_OF_VALUE` characters, each time it is looked at. That many take 20 ms
(measured), on top of what it takes to say what is wrong with them."""

CHARS_OF_VALUE = 128
"""Characters of a text that take as long to read as one value takes to look at (measured)."""


def decode_arguments(arguments: JsonObject, schema: JsonObject, fits: Fits) -> JsonObject:
    """The arguments with values in place of their JSON; the same object if there are none."""
    if count_values(arguments, MAX_VALUES) > MAX_VALUES:
        return arguments
    try:
        return cast(JsonObject, _Decoder(fits).decode(arguments, schema))
    except _TooMany:
        return arguments


def takes_text(node: JsonObject) -> bool:
    """Whether a node of the schema allows any text but the empty one, which is the JSON of nothing."""
    branches = array_at(node, "anyOf")
    types = node.get("type", "string")
    values = node.get("enum")
    if branches and not any(isinstance(branch, dict) and takes_text(branch) for branch in branches):
        return False
    if isinstance(values, list) and not any(isinstance(value, str) and value for value in values):
        return False
    return "string" in types if isinstance(types, list) else types == "string"


class _TooMany(Exception):
    """There are more values than are looked at."""


class _Decoder:
    """Reads the arguments of one call."""

    def __init__(self, fits: Fits) -> None:
        self._fits = fits
        self._left = MAX_VALUES
        self._read: dict[str, JsonValue] = {}
        """What texts are the JSON of; those that are no JSON stand for themselves."""
        self._names: dict[str, JsonObject] = {}
        """A schema for each pattern of names."""

    def decode(self, value: JsonValue, node: JsonValue) -> JsonValue:
        """The value as a node of the schema allows it; the same object if it does not change."""
        self._count(1)
        if not isinstance(node, dict) or not isinstance(value, str | list | dict):
            return value
        if isinstance(value, str):
            return value if takes_text(node) else self._value_of(value, node)
        if "anyOf" in node:
            return self._by_branch(value, node, array_at(node, "anyOf"))
        if isinstance(value, list):
            items = [self.decode(item, node.get("items")) for item in value]
            return items if _differ(items, value) else value
        members = {name: self.decode(inner, self._schema_of(name, node)) for name, inner in value.items()}
        return members if _differ(members.values(), value.values()) else value

    def _count(self, values: int) -> None:
        self._left -= values
        if self._left < 0:
            raise _TooMany

    def _value_of(self, text: str, node: JsonObject) -> JsonValue:
        self._count(len(text) // CHARS_OF_VALUE)
        if text not in self._read:
            try:
                self._read[text] = read_json(text)
            except ValueError:
                self._read[text] = text
        value = self._read[text]
        if not self._fits(node, value) and isinstance(value, dict | list):
            value = without_added_nulls(value, node)
        return value if self._fits(node, value) else text

    def _by_branch(self, value: JsonValue, node: JsonObject, branches: list[JsonValue]) -> JsonValue:
        """The value by the one alternative that allows it; unchanged if none does, or several differ."""
        if self._fits(node, value):
            return value
        found: dict[str | int | bytes, JsonValue] = {}
        for branch in branches:
            if not isinstance(branch, dict) or not self._may_fit(value, branch):
                continue
            decoded = self.decode(value, branch)
            if decoded is not value and self._fits(branch, decoded):
                found[equality_key(decoded)] = decoded
        return next(iter(found.values())) if len(found) == 1 else value

    def _may_fit(self, value: JsonValue, branch: JsonObject) -> bool:
        """False where a simple member, such as a `kind`, does not fit an alternative, however it is read.

        Without this look, alternatives within alternatives take a time that grows with each level.
        """
        for name, inner in value.items() if isinstance(value, dict) else ():
            schema = self._schema_of(name, branch)
            if isinstance(inner, list | dict) or not isinstance(schema, dict):
                continue
            if not self._fits(schema, self.decode(inner, schema)):
                return False
        return True

    def _schema_of(self, name: str, node: JsonObject) -> JsonValue:
        """The schema of a member; None where the node says nothing of it."""
        properties = object_at(node, "properties")
        if name in properties:
            return properties[name]
        for pattern, schema in object_at(node, "patternProperties").items():
            of_names = self._names.setdefault(pattern, {"propertyNames": {"pattern": pattern}})
            if self._fits(of_names, {name: None}):
                return schema
        return node.get("additionalProperties")


def _differ(some: Iterable[JsonValue], others: Iterable[JsonValue]) -> bool:
    return any(one is not other for one, other in zip(some, others, strict=True))
