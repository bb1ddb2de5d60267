"""The document that callers read."""

from collections.abc import Callable

import orjson

from tests.support.documents.openapi import document_with
from toolserver.json_types import JsonObject
from toolserver.tool.advertised_document import advertise_tools
from toolserver.tool.catalog import Tool
from toolserver.tool.compile import DocumentTools


def tools_of(paths: JsonObject) -> tuple[list[Tool], Callable[[Tool], bytes]]:
    """The tools, and what gives their schemas."""
    document = DocumentTools(document_with(paths), source_url=None)
    tools = [Tool(operation.suggested_name, "s", operation) for operation in document.compiled.operations]
    return tools, lambda tool: document.schema_of(tool.operation.key).schema_json


SEARCH: JsonObject = {
    "operationId": "search",
    "summary": "Search",
    "parameters": [
        {"name": "q", "in": "query", "required": True, "schema": {"type": "string", "minLength": 1}}
    ],
}


def test_each_tool_is_one_post_with_a_json_body() -> None:
    """Only this form keeps header, cookie, multipart and composed arguments through Open WebUI."""
    assert orjson.loads(
        advertise_tools(
            *tools_of({"/search": {"get": SEARCH}}), title="Ann's tools", description="D", version="3"
        )
    ) == {
        "openapi": "3.1.0",
        "info": {"title": "Ann's tools", "description": "D", "version": "3"},
        "paths": {
            "/tools/search": {
                "post": {
                    "operationId": "search",
                    "description": "Search",
                    "requestBody": {
                        "required": True,
                        "content": {
                            "application/json": {
                                "schema": {
                                    "type": "object",
                                    "properties": {
                                        "q": {"type": "string", "minLength": 1, "description": "Length >= 1."}
                                    },
                                    "required": ["q"],
                                }
                            }
                        },
                    },
                    "responses": {"200": {"description": "ok"}},
                }
            }
        },
    }


def test_a_tool_without_required_arguments_requires_no_body() -> None:
    """A caller that sends nothing is right then."""
    nested: JsonObject = {"type": "object", "required": ["x"], "properties": {"x": {"type": "string"}}}
    operation: JsonObject = {
        "operationId": "list",
        "parameters": [{"name": "f", "in": "query", "schema": nested}],
    }
    document = orjson.loads(
        advertise_tools(
            *tools_of({"/a": {"get": operation}, "/b": {"get": SEARCH}}), title="", description="", version=""
        )
    )
    required = {path: item["post"]["requestBody"]["required"] for path, item in document["paths"].items()}
    assert required == {"/tools/list": False, "/tools/search": True}


def test_schemas_are_spliced_in_as_they_are() -> None:
    """Reading and writing a thousand schemas for each caller would cost what splicing saves."""
    (tool,), schema_of = tools_of({"/search": {"get": SEARCH}})
    assert schema_of(tool) in advertise_tools([tool], schema_of, title="T", description="", version="1")


def test_a_document_always_has_a_title_and_a_version() -> None:
    """Open WebUI does not list a server without `info`."""
    assert orjson.loads(advertise_tools(*tools_of({}), title="", description="", version="")) == {
        "openapi": "3.1.0",
        "info": {"title": "Tools", "description": "", "version": "1"},
        "paths": {},
    }
