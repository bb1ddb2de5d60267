"""Tells what edited operations were before their edits, for people who decide about them.

Receives an edited `Document`; gives the name and description of each operation as its author wrote them.
"""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from toolserver.errors import DocumentError
from toolserver.mcp.tool_list import read_tools, schemas_of
from toolserver.openapi.document import MCP, Document
from toolserver.operation.operation import OperationList, read_operations
from toolserver.tool.definition import Definitions, Outline, SeparateDefinitions
from toolserver.tool.naming import suggest_names


class Original(Struct, frozen=True, gc=False, array_like=True):
    """An operation without the edits of its document."""

    name: str
    description: str


def read_originals(document: Document) -> Mapping[str, Original]:
    """The operations without edits, by key; empty for a document that nothing edits.

    Also empty where only its edits make a document one that can be used.
    """
    before = document.before_edits()
    if before is None:
        return {}
    try:
        listed, outlines = _outline(before)
    except DocumentError:
        return {}
    names = suggest_names(listed.operations)
    return {
        operation.key: Original(name, outline.description)
        for operation, name, outline in zip(listed.operations, names, outlines, strict=True)
    }


def _outline(document: Document) -> tuple[OperationList, Sequence[Outline]]:
    if document.version == MCP:
        listed, tools = read_tools(document)
        definitions = SeparateDefinitions(schemas_of(document, tools))
        return listed, definitions.outline_operations(listed.operations)
    listed = read_operations(document)
    return listed, Definitions(document).outline_operations(listed.operations)
