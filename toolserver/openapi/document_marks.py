"""Marks what a document says in `x-tool-bridge` beyond what a document may, before overlays edit it.

Receives a root; gives one in which no value is fixed and nothing loosened, so that whatever is so afterwards
comes from an overlay. Shares with the given root all that stays. Knows nothing of what the members mean.
"""

from toolserver.json_types import JsonObject, WrittenObject
from toolserver.openapi.changed_tree import change_objects
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
    return change_objects(root, _mark_members)


def _mark_members(_node: JsonObject, members: JsonObject) -> None:
    said = members.get(EXTENSION)
    if isinstance(said, dict):
        members[EXTENSION] = _marked(said)


def _marked(said: JsonObject) -> JsonObject:
    texts = dict(said.texts) if isinstance(said, WrittenObject) else {}
    kept = {name: value for name, value in said.items() if (name, value) != ("approval", "allow")}
    return WrittenObject(
        {_MARKS.get(name, name): value for name, value in kept.items()},
        {_MARKS.get(name, name): text for name, text in texts.items()},
    )
