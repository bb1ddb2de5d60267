"""Reads the tools of an MCP server as operations.

Receives a `Document` that is a tool list; gives one operation per tool, and a reason for every tool that did
not become one. What a server says of its tools (`annotations`) changes nothing here: every tool counts as one
that can change something. Knows nothing of protocol versions and messages; the page speaks to the server.
"""

from collections.abc import Iterator
from typing import NamedTuple

from toolserver.errors import DocumentError, quote_text
from toolserver.json_types import JsonObject, JsonValue, array_at, object_at, text_at
from toolserver.openapi.document import MAX_PROSE_CHARS, Document
from toolserver.openapi.media_type import JSON
from toolserver.operation.body import Body
from toolserver.operation.operation import Operation, OperationList
from toolserver.operation.path_item import Skipped
from toolserver.operation.tool_edit import read_edit
from toolserver.operation.withheld import Withheld, Withholding
from toolserver.schema.withheld import TooManyPlaces

CALL = "CALL"
"""Stands where other operations have their HTTP method; a key is "CALL" and the tool's name."""

ACCEPTED_TYPES = f"{JSON}, text/event-stream"
"""Streamable HTTP requires that a client takes both."""

MAX_NAME_CHARS = 500
"""Maximum characters of a tool's name; the specification asks for at most 128."""

_WITHOUT_ARGUMENTS = frozenset(("$schema", "$defs", "title", "description", "type", "properties", "required"))
"""Keywords beside which an object schema without properties means that a tool takes no arguments."""


class _Unusable(Exception):
    """Ends the reading of one tool; the exception's text is the reason."""


class McpTool(NamedTuple):
    """A tool with its definition as the server gave it, and its schemas as edits leave them."""

    operation: Operation
    definition: JsonObject
    schema: JsonObject
    """Of the arguments."""
    answer: JsonObject | None
    """Schema of the `structuredContent` that it answers with; None: it does not say."""


def read_tools(document: Document) -> tuple[OperationList, dict[str, McpTool]]:
    """The operations of all tools of a list, in its order, and the tools by the key of their operations.

    Raises:
        DocumentError: too_many_operations.
    """
    entries = array_at(document.written, "tools")
    limit = document.limits.max_operations
    if len(entries) > limit:
        message = f"The MCP server has more than {limit:,} tools."
        raise DocumentError("too_many_operations", message, pointer="#/tools")
    given = None if document.unedited is None else _by_name(array_at(document.unedited, "tools"))
    found: dict[str, McpTool] = {}
    skipped: list[Skipped] = []
    for entry in entries:
        try:
            tool = _read_tool(document, entry, given)
            if tool.operation.key in found:
                raise _Unusable("The name is that of an earlier tool of this server.")
            found[tool.operation.key] = tool
        except _Unusable as error:
            name = text_at(entry, "name") if isinstance(entry, dict) else ""
            skipped.append(Skipped(CALL, name[:MAX_NAME_CHARS], str(error)))
    operations = tuple(tool.operation for tool in found.values())
    return OperationList(operations, tuple(skipped)), found


def _by_name(entries: list[JsonValue]) -> dict[str, JsonObject]:
    return {text_at(entry, "name"): entry for entry in entries if isinstance(entry, dict)}


def _read_tool(document: Document, entry: JsonValue, given: dict[str, JsonObject] | None) -> McpTool:
    """`given`: the definitions of the server by name; None: nothing edits them."""
    if not isinstance(entry, dict):
        raise _Unusable("The entry is not an object.")
    name = text_at(entry, "name")
    if not name:
        raise _Unusable("The tool has no name.")
    if len(name) > MAX_NAME_CHARS:
        raise _Unusable(f"The tool's name is longer than {MAX_NAME_CHARS} characters.")
    if not name.isprintable():
        raise _Unusable("The tool's name holds characters that nobody sees.")
    definition = entry if given is None else given.get(name)
    if definition is None:
        raise _Unusable("The server has no tool of that name: an edit may change all of a tool but its name.")
    edit = read_edit(entry, may_loosen=document.is_edited)
    schema = object_at(entry, "inputSchema")
    body = _body_of(entry)
    withheld, problems = _read_withheld(document.with_root(schema), body)
    operation = Operation(
        key=f"{CALL} {name}",
        method=CALL,
        path=name,
        operation_id=name,
        summary=_title_of(entry)[:MAX_PROSE_CHARS].strip(),
        description=text_at(entry, "description")[:MAX_PROSE_CHARS].strip(),
        tags=(),
        parameters=(),
        body=body,
        servers=(),
        security=(),
        deprecated=False,
        safe=False,
        idempotent=False,
        accept=ACCEPTED_TYPES,
        warnings=(*edit.problems, *problems),
        edit=edit,
        withheld=withheld,
    )
    answer = entry.get("outputSchema")
    return McpTool(operation, definition, schema, answer if isinstance(answer, dict) else None)


def _read_withheld(document: Document, body: Body | None) -> tuple[Withheld | None, list[str]]:
    if not document.may_edit:
        return None, []
    try:
        return Withholding(document).read_withheld((), (), body)
    except TooManyPlaces as error:
        raise _Unusable(str(error)) from None


def _title_of(tool: JsonObject) -> str:
    return text_at(tool, "title") or text_at(object_at(tool, "annotations"), "title")


def _body_of(tool: JsonObject) -> Body | None:
    """The arguments as a body; None for a tool that takes none."""
    schema = tool.get("inputSchema")
    if not isinstance(schema, dict):
        raise _Unusable("The tool has no inputSchema that is an object.")
    kind = schema.get("type", "object")
    if kind != "object":
        raise _Unusable(f"The tool's arguments are not an object but {quote_text(str(kind))}.")
    schema = {"type": "object", **schema}
    return None if _takes_nothing(schema) else Body(JSON, schema, True, "")


def _takes_nothing(schema: JsonObject) -> bool:
    further = {key for key in schema if key not in _WITHOUT_ARGUMENTS}
    is_closed = further <= {"additionalProperties"} and schema.get("additionalProperties", False) is False
    return is_closed and not object_at(schema, "properties") and not array_at(schema, "required")


def schemas_of(document: Document, tools: dict[str, McpTool]) -> Iterator[tuple[str, Document]]:
    """For each key a document whose root is the tool's own schema: references never leave it."""
    for key, tool in tools.items():
        yield key, document.with_root(tool.schema)
