"""Reads `x-tool-bridge`: what is said of an operation as a tool, where OpenAPI has no word for it.

Receives the node of an operation or of an MCP tool; gives a `ToolEdit`. A misspelled member becomes a
problem, never a guess; but an unknown approval asks. It can only tighten, so that a document may say it as
well as an overlay. The schema is in `docs/reference/x-tool-bridge.md`.
"""

import re

from msgspec import Struct

from toolserver.errors import quote_text
from toolserver.json_types import JsonObject, JsonValue, text_at

EXTENSION = "x-tool-bridge"

MAX_ORDER = 1_000_000

_MAX_PROSE_CHARS = 50_000

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


class ToolEdit(Struct, frozen=True, gc=False, array_like=True):
    """One operation as its author or an edit wants it."""

    name: str = ""
    """What callers call it, if that is free; "": as its operation is called."""
    description: str = ""
    """What models read instead of summary and description; "": those."""
    hidden: bool = False
    """Whether models do not get it."""
    order: int = 0
    """Its place in lists: lower ones come first, equal ones as in the document."""
    approval: str = ""
    """"ask": every call waits for its user, whatever was allowed; "": as the user chose."""
    problems: tuple[str, ...] = ()


NO_EDIT = ToolEdit()


def read_edit(node: JsonObject) -> ToolEdit:
    """The edit of a node."""
    if EXTENSION not in node:
        return NO_EDIT
    written = node[EXTENSION]
    if not isinstance(written, dict):
        return ToolEdit(problems=(f"`{EXTENSION}` is not an object; it is left out.",))
    problems: list[str] = []
    found = {name: value for name, value in written.items() if _is_readable(name, value, problems)}
    order = found.get("order")
    asks = "approval" in written and found.get("approval") != "allow"
    return ToolEdit(
        name=text_at(found, "name"),
        description=text_at(found, "description").strip(),
        hidden=found.get("hidden") is True,
        order=order if isinstance(order, int) else 0,
        approval="ask" if asks else "",
        problems=tuple(problems),
    )


def _is_readable(name: str, value: JsonValue, problems: list[str]) -> bool:
    match name:
        case "name":
            fits = isinstance(value, str) and _NAME.fullmatch(value) is not None
        case "description":
            fits = isinstance(value, str) and 0 < len(value) <= _MAX_PROSE_CHARS
        case "hidden":
            fits = isinstance(value, bool)
        case "order":
            fits = isinstance(value, int) and not isinstance(value, bool) and abs(value) <= MAX_ORDER
        case "approval":
            fits = value in ("ask", "allow")
        case _:
            problems.append(f"`{EXTENSION}` has no {quote_text(name)}.")
            return False
    if not fits:
        problems.append(f"`{name}` of `{EXTENSION}` has a value that it cannot have.")
    return fits
