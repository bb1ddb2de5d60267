"""Requests of plans, for programs that call an API themselves; `tests/contract` compares the page's."""

import json

import pytest

from toolserver.errors import RequestError
from toolserver.json_types import JsonObject
from toolserver.openapi.document import parse_document
from toolserver.request.build import Request, build_request
from toolserver.tool.compile import CompiledOperation, DocumentTools

FORM: JsonObject = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "photo": {"format": "binary"}},
}
PATHS: JsonObject = {
    "/pets/{id}": {
        "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}],
        "get": {
            "responses": {"200": {"content": {"application/json": {}}}},
            "parameters": [{"name": "X-Trace", "in": "header", "schema": {"type": "string"}}],
        },
        "put": {
            "requestBody": {
                "required": True,
                "content": {"application/json": {"schema": {"properties": {"name": {"type": "string"}}}}},
            }
        },
        "post": {"requestBody": {"required": True, "content": {"multipart/form-data": {"schema": FORM}}}},
    }
}


def operation(method: str, server: str = "https://api.example/v1") -> CompiledOperation:
    document = {"openapi": "3.1.0", "paths": PATHS, "servers": [{"url": server}] if server else []}
    tools = DocumentTools(parse_document(json.dumps(document)), source_url=None)
    return next(each for each in tools.compiled.operations if each.method == method)


def test_a_request_is_complete_but_for_the_credential() -> None:
    """Any HTTP client can send it; whose login it takes is not the document's affair."""
    assert build_request(operation("PUT").plan_json, {"id": 2**60, "name": "Ä"}) == Request(
        "PUT",
        "https://api.example/v1/pets/1152921504606846976",
        {"content-type": "application/json"},
        '{"name":"Ä"}'.encode(),
    )


def test_an_optional_argument_without_value_is_left_out() -> None:
    """A header that is sent empty is another request than one without it."""
    without = build_request(operation("GET").plan_json, {"id": 1, "X-Trace": None})
    assert without == build_request(operation("GET").plan_json, {"id": 1})
    assert without.headers.keys() == {"accept"}


def test_a_base_url_replaces_the_documents_and_is_needed_where_that_has_none() -> None:
    """Documents from a file seldom know where their API is."""
    plan = operation("GET", server="").plan_json
    with pytest.raises(RequestError) as raised:
        build_request(plan, {"id": 1})
    assert raised.value.code == "no_base_url"
    assert build_request(plan, {"id": 1}, base_url="http://h:81/b/?k=v").url == "http://h:81/b/pets/1?k=v"


def test_equal_arguments_give_equal_multipart_bodies() -> None:
    """The boundary comes from the content: what is signed, cached or compared does not change by chance."""
    plan = operation("POST").plan_json
    first, again = (build_request(plan, {"id": 1, "name": "a", "photo": "b"}) for _ in range(2))
    other = build_request(plan, {"id": 1, "name": "a", "photo": "c"})
    assert first == again
    boundary = first.headers["content-type"].partition("boundary=")[2]
    assert first.body is not None
    assert first.body.count(boundary.encode()) == 3
    assert boundary not in other.headers["content-type"]


def test_the_plan_of_an_mcp_tool_is_refused() -> None:
    """Its body is the argument of a `tools/call`, and posted as it is it would mean nothing."""
    with pytest.raises(RequestError) as raised:
        build_request(b'{"kind":"mcp","version":1}', {})
    assert raised.value.code == "unsendable"


@pytest.mark.parametrize("value", [float("inf"), [{"a": float("-inf")}], float("nan")])
def test_a_number_beyond_json_is_refused(value: float | list[object]) -> None:
    """JSON would say null, which is another value."""
    with pytest.raises(RequestError) as raised:
        build_request(operation("PUT").plan_json, {"id": 1, "name": value})  # pyright: ignore[reportArgumentType] - the lists are JSON
    assert (raised.value.code, raised.value.argument) == ("invalid_arguments", "name")
