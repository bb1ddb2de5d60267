"""What a document says about responses, for people who try a tool."""

import json
from typing import Any

from toolserver.openapi.document import parse_document
from toolserver.tool.responses import MAX_EXAMPLE_BYTES, MAX_NODES, describe_responses


def described(responses: dict[str, Any], **root: Any) -> list[Any]:
    written = {"openapi": "3.1.0", "info": {"title": "T", "version": "1"}, **root}
    written["paths"] = {"/pets": {"get": {"responses": responses, **root.get("operation", {})}}}
    return describe_responses(parse_document(json.dumps(written)), "/pets", "GET")


def content_of(schema: Any, **media: Any) -> dict[str, Any]:
    return {"200": {"description": "Pets", "content": {"application/json": {"schema": schema, **media}}}}


def test_responses_are_told_by_status_with_schema_and_example() -> None:
    """References are resolved: nobody who tries a tool looks through the document for them."""
    pet = {"type": "object", "properties": {"name": {"type": "string"}}}
    responses = content_of({"$ref": "#/components/schemas/Pet"}, example={"name": "Rex"})
    told = described(
        {**responses, "404": {"$ref": "#/components/responses/None"}, "x-note": 1},
        components={"schemas": {"Pet": pet}, "responses": {"None": {"description": "No pet"}}},
    )
    assert told == [
        {
            "status": "200",
            "description": "Pets",
            "content": [{"media_type": "application/json", "schema": pet, "example": {"name": "Rex"}}],
        },
        {"status": "404", "description": "No pet", "content": []},
    ]


def test_a_response_is_described_by_what_stands_beside_its_reference() -> None:
    """Finding O-10: whoever refers to it says what it means here."""
    components = {"responses": {"None": {"description": "No pet"}}}
    responses = {
        "404": {"$ref": "#/components/responses/None", "description": "Gone"},
        "500": {"$ref": "#/x"},
    }
    assert [each["description"] for each in described(responses, components=components)] == ["Gone", ""]


def test_the_responses_of_swagger_have_the_types_that_it_produces() -> None:
    """Its schemas stand beside the description, and its examples by type."""
    response = {
        "description": "ok",
        "schema": {"type": "string"},
        "examples": {"application/json": "Rex"},
    }
    root = {"swagger": "2.0", "info": {"title": "T", "version": "1"}, "produces": ["application/json"]}
    written = json.dumps({**root, "paths": {"/pets": {"get": {"responses": {"200": response}}}}})
    (told,) = describe_responses(parse_document(written), "/pets", "GET")
    assert isinstance(told, dict)
    assert told["content"] == [
        {"media_type": "application/json", "schema": {"type": "string"}, "example": "Rex"}
    ]


def test_a_schema_that_refers_to_itself_ends_and_a_broken_reference_is_empty() -> None:
    """Trees are common in APIs, and a hostile document may have nothing but circles."""
    node = {"type": "object", "properties": {"child": {"$ref": "#/components/schemas/Node"}}}
    told = described(
        content_of({"$ref": "#/components/schemas/Node"}), components={"schemas": {"Node": node}}
    )
    schema = told[0]["content"][0]["schema"]
    assert schema["properties"]["child"] == {}
    assert described(content_of({"$ref": "#/nowhere"}))[0]["content"][0]["schema"] == {}
    assert described({"200": {"$ref": "#/nowhere"}}) == [{"status": "200", "description": "", "content": []}]


def test_what_is_much_is_left_out() -> None:
    """The answer is read by a person, and written while others wait for the process."""
    wide = {"type": "object", "properties": {f"p{number}": {"type": "string"} for number in range(5_000)}}
    schema = described(content_of(wide))[0]["content"][0]["schema"]
    assert len(json.dumps(schema).split("type")) < MAX_NODES
    told = described(content_of({}, example="x" * MAX_EXAMPLE_BYTES))
    assert "example" not in told[0]["content"][0]


def test_what_is_no_description_of_responses_counts_as_none() -> None:
    """The document may be wrong in all of it, and its tools still work."""
    document = parse_document(
        json.dumps({"openapi": "3.1.0", "info": {"title": "T", "version": "1"}, "paths": {}})
    )
    assert describe_responses(document, "/pets", "GET") == []
    assert described({"200": {"description": 7, "content": []}}) == [
        {"status": "200", "description": "", "content": []}
    ]
