"""Arguments as they may be stored and shown: within a maximum size, and without secrets. Pure.

Callers pass passwords and tokens as arguments, where no credential of the page can replace them. They
have to travel to the API; they need not lie in a database for a month.
"""

from __future__ import annotations

import json

from toolserver.json_types import JsonObject, JsonValue, dump_json, load_json, may_nest_deeply
from toolserver.secret_names import is_secret_name

STORED_ARGUMENTS_CHARS = 64 * 1024
"""Maximum length of arguments that are stored; a call with longer ones cannot be repeated by its id."""

MARKER = "[secret]"
"""Replacement for a secret; the page writes the same."""

_HINTS = (
    *("pass", "secret", "token", "credential", "author", "key", "session", "cookie", "pwd", "pin", "otp"),
    *("cv", "\\u"),
)
"""Arguments whose lower-case text contains none of these have no secret name, however it is written, so most
arguments need not be parsed. Every call is checked: searching for each string takes a tenth of the time of
one regular expression for all."""


def redact_arguments(text: str) -> str | None:
    """Return the JSON text as it may be stored; None when it is too long or not JSON.

    Text without secrets stays unchanged, to the letter. `null`, booleans and empty values are not secrets and
    stay.
    """
    if len(text) > STORED_ARGUMENTS_CHARS:
        return None
    lowered = text.lower()
    for hint in _HINTS:  # `any` of a generator takes twice as long
        if hint in lowered:
            break
    else:
        return text
    found: list[str] = []

    def redact(pairs: list[tuple[str, JsonValue]]) -> JsonObject:
        found.extend(name for name, value in pairs if _hides(name, value))
        return {name: MARKER if _hides(name, value) else value for name, value in pairs}

    try:
        if may_nest_deeply(text):
            load_json(text)  # what is taken out counts as well
        value: JsonValue = json.loads(text, object_pairs_hook=redact)
    except ValueError:
        return None
    return dump_json(value).decode() if found else text


def has_redactions(text: str) -> bool:
    """Whether secrets were removed from stored arguments, so that they cannot be used again."""
    return f'"{MARKER}"' in text


def _hides(name: str, value: JsonValue) -> bool:
    is_empty = value is None or isinstance(value, bool) or value in ("", [], {})
    return not is_empty and is_secret_name(name)
