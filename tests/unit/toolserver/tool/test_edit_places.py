"""Where an edit finds an operation and its arguments: each target has to change that and nothing else."""

import json
from typing import Any

from tests.support.documents.compiled import document_text, overlay_text, tools_of
from toolserver.json_types import JsonObject, JsonValue

LIMIT: JsonObject = {"name": "limit", "in": "query", "schema": {"type": "integer"}}
PAGE: JsonObject = {"name": "it's a page", "in": "query", "schema": {"type": "integer"}}
NEW: JsonObject = {"type": "object", "properties": {"name": {"type": "string"}, "price": {"type": "number"}}}


def document() -> str:
    body: JsonObject = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/New"}}}}
    answer: JsonObject = {"responses": {"200": {"description": "ok"}}}
    root = json.loads(
        document_text(
            paths={
                "/a/{id}": {
                    "parameters": [
                        {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
                    ],
                    "get": {
                        "operationId": "a",
                        "parameters": [LIMIT, {"$ref": "#/components/parameters/P"}],
                        **answer,
                    },
                },
                "/new": {"post": {"operationId": "new", "requestBody": body, **answer}},
            }
        )
    )
    root["components"] = {"parameters": {"P": PAGE}, "schemas": {"New": {"allOf": [NEW]}}}
    return json.dumps(root)


def places(key: str, text: str) -> dict[str, Any]:
    return json.loads(tools_of(text).places_of(key))


def test_each_target_changes_the_argument_that_it_stands_for() -> None:
    """Issue 41: an edit made in the page is an overlay, which has to find what its user saw."""
    text = document()
    for key, names in (("GET /a/{id}", ["id", "limit", "it_s_a_page"]), ("POST /new", ["name", "price"])):
        found = places(key, text)
        assert [each["name"] for each in found["arguments"]] == names
        for each in found["arguments"]:
            told: JsonValue = "as edited"
            described = overlay_text(
                {"target": each["target"], "update": {"x-tool-bridge": {"description": told}}}
            )
            edited = tools_of(text, overlays=[described])
            assert edited.compiled.operations[0].warnings == edited.compiled.operations[1].warnings == ()
            properties = json.loads(edited.schema_of(key).schema_json)["properties"]
            assert [name for name in names if told in properties[name].get("description", "")] == [
                each["name"]
            ]


def test_a_default_stands_where_its_target_says() -> None:
    """Issue 41: a default is changed by a plain overlay."""
    text = document()
    for key, name in (("GET /a/{id}", "limit"), ("GET /a/{id}", "it_s_a_page"), ("POST /new", "price")):
        (each,) = [each for each in places(key, text)["arguments"] if each["name"] == name]
        update: JsonValue = 7
        for step in reversed(each["default"]["path"]):
            update = {step: update}
        edited = tools_of(
            text, overlays=[overlay_text({"target": each["default"]["target"], "update": update})]
        )
        assert json.loads(edited.schema_of(key).schema_json)["properties"][name]["default"] == 7


def test_the_original_text_is_what_an_edit_replaces() -> None:
    """A field that began with our own notes would say them twice once it is saved."""
    body: JsonObject = {"description": "What to add", "content": {"application/json": {"schema": NEW}}}
    described: JsonObject = {**LIMIT, "description": "How many", "deprecated": True}
    item: JsonObject = {"operationId": "a", "summary": "Adds", "description": "One more", "deprecated": True}
    text = document_text(paths={"/a": {"post": {**item, "parameters": [described], "requestBody": body}}})
    found = places("POST /a", text)
    assert found["description"] == "Adds\n\nOne more"
    assert tools_of(text).compiled.operations[0].description != found["description"]
    assert [each["description"] for each in found["arguments"]] == ["How many", "", ""]


def test_what_other_operations_may_use_is_called_shared() -> None:
    """Who edits an argument has to know which other tools change with it."""
    found = places("GET /a/{id}", document())
    assert found["target"] == "$.paths['/a/{id}'].get"
    assert [each["shared"] for each in found["arguments"]] == [True, False, False]
    assert [each["default"]["shared"] for each in found["arguments"]] == [True, False, True]
    assert found["arguments"][2]["default"]["target"] == "$.components.parameters.P"
    assert (
        found["arguments"][1]["target"]
        == "$.paths['/a/{id}'].get.parameters[?@.name == 'limit' && @.in == 'query']"
    )
    assert [each["shared"] for each in places("POST /new", document())["arguments"]] == [True, True]


def test_schemas_that_combine_themselves_are_looked_through_once() -> None:
    """Each level would double the work, in a process that reads the documents of all users."""
    itself: JsonObject = {"$ref": "#/components/schemas/New"}
    root = json.loads(document())
    root["components"]["schemas"]["New"] = {"allOf": [*[itself] * 40, NEW]}
    assert [each["target"] for each in places("POST /new", json.dumps(root))["arguments"]] == [
        f"$.components.schemas.New.allOf[40].properties.{name}" for name in ("name", "price")
    ]


def test_swagger_and_mcp_tools_have_their_places() -> None:
    """The same page edits the tools of each kind of document."""
    parameters: list[JsonValue] = [
        {"name": "q", "in": "query", "type": "string"},
        {"name": "file", "in": "formData", "type": "string"},
    ]
    item: JsonObject = {"post": {"operationId": "p", "parameters": parameters, "responses": {}}}
    swagger = json.dumps(
        {"swagger": "2.0", "info": {"title": "S", "version": "1"}, "host": "a.test", "paths": {"/p": item}}
    )
    found = places("POST /p", swagger)["arguments"]
    path = "$.paths['/p'].post.parameters"
    assert [(each["target"], each["default"]["path"]) for each in found] == [
        (f"{path}[?@.name == 'q' && @.in == 'query']", ["default"]),
        (f"{path}[?@.name == 'file' && @.in == 'formData']", ["default"]),
    ]
    schema: JsonObject = {"type": "object", "properties": {"query": {"type": "string"}}}
    tools: list[JsonValue] = [{"name": "search", "inputSchema": schema}]
    listed = json.dumps({"mcp": "2025-06-18", "endpoint": "http://a.test/mcp", "tools": tools})
    found = places("CALL search", listed)
    assert found["target"] == "$.tools[?@.name == 'search']"
    assert found["arguments"][0]["target"] == "$.tools[?@.name == 'search'].inputSchema.properties.query"
