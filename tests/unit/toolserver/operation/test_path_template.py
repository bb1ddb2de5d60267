"""Paths as gateways and frameworks write them."""

import json

import pytest

from tests.support.documents.openapi import document_with
from toolserver.json_types import JsonObject, JsonValue
from toolserver.operation.operation import Operation, read_operations
from toolserver.operation.path_template import Fitted, fit_template
from toolserver.operation.request_plan import PlanWriter


def read(path: str, *names: str, shared: bool = False) -> Operation:
    declared: JsonValue = [
        {"name": name, "in": "path", "required": True, "description": "D", "schema": {"maxLength": 5}}
        for name in names
    ]
    item: JsonObject = {"parameters": declared, "get": {}} if shared else {"get": {"parameters": declared}}
    (operation,) = read_operations(document_with({path: item})).operations
    return operation


def plan_of(operation: Operation) -> JsonObject:
    arguments = operation.sendings.arguments
    return json.loads(PlanWriter().write_plan(operation, arguments, body_additional=False, base_url=""))


@pytest.mark.parametrize(
    ("written", "greedy"),
    [
        ("{p+}", True),
        ("{+p}", True),
        ("{p*}", True),
        ("{*p}", True),
        ("{**p}", True),
        ("{p...}", True),
        ("{p:path}", True),
        ("{p:.*}", True),
        ("{p=**}", True),
        ("{p=projects/*}", True),
        (":p*", True),
        ("<path:p>", True),
        ("{p:int}", False),
        ("{p:[0-9]+}", False),
        ("{p:[^/]+}", False),
        ("{p:[0-9]{3}}", False),
        ("{p?}", False),
        ("{p=5}", False),
        ("{p=*}", False),
        ("{ p }", False),
        (":p", False),
        (":p?", False),
        (r":p([0-9]+)", False),
        ("<p>", False),
        ("<int:p>", False),
    ],
)
def test_a_declared_parameter_fits_the_spellings_of_frameworks(written: str, greedy: bool) -> None:
    """Finding W-10: who writes such a path and declares the name means that place."""
    assert fit_template(f"/a/{written}/b", {"p"}) == ("/a/{p}/b", {"p": Fitted(written, greedy)})


@pytest.mark.parametrize(
    "path", ["/a/{q+}", "/a/b:p", "/a/{x}:p", "/a/:page", "/a/{pp:int}", "/a/p", "/:p-x"]
)
def test_what_means_no_declared_parameter_stays(path: str) -> None:
    """Finding W-10: custom verbs and other names are no places."""
    assert fit_template(path, {"p"}) == (path, {})


@pytest.mark.parametrize("shared", [False, True])
def test_the_declared_parameter_keeps_its_name_and_description(shared: bool) -> None:
    """Finding O-13: a nameless string took its place, and `:id` went out as it is written."""
    operation = read("/aws/{proxy+}/w/:id", "proxy", "id", shared=shared)
    assert operation.path == "/aws/{proxy+}/w/:id"
    assert [each.describe_parameter(document_with({})).description for each in operation.parameters] == [
        "D",
        "D",
    ]
    assert operation.warnings == (
        "'{proxy+}' in the path is read as 'proxy'.",
        "':id' in the path is read as 'id'.",
    )
    plan = plan_of(operation)
    assert plan["path"] == "/aws/{proxy}/w/{id}"
    assert plan["parameters"] == [
        {
            "argument": "proxy",
            "in": "path",
            "name": "proxy",
            "required": True,
            "style": "simple",
            "explode": False,
            "allow_reserved": False,
            "slashes": True,
        },
        {
            "argument": "id",
            "in": "path",
            "name": "id",
            "required": True,
            "style": "simple",
            "explode": False,
            "allow_reserved": False,
        },
    ]


def test_one_spelling_in_two_operations_is_no_matter_of_order() -> None:
    """Finding W-10: parameters that are sent alike share what was read; a greedy one must not spread."""
    item: JsonObject = {"parameters": [{"name": "p", "in": "path", "schema": {}}], "get": {}}
    document = document_with({"/a/{p}": item, "/b/{p+}": item, "/c/{p}": item})
    plans = [plan_of(operation) for operation in read_operations(document).operations]
    assert ["slashes" in str(plan["parameters"]) for plan in plans] == [False, True, False]


def test_an_undeclared_expression_is_still_a_string() -> None:
    """Finding W-10: nobody has to accept such an operation again."""
    plan = plan_of(read("/asp/{id:int}"))
    assert plan["path"] == "/asp/{id:int}"


def test_a_path_that_leads_elsewhere_once_it_is_read_is_skipped() -> None:
    """Finding O-13: the "?" of an optional parameter hid what follows it from the check."""
    item: JsonObject = {"get": {"parameters": [{"name": "b", "in": "path"}]}}
    (skipped,) = read_operations(document_with({"/a/{b?}/../c": item})).skipped
    assert 'holds the segment ".."' in skipped.reason
