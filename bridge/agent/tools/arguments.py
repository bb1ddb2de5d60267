"""Arguments as a model wrote them, converted to what the engine accepts. Pure."""

from __future__ import annotations

import ast
from typing import cast

from bridge.agent.toolbox import BridgeTool
from bridge.browser_protocol import ARGUMENT_BYTES
from toolserver.call.arguments import parse_arguments
from toolserver.errors import ArgumentError
from toolserver.json_types import JsonObject, array_at, dump_json
from toolserver.schema.strict import without_added_nulls

LITERAL_CHARS = 20_000
"""Maximum number of characters of arguments that are tried as a Python literal."""


def engine_arguments(tool: BridgeTool, text: str) -> str:
    """Return the JSON text for the engine: verbatim, but without nulls that only mean "left out".

    Some models write a Python dictionary instead of JSON; it is converted.

    Raises:
        ArgumentError: required arguments are missing, or the text is no JSON or no object.
    """
    required = [str(name) for name in array_at(tool.schema, "required")]
    if required and not text.strip():
        listed = ", ".join(f"`{name}`" for name in required)
        raise ArgumentError(f"Missing tool arguments (provider sent empty string). It needs {listed}.")
    try:
        arguments = parse_arguments(text, max_bytes=ARGUMENT_BYTES)
    except ArgumentError:
        written = _python_object(text)
        if written is None:
            raise
        text, arguments = dump_json(written).decode(), written
    try:
        cleaned = without_added_nulls(arguments, tool.schema)
        return text if cleaned == arguments else dump_json(cleaned).decode()
    except RecursionError:
        raise ArgumentError("The arguments are nested too deeply.") from None


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
