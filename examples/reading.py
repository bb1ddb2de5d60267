"""Reading of requests: query values, headers, bodies and credentials, each refused with a reason when wrong.

Bodies are held against the schemas of the documents, so that a document and its service cannot drift apart.
"""

import base64
import json
from functools import cache
from typing import cast

import jsonschema_rs
from aiohttp import web

from .document_files import JsonObject, JsonValue, load_document
from .problem import ApiProblem, refuse

_MOST_PROBLEMS = 5

DEMO_KEY = "demo-key"
"""The value of every API key in the samples."""
DEMO_TOKEN = "demo-token"
"""The value of every bearer token in the samples."""
DEMO_LOGIN = ("installer", "demo-password")
"""The name and password of every basic login in the samples."""


def read_text(request: web.Request, name: str, default: str = "") -> str:
    """A query value, or the default when it is not there."""
    return request.query.get(name, default)


def read_choice(value: str, where: str, choices: tuple[str, ...]) -> str:
    """The value itself when it is one of the choices; else refused."""
    if value not in choices:
        raise refuse(where, f"must be one of {', '.join(choices)}")
    return value


def read_number(request: web.Request, name: str, default: float | None, low: float, high: float) -> float:
    """A query number between two bounds; refused when it is missing and has no default."""
    text = request.query.get(name)
    if text is None:
        if default is None:
            raise refuse(name, "is required")
        return default
    try:
        number = float(text)
    except ValueError:
        raise refuse(name, "must be a number") from None
    if not low <= number <= high:
        raise refuse(name, f"must be between {low:g} and {high:g}")
    return number


def read_integer(request: web.Request, name: str, default: int | None, low: int, high: int) -> int:
    """A query integer between two bounds; refused when it is missing and has no default."""
    number = read_number(request, name, default, low, high)
    if not float(number).is_integer():
        raise refuse(name, "must be an integer")
    return int(number)


def read_flag(request: web.Request, name: str) -> bool | None:
    """A query boolean, `true` or `false`; None when it is not there."""
    text = request.query.get(name)
    return None if text is None else read_choice(text, name, ("true", "false")) == "true"


def read_id(request: web.Request, name: str) -> int:
    """A number in the path; what is no number exists nowhere and is a 404."""
    text = request.match_info[name]
    if not (text.isascii() and text.isdigit()):
        raise ApiProblem(404, f"There is no {name} {text}.")
    return int(text)


async def read_json(request: web.Request) -> JsonValue:
    """The body as JSON, whatever its shape."""
    if request.content_type != "application/json" and not request.content_type.endswith("+json"):
        raise ApiProblem(415, f"The body must be JSON, not {request.content_type}.")
    try:
        return cast(JsonValue, json.loads(await request.read()))
    except ValueError as error:
        raise refuse("body", f"is not JSON: {error}") from None


async def read_body(request: web.Request, document: str, schema: str) -> JsonValue:
    """The JSON body, held against a schema; `schema` is a pointer into the document, without `#`."""
    body = await read_json(request)
    check_value(body, document, schema)
    return body


async def read_object(request: web.Request, document: str, schema: str) -> JsonObject:
    """As `read_body`, for schemas that allow objects only."""
    return cast(JsonObject, await read_body(request, document, schema))


def check_value(value: JsonValue, document: str, schema: str, root: str = "body") -> None:
    """Refuse a value that the document's schema does not allow; up to five problems are named."""
    found: list[tuple[str, str]] = []
    for error in _validator(document, schema).iter_errors(value):
        found.append((root + "".join(f"/{step}" for step in error.instance_path), error.message))
        if len(found) == _MOST_PROBLEMS:
            break
    if found:
        raise ApiProblem(400, "; ".join(f"{where}: {text}" for where, text in found), problems=found)


def check_api_key(request: web.Request, header: str) -> None:
    """Let requests pass that carry the demo key in this header."""
    if request.headers.get(header) != DEMO_KEY:
        raise ApiProblem(401, f"Send the key {DEMO_KEY} in the header {header}.")


def check_bearer(request: web.Request) -> None:
    """Let requests pass that carry the demo token."""
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "bearer" or token.strip() != DEMO_TOKEN:
        headers = {"WWW-Authenticate": 'Bearer realm="sample"'}
        raise ApiProblem(401, f"Send the bearer token {DEMO_TOKEN}.", headers=headers)


def is_demo_login(request: web.Request) -> bool:
    """Whether the request carries the demo name and password."""
    scheme, _, encoded = request.headers.get("Authorization", "").partition(" ")
    expected = base64.b64encode(":".join(DEMO_LOGIN).encode()).decode()
    return scheme.lower() == "basic" and encoded.strip() == expected


@cache
def _validator(document: str, schema: str) -> jsonschema_rs.Validator:
    root = _without_nullable(load_document(document))
    assert isinstance(root, dict)
    return jsonschema_rs.Draft202012Validator(
        {**root, "$schema": "https://json-schema.org/draft/2020-12/schema", "$ref": f"#{schema}"},
        validate_formats=True,
    )


def _without_nullable(value: JsonValue) -> JsonValue:
    """OpenAPI 3.0's `nullable` in the words of JSON Schema."""
    if isinstance(value, list):
        return [_without_nullable(item) for item in value]
    if not isinstance(value, dict):
        return value
    rewritten = {key: _without_nullable(item) for key, item in value.items() if key != "nullable"}
    if value.get("nullable") is True and isinstance(value.get("type"), str):
        rewritten["type"] = [value["type"], "null"]
    return rewritten
