"""Which references lead back to themselves."""

from itertools import pairwise

from tests.support.documents.openapi import document_with
from toolserver.json_types import JsonObject
from toolserver.schema.cycles import BEYOND_LIMIT, MAX_STEPS, ReferenceCycles


def ref(name: str) -> JsonObject:
    return {"$ref": path(name)}


def path(name: str) -> str:
    return f"#/components/schemas/{name}"


def circles_of(schemas: JsonObject, max_steps: int = MAX_STEPS) -> ReferenceCycles:
    return ReferenceCycles(
        document_with({}, components={"schemas": schemas}).resolve_ref, max_steps=max_steps
    )


def test_a_reference_that_leads_nowhere_back_has_no_number() -> None:
    """Nearly all schemas are such; they are told in full."""
    circles = circles_of({"A": {"properties": {"b": ref("B"), "again": ref("B")}}, "B": {"type": "string"}})
    assert [circles.number_of(path(name)) for name in "AB"] == [None, None]


def test_schemas_that_lead_to_each_other_share_a_number() -> None:
    """Whatever lies between them: properties, items, branches."""
    circles = circles_of(
        {
            "A": {"properties": {"b": ref("B")}},
            "B": {"items": {"anyOf": [{"type": "null"}, ref("C")]}},
            "C": {"allOf": [ref("A")]},
            "Outside": {"properties": {"a": ref("A")}},
        }
    )
    numbers = {circles.number_of(path(name)) for name in "ABC"}
    assert len(numbers) == 1
    assert None not in numbers
    assert circles.number_of(path("Outside")) is None


def test_two_circles_have_two_numbers_even_when_one_leads_to_the_other() -> None:
    """What is above in one circle must not change what is written in the other."""
    circles = circles_of(
        {"A": {"properties": {"a": ref("A"), "b": ref("B")}}, "B": {"properties": {"b": ref("B")}}}
    )
    first, second = circles.number_of(path("A")), circles.number_of(path("B"))
    assert None not in (first, second)
    assert first != second


def test_numbers_do_not_depend_on_who_asks_first() -> None:
    """Tools are asked for in any order."""
    schemas: JsonObject = {
        "A": {"items": ref("B")},
        "B": {"properties": {"c": ref("C"), "d": ref("D")}},
        "C": {"items": ref("A")},
        "D": {"items": ref("E")},
        "E": {"items": ref("D")},
        "F": ref("A"),
    }
    for order in ("ABCDEF", "FEDCBA", "DCABFE"):
        circles = circles_of(schemas)
        numbers = {name: circles.number_of(path(name)) for name in order}
        assert numbers["A"] == numbers["B"] == numbers["C"] != numbers["D"] == numbers["E"]
        assert numbers["F"] is None


def test_a_dynamic_reference_closes_a_circle_too() -> None:
    """It is how trees are written in JSON Schema 2020-12."""
    tree: JsonObject = {"$dynamicAnchor": "node", "items": {"$dynamicRef": "#node"}}
    circles = circles_of({"Tree": tree})
    assert circles.number_of("#node") is not None


def test_dead_references_are_no_circle() -> None:
    """They are reported where they are used."""
    circles = circles_of({"A": {"items": ref("Gone")}})
    assert circles.number_of(path("A")) is None
    assert circles.number_of(path("Gone")) is None


def test_a_chain_of_thousands_of_schemas_does_not_exhaust_the_stack() -> None:
    """A hostile document may nest as deeply as it is long."""
    names = [f"S{number}" for number in range(5_000)]
    schemas: JsonObject = {name: ref(after) for name, after in pairwise(names)}
    circles = circles_of({**schemas, "S4999": ref("S0")})
    assert circles.number_of(path("S0")) == circles.number_of(path("S4999")) is not None


def test_beyond_the_limit_of_steps_everything_counts_as_one_circle() -> None:
    """Overlapping places make the visit quadratic; the rule for circles then keeps all of it finite."""
    circles = circles_of({"A": {"items": {"items": {"items": {}}}}, "B": {"items": {}}}, max_steps=3)
    assert circles.number_of(path("A")) == BEYOND_LIMIT
    assert circles.number_of(path("B")) == BEYOND_LIMIT
