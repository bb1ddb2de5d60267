"""Reads `x-tool-bridge` of an argument: what is said of a parameter or property for models alone.

Receives the node of a parameter, or an object schema with the properties in it; gives edits, and a sentence
for each that cannot be. Who may fix values is for the caller to say. The schema is in
`docs/reference/x-tool-bridge.md`.
"""

import re

from msgspec import Struct

from toolserver.errors import quote_text
from toolserver.json_types import (
    JsonObject,
    JsonValue,
    array_at,
    object_at,
    text_at,
    values_within,
    with_texts_of,
)
from toolserver.openapi.document_marks import DOCUMENT_FIXED, DOCUMENT_HIDDEN
from toolserver.openapi.edits import EXTENSION
from toolserver.openapi.extension_members import MemberChecks, is_flag, is_prose, read_members
from toolserver.schema.keywords import TYPES, type_of
from toolserver.secret_names import is_like_key, is_secret_name

_MAX_EXACT = 2**53 - 1
_MAX_FIXED_VALUES = 1_000
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_NO_VALUE: tuple[JsonValue, ...] = ()
_FOREIGN_VALUE = "fixes a value, which only an overlay of the server's owner may do."


class ArgumentEdit(Struct, frozen=True, gc=False):
    """One argument as its author or an edit wants it."""

    name: str = ""
    """What callers call it; "": as it is called in the document."""
    description: str = ""
    """What models read instead of its description; "": that."""
    is_withheld: bool = False
    """Whether no caller may send it: it is hidden, or its value is fixed."""
    fixed: tuple[JsonValue, ...] = _NO_VALUE
    """The one value that is always sent; empty: none is."""
    problems: tuple[str, ...] = ()


NO_EDIT = ArgumentEdit()


def read_argument_edit(
    node: JsonObject, named: str, schema: JsonObject, *, is_required: bool, may_fix: bool
) -> ArgumentEdit:
    """The edit of a parameter or property. `named`: its name on the wire; `schema`: where its default is.

    `may_fix`: whether its document is edited by an overlay, which alone may fix a value.
    """
    if EXTENSION not in node:
        return NO_EDIT
    written = node[EXTENSION]
    about = f"`{EXTENSION}` of {quote_text(named)}"
    if not isinstance(written, dict):
        return ArgumentEdit(problems=(f"{about} is not an object; it is left out.",))
    problems: list[str] = []
    found = read_members(written, _CHECKS, about, problems, link="in")
    if DOCUMENT_FIXED in found:
        problems.append(f"{about} {_FOREIGN_VALUE}")
    fixed = _fixed(found, named, about, may_fix=may_fix, problems=problems)
    if fixed and not _is_of_type(fixed[0], schema):
        problems.append(f"`fixed` in {about} is sent as it is, but the document asks for another type.")
    is_hidden_by_edit = found.get("hidden") is True
    is_hidden = found.get("hidden", found.get(DOCUMENT_HIDDEN)) is True
    if is_hidden and not fixed and is_required:
        may_fix_default = may_fix and is_hidden_by_edit
        fixed = _by_default(schema, about, may_fix=may_fix_default, problems=problems)
        is_hidden = bool(fixed)
    return ArgumentEdit(
        name=text_at(found, "name"),
        description=text_at(found, "description").strip(),
        is_withheld=is_hidden or bool(fixed),
        fixed=fixed,
        problems=tuple(problems),
    )


def withheld_properties(
    holder: JsonObject, *, may_fix: bool
) -> tuple[dict[str, tuple[JsonValue, ...]], list[str]]:
    """The properties of one object schema that no caller may send, with the fixed value of each, if any.

    And sentences about what cannot be. What other parts of an `allOf` require is not looked at.
    """
    found: dict[str, tuple[JsonValue, ...]] = {}
    problems: list[str] = []
    required = array_at(holder, "required")
    for name, schema in object_at(holder, "properties").items():
        if isinstance(schema, dict) and EXTENSION in schema:
            edit = read_argument_edit(schema, name, schema, is_required=name in required, may_fix=may_fix)
            problems += edit.problems
            if edit.is_withheld:
                found[name] = edit.fixed
    return found, problems


def chosen_name(schema: JsonValue) -> str:
    """The name that an edit chose for the argument of a property; "": none."""
    said = schema.get(EXTENSION) if isinstance(schema, dict) else None
    name = text_at(said, "name") if isinstance(said, dict) else ""
    return name if _is_name(name) else ""


def described_property(name: str, schema: JsonValue) -> JsonValue:
    """The schema of a property with the description that models read; the same where no edit gives one."""
    if not isinstance(schema, dict) or EXTENSION not in schema:
        return schema
    edit = read_argument_edit(schema, name, schema, is_required=False, may_fix=False)
    return with_texts_of(schema, {**schema, "description": edit.description}) if edit.description else schema


def _is_name(value: JsonValue) -> bool:
    return isinstance(value, str) and _NAME.fullmatch(value) is not None and value != "__proto__"


def _is_sendable(value: JsonValue) -> bool:
    """Whether a fixed value arrives everywhere as it is: few values, and numbers that a page keeps exact."""
    level, count = [value], 0
    while level:
        count += len(level)
        if count > _MAX_FIXED_VALUES or not all(map(_is_exact, level)):
            return False
        level = values_within(level)
    return True


def _is_exact(value: JsonValue) -> bool:
    if not isinstance(value, int | float):
        return True
    return abs(value) <= _MAX_EXACT  # neither infinity nor NaN is


_CHECKS: MemberChecks = {
    "name": _is_name,
    "description": is_prose,
    "hidden": is_flag,
    "fixed": _is_sendable,
    DOCUMENT_HIDDEN: is_flag,
    DOCUMENT_FIXED: lambda _: True,
}


def _fixed(
    found: JsonObject, named: str, about: str, *, may_fix: bool, problems: list[str]
) -> tuple[JsonValue, ...]:
    if "fixed" not in found:
        return ()
    value = found["fixed"]
    if not may_fix:
        problems.append(f"{about} {_FOREIGN_VALUE}")
        return ()
    if _holds_secret(named, value):
        problems.append(
            f"`fixed` in {about} looks like a key, which would stand in exports and in git. "
            "Save it under Credentials."
        )
        return ()
    return (value,)


def _is_of_type(value: JsonValue, schema: JsonObject) -> bool:
    """Whether a value has a type that its schema names, as far as that says one by itself."""
    said = schema.get("type")
    types = [said] if isinstance(said, str) else array_at(schema, "type")
    if not types or (value is None and schema.get("nullable") is True):
        return True
    own = type_of(value)
    fitting = (own, "number") if own == "integer" else (own,)
    return any(each not in TYPES or each in fitting for each in map(str, types))


def _holds_secret(named: str, value: JsonValue) -> bool:
    if isinstance(value, dict):
        return any(_holds_secret(name, below) for name, below in value.items())
    if isinstance(value, list):
        return any(_holds_secret(named, below) for below in value)
    return isinstance(value, str) and value != "" and (is_secret_name(named) or is_like_key(value))


def _by_default(
    schema: JsonObject, about: str, *, may_fix: bool, problems: list[str]
) -> tuple[JsonValue, ...]:
    """The default of a required argument that is hidden: then it is fixed."""
    if "default" in schema and may_fix and _is_sendable(schema["default"]):
        return (schema["default"],)
    only = "" if may_fix else ", and only an overlay of the server's owner may fix its value"
    problems.append(f"`hidden` in {about} cannot be: it is required and has no default{only}.")
    return ()
