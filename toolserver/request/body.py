"""The body of a request: arguments put together as the plan says, then written as its kind."""

from typing import NamedTuple

from toolserver.errors import RequestError
from toolserver.json_types import JsonObject, JsonValue, array_at, object_at, text_at
from toolserver.openapi.media_type import OCTETS
from toolserver.request.body_text import in_charset, write_sequence
from toolserver.request.file_content import fits, read_file, type_by_name
from toolserver.request.form import FormField, fields_of, write_form
from toolserver.request.multipart import write_multipart
from toolserver.request.scalar_text import json_text, text_of
from toolserver.request.withheld import fill_place
from toolserver.request.xml_text import write_xml


class WrittenBody(NamedTuple):
    """The bytes of a body, and their type."""

    content: bytes
    content_type: str


def write_body(plan: JsonObject, arguments: JsonObject, boundary: str) -> WrittenBody | None:
    """The body of a plan's request; None: it has none. `boundary`: see `write_multipart`.

    Raises:
        RequestError: invalid_arguments, unsendable.
    """
    body = object_at(plan, "body")
    if not body or not _has_value(plan, body, arguments):
        return None
    argument = text_at(body, "argument") or None
    if text_at(plan, "method") in {"GET", "HEAD"}:
        message = f"A browser sends no body with {text_at(plan, 'method')}."
        raise RequestError("unsendable", message, argument=argument)
    value = fill_body(plan, body, value_of_body(plan, body, arguments))
    content_type = text_at(body, "content_type")
    match text_at(body, "kind"):
        case "binary":
            return _binary_body(body, value)
        case "multipart":
            fields = _parts_of(body, value) if "parts" in body else fields_of(body, value)
            return WrittenBody(*write_multipart(fields, content_type, boundary))
        case _:
            text = _text_of(body, value, content_type)
            return WrittenBody(in_charset(text, content_type, argument or "body"), content_type)


def fill_body(plan: JsonObject, body: JsonObject, value: JsonValue) -> JsonValue:
    """The value of a body with what edits fix in it.

    Raises:
        RequestError: invalid_arguments: it has a name that is withheld.
    """
    is_text_read = text_at(body, "kind") not in ("", "sequence")
    return fill_place(plan, body, value, text_at(body, "argument") or "body", is_text_read=is_text_read)


def missing_argument(argument: str) -> RequestError:
    """The error for a required argument that has no value."""
    message = f'The argument "{argument}" is required and has no value.'
    return RequestError("invalid_arguments", message, argument=argument)


def _has_value(plan: JsonObject, body: JsonObject, arguments: JsonObject) -> bool:
    argument = body.get("argument")
    if not isinstance(argument, str):
        value = value_of_body(plan, body, arguments)
        return bool(body.get("required") or value or fill_body(plan, body, value))
    if argument in arguments:
        return bool(body.get("required")) or arguments[argument] is not None
    if body.get("required"):
        raise missing_argument(argument)
    return False


def value_of_body(plan: JsonObject, body: JsonObject, arguments: JsonObject) -> JsonValue:
    """The value of the whole body, from one argument, which there is, or from one per property."""
    argument = body.get("argument")
    if isinstance(argument, str):
        return arguments[argument]
    properties = _objects_at(body, "properties")
    members = {
        text_at(each, "name"): arguments[text_at(each, "argument")]
        for each in properties
        if text_at(each, "argument") in arguments
    }
    if body.get("additional"):
        entries = (*_objects_at(plan, "parameters"), *properties)
        declared = {text_at(each, "argument") for each in entries if "argument" in each}
        members |= {name: value for name, value in arguments.items() if name not in declared}
    return members


def _objects_at(container: JsonObject, key: str) -> list[JsonObject]:
    return [each for each in array_at(container, key) if isinstance(each, dict)]


def _text_of(body: JsonObject, value: JsonValue, content_type: str) -> str:
    match text_at(body, "kind"):
        case "":
            return json_text(value)
        case "text":
            return text_of(value, content_type)
        case "form":
            return value if isinstance(value, str) else write_form(fields_of(body, value))
        case "sequence":
            return write_sequence(value, content_type, text_at(body, "argument") or "body")
        case "xml":
            return write_xml(value, object_at(body, "xml"))
        case kind:
            raise RequestError("unsendable", f"There is no way to build a body of the kind {kind}.")


def _binary_body(body: JsonObject, value: JsonValue) -> WrittenBody:
    file = read_file(value, text_at(body, "argument") or "body")
    planned = text_at(body, "content_type")
    listed = [each for each in array_at(body, "content_types") if isinstance(each, str)] or [planned]
    own = file.content_type
    is_open = any("*" in each or each == OCTETS or (own is not None and fits(own, each)) for each in listed)
    fallback = type_by_name(file.filename, listed) or (OCTETS if "*" in planned else planned)
    return WrittenBody(file.content, (own if is_open else None) or fallback)


def _parts_of(body: JsonObject, value: JsonValue) -> list[FormField]:
    """The items of an array as parts without names; each in an array, as an array value is as many parts."""
    argument = text_at(body, "argument") or "body"
    if not isinstance(value, list):
        message = "The body must be an array: its items become the parts."
        raise RequestError("invalid_arguments", message, argument=argument)
    return [FormField("", [item], object_at(body, "parts"), argument) for item in value]
