"""Changes objects of a tree whose nodes others hold as well: what changes is copied, with all that holds it.

Receives a root, whose nodes several places may share, and what to change in each object; gives a root that
shares all the rest. How scalars are written goes along. Knows nothing of what the members mean.
"""

from collections.abc import Callable
from typing import TypeAlias, cast

from toolserver.json_types import JsonObject, JsonValue, WrittenArray, WrittenObject, written_items

Change: TypeAlias = Callable[[JsonObject, JsonObject], None]
"""Takes an object as it is, and a copy of its members, below which all is changed already.

It gives other values to members that are there.
"""


def change_objects(root: JsonObject, change: Change) -> JsonObject:
    """The changed root; `root` itself where nothing changes. A shared node is changed once."""
    return cast(JsonObject, _Changing(change).node(root))


class _Changing:
    def __init__(self, change: Change) -> None:
        self._change = change
        self._done: dict[int, JsonValue] = {}

    def node(self, node: JsonValue) -> JsonValue:
        if not isinstance(node, dict | list):
            return node
        if id(node) not in self._done:
            self._done[id(node)] = self._object(node) if isinstance(node, dict) else self._array(node)
        return self._done[id(node)]

    def _object(self, node: JsonObject) -> JsonValue:
        members = {name: self.node(value) for name, value in node.items()}
        self._change(node, members)
        if all(members[name] is node[name] for name in members):
            return node
        texts = node.texts if isinstance(node, WrittenObject) else {}
        kept = {name: text for name, text in texts.items() if members.get(name) is node[name]}
        return WrittenObject(members, kept)

    def _array(self, node: list[JsonValue]) -> JsonValue:
        items = [self.node(item) for item in node]
        if all(new is old for new, old in zip(items, node, strict=True)):
            return node
        return WrittenArray(items, dict(written_items(node)))
