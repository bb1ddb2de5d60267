"""Strict function calling: within the rules, without a loss, or not strict."""

from typing import cast

import jsonschema_rs
import orjson
import pytest
from hypothesis import given

from tests.support.documents.any_schema import NAMES, SCHEMAS
from tests.support.documents.schemas import flat
from tests.support.documents.strict_rules import list_of, problems_of, properties_of
from tests.support.examples import examples
from toolserver.json_types import JsonObject, JsonValue, dump_json
from toolserver.schema.hints import MAY_BE_NULL, NEEDED_WITH_BODY
from toolserver.schema.strict import Strict, strict_schema


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
        ({"enum": list(range(1001))}, "It has 1,002 allowed values; strict mode takes 1,000."),
    ],
)
def test_a_tool_that_would_lose_something_is_not_strict_and_says_why(schema: JsonValue, reason: str) -> None:
    """A map closed by force can be sent no key at all."""
    assert reason_of({"a": schema}) == reason


def test_the_null_of_each_optional_list_counts_among_the_allowed_values() -> None:
    """Finding O-16: one form had more than 1,000 in all, and a provider refuses the whole request for it."""
    lists: JsonObject = {f"a{number}": {"enum": list(range(99))} for number in range(10)}
    values = [list_of(cast(JsonObject, each), "enum") for each in properties_of(strict_of(lists)).values()]
    assert sum(map(len, values)) == 1_000
    assert reason_of({**lists, "b": {"enum": [1]}}) == "It has 1,002 allowed values; strict mode takes 1,000."


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


NULLABLE: dict[str, JsonValue] = {
    "a list of types": {"type": ["string", "null"]},
    "nullable of 3.0": {"type": "string", "nullable": True},
    "a nullable object": {"type": "object", "nullable": True, "properties": {"x": {"type": "string"}}},
    "a nullable array": {"type": ["array", "null"], "items": {"type": "string"}},
    "anyOf with null": {"anyOf": [{"type": "string"}, {"type": "null"}]},
    "oneOf with null": {"oneOf": [{"type": "integer"}, {"type": "array", "items": {}}, {"type": "null"}]},
    "a nullable alternative": {"oneOf": [{"type": "string", "nullable": True}, {"type": "boolean"}]},
    "null among the values": {"enum": ["a", None]},
    "nothing but null": {"const": None},
    "a reference": {"$ref": "#/components/schemas/Nullable"},
    "allOf": {"allOf": [{"$ref": "#/components/schemas/Nullable"}, {"description": "More."}]},
}
COMPONENT: JsonObject = {"type": ["string", "null"]}


@pytest.mark.parametrize("schema", NULLABLE.values(), ids=NULLABLE)
def test_what_may_be_left_out_and_may_be_null_makes_a_tool_not_strict(schema: JsonValue) -> None:
    """Finding W-42: a strict model says null for both, so that a PATCH erases what was to be left alone."""
    node = flat(schema, Nullable=COMPONENT)
    tool: JsonObject = {"type": "object", "properties": {"a": node}, "required": []}
    reason = strict_schema(dump_json(tool)).reason
    if schema != NULLABLE["oneOf with null"]:
        assert reason == "`a` may be left out and may be null; strict mode has null for both."
    required = strict_schema(dump_json({**tool, "required": ["a"]}))
    assert required.is_strict or "takes any value" in required.reason, "null alone is no ambiguity"


@pytest.mark.parametrize(
    ("schema", "place"),
    [
        ({"type": "object", "properties": {"b": COMPONENT}}, "a.b"),
        ({"type": "array", "items": {"type": "object", "properties": {"b": COMPONENT}}}, "a[].b"),
        ({"oneOf": [{"type": "object", "properties": {"b": COMPONENT}}, {"type": "string"}]}, "a.b"),
        ({"type": ["array", "string"], "items": {"properties": {"b": COMPONENT}}}, "a[].b"),
    ],
)
def test_the_property_at_fault_is_named_with_its_place(schema: JsonValue, place: str) -> None:
    """Finding W-42: whoever wants the tool strict has to know what to change, however deep it is."""
    assert (
        reason_of({"a": schema})
        == f"`{place}` may be left out and may be null; strict mode has null for both."
    )


def test_a_nullable_property_of_an_optional_body_is_not_strict() -> None:
    """Finding W-42: required by keyword, it may be left out with the whole body."""
    node = flat(COMPONENT)
    node["description"] = f"{NEEDED_WITH_BODY} {MAY_BE_NULL}"
    made = strict_schema(dump_json({"type": "object", "properties": {"a": node}, "required": ["a"]}))
    assert made.reason == "`a` may be left out and may be null; strict mode has null for both."


def form_of(kind: str, schema: JsonValue, *required: str) -> JsonObject:
    """One of several objects, told apart by its kind."""
    properties: JsonObject = {"kind": {"const": kind}, "b": schema}
    return {"type": "object", "properties": properties, "required": ["kind", *required]}


def test_forms_that_look_alike_must_agree_on_null() -> None:
    """Finding W-42: an object with `b: null` may be either form, and only one of them means the null."""
    alike: list[JsonValue] = [form_of("x", {"type": "string"}), form_of("x", COMPONENT, "b")]
    assert reason_of({"a": {"oneOf": alike}}) == (
        "`a.b` may be left out in one form and may be null in another; strict mode has null for both."
    )
    assert strict_of({"a": {"oneOf": [form_of("x", {"type": "string"}), form_of("y", COMPONENT, "b")]}})


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
