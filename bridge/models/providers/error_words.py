"""The words of a provider's error, in whatever shape it has them. Pure.

OpenAI's shape is `{"error": {"message", "type", "code", "param"}}`. Imitators, gateways and frameworks have
others: text, lists, other names, a page of HTML, or the JSON of another error as a text within one.
"""

from __future__ import annotations

import html
from typing import cast

from toolserver.json_types import JsonObject, JsonValue, array_at, load_json, object_at

_OF_ANSWERS = frozenset({"choices", "output", "usage", "object", "type", "response", "delta", "item"})
"""Members of which an event that is no error has one."""

_NAMES = (
    *("message", "detail", "error", "errors", "msg", "error_message", "error_msg", "errmsg", "status_msg"),
    *("error_description", "faultstring", "fault", "base_resp", "title"),
)
"""Members with the words of an error, in small letters, those that say most first."""

_ELEMENTS = ("message", "title", "h1")
"""Elements with the words of an error that is XML or HTML."""

_MAX_NESTING = 6


def error_of(body: object) -> JsonObject:
    """Return the error object in an answer: OpenAI's, or one of the shapes that its imitators use.

    Its `message` is the words that the shape has, wherever it has them.
    """
    if isinstance(body, list):
        errors = [error_of(each) for each in cast("list[object]", body) if not isinstance(each, list)]
        return next((error for error in errors if error), JsonObject())
    if isinstance(body, str):
        return {"message": words} if (words := _words_in(body)) else {}
    if not isinstance(body, dict):
        return {}
    found = cast(JsonObject, body)
    inner = object_at(found, "error") or found
    return {**inner, "message": _words_in(inner) or _words_in(found)}


def is_error(event: JsonObject) -> bool:
    """Return whether an event that is nothing else is an error: some come without the member `error`."""
    if event.get("type") == "error":
        return True
    return not event.keys() & _OF_ANSWERS and _words_in(event) != ""


def _words_in(value: JsonValue, nesting: int = _MAX_NESTING) -> str:
    """Return the words of an error; of a list, such as FastAPI's of what does not fit, of each entry."""
    if nesting == 0:
        return ""
    if isinstance(value, str):
        return _words_in_text(value.strip(), nesting - 1)
    if isinstance(value, list):
        return "; ".join(filter(None, (_words_in(each, nesting - 1) for each in value)))
    if not isinstance(value, dict):
        return ""
    members = {name.lower(): member for name, member in value.items()}
    words = next(filter(None, (_words_of_member(members, name, nesting - 1) for name in _NAMES)), "")
    cause = _words_in(object_at(members, "metadata").get("raw"), nesting - 1)
    if cause and cause != words:
        words = f"{words}: {cause}" if words else cause
    place = ".".join(str(step) for step in array_at(value, "loc"))
    return f"{place}: {words}" if place and words else words


def _words_of_member(members: JsonObject, name: str, nesting: int) -> str:
    """Return the words of one member; `errors` may have them by the names of the fields that are wrong."""
    value = members.get(name)
    words = _words_in(value, nesting)
    if words or name != "errors" or not isinstance(value, dict):
        return words
    told = ((field, _words_in(each, nesting)) for field, each in value.items())
    return "; ".join(f"{field}: {each}" for field, each in told if each)


def _words_in_text(text: str, nesting: int) -> str:
    """Return the words of a text: its own, unless it is the text of another error."""
    if text.startswith("<"):
        return next(filter(None, (_words_in_element(text, name) for name in _ELEMENTS)), "")
    if text.startswith(("{", "[")):
        try:
            return _words_in(load_json(text), nesting) or text
        except ValueError:
            return text
    return text


def _words_in_element(text: str, name: str) -> str:
    """Return what the first element of that name holds, without white space around it."""
    encoded = text.encode("utf-8", "replace")
    lowered = encoded.lower()  # of ASCII only, so that places are the same in both
    start = lowered.find(f"<{name}".encode())
    opened = encoded.find(b">", start)
    end = lowered.find(f"</{name}".encode(), start)
    if start < 0 or not 0 < opened < end:
        return ""
    return " ".join(html.unescape(encoded[opened + 1 : end].decode("utf-8", "replace")).split())
