"""Plans of bodies that are no JSON and of whole query strings: what the page reads."""

import json

import pytest

from tests.support.documents.openapi import document_with
from toolserver.json_types import JsonObject, JsonValue
from toolserver.operation.argument_names import COMPLETE_BODY, Target
from toolserver.operation.operation import Operation, read_operations
from toolserver.operation.request_plan import PlanWriter, optional_body_arguments

FILE: JsonObject = {"type": "string", "format": "binary"}
SCHEMA: JsonObject = {"type": "object", "properties": {"a": {}, "b": {}, "f": FILE}}


def post(node: JsonObject) -> Operation:
    (operation,) = read_operations(document_with({"/x": {"post": node}}, openapi="3.2.0")).operations
    return operation


def plan_of(operation: Operation, arguments: dict[Target, str], *, additional: bool = False) -> JsonObject:
    return json.loads(PlanWriter().write_plan(operation, arguments, body_additional=additional, base_url=""))


def body_plan(media_type: str, media: JsonObject, *targets: Target, additional: bool = False) -> JsonValue:
    """The body's plan; every argument is called as its target."""
    operation = post({"requestBody": {"required": True, "content": {media_type: media}}})
    arguments = {target: target[1] for target in targets}
    return plan_of(operation, arguments, additional=additional)["body"]


def field(name: str) -> Target:
    return "body_property", name


def test_fields_of_a_form_carry_their_rule() -> None:
    """Default fields stay bare, so that plans of ordinary forms stay small."""
    media: JsonObject = {"schema": SCHEMA, "encoding": {"b": {"explode": False}}}
    assert body_plan("application/x-www-form-urlencoded", media, field("a"), field("b"), additional=True) == {
        "kind": "form",
        "content_type": "application/x-www-form-urlencoded",
        "required": True,
        "properties": [
            {"argument": "a", "name": "a"},
            {
                "argument": "b",
                "name": "b",
                "style": "form",
                "explode": False,
                "allow_reserved": False,
            },
        ],
        "additional": True,
    }


def test_parts_carry_files_types_and_headers() -> None:
    """Everything that a part needs beside its value."""
    media: JsonObject = {
        "schema": SCHEMA,
        "encoding": {
            "b": {"contentType": "application/xml", "headers": {"X-N": {"schema": {"const": 1}}}},
            "f": {"contentType": "image/png, image/jpeg"},
        },
    }
    assert body_plan("multipart/form-data", media, field("b"), field("f")) == {
        "kind": "multipart",
        "content_type": "multipart/form-data",
        "required": True,
        "properties": [
            {"argument": "b", "name": "b", "content_type": "application/xml", "headers": [["x-n", "1"]]},
            {
                "argument": "f",
                "name": "f",
                "file": True,
                "content_type": "image/png",
                "content_types": ["image/png", "image/jpeg"],
            },
        ],
        "additional": False,
    }


def test_a_whole_body_lists_the_fields_with_rules() -> None:
    """A union is one argument; its files are still files."""
    media: JsonObject = {"schema": {"oneOf": [SCHEMA]}}
    assert body_plan("multipart/form-data", media, COMPLETE_BODY) == {
        "kind": "multipart",
        "content_type": "multipart/form-data",
        "required": True,
        "argument": "body",
        "fields": [{"name": "f", "file": True}],
    }


@pytest.mark.parametrize(
    ("media_type", "kind"),
    [
        ("text/csv", "text"),
        ("application/octet-stream", "binary"),
        ("image/*", "binary"),
        ("application/x-ndjson", "sequence"),
    ],
)
def test_text_bytes_and_sequences_are_one_argument(media_type: str, kind: str) -> None:
    """The page writes them as they come."""
    assert body_plan(media_type, {}, COMPLETE_BODY) == {
        "kind": kind,
        "content_type": media_type,
        "required": True,
        "argument": "body",
    }


def test_a_file_of_several_types_leaves_the_choice_to_the_page() -> None:
    """Finding W-7: only the page sees which file is sent."""
    operation = post({"requestBody": {"content": {"image/png": {}, "image/jpeg": {}}}})
    assert plan_of(operation, {COMPLETE_BODY: "body"})["body"] == {
        "kind": "binary",
        "content_type": "image/png",
        "content_types": ["image/png", "image/jpeg"],
        "required": False,
        "argument": "body",
    }


def test_parts_without_names_have_one_rule() -> None:
    """Finding O-12: the page writes each item of the argument by it."""
    media: JsonObject = {"itemSchema": FILE, "itemEncoding": {"contentType": "image/png"}}
    assert body_plan("multipart/mixed", media, COMPLETE_BODY) == {
        "kind": "multipart",
        "content_type": "multipart/mixed",
        "required": True,
        "argument": "body",
        "parts": {"file": True, "content_type": "image/png"},
    }


def test_xml_carries_its_tree() -> None:
    """Names of elements stand in the plan alone; arguments are named as in the schema."""
    media: JsonObject = {"schema": {"properties": {"a": {"xml": {"attribute": True}}}, "xml": {"name": "x"}}}
    assert body_plan("application/xml", media, field("a")) == {
        "kind": "xml",
        "content_type": "application/xml",
        "required": True,
        "properties": [{"argument": "a", "name": "a"}],
        "additional": False,
        "xml": {"name": "x", "properties": [{"property": "a", "name": "a", "node": "attribute"}]},
    }


def test_a_whole_query_string_is_one_argument() -> None:
    """`in: querystring` of OpenAPI 3.2."""
    media: JsonObject = {"schema": SCHEMA, "encoding": {"b": {"style": "pipeDelimited"}}}
    operation = post(
        {
            "parameters": [
                {"name": "q", "in": "querystring", "content": {"application/x-www-form-urlencoded": media}},
                {"name": "bare", "in": "querystring"},
            ]
        }
    )
    plan = plan_of(operation, {("querystring", "q"): "q"})
    assert plan["parameters"] == [
        {
            "argument": "q",
            "in": "querystring",
            "name": "q",
            "required": False,
            "content_type": "application/x-www-form-urlencoded",
            "fields": [{"name": "b", "style": "pipeDelimited", "explode": False, "allow_reserved": False}],
        }
    ]
    assert operation.warnings == (
        "The parameter 'bare' is the whole query string, but has no content. It is left out.",
    )


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ({"required": False, "content": {"application/json": {"schema": SCHEMA}}}, {"first", "b"}),
        ({"required": True, "content": {"application/json": {"schema": SCHEMA}}}, set[str]()),
    ],
)
def test_a_plan_tells_the_arguments_of_a_body_that_may_be_left_out(body: JsonValue, names: set[str]) -> None:
    """They may all be missing together, which the argument schema has no keyword for."""
    arguments: dict[Target, str] = {("query", "a"): "a", field("a"): "first", field("b"): "b"}
    node: JsonObject = {"requestBody": body, "parameters": [{"name": "a", "in": "query"}]}
    plan = PlanWriter().write_plan(post(node), arguments, body_additional=False, base_url="")
    assert optional_body_arguments(plan) == names


def test_a_body_that_is_one_argument_or_missing_has_no_such_arguments() -> None:
    """The one argument is optional by keyword."""
    whole = post({"requestBody": {"content": {"application/json": {"schema": {"type": "array"}}}}})
    for operation, arguments in ((whole, {COMPLETE_BODY: "body"}), (post({}), dict[Target, str]())):
        plan = PlanWriter().write_plan(operation, arguments, body_additional=False, base_url="")
        assert optional_body_arguments(plan) == frozenset()
