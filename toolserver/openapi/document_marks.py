"""Marks what a document says in `x-tool-bridge` beyond what a document may, before overlays edit it.

Receives a root; gives one in which no value is fixed and nothing loosened, so that whatever is so afterwards
comes from an overlay. Shares with the given root all that stays. Knows nothing of what the members mean.
"""

from toolserver.json_types import JsonObject, JsonValue, WrittenArray, WrittenObject, written_items
from toolserver.openapi.edits import EXTENSION
from toolserver.openapi.references import walk_containers

DOCUMENT_FIXED = "x-document-fixed"
"""Stands for `fixed` of a document, which counts for nothing."""

DOCUMENT_HIDDEN = "x-document-hidden"
"""Stands for `hidden` of a document, which fixes no value."""

_MARKS = {"fixed": DOCUMENT_FIXED, "hidden": DOCUMENT_HIDDEN}


def mark_document(root: JsonObject) -> JsonObject:
    """The root with these marks; the same where it has no such extension."""
    levels = (level for _, level in walk_containers(root))
    if not any(EXTENSION in container for level in levels for container in level):
        return root
    marked = _Marking().mark(root)
    return marked if isinstance(marked, dict) else root


class _Marking:
    """Marks one document; what several places share is marked once."""

    def __init__(self) -> None:
        self._done: dict[int, JsonValue] = {}

    def mark(self, node: JsonValue) -> JsonValue:
        """The node with marks below it; the same node without any."""
        if not isinstance(node, dict | list):
            return node
        if id(node) not in self._done:
            self._done[id(node)] = self._object(node) if isinstance(node, dict) else self._array(node)
        return self._done[id(node)]

    def _object(self, node: JsonObject) -> JsonValue:
        members = {name: self.mark(value) for name, value in node.items()}
        said = members.get(EXTENSION)
        if isinstance(said, dict):
            members[EXTENSION] = _marked(said)
        if all(members[name] is node[name] for name in members):
            return node
        return WrittenObject(members, dict(node.texts) if isinstance(node, WrittenObject) else {})

    def _array(self, node: list[JsonValue]) -> JsonValue:
        items = [self.mark(item) for item in node]
        if all(new is old for new, old in zip(items, node, strict=True)):
            return node
        return WrittenArray(items, dict(written_items(node)))


def _marked(said: JsonObject) -> JsonObject:
    texts = dict(said.texts) if isinstance(said, WrittenObject) else {}
    kept = {name: value for name, value in said.items() if (name, value) != ("approval", "allow")}
    return WrittenObject(
        {_MARKS.get(name, name): value for name, value in kept.items()},
        {_MARKS.get(name, name): text for name, text in texts.items()},
    )
