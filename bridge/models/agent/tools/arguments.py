"""Arguments as a model wrote them, converted to what the engine and providers accept. Pure."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Mapping
from typing import cast

from bridge.browser_protocol import ARGUMENT_BYTES
from bridge.models.agent.items import Item, arguments_text
from bridge.models.agent.toolbox import BridgeTool
from toolserver.arguments.arguments import parse_arguments
from toolserver.arguments.exact_json import unquoted_text
from toolserver.errors import ArgumentError
from toolserver.json_types import JsonObject, array_at, dump_json, text_at
from toolserver.schema.nulls import without_added_nulls

LITERAL_CHARS = 20_000
"""Maximum number of characters of arguments that are tried as a Python literal."""

UNNAMED = "unnamed_tool"
"""Name that a provider is sent for a call without one; no tool is offered under it."""


def engine_arguments(tool: BridgeTool, text: str) -> str:
    """Return the JSON text for the engine: verbatim, but without nulls that only mean "left out".

    What is almost JSON is converted: a Python dictionary, JSON of JSON, a fence around the object, raw line
    feeds in its texts. `null` means no arguments, where none are required.

    Raises:
        ArgumentError: required arguments are missing, or the text is no JSON or no object.
    """
    required = [str(name) for name in array_at(tool.schema, "required")]
    if required and not text.strip():
        listed = ", ".join(f"`{name}`" for name in required)
        raise ArgumentError(f"Missing tool arguments (provider sent empty string). It needs {listed}.")
    if not required and text.strip() == "null":
        return "{}"
    text = unquoted_text(text)
    try:
        arguments = parse_arguments(text, max_bytes=ARGUMENT_BYTES)
    except ArgumentError:
        mended = _mended(text)
        if mended is None:
            raise
        text, arguments = mended
    cleaned = without_added_nulls(arguments, tool.schema)
    return text if cleaned == arguments else dump_json(cleaned).decode()


def sendable_call(item: Item) -> Item:
    """Return a `function_call` as providers accept it in a history: with a name, and an object as arguments.

    What the model wrote otherwise would make them refuse the request, so that the model never read the output
    that names its mistake. Returns any other item, and a call without such a mistake, unchanged.
    """
    if item.get("type") != "function_call":
        return item
    repaired = dict(item)
    if not text_at(item, "name").strip():
        repaired["name"] = UNNAMED
    if not isinstance(item.get("arguments"), dict):  # from a provider that itself writes the object
        repaired["arguments"] = _object_text(arguments_text(item))
    return item if repaired == item else repaired


def _object_text(text: str) -> str:
    """Return the text if it is a JSON object, what the engine reads it as, or an empty object."""
    if not text.strip():
        return "{}"
    text = unquoted_text(text)
    try:
        parse_arguments(text, max_bytes=sys.maxsize)
    except ArgumentError:
        mended = _mended(text)
        return "{}" if mended is None else mended[0]
    return text


def _mended(text: str) -> tuple[str, JsonObject] | None:
    """Return what is almost a JSON object as one, as text and as value; None if it is nothing of the kind.

    The digits of numbers stay.
    """
    fenced = _FENCE.fullmatch(text)
    inner = text if fenced is None else fenced[1]
    escaped = _STRING.sub(lambda string: string[0].translate(_ESCAPES), inner)
    try:
        return escaped, parse_arguments(escaped, max_bytes=ARGUMENT_BYTES)
    except ArgumentError:
        written = _python_object(inner)
    return None if written is None else (dump_json(written).decode(), written)


_FENCE = re.compile(r"\s*```(?:json)?\s*(\{.*\})\s*```\s*", re.DOTALL | re.IGNORECASE)
"""The object as a block of code in Markdown."""

_STRING = re.compile(r'"(?:[^"\\]|\\[^\x00-\x1f])*"?')
"""A text, or the beginning of one without an end: else each quote in it would be tried as a beginning."""

_ESCAPES = {code: f"\\u{code:04x}" for code in range(32)} | {9: "\\t", 10: "\\n", 13: "\\r"}
"""Of the characters that JSON does not allow as they are in a text."""


def _python_object(text: str) -> JsonObject | None:
    if not text.lstrip().startswith("{") or len(text) > LITERAL_CHARS:
        return None
    try:
        value: object = ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
    return cast(JsonObject, value) if isinstance(value, dict) and _is_json(cast(object, value)) else None


def _is_json(value: object) -> bool:
    if isinstance(value, dict):
        members = cast(dict[object, object], value).items()
        return all(isinstance(name, str) and _is_json(inner) for name, inner in members)
    if isinstance(value, list):
        return all(map(_is_json, cast(list[object], value)))
    return value is None or isinstance(value, str | int | float)


def name_files(arguments_text: str, files: Mapping[str, str]) -> str:
    """Replace strings of a call's arguments that stand for files (`TurnRequest.files`).

    In the text, so that numbers keep their digits.
    """
    for name, url in files.items():
        arguments_text = arguments_text.replace(f'"{name}"', dump_json(url).decode())
    return arguments_text
