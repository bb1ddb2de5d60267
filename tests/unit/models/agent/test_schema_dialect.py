"""Schemas of arguments as providers take them that take less than JSON Schema."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.models.agent.schema_dialect import fit_schema
from bridge.settings.chat.provider_rules import GEMINI_SCHEMAS
from tests.support.examples import examples
from tests.support.models.schema_judge import find_lost_facts, find_refusals, read_rules

GEMINI = read_rules("gemini")


def fit(schema: Any) -> Any:
    return fit_schema(schema, GEMINI_SCHEMAS)


@pytest.mark.parametrize(
    ("given_schema", "fitted"),
    [
        ({"type": ["string", "null"]}, {"type": "string", "nullable": True}),
        ({"type": "integer", "enum": [1, 2]}, {"type": "integer", "description": "One of: 1, 2."}),
        ({"type": "string", "enum": ["a", ""]}, {"type": "string", "description": 'One of: a, "".'}),
        ({"type": "string", "enum": ["a", None]}, {"type": "string", "enum": ["a"]}),
        ({"type": "string", "const": "a"}, {"type": "string", "enum": ["a"]}),
        ({"type": "number", "const": 2}, {"type": "number", "description": "Must be: 2."}),
        (
            {"type": "integer", "description": "Age.", "exclusiveMinimum": 0},
            {"type": "integer", "description": "Age. Value > 0."},
        ),
        (
            {"type": "number", "description": "A value > 1. Value > 0.5 is usual.", "exclusiveMinimum": 0},
            {"type": "number", "description": "A value > 1. Value > 0.5 is usual. Value > 0."},
        ),
        (
            {"type": "string", "format": "uuid", "description": "Its id. Format: uuid."},
            {"type": "string", "description": "Its id. Format: uuid."},
        ),
        ({"type": "string", "format": "date-time"}, {"type": "string", "format": "date-time"}),
        ({"type": "array"}, {"type": "array", "items": {"type": "string", "description": "Of any kind."}}),
        (
            {"type": "object", "additionalProperties": {"type": "integer", "minimum": 1}},
            {"type": "object", "description": "Further keys are allowed; their values: integer, Value >= 1."},
        ),
        ({"type": "object", "additionalProperties": False}, {"type": "object"}),
    ],
)
def test_what_a_keyword_can_not_say_there_stands_in_words(given_schema: Any, fitted: Any) -> None:
    """Finding W-4, O-4: each was a 400 for the whole request; a sentence that is there is not repeated."""
    assert fit(given_schema) == fitted


def test_forms_stand_alone_and_the_first_tells_what_all_are() -> None:
    """Finding O-4: `anyOf` beside anything else is refused."""
    schema = {
        "description": "Width.",
        "anyOf": [{"type": "integer", "exclusiveMinimum": 0}, {"enum": ["auto"]}, {"type": "null"}],
        "default": "auto",
    }
    forms = fit(schema)
    assert [*forms] == ["anyOf"]
    assert forms["anyOf"][0]["description"] == "Width. Value > 0."
    assert forms["anyOf"][0]["nullable"] is True
    assert forms["anyOf"][1]["enum"] == ["auto"]
    one = fit({"description": "Width.", "anyOf": [{"type": "integer"}, {"type": "null"}]})
    assert one == {"type": "integer", "nullable": True, "description": "Width."}


def test_several_types_are_forms_each_with_what_is_about_it() -> None:
    """Finding O-4: a list of types is refused."""
    forms = fit({"type": ["string", "integer"], "minLength": 2, "maximum": 9, "description": "Which."})
    assert forms["anyOf"] == [
        {"type": "string", "minLength": 2, "description": "Which."},
        {"type": "integer", "maximum": 9},
    ]


def test_forms_that_differ_in_what_they_require_are_objects_as_before() -> None:
    """Each form has what stands beside `anyOf`."""
    schema = {
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
        "anyOf": [{"required": ["a"]}, {"required": ["b"]}],
    }
    forms = fit(schema)["anyOf"]
    assert [form["required"] for form in forms] == [["a"], ["b"]]
    assert all(form["type"] == "object" and [*form["properties"]] == ["a", "b"] for form in forms)


VALUES = st.one_of(st.integers(-5, 5), st.sampled_from(["", "a", "b c"]), st.none(), st.booleans())
KEYWORDS: Any = {
    "type": st.one_of(
        st.sampled_from(["string", "integer", "number", "boolean", "object", "array"]),
        st.lists(
            st.sampled_from(["string", "integer", "null", "object"]), min_size=1, max_size=3, unique=True
        ),
    ),
    "description": st.sampled_from(["Which.", "How many"]),
    "enum": st.lists(VALUES, min_size=1, max_size=3),
    "const": VALUES,
    "format": st.sampled_from(["uuid", "int64", "date-time", "binary"]),
    "minimum": st.integers(-5, 5),
    "exclusiveMaximum": st.integers(-5, 5),
    "uniqueItems": st.booleans(),
    "examples": st.lists(VALUES, max_size=2),
    "x-internal": VALUES,
    "additionalProperties": st.booleans(),
}


def nest(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    names = st.sampled_from(["a", "b", "enum", "anyOf"])
    further: Any = {
        **KEYWORDS,
        "properties": st.dictionaries(names, inner, max_size=2),
        "items": inner,
        "anyOf": st.lists(inner, min_size=1, max_size=3),
        "oneOf": st.lists(inner, min_size=1, max_size=2),
        "allOf": st.lists(inner, min_size=1, max_size=2),
        "additionalProperties": inner,
    }
    return st.fixed_dictionaries({}, optional=further)


@examples(120)
@given(st.recursive(st.fixed_dictionaries({}, optional=KEYWORDS), nest, max_leaves=6))
def test_whatever_a_caller_sends_is_taken(schema: Any) -> None:
    """Finding O-4: one tool that is refused fails the whole request."""
    assert [*find_refusals(fit(schema), GEMINI)] == []


@examples(120)
@given(st.recursive(st.fixed_dictionaries({}, optional=KEYWORDS), nest, max_leaves=4))
def test_a_fitted_schema_is_not_changed_again(schema: Any) -> None:
    """The same tools are the same bytes, however often they are fitted."""
    once = fit(schema)
    assert fit(once) == once


def test_a_schema_of_any_depth_is_taken() -> None:
    """Finding O-4: a caller's tool must not break the round."""
    deep: Any = {"type": "string", "examples": ["x"]}
    for _ in range(400):
        deep = {"type": "object", "properties": {"a": deep}}
    assert [*find_refusals(fit(deep), GEMINI)] == []


def test_the_judge_of_facts_sees_what_is_lost() -> None:
    """A judge that never finds anything proves nothing."""
    before = {"type": "object", "properties": {"a": {"type": "integer", "maximum": 7}}, "required": ["a"]}
    after = {"type": "object", "properties": {"a": {"type": "integer"}}}
    assert [*find_lost_facts(before, after)] == ["/a: 7", ": required a"]
