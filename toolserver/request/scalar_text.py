"""How values read as text: in parameters, forms and bodies."""

import re

from toolserver.json_types import JsonValue, dump_json

_JSON_TYPE = re.compile(r"\s*(?:application/json|text/json|[^;]*\+json)\s*(?:;|\Z)", re.IGNORECASE)
_DIGITS_UP_TO = 1e21
"""Below it a whole number is written with all its digits, as JavaScript does."""


def json_text(value: JsonValue) -> str:
    """Compact JSON."""
    return dump_json(value).decode()


def primitive_text(value: JsonValue) -> str:
    """Primitives as they read, arrays and objects as JSON text."""
    if isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer() and abs(value) < _DIGITS_UP_TO:
        return str(int(value))
    return json_text(value)


def is_json(content_type: str) -> bool:
    """Whether a media type is JSON."""
    return _JSON_TYPE.match(content_type) is not None


def text_of(value: JsonValue, content_type: str) -> str:
    """JSON text for JSON types; of others a string as it is, and any other value as its JSON text."""
    return value if isinstance(value, str) and not is_json(content_type) else json_text(value)
