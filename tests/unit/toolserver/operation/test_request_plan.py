"""Request plans: the JSON a page executes."""

import json

from tests.support.documents.openapi import operation_of
from toolserver.json_types import JsonObject, JsonValue
from toolserver.operation.argument_names import COMPLETE_BODY, Target
from toolserver.operation.operation import Operation
from toolserver.operation.request_plan import PlanWriter

SCHEMES: JsonObject = {
    "key": {"type": "apiKey", "in": "query", "name": "k"},
    "token": {"type": "http", "scheme": "bearer"},
    "oauth": {"type": "oauth2"},
    "tls": {"type": "mutualTLS"},
}

NODE: JsonObject = {
    "parameters": [
        {"name": "page[size]", "in": "query", "style": "deepObject"},
        {"name": "filter", "in": "query", "content": {"application/json": {}}},
        {"name": "Cookie", "in": "header", "required": True},
        {"name": "session", "in": "cookie"},
    ],
    "requestBody": {"required": True, "content": {"application/json": {}}},
    "responses": {"200": {"content": {"text/csv": {}}}},
    "security": [{"key": [], "token": []}, {"oauth": []}, {"tls": []}],
}

PLAN: JsonObject = {
    "version": 1,
    "method": "PUT",
    "base_url": "https://api.example",
    "path": "/pets/{id}",
    "parameters": [
        {
            "argument": "page_size",
            "in": "query",
            "name": "page[size]",
            "required": False,
            "style": "deepObject",
            "explode": False,
            "allow_reserved": False,
        },
        {
            "argument": "filter",
            "in": "query",
            "name": "filter",
            "required": False,
            "content_type": "application/json",
        },
        {
            "argument": "id__path",
            "in": "path",
            "name": "id",
            "required": True,
            "style": "simple",
            "explode": False,
            "allow_reserved": False,
        },
    ],
    "body": {
        "content_type": "application/json",
        "required": True,
        "properties": [{"argument": "name", "name": "name"}, {"argument": "id", "name": "id"}],
        "additional": True,
    },
    "accept": "text/csv",
    "security": [
        [
            {"scheme": "key", "type": "apiKey", "in": "query", "name": "k"},
            {"scheme": "token", "type": "http", "http_scheme": "bearer"},
        ],
        [{"scheme": "oauth", "type": "oauth2"}],
        [],
    ],
    "safe": False,
    "idempotent": True,
    "unsendable": [
        {
            "in": "header",
            "name": "Cookie",
            "required": True,
            "reason": "A browser sets this header itself.",
        },
        {
            "in": "cookie",
            "name": "session",
            "required": False,
            "reason": "A browser sends its own cookies and lets no page set them.",
        },
    ],
}


def plan_of(operation: Operation, arguments: dict[Target, str], *, additional: bool = False) -> JsonObject:
    base_url = "https://api.example"
    return json.loads(
        PlanWriter().write_plan(operation, arguments, body_additional=additional, base_url=base_url)
    )


def body_of(arguments: dict[Target, str], *, additional: bool = False) -> JsonValue:
    node: JsonObject = {"requestBody": {"content": {"application/json": {"schema": {}}}}}
    return plan_of(operation_of(node, method="post"), arguments, additional=additional)["body"]


def test_a_plan_holds_everything_a_request_needs_but_values_and_secrets() -> None:
    """The page builds requests from its stored plan alone; the message of a call carries no URL."""
    operation = operation_of(NODE, method="put", path="/pets/{id}", components={"securitySchemes": SCHEMES})
    plan = plan_of(
        operation,
        {
            ("query", "page[size]"): "page_size",
            ("query", "filter"): "filter",
            ("body_property", "name"): "name",
            ("path", "id"): "id__path",
            ("body_property", "id"): "id",
        },
        additional=True,
    )
    assert plan == PLAN


def test_a_body_that_is_one_argument_has_no_properties() -> None:
    """Arrays, primitives and unions cannot be taken apart."""
    assert body_of({COMPLETE_BODY: "body"}) == {
        "content_type": "application/json",
        "required": False,
        "argument": "body",
    }


def test_an_object_body_without_properties_is_still_an_object() -> None:
    """The page must send {} rather than nothing when undeclared arguments are allowed."""
    assert body_of({}, additional=True) == {
        "content_type": "application/json",
        "required": False,
        "properties": [],
        "additional": True,
    }


def test_an_operation_without_a_body_plans_none() -> None:
    """A request without a body sends no Content-Type, which saves a preflight."""
    assert plan_of(operation_of({}), {})["body"] is None


def test_a_fragment_that_tells_paths_apart_is_not_sent() -> None:
    """AWS documents describe one path several times as "/{Bucket}#acl"."""
    operation = operation_of({}, path="/things#acl")
    assert (operation.key, plan_of(operation, {})["path"]) == ("GET /things#acl", "/things")


def test_a_parameter_that_no_argument_fills_is_not_planned() -> None:
    """The definition may leave one out; a plan that names it would ask the page for a value nobody has."""
    operation = operation_of({"parameters": [{"name": "a", "in": "query"}]})
    assert plan_of(operation, {})["parameters"] == []
