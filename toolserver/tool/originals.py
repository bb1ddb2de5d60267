"""Tells what edited operations were before their edits, for people who decide about them.

Receives an edited `Document` and its operations; gives the name and description of each as its author wrote
them. Paths that no edit changed are the same nodes in both, and are not read again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from msgspec import Struct

from toolserver.errors import DocumentError
from toolserver.json_types import object_at
from toolserver.mcp.tool_list import read_tools, schemas_of
from toolserver.openapi.document import MCP, Document
from toolserver.operation.operation import Operation, read_operations
from toolserver.tool.definition import Definitions, Outline, SeparateDefinitions
from toolserver.tool.naming import suggest_names


class Original(Struct, frozen=True, gc=False, array_like=True):
    """An operation without the edits of its document."""

    name: str
    description: str


@dataclass(frozen=True, slots=True)
class Originals:
    """The operations of a document without its edits."""

    names: Mapping[str, str] = field(default_factory=dict[str, str])
    """Of all, by key."""
    descriptions: Mapping[str, str] = field(default_factory=dict[str, str])
    """Of those that edits may have changed, by key."""

    def find(self, key: str, name: str, description: str) -> Original | None:
        """What an operation was that is this now; None: the same, or it did not exist."""
        if key not in self.names:
            return None
        original = Original(self.names[key], self.descriptions.get(key, description))
        return None if original == Original(name, description) else original


def read_originals(document: Document, operations: Sequence[Operation]) -> Originals:
    """The operations without edits; `operations`: those with them, whose references have been followed.

    Empty for a document that nothing edits, and where only its edits make it one that can be used.
    """
    before = document.before_edits()
    if before is None:
        return Originals()
    same = _paths_left(document, before)
    paths = object_at(before.root, "paths")
    if same:
        edited = {path: item for path, item in paths.items() if path not in same}
        before = replace(before, root={**before.root, "paths": edited})
    try:
        read, outlines = _outline(before)
    except DocumentError:
        return Originals()
    ordered = [*read, *(operation for operation in operations if operation.path in same)]
    if same:
        places = {path: place for place, path in enumerate(paths)}
        ordered.sort(key=lambda operation: places[operation.path])
    names = zip([operation.key for operation in ordered], suggest_names(ordered), strict=True)
    told = zip(read, outlines, strict=True)
    return Originals(dict(names), {operation.key: outline.description for operation, outline in told})


def _paths_left(document: Document, before: Document) -> frozenset[str]:
    """The paths whose operations are the same without edits; none where something else may change them."""
    old, new = before.written, document.written
    paths = object_at(old, "paths")
    edited = object_at(new, "paths")
    beyond = (old.keys() | new.keys()) - {"paths", "info"}
    is_elsewhere = "$ref" in paths or "$ref" in edited or document.refers_into_paths()
    if is_elsewhere or any(old.get(name) is not new.get(name) for name in beyond):
        return frozenset()
    return frozenset(path for path, item in paths.items() if edited.get(path) is item)


def _outline(document: Document) -> tuple[Sequence[Operation], Sequence[Outline]]:
    if document.version == MCP:
        listed, tools = read_tools(document)
        definitions = SeparateDefinitions(schemas_of(document, tools))
        return listed.operations, definitions.outline_operations(listed.operations)
    read = read_operations(document).operations
    return read, Definitions(document).outline_operations(read)
