"""Reads `x-tool-bridge`: what is said of an operation as a tool, where OpenAPI has no word for it.

Receives the node of an operation or of an MCP tool; gives a `ToolEdit`. A misspelled member becomes a
problem, never a guess; but an unknown approval asks. What others call the same is read, too:
`x-openai-isConsequential` and `x-speakeasy-mcp`. A document can only tighten; an overlay may loosen what the
document says. The schema is in `docs/reference/x-tool-bridge.md`.
"""

import re

from msgspec import Struct

from toolserver.errors import quote_text
from toolserver.json_types import JsonObject, JsonValue, array_at, object_at, text_at
from toolserver.openapi.document_marks import DOCUMENT_HIDDEN
from toolserver.openapi.edits import EXTENSION

MAX_ORDER = 1_000_000

MAX_SELECT_CHARS = 1_000
"""Maximum characters of a query, as of every other (ruling 56)."""

MAX_EXAMPLES = 10
MAX_EXAMPLE_CHARS = 4_000
"""Maximum size of an example as Python writes it: more costs a model more than it explains."""

CONSEQUENTIAL = "x-openai-isConsequential"
SPEAKEASY = "x-speakeasy-mcp"

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
    result_select: str = ""
    """JMESPath that queries the answers of calls that bring none, not checked yet; "": nothing does."""
    examples: tuple[JsonObject, ...] = ()
    """Arguments of calls, for models; whether they fit is not checked yet."""
    problems: tuple[str, ...] = ()


NO_EDIT = ToolEdit()


def read_edit(node: JsonObject, *, may_loosen: bool = False) -> ToolEdit:
    """The edit of a node. `may_loosen`: whether an overlay edits the document.

    An `approval` of "allow" then is the overlay's own: the document's is gone (`document_marks`).
    """
    if node.keys().isdisjoint((EXTENSION, CONSEQUENTIAL, SPEAKEASY)):
        return NO_EDIT
    problems: list[str] = []
    foreign = _read_speakeasy(node, problems)
    written = node.get(EXTENSION, {})
    if not isinstance(written, dict):
        problems.append(f"`{EXTENSION}` is not an object; it is left out.")
        written = {}
    found = {name: value for name, value in written.items() if _is_readable(name, value, problems)}
    order = found.get("order")
    return ToolEdit(
        name=text_at(found, "name") or foreign.name,
        description=text_at(found, "description").strip() or foreign.description,
        hidden=_first_of(found, "hidden", DOCUMENT_HIDDEN, otherwise=foreign.hidden),
        order=order if isinstance(order, int) else 0,
        approval=_approval(node, written, found, may_loosen=may_loosen, problems=problems),
        result_select=text_at(found, "result_select"),
        examples=tuple(each for each in array_at(found, "examples") if isinstance(each, dict)),
        problems=tuple(problems),
    )


def _first_of(found: JsonObject, *names: str, otherwise: bool) -> bool:
    said = next((found[name] for name in names if name in found), otherwise)
    return said is True


def _approval(
    node: JsonObject, written: JsonObject, found: JsonObject, *, may_loosen: bool, problems: list[str]
) -> str:
    if "approval" in written:
        said = found.get("approval")
        if said != "allow":
            return "ask"
        if may_loosen:
            return ""
    consequential = node.get(CONSEQUENTIAL, False)
    if not isinstance(consequential, bool):
        problems.append(f"`{CONSEQUENTIAL}` is neither true nor false; each call asks.")
    return "" if consequential is False else "ask"


def _read_speakeasy(node: JsonObject, problems: list[str]) -> ToolEdit:
    """What `x-speakeasy-mcp` says of a tool; its other members are about another server."""
    if SPEAKEASY not in node:
        return NO_EDIT
    said = object_at(node, SPEAKEASY)
    name = text_at(said, "name")
    if name and _NAME.fullmatch(name) is None:
        problems.append(f"`name` of `{SPEAKEASY}` has a value that it cannot have.")
        name = ""
    return ToolEdit(
        name=name,
        description=text_at(said, "description")[:_MAX_PROSE_CHARS].strip(),
        hidden=said.get("disabled") is True,
    )


def _is_readable(name: str, value: JsonValue, problems: list[str]) -> bool:
    match name:
        case "name":
            fits = isinstance(value, str) and _NAME.fullmatch(value) is not None
        case "description":
            fits = isinstance(value, str) and 0 < len(value) <= _MAX_PROSE_CHARS
        case "hidden" | "x-document-hidden":
            fits = isinstance(value, bool)
        case "order":
            fits = isinstance(value, int) and not isinstance(value, bool) and abs(value) <= MAX_ORDER
        case "approval":
            fits = value in ("ask", "allow")
        case "result_select":
            fits = isinstance(value, str) and 0 < len(value) <= MAX_SELECT_CHARS
        case "examples":
            fits = _are_examples(value)
        case _:
            problems.append(f"`{EXTENSION}` has no {quote_text(name)}.")
            return False
    if not fits:
        problems.append(f"`{name}` of `{EXTENSION}` has a value that it cannot have.")
    return fits


def _are_examples(value: JsonValue) -> bool:
    return (
        isinstance(value, list)
        and len(value) <= MAX_EXAMPLES
        and all(isinstance(each, dict) and len(repr(each)) <= MAX_EXAMPLE_CHARS for each in value)
    )
