"""Finds where a document says what an edit of a tool may change, as the targets of an overlay.

Receives a document and one of its operations; gives JSONPaths (RFC 9535) of the operation and of what
describes its arguments. An edit stands beside a reference to a parameter, and is this operation's alone;
properties behind a `$ref` are named where they stand.
"""

import re
from collections.abc import Iterator

from msgspec import Struct

from toolserver.errors import ReferenceFailed
from toolserver.json_types import JsonObject, JsonValue, array_at, object_at, text_at
from toolserver.openapi.document import MCP, SWAGGER, Document
from toolserver.openapi.json_pointer import token_key
from toolserver.operation.argument_names import Arguments, Target
from toolserver.operation.operation import Operation
from toolserver.tool.definition import describe_prose

_MAX_NESTING = 20
"""Maximum number of schemas within each other that are searched for a property."""

_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_OF_BODIES = ("body", "body_property")
_COMBINING = ("allOf", "oneOf", "anyOf")
_ESCAPED = re.compile(r"[\x00-\x1f'\\]")

_ROOT = "$"


class _Node(Struct, frozen=True):
    """A node and the JSONPath that selects it."""

    value: JsonValue
    target: str
    is_shared: bool = False
    """Whether other operations may be described by it, too."""

    def child(self, *steps: str | int) -> "_Node":
        """The node at the end of these steps."""
        value = self.value
        for step in steps:
            if isinstance(step, int):
                value = value[step] if isinstance(value, list) else None
            else:
                value = value.get(step) if isinstance(value, dict) else None
        return _Node(value, self.target + "".join(map(_written, steps)), self.is_shared)


def describe_places(document: Document, operation: Operation, arguments: Arguments) -> JsonObject:
    """Where the operation and each of its arguments stand; an empty target: nowhere that a path names.

    `description`: the text that an edit replaces, without what this program adds to it. `default`: what a
    plain overlay has to change for another default. `shared`: whether a change changes other tools as well.
    """
    finder = _Finder(document, operation)
    node = finder.find_operation()
    description = describe_prose(operation)
    if node is None:
        return {"target": "", "description": description, "arguments": []}
    found: list[JsonValue] = [_described(finder, node, target, name) for target, name in arguments.items()]
    return {"target": node.target, "description": description, "arguments": found}


def _described(finder: "_Finder", operation: _Node, target: Target, name: str) -> JsonObject:
    place = finder.find_argument(operation, target)
    is_parameter = target[0] not in _OF_BODIES
    return {
        "name": name,
        "in": target[0],
        "sent_as": target[1],
        "target": "" if place is None else place.target,
        "description": "" if place is None else finder.describe(place),
        "shared": place is not None and place.is_shared,
        "default": finder.describe_default(place, is_parameter=is_parameter),
    }


_NOWHERE = _Node(None, "")


class _Finder:
    """Looks for the parts of one operation."""

    def __init__(self, document: Document, operation: Operation) -> None:
        self._document = document
        self._operation = operation
        self._root = _Node(document.written, _ROOT)
        self.is_flat = document.version == SWAGGER
        """Whether a parameter has its default at its own place, not in a schema."""

    def find_operation(self) -> _Node | None:
        """The operation, or the tool of an MCP server."""
        if self._document.version == MCP:
            return _among(self._root.child("tools"), {"name": self._operation.path})
        item = self._item()
        for name in item.value if isinstance(item.value, dict) else ():
            if name.upper() == self._operation.method.upper():
                return item.child(name)
        return None

    def find_argument(self, operation: _Node, target: Target) -> _Node | None:
        """The parameter or property that describes an argument."""
        location, name = target
        if self._document.version == MCP:
            return self._property(operation.child("inputSchema"), name)
        if self.is_flat and location in _OF_BODIES:
            form = self._parameter(operation, {"name": name, "in": "formData"})
            body = self._parameter(operation, {"in": "body"})
            return form or (self._property(body.child("schema"), name) if body else None)
        if location not in _OF_BODIES:
            return self._parameter(operation, {"name": name, "in": location})
        return self._property(self._body_schema(operation), name) if location == "body_property" else None

    def describe(self, place: _Node) -> str:
        """The description that stands there, or behind its references."""
        described = (place, self._followed(place), self._followed(place.child("schema")))
        return next(filter(None, (text_at(_object(each.value), "description") for each in described)), "")

    def describe_default(self, place: _Node | None, *, is_parameter: bool) -> JsonObject:
        """Where the default is; of a reference to a parameter, behind it."""
        holder = self._followed(place) if place is not None and is_parameter else place
        path: list[JsonValue] = ["schema", "default"] if is_parameter and not self.is_flat else ["default"]
        if holder is None:
            return {"target": "", "path": path, "shared": False}
        return {"target": holder.target, "path": path, "shared": holder.is_shared}

    def _item(self) -> _Node:
        item = self._root.child("paths", self._operation.path)
        named = isinstance(item.value, dict) and any(
            name.upper() == self._operation.method.upper() for name in item.value
        )
        return item if named else self._followed(item)

    def _parameter(self, operation: _Node, wanted: dict[str, str]) -> _Node | None:
        for holder in (operation, self._item()):
            entries = holder.child("parameters")
            of_item = holder is not operation
            if (found := _among(entries, wanted, is_shared=of_item)) is not None:
                return found
            for index, entry in enumerate(array_at(_object(holder.value), "parameters")):
                if not (isinstance(entry, dict) and "$ref" in entry):
                    continue
                if _fits(self._followed(entries.child(index)).value, wanted):
                    target = f"{entries.target}[?@['$ref'] == {_quoted(str(entry['$ref']))}]"
                    return _Node(entry, target, of_item)
        return None

    def _body_schema(self, operation: _Node) -> _Node:
        content = self._followed(operation.child("requestBody")).child("content")
        body = self._operation.body
        for media_type in _object(content.value):
            media = self._followed(content.child(media_type))
            if body is None or media.value is body.media:
                return media.child("schema")
        return content.child(next(iter(_object(content.value)), ""), "schema")

    def _property(self, schema: _Node, name: str) -> _Node | None:
        for part in self._parts(schema, 0, set()):
            if name in object_at(_object(part.value), "properties"):
                return part.child("properties", name)
        return None

    def _parts(self, schema: _Node, depth: int, seen: set[int]) -> Iterator[_Node]:
        """A schema and those that it combines, each once."""
        if depth > _MAX_NESTING or not isinstance(schema.value, dict) or id(schema.value) in seen:
            return
        seen.add(id(schema.value))
        yield schema
        if "$ref" in schema.value:
            yield from self._parts(self._followed(schema), depth + 1, seen)
        for keyword in _COMBINING:
            for index in range(len(array_at(schema.value, keyword))):
                yield from self._parts(schema.child(keyword, index), depth + 1, seen)

    def _followed(self, node: _Node) -> _Node:
        """What its reference leads to, one after another; without a path, nothing."""
        for _ in range(_MAX_NESTING):
            ref = node.value.get("$ref") if isinstance(node.value, dict) else None
            if not isinstance(ref, str):
                return node
            path = _path_of(ref)
            try:
                value = self._document.resolve_ref(ref)
            except ReferenceFailed:
                return _NOWHERE
            node = _Node(value if path else None, path, is_shared=True)
        return _NOWHERE


def _among(entries: _Node, wanted: dict[str, str], *, is_shared: bool = False) -> _Node | None:
    """The object of an array that has these members, by a filter: its index changes with its neighbours."""
    for entry in entries.value if isinstance(entries.value, list) else ():
        if _fits(entry, wanted):
            condition = " && ".join(f"@.{name} == {_quoted(value)}" for name, value in wanted.items())
            return _Node(entry, f"{entries.target}[?{condition}]", is_shared or entries.is_shared)
    return None


def _fits(value: JsonValue, wanted: dict[str, str]) -> bool:
    found = _object(value)
    return bool(found) and all(text_at(found, name) == text for name, text in wanted.items())


def _object(value: JsonValue) -> JsonObject:
    return value if isinstance(value, dict) else {}


def _path_of(ref: str) -> str:
    """The JSONPath of a plain JSON pointer; "" for what is none."""
    if not ref.startswith("#/") or "%" in ref:
        return ""
    return _ROOT + "".join(_written(token_key(token)) for token in ref[2:].split("/"))


def _written(step: str | int) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    return f".{step}" if _PLAIN_NAME.fullmatch(step) else f"[{_quoted(step)}]"


def _quoted(text: str) -> str:
    return "'" + _ESCAPED.sub(_escape, text) + "'"


def _escape(found: re.Match[str]) -> str:
    return f"\\{found[0]}" if found[0] in "'\\" else f"\\u{ord(found[0]):04x}"
