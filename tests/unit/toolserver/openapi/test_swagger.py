"""Swagger 2.0 documents give the same operations as their OpenAPI 3 twins."""

import json

import pytest

from toolserver.json_types import JsonObject, JsonValue, object_at
from toolserver.openapi.document import Document, parse_document
from toolserver.openapi.servers import choose_base_url, read_servers
from toolserver.operation.body import BodyField
from toolserver.operation.operation import Operation, OperationList, read_operations

PATH = "/things"


def swagger(paths: JsonValue, **root: JsonValue) -> Document:
    head: JsonObject = {"swagger": "2.0", "info": {"title": "T", "version": "1"}, "paths": paths}
    return parse_document(json.dumps({**head, **root}))


SWAGGER = swagger({})


def listed(node: JsonObject, *, item: JsonObject | None = None, **root: JsonValue) -> OperationList:
    return read_operations(swagger({PATH: {**(item or {}), "post": node}}, **root))


def operation_of(node: JsonObject, *, item: JsonObject | None = None, **root: JsonValue) -> Operation:
    found = listed(node, item=item, **root)
    assert found.skipped == ()
    return found.operations[0]


def array_in(place: str, collection_format: str | None) -> JsonObject:
    node: JsonObject = {"name": "ids", "in": place, "type": "array", "items": {"type": "integer"}}
    return node if collection_format is None else {**node, "collectionFormat": collection_format}


@pytest.mark.parametrize(
    ("root", "source_url", "base_url"),
    [
        (
            {"host": "a.example", "basePath": "/v1", "schemes": ["http", "https"]},
            None,
            "https://a.example/v1",
        ),
        ({"host": "a.example:8080", "schemes": ["http"]}, "https://docs.example/x", "http://a.example:8080"),
        ({"host": "a.example", "basePath": "v1/"}, "http://docs.example/x", "http://a.example/v1"),
        ({"host": "a.example"}, None, "https://a.example"),
        ({"schemes": ["https"]}, "http://docs.example:9090/x/s.json", "https://docs.example:9090"),
        ({"schemes": ["https"], "basePath": "/v1"}, "http://docs.example/s.json", "https://docs.example/v1"),
        ({"schemes": ["https"], "basePath": "/v1"}, None, ""),
        ({"basePath": "/v2"}, "http://lan.example:81/docs/swagger.json", "http://lan.example:81/v2"),
        ({}, "https://docs.example/swagger.json", "https://docs.example"),
        ({"basePath": "/v2"}, None, ""),
        ({"host": "https://a.example/", "basePath": "/v1"}, None, "https://a.example/v1"),
        ({"host": "a.example", "schemes": ["wss"]}, None, "https://a.example"),
    ],
)
def test_host_base_path_and_schemes_make_the_base_url(
    root: JsonObject, source_url: str | None, base_url: str
) -> None:
    """Swagger Object: what is missing comes from where the document was served."""
    assert choose_base_url(read_servers(swagger({}, **root).root), source_url) == base_url


def test_an_operation_may_have_schemes_of_its_own() -> None:
    """They override the document's (Operation Object, `schemes`)."""
    operation = operation_of({"schemes": ["http"]}, host="a.example", basePath="/b", schemes=["https"])
    assert [server.url for server in operation.servers] == ["http://a.example/b"]


def test_a_parameters_own_keywords_become_its_schema() -> None:
    """Swagger writes them beside `in`; a model needs them in one schema."""
    operation = operation_of(
        {
            "parameters": [
                {
                    "name": "state",
                    "in": "query",
                    "type": "string",
                    "enum": ["on", "off"],
                    "default": "on",
                    "description": "Which",
                    "x-nullable": True,
                    "x-vendor": 1,
                }
            ]
        }
    )
    (parameter,) = operation.parameters
    assert parameter.describe_parameter(SWAGGER).schema == {
        "type": "string",
        "enum": ["on", "off"],
        "default": "on",
        "nullable": True,
    }
    assert parameter.describe_parameter(SWAGGER).description == "Which"


@pytest.mark.parametrize(
    ("place", "collection_format", "style", "explode"),
    [
        ("query", None, "form", False),
        ("query", "csv", "form", False),
        ("query", "multi", "form", True),
        ("query", "ssv", "spaceDelimited", False),
        ("query", "pipes", "pipeDelimited", False),
        ("header", "csv", "simple", False),
        ("header", "multi", "simple", False),
    ],
)
def test_collection_formats_are_styles(
    place: str, collection_format: str | None, style: str, explode: bool
) -> None:
    """An array joined in the wrong way is read as one value by the API."""
    (parameter,) = operation_of({"parameters": [array_in(place, collection_format)]}).parameters
    assert (parameter.sending.style, parameter.sending.explode) == (style, explode)
    assert parameter.describe_parameter(SWAGGER).schema == {"type": "array", "items": {"type": "integer"}}


@pytest.mark.parametrize(
    ("place", "collection_format", "named"),
    [("query", "tsv", "tab characters"), ("header", "pipes", "the character |"), ("header", "ssv", "spaces")],
)
def test_what_openapi_3_cannot_join_the_model_joins(place: str, collection_format: str, named: str) -> None:
    """No style has tabs; a string with a note is sent exactly as the API wants it."""
    (parameter,) = operation_of({"parameters": [array_in(place, collection_format)]}).parameters
    assert parameter.describe_parameter(SWAGGER).schema == {"type": "string"}
    assert parameter.describe_parameter(SWAGGER).description == f"Several values, separated by {named}."


def test_a_body_parameter_is_the_request_body() -> None:
    """`consumes` of the operation wins; the schema is the document's own node."""
    operation = operation_of(
        {
            "consumes": ["text/plain", "application/vnd.x+json"],
            "parameters": [
                {
                    "name": "x",
                    "in": "body",
                    "required": True,
                    "description": "It",
                    "schema": {"$ref": "#/definitions/X"},
                }
            ],
        },
        consumes=["application/xml"],
        definitions={"X": {"type": "object"}},
    )
    assert operation.body is not None
    assert (operation.body.content_type, operation.body.kind) == ("application/vnd.x+json", "json")
    assert (operation.body.required, operation.body.description) == (True, "It")
    assert operation.body.schema == {"$ref": "#/definitions/X"}
    assert operation.parameters == ()


def test_references_still_lead_into_the_document_as_written() -> None:
    """Schemas are shared, not copied, so that a converted document costs no more memory."""
    document = swagger(
        {}, definitions={"X": {"type": "object"}}, parameters={"P": {"name": "p", "in": "query"}}
    )
    assert document.resolve_ref("#/definitions/X") is object_at(document.written, "definitions")["X"]
    assert document.resolve_ref("#/parameters/P") == {"name": "p", "in": "query"}
    assert (document.version, document.openapi) == ("2.0", "2.0")


def test_what_is_left_out_of_a_body_is_told() -> None:
    """A form that is sent as another type than the document says, and a parameter without a place in it."""

    def warnings_of(*parameters: JsonValue, consumes: JsonValue = None) -> tuple[str, ...]:
        node: JsonObject = {"parameters": [*parameters], "consumes": consumes or []}
        return operation_of(node).warnings

    field: JsonObject = {"name": "f", "in": "formData", "type": "string"}
    first: JsonObject = {"name": "a", "in": "body", "schema": {}}
    last: JsonObject = {"name": "b", "in": "body", "schema": {}}
    sent = ("Its form fields are sent as a form, not as 'text/csv' or 'application/json'.",)
    assert warnings_of(field, consumes=["text/csv", "application/json"]) == sent
    assert warnings_of(field, consumes=["text/csv", "Multipart/Form-Data; a=b"]) == ()
    assert warnings_of(field) == ()
    assert warnings_of(last, last) == ()
    said = ("Only the body parameter 'b' is sent; 'a', 'f' is left out.",)
    assert warnings_of(first, field, last, consumes=["application/json"]) == said


def test_form_data_is_one_body_of_fields() -> None:
    """Each keeps its description, since a form has no other place for it."""
    operation = operation_of(
        {
            "parameters": [
                {"name": "a", "in": "formData", "type": "string", "required": True, "description": "First"},
                {**array_in("formData", "multi"), "name": "b"},
                {**array_in("formData", "pipes"), "name": "c"},
                {**array_in("formData", "tsv"), "name": "d"},
            ]
        }
    )
    body = operation.body
    assert body is not None
    assert (body.kind, body.content_type, body.required) == (
        "form",
        "application/x-www-form-urlencoded",
        True,
    )
    assert body.schema == {
        "type": "object",
        "properties": {
            "a": {"type": "string", "description": "First"},
            "b": {"type": "array", "items": {"type": "integer"}},
            "c": {"type": "array", "items": {"type": "integer"}},
            "d": {"type": "string", "description": "Several values, separated by tab characters."},
        },
        "required": ["a"],
    }
    assert body.fields == {
        "b": BodyField("b", style="form", explode=True),
        "c": BodyField("c", style="pipeDelimited"),
    }


@pytest.mark.parametrize("consumes", [["multipart/form-data"], ["application/x-www-form-urlencoded"], []])
def test_a_file_makes_the_form_multipart(consumes: list[JsonValue]) -> None:
    """Only multipart can carry one, whatever the document says."""
    operation = operation_of(
        {"consumes": consumes, "parameters": [{"name": "photo", "in": "formData", "type": "file"}]}
    )
    assert operation.body is not None
    assert (operation.body.kind, operation.body.fields) == (
        "multipart",
        {"photo": BodyField("photo", file=True)},
    )


def test_an_operations_form_fields_override_its_paths() -> None:
    """As with any parameter: by name and place."""
    item: JsonObject = {
        "parameters": [
            {"name": "a", "in": "formData", "type": "string"},
            {"name": "q", "in": "query", "type": "string"},
        ]
    }
    node: JsonObject = {"parameters": [{"name": "a", "in": "formData", "type": "integer"}]}
    operation = operation_of(node, item=item, consumes=["multipart/form-data"])
    assert operation.body is not None
    assert operation.body.schema == {
        "type": "object",
        "properties": {"a": {"type": "integer"}},
        "required": [],
    }
    assert operation.body.kind == "multipart"
    assert [parameter.sending.name for parameter in operation.parameters] == ["q"]


def test_shared_parameters_and_path_items_are_followed_once() -> None:
    """A document that refers ten thousand times to one parameter must not pay ten thousand conversions."""
    paths: JsonObject = {"/a": {"$ref": "#/x-items/shared"}, "/b": {"$ref": "#/x-items/shared"}}
    shared: JsonObject = {"get": {"parameters": [{"$ref": "#/parameters/P"}]}}
    roots: JsonObject = {
        "x-items": {"shared": shared},
        "parameters": {"P": {"name": "p", "in": "query", "type": "string"}},
    }
    document = swagger(paths, **roots)
    first, second = read_operations(document).operations
    assert first.parameters[0] is second.parameters[0]
    assert (first.key, second.key) == ("GET /a", "GET /b")


def test_produces_is_what_is_accepted() -> None:
    """Only a response with a schema has a body whose type can be asked for."""
    node: JsonObject = {"responses": {"200": {"schema": {"type": "string"}}}}
    assert operation_of(node, produces=["text/csv"]).accept == "text/csv"
    assert operation_of({"responses": {"200": {"$ref": "#/responses/R"}}}, responses={"R": {}}).accept == ""
    assert operation_of(node).accept == ""


def test_security_definitions_are_schemes() -> None:
    """`basic` became a scheme of HTTP; flows do not matter for a token that the user supplies."""
    found = listed(
        {"security": [{"b": []}, {"o": ["read"]}, {"k": []}]},
        securityDefinitions={
            "b": {"type": "basic"},
            "o": {"type": "oauth2", "flow": "accessCode", "tokenUrl": "https://t.example", "scopes": {}},
            "k": {"type": "apiKey", "in": "query", "name": "key"},
            "broken": 5,
        },
    )
    kinds = [
        (scheme.scheme, scheme.type, scheme.http_scheme, scheme.name) for scheme in found.security_schemes
    ]
    assert kinds == [
        ("b", "http", "basic", None),
        ("o", "oauth2", None, None),
        ("k", "apiKey", None, "key"),
    ]
    assert [scheme.scheme for together in found.operations[0].security for scheme in together] == [
        "b",
        "o",
        "k",
    ]
    assert found.warnings == ("The security scheme 'broken' is left out: it is incomplete.",)


@pytest.mark.parametrize(
    "node",
    [
        {"parameters": [{"$ref": "#/parameters/gone"}]},
        {"parameters": [{"$ref": "other.yaml"}]},
    ],
)
def test_a_broken_reference_costs_its_operation_alone(node: JsonObject) -> None:
    """The others work, and the reason names the reference."""
    found = read_operations(swagger({PATH: {"post": node, "get": {}}, "/x": 5, "/y": {"$ref": "#/gone"}}))
    assert [operation.key for operation in found.operations] == ["GET /things"]
    assert [(entry.method, entry.path) for entry in found.skipped] == [
        ("POST", PATH),
        ("*", "/x"),
        ("*", "/y"),
    ]


@pytest.mark.parametrize(
    ("outer", "inner", "schema", "description"),
    [
        (
            "pipes",
            "ssv",
            {"type": "string"},
            "Several values, separated by the character |, each of them several values, separated by spaces.",
        ),
        (
            None,
            None,
            {"type": "string"},
            "Several values, separated by commas, each of them several values, separated by commas.",
        ),
        (
            "multi",
            "tsv",
            {
                "type": "array",
                "items": {"type": "string", "description": "Several values, separated by tab characters."},
            },
            "",
        ),
    ],
)
def test_arrays_of_arrays_are_explained(
    outer: str | None, inner: str | None, schema: JsonObject, description: str
) -> None:
    """Items Object: each level has a `collectionFormat` of its own, and OpenAPI 3 knows one level only."""
    items: JsonObject = {"type": "array", "items": {"type": "integer"}}
    node: JsonObject = {
        **array_in("query", outer),
        "items": items | ({"collectionFormat": inner} if inner else {}),
    }
    (parameter,) = operation_of({"parameters": [node]}).parameters
    described = parameter.describe_parameter(SWAGGER)
    assert (described.schema, described.description) == (schema, description)


def test_an_array_in_an_array_that_claims_to_repeat_its_parameter_is_joined_by_commas() -> None:
    """`multi` is for parameters alone; a file that has it elsewhere still gives a tool."""
    node: JsonObject = {**array_in("query", "pipes"), "items": array_in("query", "multi")}
    (parameter,) = operation_of({"parameters": [node]}).parameters
    assert parameter.describe_parameter(SWAGGER).description == (
        "Several values, separated by the character |, each of them several values, separated by commas."
    )


def test_the_empty_value_may_be_sent_in_queries_and_forms() -> None:
    """Finding W-11: Swagger 2.0 has `allowEmptyValue` for both; a file is never empty text."""
    flag: JsonObject = {"type": "boolean", "allowEmptyValue": True}
    file: JsonObject = {"name": "f", "in": "formData", "type": "file", "allowEmptyValue": True}
    operation = operation_of(
        {"parameters": [{"name": "q", "in": "query", **flag}, {"name": "b", "in": "formData", **flag}, file]}
    )
    either: JsonObject = {"anyOf": [{"type": "boolean"}, {"type": "string", "enum": [""]}]}
    described = operation.parameters[0].describe_parameter(SWAGGER)
    assert (described.schema, described.may_be_empty) == (either, True)
    assert operation.body is not None
    properties = object_at(object_at({"s": operation.body.schema}, "s"), "properties")
    assert properties == {"b": either, "f": {"type": "string", "format": "binary"}}
