"""The bridge's own OpenAPI document, built from the router's table; served at `/api/openapi.json`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from bridge import __version__
from bridge.errors import ErrorCode
from bridge.http.routing import ApiRoute, ErrorBody, RouteAnswer

ALWAYS = (
    ErrorCode.FOREIGN_HOST,
    ErrorCode.FOREIGN_ORIGIN,
    ErrorCode.UNSUPPORTED_ENCODING,
    ErrorCode.INTERNAL,
)
"""What the middleware answers on every route."""

WITH_A_BODY = (ErrorCode.INVALID_REQUEST, ErrorCode.TOO_LARGE)
WITHOUT_A_CALLER = (ErrorCode.UNAUTHORIZED, ErrorCode.RATE_LIMITED)
"""Too many wrong keys from one address are not looked at any more."""

_REFERENCE = "#/components/schemas/{model}"


def api_document(routes: Iterable[ApiRoute], prefix: str = "") -> dict[str, Any]:
    """Build the OpenAPI 3.1 document of a table of routes; `prefix`: path below which they are reached."""
    table = list(routes)
    definitions = models_json_schema(_modes(table), ref_template=_REFERENCE)[1]
    paths: dict[str, dict[str, Any]] = {}
    for route in table:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Direct Tool Bridge API", "version": __version__},
        **({"servers": [{"url": prefix}]} if prefix else {}),
        "paths": paths,
        "components": {
            "schemas": definitions["$defs"],
            "securitySchemes": {
                "caller": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "An API key or a session token.",
                },
                "page": {"type": "http", "scheme": "bearer", "description": "A session token of the page."},
                "result_token": {"type": "apiKey", "in": "header", "name": "X-Result-Token"},
            },
        },
    }


def _modes(routes: list[ApiRoute]) -> list[Any]:
    bodies = {route.body for route in routes if route.body is not None}
    answers = {
        answer.model for route in routes for answer in route.answers.values() if answer.model is not None
    }
    named = sorted(bodies, key=lambda model: model.__name__)
    return [
        *((model, "validation") for model in named),
        *(
            (model, "serialization")
            for model in sorted({*answers, ErrorBody} - bodies, key=lambda m: m.__name__)
        ),
    ]


def _operation(route: ApiRoute) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "operationId": route.operation_id,
        "summary": route.summary,
        "responses": {str(status): _response(answer) for status, answer in route.answers.items()}
        | {status: _errors(codes) for status, codes in _by_status(route).items()},
        "security": [] if route.access == "public" else [{route.access: []}],
    }
    text = {"type": "string"}
    parameters: list[dict[str, Any]] = [
        {"name": name, "in": "path", "required": True, "schema": text}
        for name in re.findall(r"{(\w+)}", route.path)
    ]
    parameters += [
        {"name": name, "in": "query", "description": meaning, "schema": text}
        for name, meaning in route.query.items()
    ]
    if parameters:
        operation["parameters"] = parameters
    if route.body is not None:
        content = {"application/json": {"schema": _reference(route.body)}}
        operation["requestBody"] = {"required": route.body_required, "content": content}
    elif route.access == "result_token":
        operation["requestBody"] = {"required": True, "content": {"*/*": {}}}
    return operation


def _by_status(route: ApiRoute) -> dict[str, list[ErrorCode]]:
    codes = [*route.errors, *ALWAYS]
    if route.body is not None or route.access == "result_token":
        codes += WITH_A_BODY
    if route.access != "public":
        codes += WITHOUT_A_CALLER
    if route.access in ("caller", "page"):
        codes.append(ErrorCode.UNVERIFIED_USER)
    if route.access == "page":
        codes.append(ErrorCode.PAGE_ONLY)
    by_status: dict[str, list[ErrorCode]] = {}
    for code in dict.fromkeys(codes):
        by_status.setdefault(str(code.facts.http_status), []).append(code)
    return by_status


def _response(answer: RouteAnswer) -> dict[str, Any]:
    if answer.model is not None:
        content = {"application/json": {"schema": _reference(answer.model)}}
    else:
        content = {answer.media_type: dict[str, Any]()} if answer.media_type else {}
    return (
        {"description": answer.description, "content": content}
        if content
        else {"description": answer.description}
    )


def _errors(codes: list[ErrorCode]) -> dict[str, Any]:
    content = {"application/json": {"schema": _reference(ErrorBody)}}
    return {"description": "Codes: " + ", ".join(code.value for code in codes) + ".", "content": content}


def _reference(model: type[BaseModel]) -> dict[str, str]:
    return {"$ref": _REFERENCE.format(model=model.__name__)}
