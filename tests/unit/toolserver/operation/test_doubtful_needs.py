"""What says in a form that nobody reads whether something is required."""

import pytest

from tests.support.documents.openapi import document_with
from toolserver.json_types import JsonObject, JsonValue
from toolserver.operation.operation import read_operations


def query(name: str, **more: JsonValue) -> JsonObject:
    return {"name": name, "in": "query", "schema": {"type": "string"}, **more}


@pytest.mark.parametrize(
    ("parameter", "taken"),
    [
        (query("a", required="true"), "optional"),
        (query("a", required="yes"), "optional"),
        (query("a", required=1), "optional"),
        ({**query("a", required="true"), "in": "path"}, "required"),
    ],
)
def test_a_need_that_is_no_truth_value_is_told(parameter: JsonObject, taken: str) -> None:
    """Finding W-49: `yes` is a text in YAML 1.2, and its author means that the API refuses without it."""
    for shared in (False, True):
        item: JsonObject = {"get": {"parameters": [parameter]}}
        if shared:
            item = {"parameters": [parameter], "get": {}}
        (operation,) = read_operations(
            document_with({"/{a}" if taken == "required" else "/a": item})
        ).operations
        told = f"`required` of the parameter 'a' is neither true nor false; it is taken as {taken}."
        assert operation.warnings == (told,)
        assert [each.sending.required for each in operation.parameters] == [taken == "required"]


def test_parameters_that_are_no_list_are_told() -> None:
    """Finding W-49: an object of parameters gives no argument, and nobody learned why."""
    items: list[JsonObject] = [
        {"get": {"parameters": {"a": query("a")}}},
        {"parameters": {"a": query("a")}, "get": {"parameters": [query("b")]}},
    ]
    for item in items:
        (operation,) = read_operations(document_with({"/a": item})).operations
        assert operation.warnings == ("Its `parameters` are no list; they are left out.",)


def test_a_body_whose_need_is_no_truth_value_is_told() -> None:
    """Finding W-49: a body that is sent only sometimes costs more than a parameter."""
    body: JsonObject = {"required": "true", "content": {"application/json": {"schema": {}}}}
    (operation,) = read_operations(document_with({"/a": {"post": {"requestBody": body}}})).operations
    assert operation.warnings == (
        "`required` of the body is neither true nor false; it is taken as optional.",
    )
