"""The notes that the sample MCP server keeps, and its tools; `mcp_server` is the protocol around them.

Pure: a tool takes its arguments and gives the parts of its result.
"""

import base64
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from .document_files import JsonObject, JsonValue

_MOST_NOTES = 1000


class ToolFailed(Exception):
    """A tool could not do what it was asked for; the exception's text is for the model."""


@dataclass(slots=True)
class Notes:
    """All notes, by title, in the order in which they were written."""

    texts: dict[str, str] = field(default_factory=dict[str, str])
    calls: list[str] = field(default_factory=list[str])
    """Names of the tools that were called, in order: what tests compare with what a caller was told."""


ToolResult = JsonObject
"""`content`, and maybe `structuredContent`."""


@dataclass(frozen=True, slots=True)
class NoteTool:
    """One tool: its definition as MCP lists it, and what it does."""

    definition: JsonObject
    run: Callable[[Notes, JsonObject], ToolResult]


def _list_notes(notes: Notes, _arguments: JsonObject) -> ToolResult:
    listed: list[JsonValue] = [{"title": title, "text": text} for title, text in notes.texts.items()]
    return {"content": _text(f"{len(listed)} notes"), "structuredContent": {"notes": listed}}


def _add_note(notes: Notes, arguments: JsonObject) -> ToolResult:
    title = str(arguments["title"])
    text = str(arguments.get("text", ""))
    if title in notes.texts:
        raise ToolFailed(f"There is a note {title!r} already.")
    if len(notes.texts) >= _MOST_NOTES:
        raise ToolFailed("There are too many notes.")
    notes.texts[title] = text
    return {"content": _text(f"Noted: {title}")}


def _delete_note(notes: Notes, arguments: JsonObject) -> ToolResult:
    title = str(arguments["title"])
    if notes.texts.pop(title, None) is None:
        raise ToolFailed(f"There is no note {title!r}.")
    return {"content": _text(f"Deleted: {title}")}


def _draw_square(_notes: Notes, arguments: JsonObject) -> ToolResult:
    colour = {"red": b"\xff\x00\x00", "green": b"\x00\xa0\x00"}.get(
        str(arguments.get("colour")), b"\x00\x40\xff"
    )
    data = base64.b64encode(_GIF_HEAD + colour + _GIF_BODY).decode("ascii")
    return {"content": [{"type": "image", "mimeType": "image/gif", "data": data}]}


_GIF_HEAD = b"GIF89a\x01\x00\x01\x00\x80\x00\x00"
_GIF_BODY = b"\xff\xff\xff,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"


def _text(text: str) -> list[JsonValue]:
    return [{"type": "text", "text": text}]


def _schema(properties: JsonObject, *required: str) -> JsonObject:
    return {
        "type": "object",
        "properties": properties,
        "required": list[JsonValue](required),
        "additionalProperties": False,
    }


_TITLE: JsonObject = {"type": "string", "description": "What the note is found by.", "maxLength": 100}


def note_tools() -> Iterator[NoteTool]:
    """The tools of the sample server, as they are at its start."""
    yield NoteTool(
        {
            "name": "list_notes",
            "title": "List notes",
            "description": "All notes with their texts.",
            "inputSchema": _schema({}),
            "outputSchema": {"type": "object", "properties": {"notes": {"type": "array"}}},
            "annotations": {"readOnlyHint": True},
        },
        _list_notes,
    )
    yield NoteTool(
        {
            "name": "add_note",
            "title": "Add a note",
            "description": "Write a note down. Fails if there is one with that title.",
            "inputSchema": _schema({"title": _TITLE, "text": {"type": "string"}}, "title"),
            "annotations": {"readOnlyHint": False, "destructiveHint": False},
        },
        _add_note,
    )
    yield NoteTool(
        {
            "name": "delete_note",
            "title": "Delete a note",
            "description": "Delete the note with that title.",
            "inputSchema": _schema({"title": _TITLE}, "title"),
            "annotations": {"destructiveHint": True, "idempotentHint": True},
        },
        _delete_note,
    )
    yield NoteTool(
        {
            "name": "draw_square",
            "title": "Draw a square",
            "description": "An image of one colour.",
            "inputSchema": _schema({"colour": {"enum": ["red", "green", "blue"]}}),
            "annotations": {"readOnlyHint": True},
        },
        _draw_square,
    )
