"""Operations whose requests nothing but their arguments tells apart."""

import pytest

from tests.support.documents.openapi import document_with
from toolserver.json_types import JsonObject, JsonValue
from toolserver.operation.equal_requests import describe_equal_requests
from toolserver.operation.operation import read_operations


def described(paths: JsonObject, components: JsonObject | None = None) -> list[str]:
    document = document_with(paths, {"components": components or {}})
    return list(describe_equal_requests(read_operations(document).operations, document))


def told(*keys: str, path: str, more: str = "") -> str:
    named = ", ".join(map(repr, keys))
    method = keys[0].partition(" ")[0]
    why = "nothing but their arguments tells the API which one is meant."
    return f"{named}{more} all send {method} {path!r}: {why}"


def target(value: JsonValue, *, required: bool = True, place: str = "header") -> JsonObject:
    schema: JsonObject = {"type": "string", "enum": [value]}
    return {"post": {"parameters": [{"name": "Target", "in": place, "required": required, "schema": schema}]}}


def test_what_differs_behind_a_hash_only_is_told() -> None:
    """Finding W-48: AWS writes its documents so, and a browser sends nothing of it."""
    paths: JsonObject = {
        "/#Target=A": {"post": {}},
        "/#Target=B": {"post": {}, "get": {}},
        "/b": {"post": {}},
    }
    assert described(paths) == [told("POST /#Target=A", "POST /#Target=B", path="/")]


def test_templates_that_differ_in_names_only_are_one_address() -> None:
    """Finding W-48: which of the two an API means, no request says."""
    paths: JsonObject = {"/pets/{id}": {"get": {}}, "/pets/{name}": {"get": {}}, "/pets/mine": {"get": {}}}
    assert described(paths) == [told("GET /pets/{id}", "GET /pets/{name}", path="/pets/{id}")]


@pytest.mark.parametrize("place", ["header", "query"])
def test_a_required_parameter_of_one_value_tells_operations_apart(place: str) -> None:
    """Finding W-48: so AWS does it; one that may be left out, or is the same in both, tells nothing apart."""
    one, other = target("A", place=place), target("B", place=place)
    assert described({"/#A": one, "/#B": other}) == []
    equal = [told("POST /#A", "POST /#B", path="/")]
    assert described({"/#A": one, "/#B": one}) == equal
    optional = target("A", place=place, required=False), target("B", place=place, required=False)
    assert described({"/#A": optional[0], "/#B": optional[1]}) == equal


def test_operations_at_other_servers_or_with_another_query_are_others() -> None:
    """Finding W-48: what a request carries beyond its path counts."""
    elsewhere: JsonObject = {"get": {"servers": [{"url": "https://b.example"}]}}
    assert (
        described({"/a#1": {"get": {}}, "/a#2": elsewhere, "/c?x=1": {"get": {}}, "/c?x=2": {"get": {}}})
        == []
    )


def test_a_schema_that_leads_nowhere_costs_no_document() -> None:
    """Finding W-48: its own operation tells of it."""
    lost: JsonObject = {"name": "T", "in": "header", "required": True, "schema": {"$ref": "#/nowhere"}}
    item: JsonObject = {"post": {"parameters": [lost]}}
    assert described({"/#A": item, "/#B": item}) == [told("POST /#A", "POST /#B", path="/")]


def test_many_are_named_by_a_few() -> None:
    """Finding W-48: a document of thousands has a line for each group, and not more than ten."""
    paths: JsonObject = {f"/{group}#{number}": {"get": {}} for group in range(12) for number in range(5)}
    sentences = described(paths)
    assert len(sentences) == 10
    assert sentences[0] == told("GET /0#0", "GET /0#1", "GET /0#2", path="/0", more=", and 2 more")
