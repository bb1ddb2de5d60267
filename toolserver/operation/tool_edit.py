"""Reads `x-tool-bridge`: what is said of an operation as a tool, where OpenAPI has no word for it.

Receives the node of an operation or of an MCP tool; gives a `ToolEdit`. A misspelled member becomes a
problem, never a guess; but an unknown approval asks. What others call the same is read, too:
`x-openai-isConsequential` and `x-speakeasy-mcp`. A document can only tighten; an overlay may loosen what the
document says. The schema is in `docs/reference/x-tool-bridge.md`.
"""

import re

from msgspec import Struct

from toolserver.json_types import JsonObject, JsonValue, array_at, dump_json, object_at, text_at
from toolserver.openapi.document import MAX_PROSE_CHARS
from toolserver.openapi.document_marks import DOCUMENT_HIDDEN
from toolserver.openapi.edits import EXTENSION
from toolserver.openapi.extension_members import MemberChecks, is_flag, is_prose, read_members

MAX_ORDER = 1_000_000

MAX_SELECT_CHARS = 1_000
"""Maximum characters of a query, as of every other (ruling 56)."""

MAX_EXAMPLES = 10
MAX_EXAMPLE_CHARS = 4_000
"""Maximum size of an example as JSON: more costs a model more than it explains."""

CONSEQUENTIAL = "x-openai-isConsequential"
SPEAKEASY = "x-speakeasy-mcp"

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
    found = read_members(written, _CHECKS, f"`{EXTENSION}`", problems)
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
    if name and not _is_name(name):
        problems.append(f"`name` of `{SPEAKEASY}` has a value that it cannot have.")
        name = ""
    return ToolEdit(
        name=name,
        description=text_at(said, "description")[:MAX_PROSE_CHARS].strip(),
        hidden=said.get("disabled") is True,
    )


def _is_name(value: JsonValue) -> bool:
    return isinstance(value, str) and _NAME.fullmatch(value) is not None


def _is_order(value: JsonValue) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) <= MAX_ORDER


def _is_select(value: JsonValue) -> bool:
    return isinstance(value, str) and 0 < len(value) <= MAX_SELECT_CHARS


def _are_examples(value: JsonValue) -> bool:
    return (
        isinstance(value, list)
        and len(value) <= MAX_EXAMPLES
        and all(
            isinstance(each, dict) and len(dump_json(each).decode()) <= MAX_EXAMPLE_CHARS for each in value
        )
    )


_CHECKS: MemberChecks = {
    "name": _is_name,
    "description": is_prose,
    "hidden": is_flag,
    "order": _is_order,
    "approval": lambda value: value in ("ask", "allow"),
    "result_select": _is_select,
    "examples": _are_examples,
    DOCUMENT_HIDDEN: is_flag,
}
