"""Summarizes what an API itself says went wrong, in one line for a model and its user.

Reads the JSON of error bodies: problem details (RFC 9457) and the shapes of common frameworks.
"""

from collections.abc import Iterator
from typing import cast

import orjson

from toolserver.answer.tolerant_json import readable_json

_PROBLEM_CHARS = 500
_MAX_ERRORS = 5
"""Maximum number of single errors that are quoted; the others are in the body, which is passed on as well."""

_TITLES = ("title", "detail", "message", "error_description", "error")
_TEXTS = ("message", "msg", "detail", "defaultMessage", "description", "title", "reason")
_PLACES = ("loc", "field", "path", "pointer", "property", "param", "name")
_PART_OF_REQUEST = frozenset({"body", "query", "path", "header", "cookie"})


def problem_text(body: str) -> str:
    """Title and detail of the problem, and the first of its single errors with their locations.

    "" when `body` is no JSON object or describes no problem. Single errors are members `errors`, `detail` or
    `violations`: a list of texts or objects (FastAPI, Rails, JSON:API, Spring) or an object of lists
    (ASP.NET, Laravel, Rails).
    """
    readable = readable_json(body.encode("utf-8", "replace"))
    body_value = None if readable is None else orjson.loads(readable)
    if not isinstance(body_value, dict):
        return ""
    fields = cast("dict[str, object]", body_value)
    inner = fields.get("error")
    if isinstance(inner, dict):
        fields = cast("dict[str, object]", inner)
    titles = list(dict.fromkeys(text for text in _titles(fields) if text))[:2]
    errors = [text for text in dict.fromkeys(_errors(fields)) if text not in titles]
    return _one_line(": ".join(titles), errors)


def _one_line(title: str, errors: list[str]) -> str:
    listed = "; ".join(errors[:_MAX_ERRORS])
    if len(errors) > _MAX_ERRORS:
        listed += f"; and {len(errors) - _MAX_ERRORS} more"
    parts = [part for part in (title.rstrip(". ") if listed else title, listed) if part]
    line = " ".join(": ".join(parts).split())
    return line if len(line) <= _PROBLEM_CHARS else line[: _PROBLEM_CHARS - 1] + "…"


def _titles(fields: dict[str, object]) -> Iterator[str]:
    for name in _TITLES:
        value = fields.get(name)
        if isinstance(value, str):
            yield value


def _errors(fields: dict[str, object]) -> Iterator[str]:
    for name in ("errors", "detail", "violations"):
        value = fields.get(name)
        if isinstance(value, list):
            yield from filter(None, map(_single, cast("list[object]", value)))
        elif isinstance(value, dict):
            yield from _by_field(cast("dict[str, object]", value))


def _by_field(errors: dict[str, object]) -> Iterator[str]:
    for field, value in errors.items():
        listed = cast("list[object]", value) if isinstance(value, list) else [value]
        texts = [text for text in map(_single, listed) if text]
        if texts:
            yield f"{field}: {', '.join(texts)}"


def _single(error: object) -> str:
    if isinstance(error, str):
        return error
    if not isinstance(error, dict):
        return ""
    fields = cast("dict[str, object]", error)
    text = next((value for name in _TEXTS if isinstance(value := fields.get(name), str) and value), "")
    place = _place(fields)
    return f"{place}: {text}" if place and text else text


def _place(fields: dict[str, object]) -> str:
    source = fields.get("source")
    if isinstance(source, dict):  # JSON:API
        fields = {**fields, **cast("dict[str, object]", source)}
    for name in _PLACES:
        value = fields.get(name)
        if isinstance(value, str) and value:
            return value
        if isinstance(value, list) and value:
            steps = [str(step) for step in cast("list[object]", value)]
            return ".".join(steps[1:] if steps[0] in _PART_OF_REQUEST and len(steps) > 1 else steps)
    return ""
