"""Parameters and bodies whose schema stands where nobody looks for it: read if it is clear, and told."""

import json

import pytest

from tests.support.documents.openapi import document_with
from toolserver.json_types import JsonObject, JsonValue
from toolserver.openapi.document import parse_document
from toolserver.tool.compile import DocumentTools

ANY = "any value is accepted"


def tools_of(operation: JsonObject, **root: JsonValue) -> DocumentTools:
    return DocumentTools(document_with({"/a": {"post": operation}}, root), source_url=None)


def warnings_of(operation: JsonObject) -> tuple[str, ...]:
    return tools_of(operation).compiled.operations[0].warnings


def swagger_tools(*parameters: JsonValue) -> DocumentTools:
    root: JsonObject = {
        "swagger": "2.0",
        "host": "a.example",
        "paths": {"/a": {"post": {"parameters": [*parameters]}}},
    }
    return DocumentTools(parse_document(json.dumps(root)), source_url=None)


def test_a_parameter_written_as_in_swagger_2_is_read_and_told() -> None:
    """Finding W-33: half-migrated documents lost lists of values and how arrays are joined, in silence."""
    listed: JsonObject = {"name": "q", "in": "query", "required": True, "type": "string", "enum": ["a", "b"]}
    joined: JsonObject = {"name": "n", "in": "query", "type": "array", "items": {"type": "integer"}}
    forms: list[tuple[JsonObject, bool]] = [
        ({"collectionFormat": "csv"}, False),
        ({"collectionFormat": "multi"}, True),
        ({"style": "form", "explode": True}, True),
    ]
    for form, explodes in forms:
        tools = tools_of({"parameters": [listed, {**joined, **form}]})
        (operation,) = tools.compiled.operations
        assert operation.warnings == (
            "The parameter 'q' is written as in Swagger 2.0, and read so.",
            "The parameter 'n' is written as in Swagger 2.0, and read so.",
        )
        properties = json.loads(tools.schema_of("POST /a").schema_json)["properties"]
        assert (properties["q"]["type"], properties["q"]["enum"]) == ("string", ["a", "b"])
        assert (properties["n"]["type"], properties["n"]["items"]) == ("array", {"type": "integer"})
        sent = json.loads(operation.plan_json)["parameters"][1]
        assert (sent["style"], sent["explode"]) == ("form", explodes)


def test_a_component_written_as_in_swagger_2_is_read_and_told_where_it_is_used() -> None:
    """Finding W-33: references and path items lead to parameters, too."""
    shared: JsonObject = {"name": "q", "in": "query", "enum": ["08", "9"]}
    components: JsonObject = {"parameters": {"q": shared}}
    item: JsonObject = {"parameters": [{"$ref": "#/components/parameters/q"}], "get": {}}
    tools = DocumentTools(document_with({"/a": item}, {"components": components}), source_url=None)
    assert tools.compiled.operations[0].warnings == (
        "The parameter 'q' is written as in Swagger 2.0, and read so.",
    )
    assert json.loads(tools.schema_of("GET /a").schema_json)["properties"]["q"]["enum"] == ["08", "9"]


@pytest.mark.parametrize(
    ("parameter", "told"),
    [
        ({}, f"The parameter 'a' has no schema; {ANY}."),
        ({"content": {}}, f"The parameter 'a' has no schema; {ANY}."),
        ({"schema": "string"}, f"The schema of the parameter 'a' is no object; {ANY}."),
        ({"schema": [{"type": "string"}]}, f"The schema of the parameter 'a' is no object; {ANY}."),
        (
            {"schema": {"type": "string"}, "enum": ["x"], "default": "x"},
            "Left out, because it stands beside the schema of the parameter 'a': `enum`, `default`.",
        ),
        (
            {"content": {"application/json": {"type": "string"}}},
            f"Left out, because it stands in no `schema` of the parameter 'a': `type`. So {ANY}.",
        ),
    ],
)
def test_a_parameter_that_is_read_as_any_value_says_why(parameter: JsonObject, told: str) -> None:
    """Finding W-33: a model sends anything there, and the API refuses it."""
    assert warnings_of({"parameters": [{"name": "a", "in": "query", **parameter}]}) == (told,)


@pytest.mark.parametrize(
    "parameter",
    [
        {"schema": {}},
        {"schema": True},
        {"schema": {"type": "string"}, "example": "x", "style": "form"},
        {"content": {"application/json": {}}},
        {"content": {"application/json": {"schema": {}}}},
    ],
)
def test_a_parameter_whose_author_allows_any_value_says_nothing(parameter: JsonObject) -> None:
    """Finding W-33: warnings about what is right are not read, and hide the others."""
    assert warnings_of({"parameters": [{"name": "a", "in": "query", **parameter}]}) == ()


def test_a_header_that_is_not_sent_is_told_once() -> None:
    """Finding W-33: two sentences about one loss are one too many."""
    for name, told in (("Accept", 0), ("Host", 1)):
        assert len(warnings_of({"parameters": [{"name": name, "in": "header"}]})) == told


def test_a_body_whose_schema_is_missing_or_none_says_so() -> None:
    """Finding W-33: its properties stood beside the place where they are looked for."""
    media: JsonObject = {"type": "object", "properties": {"a": {"type": "string"}}}
    assert warnings_of({"requestBody": {"content": {"application/json": media}}}) == (
        f"Left out, because it stands in no `schema` of the request body: `type`, `properties`. So {ANY}.",
    )
    assert warnings_of({"requestBody": {"content": {"application/json": {"schema": "object"}}}}) == (
        f"The schema of the request body is no object; {ANY}.",
    )
    right_forms: list[JsonObject] = [{}, {"schema": {}}, {"example": {"a": 1}}]
    for right in right_forms:
        assert warnings_of({"requestBody": {"content": {"application/json": right}}}) == ()


@pytest.mark.parametrize(
    ("parameter", "told"),
    [
        ({"in": "query"}, (f"The parameter 'a' has no type; {ANY}.",)),
        (
            {"in": "query", "schema": {"type": "integer"}},
            ("The parameter 'a' is written as in OpenAPI 3, and read so.",),
        ),
        ({"in": "body"}, (f"The parameter 'a' has no schema; {ANY}.",)),
        ({"in": "formData"}, (f"The parameter 'a' has no type; {ANY}.",)),
        ({"in": "query", "type": "string"}, ()),
        ({"in": "query", "enum": ["x"]}, ()),
        ({"in": "body", "schema": {}}, ()),
    ],
)
def test_swagger_2_written_as_openapi_3_is_told_as_well(parameter: JsonObject, told: tuple[str, ...]) -> None:
    """Finding W-33: the other half of a migration."""
    assert swagger_tools({"name": "a", **parameter}).compiled.operations[0].warnings == told
