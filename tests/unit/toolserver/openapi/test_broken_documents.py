"""Documents broken at random: the readers end, with tools or with one kind of error."""

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.documents.mutation import mutated
from toolserver.errors import DocumentError
from toolserver.json_types import JsonObject
from toolserver.openapi.bundle import bundle_document
from toolserver.openapi.document import parse_document
from toolserver.tool.compile import DocumentTools

SCHEMAS: JsonObject = {
    "Pet": {
        "type": "object",
        "required": ["name"],
        "properties": {
            "name": {"type": "string", "minLength": 1},
            "friends": {"type": "array", "items": {"$ref": "#/components/schemas/Pet"}},
            "photo": {"type": "string", "format": "binary"},
            "kind": {"oneOf": [{"const": "cat"}, {"type": "null"}]},
        },
        "xml": {"name": "pet", "prefix": "p", "namespace": "http://pets.example"},
    },
    "All": {"allOf": [{"$ref": "#/components/schemas/Pet"}, {"properties": {"more": True}}]},
}
MODERN: JsonObject = {
    "openapi": "3.2.0",
    "info": {"title": "Everything", "version": "1"},
    "servers": [{"url": "https://{tenant}.example/{v}", "variables": {"tenant": {"default": "a"}}}],
    "security": [{"key": [], "token": []}, {}],
    "paths": {
        "/pets/{id}": {
            "parameters": [{"$ref": "#/components/parameters/Id"}],
            "get": {
                "operationId": "getPet",
                "parameters": [
                    {"name": "ids", "in": "query", "style": "pipeDelimited", "schema": {"type": "array"}},
                    {"name": "f", "in": "query", "content": {"application/json": {"schema": {}}}},
                    {"name": "Host", "in": "header"},
                    {"name": "sid", "in": "cookie"},
                ],
                "responses": {"200": {"$ref": "#/components/responses/Ok"}},
            },
            "post": {"requestBody": {"$ref": "#/components/requestBodies/Form"}},
            "put": {
                "requestBody": {"content": {"text/xml": {"schema": {"$ref": "#/components/schemas/All"}}}}
            },
            "query": {"requestBody": {"content": {"application/jsonl": {"itemSchema": {"type": "object"}}}}},
            "additionalOperations": {"COPY": {"requestBody": {"content": {"image/*": {}}}}},
        },
        "/shared": {"$ref": "#/paths/~1pets~1%7Bid%7D"},
        "/whole": {
            "get": {
                "parameters": [
                    {
                        "name": "q",
                        "in": "querystring",
                        "content": {
                            "application/x-www-form-urlencoded": {"encoding": {"a": {"explode": True}}}
                        },
                    }
                ]
            }
        },
    },
    "components": {
        "schemas": SCHEMAS,
        "parameters": {"Id": {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}},
        "responses": {"Ok": {"content": {"application/json": {}}}},
        "requestBodies": {
            "Form": {
                "content": {
                    "multipart/form-data": {
                        "schema": {"$ref": "#/components/schemas/All"},
                        "encoding": {"photo": {"contentType": "image/png", "headers": {"X-A": {}}}},
                    }
                }
            }
        },
        "securitySchemes": {
            "key": {"type": "apiKey", "in": "query", "name": "k"},
            "token": {"type": "http", "scheme": "bearer"},
        },
    },
}
SWAGGER: JsonObject = {
    "swagger": "2.0",
    "info": {"title": "Old", "version": "1"},
    "host": "old.example",
    "basePath": "/v1",
    "schemes": ["https"],
    "consumes": ["application/json"],
    "produces": ["application/json"],
    "security": [{"basic": []}],
    "paths": {
        "/pets/{id}": {
            "parameters": [{"$ref": "#/parameters/Id"}, {"name": "t", "in": "formData", "type": "string"}],
            "get": {
                "parameters": [
                    {"name": "a", "in": "query", "type": "array", "collectionFormat": "multi", "items": {}},
                    {"name": "b", "in": "query", "type": "array", "collectionFormat": "tsv", "items": {}},
                ],
                "responses": {
                    "200": {"schema": {"$ref": "#/definitions/Pet"}},
                    "404": {"$ref": "#/responses/No"},
                },
            },
            "post": {"parameters": [{"name": "f", "in": "formData", "type": "file"}], "schemes": ["http"]},
            "put": {"parameters": [{"name": "b", "in": "body", "schema": {"$ref": "#/definitions/Pet"}}]},
        },
        "/shared": {"$ref": "#/paths/~1pets~1%7Bid%7D"},
    },
    "parameters": {"Id": {"name": "id", "in": "path", "required": True, "type": "string"}},
    "responses": {"No": {"description": "None"}},
    "definitions": {
        "Pet": {
            "properties": {"next": {"$ref": "#/definitions/Pet"}, "n": {"type": "string", "x-nullable": True}}
        }
    },
    "securityDefinitions": {"basic": {"type": "basic"}, "o": {"type": "oauth2", "flow": "implicit"}},
}
TEXTS = {"3.2": json.dumps(MODERN), "2.0": json.dumps(SWAGGER)}


@pytest.mark.parametrize("family", TEXTS)
def test_the_whole_document_is_tools(family: str) -> None:
    """What is broken below begins as something that works in every part."""
    tools = DocumentTools(parse_document(TEXTS[family]), source_url=None)
    assert tools.compiled.skipped == ()
    assert len(tools.compiled.operations) == {"3.2": 11, "2.0": 6}[family]


@pytest.mark.parametrize("family", TEXTS)
@given(seed=st.integers(0, 2**32), count=st.sampled_from([1, 2, 5, 20]))
def test_a_broken_document_gives_tools_or_a_reason(family: str, seed: int, count: int) -> None:
    """Documents come from strangers; none may end in another exception, or not at all."""
    text = mutated(TEXTS[family], random.Random(seed), count=count)
    try:
        tools = DocumentTools(parse_document(text), source_url="https://docs.example/x.json")
    except DocumentError:
        return
    for operation in tools.compiled.operations:
        tools.schema_of(operation.key)
        json.loads(operation.plan_json)


@given(seed=st.integers(0, 2**32), count=st.sampled_from([1, 5, 20]))
def test_a_broken_file_beside_a_document_ends_too(seed: int, count: int) -> None:
    """Bundling reads what a stranger's references lead to."""
    source = random.Random(seed)
    text = mutated(TEXTS["3.2"], source, count=count).replace('"#/', '"other.yaml#/')
    url = "https://docs.example/other.yaml"
    texts = {url: mutated(TEXTS["2.0"], source, count=count)}
    bundle = bundle_document(text, source_url="https://docs.example/x.json", texts=texts)
    assert url not in bundle.missing
