"""The arguments of a tool as words of a shell, as HTTPie has them: `name=value`, `name:=json`, `name=@file`.

What a value is, text or JSON, follows from the tool's schema, where that is known.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TextIO, cast

from bridge.cli.parser import WrongUsage
from bridge.close_names import suggest
from toolserver.json_types import load_json

_FORMS = "NAME=VALUE, NAME:=JSON, NAME=@FILE, a JSON object, @FILE or -"

_FILE_MEMBERS = frozenset({"base64", "text", "url"})
"""Properties by which the schema of a file is known."""


class Assignment(NamedTuple):
    """One argument, as it was typed."""

    name: str
    text: str
    """The value, or what a file holds it."""
    is_json: bool
    path: Path | None
    """File that holds the value."""


def read_assignment(word: str) -> Assignment | None:
    """Return the argument that a word gives; None if it gives all of them at once."""
    if word == "-" or word.startswith(("@", "{")):
        return None
    name, equals, text = word.partition("=")
    is_json = name.endswith(":")
    name = name.removesuffix(":")
    if not equals or not name:
        raise WrongUsage(f"{word[:40]!r} is no argument; an argument is {_FORMS}")
    path = Path(text[1:]) if text.startswith("@") else None
    return Assignment(name, text, is_json, path)


def read_arguments(words: Sequence[str], schema: Mapping[str, Any] | None, stdin: TextIO) -> dict[str, Any]:
    """Return the arguments object that the words mean together; later words win over earlier objects.

    `schema`: of the arguments; None if unknown, which makes every VALUE a text.

    Raises:
        WrongUsage: a word cannot be used, or a file cannot be read.
    """
    given: dict[str, Any] = {}
    assigned: dict[str, Any] = {}
    for word in words:
        assignment = read_assignment(word)
        if assignment is None:
            given |= _read_object(word, stdin)
            continue
        name = assignment.name
        value = _value_of(assignment, _property_of(schema, name))
        if name not in assigned:
            assigned[name] = value
        elif isinstance(value, list) and isinstance(assigned[name], list):
            assigned[name] += value
        else:
            raise WrongUsage(f"{name} is given twice; several values are {name}:='[...]'")
    return given | assigned


def _property_of(schema: Mapping[str, Any] | None, name: str) -> Mapping[str, Any]:
    """Return the schema of an argument, {} if it is unknown; refuses a name that is probably mistyped."""
    properties: Mapping[str, Any] = (schema or {}).get("properties", {})
    if name not in properties and (question := suggest(name, properties)):
        raise WrongUsage(f"the tool has no argument {name!r}{question}")
    found = properties.get(name, {})
    return found if isinstance(found, dict) else {}  # pyright: ignore[reportUnknownVariableType]  # JSON


def _value_of(assignment: Assignment, schema: Mapping[str, Any]) -> Any:
    name, path = assignment.name, assignment.path
    if path is not None and not assignment.is_json and (_is_file(schema) or _is_file(_items_of(schema))):
        file = {"base64": base64.b64encode(_read_bytes(path)).decode(), "filename": path.name}
        return file if _is_file(schema) else [file]
    text = assignment.text if path is None else _read_text(path)
    if assignment.is_json:
        return _parse_json(text, f"the value of {name}")
    return _typed(name, text, schema)


def _typed(name: str, text: str, schema: Mapping[str, Any]) -> Any:
    types = _types_of(schema)
    if _is_file(schema):
        raise WrongUsage(f"{name} is a file: write {name}=@FILE")
    if "string" in types or not types:
        return text
    if "array" in types and not text.lstrip().startswith("["):
        return [_typed(name, text, _items_of(schema))]
    try:
        return load_json(text)
    except ValueError:
        kinds = " or ".join(sorted(types - {"null"}))
        raise WrongUsage(f"{name} must be {kinds}, written as JSON, not {text[:40]!r}") from None


def _types_of(schema: Mapping[str, Any]) -> set[str]:
    """Return the types that a value may have; empty for any."""
    named = schema.get("type")
    types = {named} if isinstance(named, str) else set(cast("list[str]", named or []))
    for part in (*schema.get("anyOf", ()), *schema.get("oneOf", ())):
        types |= _types_of(cast("Mapping[str, Any]", part)) if isinstance(part, dict) else set()
    return types


def _items_of(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    items = schema.get("items")
    return cast("Mapping[str, Any]", items) if isinstance(items, dict) else {}


def _is_file(schema: Mapping[str, Any]) -> bool:
    return set(schema.get("properties", {})) >= _FILE_MEMBERS


def _read_object(word: str, stdin: TextIO) -> dict[str, Any]:
    if word.startswith("{"):
        value = _parse_json(word, "the arguments")
    else:
        text = stdin.read() if word == "-" else _read_text(Path(word[1:]))
        value = _parse_json(text, "standard input" if word == "-" else word[1:])
    if not isinstance(value, dict):
        raise WrongUsage("the arguments must be a JSON object")
    return cast("dict[str, Any]", value)


def _parse_json(text: str, what: str) -> Any:
    try:
        return load_json(text)
    except ValueError as error:
        raise WrongUsage(f"{what} cannot be read as JSON: {error}") from None


def _read_text(path: Path) -> str:
    try:
        return _read_bytes(path).decode("utf-8")
    except UnicodeDecodeError:
        raise WrongUsage(f"{path} does not hold text in UTF-8") from None


def _read_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise WrongUsage(f"{path} cannot be read: {error.strerror}") from None
