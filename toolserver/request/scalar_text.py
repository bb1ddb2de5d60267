"""How values read as text: in parameters, forms and bodies."""

from toolserver.json_types import JsonValue, dump_json
from toolserver.openapi.media_type import base_type

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


def is_written_as_json(content_type: str) -> bool:
    """Whether a value of this type is sent as JSON text."""
    name = base_type(content_type)
    return name in ("application/json", "text/json") or name.endswith("+json")


def text_of(value: JsonValue, content_type: str) -> str:
    """JSON text for JSON types; of others a string as it is, and any other value as its JSON text."""
    return value if isinstance(value, str) and not is_written_as_json(content_type) else json_text(value)
