"""Plans how a value is written as XML: names and places of elements, from the `xml` objects of a schema.

Receives a schema; gives a tree of plain JSON by which `static/request.js` writes. Bounded: values deeper than
the tree are written by their own structure, with keys as element names.
"""

import re
from dataclasses import dataclass

from toolserver.errors import ReferenceFailed
from toolserver.json_types import JsonObject, JsonValue, array_at, object_at, text_at
from toolserver.openapi.document import Document, reference_of

_MAX_NODES = 400
_MAX_DEPTH = 10
_MAX_PARTS = 50
_NAME = re.compile(r"[A-Za-z_][\w.-]*")
_NODE_TYPES = ("element", "attribute", "text", "cdata", "none")


@dataclass(frozen=True, slots=True)
class _Merged:
    """One schema merged with those that it combines."""

    xml: JsonObject
    properties: JsonObject
    items: JsonValue
    is_array: bool
    component: str
    """Name of the first component that it refers to; "" without one."""


class _Writer:
    def __init__(self, document: Document) -> None:
        self._document = document
        self._remaining_nodes = _MAX_NODES

    def node(self, schema: JsonValue, name: str, trail: tuple[int, ...]) -> JsonObject:
        """The tree of one value; `name` is the element's name unless the schema gives another."""
        self._remaining_nodes -= 1
        merged = self._merge(schema)
        if not trail and not merged.component and "name" not in merged.xml and len(merged.properties) == 1:
            return self._lone_root(merged.properties, (id(schema),))
        if not trail:
            name = merged.component or "root"
        own = _described(merged, name, is_root=not trail)
        if id(schema) in trail or len(trail) >= _MAX_DEPTH:
            return own
        trail = (*trail, id(schema))
        if merged.is_array and self._remaining_nodes > 0:
            own["items"] = self.node(
                merged.items, text_at(own, "name") if own.get("wrapped") else name, trail
            )
        elif merged.properties:
            own["properties"] = [
                {"property": key, **self.node(value, key, trail)}
                for key, value in merged.properties.items()
                if self._remaining_nodes > 0
            ]
        return own

    def _lone_root(self, properties: JsonObject, trail: tuple[int, ...]) -> JsonObject:
        """A nameless object around one property: the specification names no root, APIs mean the property."""
        ((key, value),) = properties.items()
        child: JsonObject = {"property": key, **self.node(value, key, trail)}
        return {"name": "root", "node": "none", "properties": [child]}

    def _merge(self, schema: JsonValue) -> _Merged:
        xml: JsonObject = {}
        properties: JsonObject = {}
        items: JsonValue = None
        component = ""
        waiting, seen = [schema], set[int]()
        while waiting and len(seen) < _MAX_PARTS:
            part = waiting.pop(0)
            if not isinstance(part, dict) or id(part) in seen:
                continue
            seen.add(id(part))
            for found, keyword in ((xml, "xml"), (properties, "properties")):
                for key, value in object_at(part, keyword).items():
                    found.setdefault(key, value)
            items = part.get("items") if items is None else items
            if (ref := reference_of(part)) is not None:
                component = component or _component_name(ref)
            below = [] if ref is None else [self._target(ref)]
            for keyword in ("allOf", "oneOf", "anyOf"):
                below += array_at(part, keyword)
            waiting = below + waiting
        return _Merged(xml, properties, items, items is not None, component)

    def _target(self, ref: str) -> JsonValue:
        try:
            return self._document.resolve_ref(ref)
        except ReferenceFailed:
            return None


def _described(merged: _Merged, name: str, *, is_root: bool) -> JsonObject:
    """What the `xml` object says about one element. An array's own name counts only where it is wrapped."""
    xml = merged.xml
    node_type = text_at(xml, "nodeType")
    wrapped = merged.is_array and (xml.get("wrapped") is True or node_type == "element" or is_root)
    own_name = text_at(xml, "name") if wrapped or not merged.is_array else ""
    node: JsonObject = {"name": own_name if _NAME.fullmatch(own_name) else name}
    for keyword in ("prefix", "namespace"):
        if value := text_at(xml, keyword):
            node[keyword] = value
    kind = (
        node_type if node_type in _NODE_TYPES else "attribute" if xml.get("attribute") is True else "element"
    )
    if kind != "element" and not merged.is_array:
        node["node"] = kind
    if wrapped:
        node["wrapped"] = True
    return node


def _component_name(ref: str) -> str:
    name = ref.rpartition("/")[2]
    return name if _NAME.fullmatch(name) else ""


def xml_node(document: Document, schema: JsonValue) -> JsonObject:
    """The tree for a whole body. Never raises; has at most 400 nodes and 10 levels."""
    return _Writer(document).node(schema, "", ())
