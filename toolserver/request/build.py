"""The request builder: a request plan and arguments in, a request out.

The same as `static/request.js` for the page; `tests/contract` plays the same vectors with both.
"""

import math
import re
from dataclasses import dataclass
from typing import cast

import orjson

from toolserver.errors import RequestError
from toolserver.json_types import JsonObject, JsonValue, array_at, nests_deeply, text_at
from toolserver.openapi.media_type import base_type
from toolserver.request.body import missing_argument, write_body
from toolserver.request.form import fields_of, write_form
from toolserver.request.parameter_styles import encode_strict, write_parameter
from toolserver.request.scalar_text import is_written_as_json, primitive_text, text_of
from toolserver.request.url import UrlParts, join_url
from toolserver.request.withheld import fill_place, refuse_withheld_names

_IGNORED_HEADERS = {"accept", "content-type", "authorization"}
"""Header parameters that the specification says to ignore (OpenAPI 3.1.2 §4.8.12.1, `name`)."""
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_NOT_ASCII = re.compile("[\x80-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class Request:
    """One HTTP request, ready to be sent by any client. It holds no credential: the sender adds that."""

    method: str
    """In upper case."""
    url: str
    """Absolute and percent-encoded: send it as it is."""
    headers: dict[str, str]
    """Names in lower case. Values are text; send them as UTF-8."""
    body: bytes | None


def build_request(
    plan_json: bytes, arguments: JsonObject, *, base_url: str = "", boundary: str = ""
) -> Request:
    """The request of one call.

    `plan_json`: `CompiledOperation.plan_json`, of an operation of an OpenAPI document. `arguments`: what
    `read_arguments` gives; unknown ones are ignored unless the body takes them. `base_url` replaces the
    plan's, with its path and query; it is needed where the document names no server. `boundary`: of a
    multipart body; "" for one that is made of its content.

    What a browser does not let a page send (cookies, `Host` and the like) is in no request; the plan lists it
    under `unsendable`. Pure: equal arguments give equal requests.

    Raises:
        RequestError: see the class for its codes.
    """
    plan = cast(JsonObject, orjson.loads(plan_json))
    if text_at(plan, "kind"):
        raise RequestError("unsendable", "An MCP tool has no request of its own, only a message.")
    _check_values(arguments)
    refuse_withheld_names(plan, arguments)
    draft = _Draft(UrlParts(), {"accept": accept} if (accept := text_at(plan, "accept")) else {})
    for parameter in array_at(plan, "parameters"):
        if isinstance(parameter, dict):
            _place_parameter(plan, parameter, arguments, draft)
    body = write_body(plan, arguments, boundary)
    if body is not None:
        draft.headers["content-type"] = body.content_type
    url = join_url(plan, base_url or text_at(plan, "base_url"), draft.url)
    return Request(text_at(plan, "method"), url, draft.headers, None if body is None else body.content)


@dataclass(slots=True)
class _Draft:
    """What parameters have given so far."""

    url: UrlParts
    headers: dict[str, str]


def _check_values(arguments: JsonObject) -> None:
    """Refuses numbers beyond JSON, and values without end."""
    for argument, value in arguments.items():
        if nests_deeply(value):
            raise RequestError("invalid_arguments", f'"{argument}" is nested too deeply.', argument=argument)
        if _holds_infinity(value):
            message = f'"{argument}" holds a number that is too large to be sent.'
            raise RequestError("invalid_arguments", message, argument=argument)


def _holds_infinity(value: JsonValue) -> bool:
    if isinstance(value, dict | list):
        return any(map(_holds_infinity, value.values() if isinstance(value, dict) else value))
    return isinstance(value, float) and not math.isfinite(value)


def _place_parameter(plan: JsonObject, parameter: JsonObject, arguments: JsonObject, draft: _Draft) -> None:
    location = text_at(parameter, "in")
    name = text_at(parameter, "name")
    argument = text_at(parameter, "argument") or name
    if location == "header" and name.lower() in _IGNORED_HEADERS:
        return
    if "fixed" in parameter:
        arguments = {argument: parameter["fixed"]}
    value = arguments[argument] if argument in arguments else parameter.get("default")
    value = fill_place(plan, parameter, value, argument, is_text_read=True)
    must_stand = location == "path" or bool(parameter.get("required"))
    if value is None:
        if not must_stand:
            return
        if argument not in arguments:
            raise missing_argument(argument)
    text = _write_value(value, parameter, location)
    if location == "path":
        draft.url.path[name] = text or ""
        draft.url.arguments[name] = argument
    elif text is not None and location == "header":
        draft.headers[name.lower()] = _printable(text, argument)
    elif text is not None:
        draft.url.query.append(text)


def _write_value(value: JsonValue, parameter: JsonObject, location: str) -> str | None:
    if location == "querystring":
        return _whole_query(value, parameter)
    content_type = text_at(parameter, "content_type")
    if not content_type:
        # A null that must be sent is RFC 6570's "undefined": the tables write it as "" (3.1.2 §4.8.12.6).
        return write_parameter("" if value is None else value, parameter, location)
    text = _content_text(value, content_type)
    if location == "header":
        return _NOT_ASCII.sub(_escaped, text)
    name = "" if location == "path" else f"{encode_strict(text_at(parameter, 'name'))}="
    return name + encode_strict(text)


def _whole_query(value: JsonValue, parameter: JsonObject) -> str:
    """The value is the whole query (OpenAPI 3.2.0 §4.12.1, `in: querystring`)."""
    content_type = text_at(parameter, "content_type")
    if base_type(content_type) != "application/x-www-form-urlencoded":
        return encode_strict(text_of(value, content_type))
    if isinstance(value, dict | list) or value is None:
        return write_form(fields_of(parameter, value))
    return primitive_text(value).removeprefix("?")


def _content_text(value: JsonValue, content_type: str) -> str:
    """As the media type is written; arrays of a type without a rule for them separated by commas."""
    if is_written_as_json(content_type):
        return text_of(value, content_type)
    return ",".join(map(primitive_text, value)) if isinstance(value, list) else primitive_text(value)


def _escaped(match: re.Match[str]) -> str:
    """One character as JSON escapes it, in UTF-16 units."""
    units = match[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[place : place + 2].hex()}" for place in range(0, len(units), 2))


def _printable(text: str, argument: str) -> str:
    if _UNPRINTABLE.search(text):
        message = f'"{argument}" holds a character that no header may hold.'
        raise RequestError("invalid_arguments", message, argument=argument)
    return text
