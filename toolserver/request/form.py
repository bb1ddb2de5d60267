"""Members of forms: with the document's rules, written as `application/x-www-form-urlencoded`.

Fields with a style are written as query parameters are, all others by the form serializer, arrays as repeated
names (OpenAPI 3.1.2 §4.8.15.2 and .3).
"""

from typing import NamedTuple
from urllib.parse import quote_plus

from toolserver.errors import RequestError
from toolserver.json_types import JsonObject, JsonValue, array_at, text_at
from toolserver.request.parameter_styles import write_parameter
from toolserver.request.scalar_text import primitive_text, text_of


class FormField(NamedTuple):
    """One member of a form."""

    name: str
    value: JsonValue
    rule: JsonObject
    """What the document says of it; empty: nothing."""
    argument: str
    """Whose fault it is if it cannot be written."""


def fields_of(form: JsonObject, value: JsonValue) -> list[FormField]:
    """The members of a form.

    Raises:
        RequestError: invalid_arguments: the value is not an object.
    """
    argument = text_at(form, "argument")
    if not isinstance(value, dict):
        message = "The body must be an object: its members become the fields."
        raise RequestError("invalid_arguments", message, argument=argument or None)
    rules = {
        text_at(rule, "name"): rule
        for key in ("properties", "fields")
        for rule in array_at(form, key)
        if isinstance(rule, dict)
    }
    return [
        FormField(name, member, rule := rules.get(name, {}), text_at(rule, "argument") or argument or name)
        for name, member in value.items()
    ]


def has_style(rule: JsonObject) -> bool:
    """A style is in force when the document gives one of its three keywords."""
    return not rule.keys().isdisjoint(("style", "explode", "allow_reserved"))


def field_text(item: JsonValue, content_type: JsonValue) -> str:
    """Without a type: primitives as they read, objects and arrays as JSON."""
    return text_of(item, content_type) if isinstance(content_type, str) else primitive_text(item)


def items_of(value: JsonValue) -> list[JsonValue]:
    """The values of one field: an array gives one per item."""
    return value if isinstance(value, list) else [value]


def write_form(fields: list[FormField]) -> str:
    """The form as text."""
    return "&".join(filter(None, map(_write_field, fields)))


def _write_field(field: FormField) -> str:
    if field.value is None:
        return ""
    if has_style(field.rule):
        return write_parameter(field.value, {**field.rule, "name": field.name}, "query") or ""
    texts = [field_text(item, field.rule.get("content_type")) for item in items_of(field.value)]
    return "&".join(f"{_encoded(field.name)}={_encoded(text)}" for text in texts)


def _encoded(text: str) -> str:
    return quote_plus(text, safe="*", errors="replace").replace("~", "%7E")
