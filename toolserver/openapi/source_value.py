"""Reads the text of a document as a value: JSON, or else YAML, within limits of depth and number.

Receives a `SourceText`; gives a value and warnings. Knows nothing of OpenAPI, but how other formats look.
"""

import gc
import json
from functools import partial
from typing import NamedTuple, cast

from toolserver.errors import DocumentError
from toolserver.json_types import JsonValue, NestedTooDeeply
from toolserver.openapi.foreign_formats import name_text
from toolserver.openapi.json_text import read_json
from toolserver.openapi.source_text import SourceText
from toolserver.openapi.yaml_text import read_yaml, too_deep, too_many_nodes

_AT_A_TIME = 4_000
"""Number of values measured together: few enough that the values below them stay in the processor's cache."""


class _Limits(NamedTuple):
    max_depth: int
    max_nodes: int


def read_source(source: SourceText, *, max_depth: int, max_nodes: int) -> tuple[JsonValue, list[str]]:
    """The value of a text, and warnings; `max_depth` and `max_nodes` as in `DocumentLimits`.

    Raises:
        DocumentError: not_json_or_yaml, too_deep, yaml_alias_bomb.
    """
    limits = _Limits(max_depth, max_nodes)
    try:
        return _read_json_or_yaml(source, limits)
    except DocumentError as error:
        if error.code == "not_json_or_yaml" and (named := name_text(source.text)):
            raise DocumentError(error.code, named) from None
        raise


def _read_json_or_yaml(source: SourceText, limits: _Limits) -> tuple[JsonValue, list[str]]:
    start = source.first_sign()
    if start == "":
        raise DocumentError("not_json_or_yaml", "The text is empty.")
    if start == "<":
        raise DocumentError("not_json_or_yaml", "The text is markup, not JSON or YAML.")
    if start not in "{[":
        return read_yaml(source.text, max_depth=limits.max_depth, max_nodes=limits.max_nodes)
    try:
        return read_json(source, partial(_measure, limits))
    except json.JSONDecodeError as error:
        return _read_flow_yaml(source.text, limits, error)
    except NestedTooDeeply:
        raise too_deep(limits.max_depth) from None
    except ValueError as error:
        raise DocumentError("not_json_or_yaml", f"The text is not JSON: {error}.") from error


def _read_flow_yaml(
    text: str, limits: _Limits, json_error: json.JSONDecodeError
) -> tuple[JsonValue, list[str]]:
    """Reads YAML's flow style, which begins like JSON; if it is neither, the JSON error is more helpful."""
    try:
        return read_yaml(text, max_depth=limits.max_depth, max_nodes=limits.max_nodes)
    except DocumentError as error:
        if error.code != "not_json_or_yaml":
            raise
    place = f"line {json_error.lineno}, column {json_error.colno}"
    raise DocumentError(
        "not_json_or_yaml", f"The text is not valid JSON at {place}: {json_error.msg}."
    ) from json_error


def _measure(limits: _Limits, root: JsonValue) -> None:
    """Checks size and depth; the garbage collector visits containers several times as fast as Python code."""
    nodes = 0
    waiting = [(1, [root])]
    while waiting:
        depth, values = waiting.pop()
        nodes += len(values)
        if nodes > limits.max_nodes:
            raise too_many_nodes(limits.max_nodes)
        if depth > limits.max_depth and any(isinstance(value, dict | list) for value in values):
            raise too_deep(limits.max_depth)
        below = cast(list[JsonValue], gc.get_referents(*values))
        for start in range(0, len(below), _AT_A_TIME):
            waiting.append((depth + 1, below[start : start + _AT_A_TIME]))
