"""Strict function calling: within the rules, without a loss, or not strict."""

from typing import cast

import jsonschema_rs
import orjson
import pytest
from hypothesis import given

from tests.support.documents.any_schema import NAMES, SCHEMAS
from tests.support.documents.schemas import flat
from tests.support.documents.strict_rules import problems_of, properties_of
from tests.support.examples import examples
from toolserver.json_types import JsonObject, JsonValue, dump_json
from toolserver.schema.hints import MAY_BE_NULL
from toolserver.schema.strict import Strict, strict_schema, without_added_nulls


def tool_schema(properties: JsonObject, *required: str) -> JsonObject:
    flattened = {name: flat(schema) for name, schema in properties.items()}
    return {"type": "object", "properties": {**flattened}, "required": list[JsonValue](required)}


def strict_of(properties: JsonObject, *required: str) -> JsonObject:
    made = strict_schema(dump_json(tool_schema(properties, *required)))
    assert made.is_strict, made.reason
    schema = orjson.loads(made.schema_json)
    assert problems_of(schema) == []
    return schema


def reason_of(properties: JsonObject) -> str:
    made = strict_schema(dump_json(tool_schema(properties)))
    assert not made.is_strict
    assert made.schema_json == b""
    return made.reason


def test_every_property_is_required_and_optional_ones_take_null() -> None:
    """Strict mode knows no optional property; a null stands for "left out"."""
    texts: JsonObject = {"x": {"type": "string"}, "y": {"type": "string"}}
    inner: JsonObject = {"type": "object", "required": ["y"], "properties": texts}
    schema = strict_of({"zeta": {"type": "integer"}, "alpha": {"type": "string"}, "o": inner}, "alpha")
    assert schema["required"] == ["zeta", "alpha", "o"]
    assert schema["additionalProperties"] is False
    properties = properties_of(schema)
    assert properties["zeta"] == {"type": ["integer", "null"]}
    assert properties["alpha"] == {"type": "string"}
    assert properties["o"] == {
        "anyOf": [
            {
                "type": "object",
                "properties": {"x": {"type": ["string", "null"]}, "y": {"type": "string"}},
                "required": ["x", "y"],
                "additionalProperties": False,
            },
            {"type": "null"},
        ]
    }


def test_an_optional_list_of_values_has_null_among_them() -> None:
    """A provider that enforces the list would otherwise force a value on every call."""
    schema = strict_of({"state": {"enum": ["open", "closed"]}})
    assert properties_of(schema)["state"] == {
        "type": ["string", "null"],
        "enum": ["open", "closed", None],
        "description": "One of: open, closed.",
    }


def test_constraints_that_strict_mode_lacks_stay_in_the_words() -> None:
    """A model that does not know a bound breaks it."""
    schema = strict_of({"n": {"type": "integer", "minimum": 1, "default": 3}}, "n")
    assert properties_of(schema)["n"] == {"type": "integer", "description": "Default: 3. Value >= 1."}


def test_a_property_may_be_called_like_a_keyword() -> None:
    """Only keywords are left out, never arguments."""
    assert list(properties_of(strict_of({"default": {"type": "string"}, "format": {"type": "string"}}))) == [
        "default",
        "format",
    ]


def test_alternatives_and_lists_take_null_by_a_branch() -> None:
    """They have no type that a null could be added to."""
    either: JsonObject = {"oneOf": [{"type": "string"}, {"type": "array", "items": {"type": "integer"}}]}
    schema = strict_of({"e": either, "l": {"type": "array", "items": {"type": "string"}}})
    properties = properties_of(schema)
    assert cast(JsonObject, properties["e"])["anyOf"] == [
        {"type": "string"},
        {"type": "array", "items": {"type": "integer"}},
        {"type": "null"},
    ]
    assert properties["l"] == {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]}


def test_what_may_be_null_in_words_may_be_null_in_strict_mode() -> None:
    """The advertised form says it of objects in words only, for the sake of other readers."""
    nullable: JsonObject = {"type": ["object", "null"], "properties": {"x": {"type": "string"}}}
    inside = cast(JsonObject, properties_of(strict_of({"o": nullable}, "o"))["o"])
    assert inside["description"] == MAY_BE_NULL
    assert cast("list[JsonValue]", inside["anyOf"])[1] == {"type": "null"}


@pytest.mark.parametrize(
    ("schema", "reason"),
    [
        ({}, "`a` takes any value, which strict mode cannot express."),
        ({"type": "array"}, "`a[]` takes any value, which strict mode cannot express."),
        ({"type": "object"}, "`a` is an object of unknown keys."),
        (
            {"type": "object", "patternProperties": {"^x": {}}, "additionalProperties": False},
            "`a` has keys that only a pattern describes.",
        ),
        (
            {"type": "object", "additionalProperties": {"type": "string"}},
            "`a` is a map whose keys are not known in advance.",
        ),
        (
            {"properties": {"b": {"properties": {"c": {}}}}},
            "`a.b.c` takes any value, which strict mode cannot express.",
        ),
        (
            {"type": ["array", "object"], "items": {}},
            "`a[]` takes any value, which strict mode cannot express.",
        ),
        (
            {"enum": [f"{'v' * 80}{index}" for index in range(251)]},
            "`a` lists 251 values of 20,723 characters.",
        ),
        ({"enum": list(range(1001))}, "It has 1,001 allowed values; strict mode takes 1,000."),
    ],
)
def test_a_tool_that_would_lose_something_is_not_strict_and_says_why(schema: JsonValue, reason: str) -> None:
    """A map closed by force can be sent no key at all."""
    assert reason_of({"a": schema}) == reason


def test_what_is_nested_too_deeply_is_not_strict() -> None:
    """Ten levels are the limit."""
    deep: JsonValue = {"type": "string"}
    for _ in range(7):
        deep = {"type": "object", "properties": {"i": {"type": "array", "items": deep}}}
    assert "nested deeper than the 10 levels" in reason_of({"a": deep})


def test_too_many_properties_are_not_strict() -> None:
    """The limit is on all objects together."""
    wide: JsonObject = {f"p{index}": {"type": "string"} for index in range(5_001)}
    schema: JsonObject = {"type": "object", "properties": wide, "required": []}
    assert strict_schema(dump_json(schema)).reason == "It has 5,001 properties; strict mode takes 5,000."


def test_nulls_that_strict_mode_asked_for_are_taken_away_again() -> None:
    """An API reads `limit=null` as a value (W-04); a null that the API itself allows stays."""
    texts: JsonObject = {"n": {"type": "string"}, "m": {"type": "string"}}
    either: list[JsonValue] = [{"properties": {"a": texts["n"]}}, {"properties": {"b": texts["n"]}}]
    schema = tool_schema(
        {
            "limit": {"type": "integer"},
            "note": {"type": ["string", "null"]},
            "who": {"type": "object", "required": ["n"], "properties": texts},
            "many": {"type": "array", "items": {"type": "object", "properties": {"m": {"type": "string"}}}},
            "free": {},
            "of": {"oneOf": either},
            "o": {"type": ["object", "null"], "properties": {"x": {"type": "string"}}},
        }
    )
    arguments: JsonObject = {
        "limit": None,
        "note": None,
        "who": {"n": None, "m": None},
        "many": [{"m": None}, {"m": "x"}],
        "free": {"any": None},
        "of": {"b": None},
        "o": None,
        "undeclared": None,
    }
    assert without_added_nulls(arguments, schema) == {
        "note": None,
        "who": {"n": None},
        "many": [{}, {"m": "x"}],
        "free": {"any": None},
        "of": {},
        "o": None,
        "undeclared": None,
    }


def test_a_strict_schema_is_made_once() -> None:
    """The same tools go with every request of every chat."""
    schema = dump_json(tool_schema({"a": {"type": "string"}}))
    assert strict_schema(schema) is strict_schema(bytes(bytearray(schema)))


@pytest.mark.wide
@examples(150)
@given(schema=SCHEMAS)
def test_any_schema_is_strict_within_the_rules_or_not_strict(schema: JsonValue) -> None:
    """One schema outside the rules makes a provider refuse the whole request."""
    component: JsonObject = {"type": "object", "properties": {"p": {"type": "string"}}}
    flattened = flat(schema, **dict.fromkeys(NAMES, component))
    tool: JsonObject = {"type": "object", "properties": {"a": flattened}, "required": []}
    made = strict_schema(dump_json(tool))
    assert isinstance(made, Strict)
    assert made.is_strict == bool(made.schema_json)
    if made.is_strict:
        strict = orjson.loads(made.schema_json)
        assert problems_of(strict) == []
        jsonschema_rs.Draft202012Validator(strict, offline=True)
