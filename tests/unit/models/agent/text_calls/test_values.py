"""Values of text calls: made what the schema says, or left as they were written."""

import pytest

from bridge.models.agent.text_calls.values import typed_arguments
from toolserver.json_types import JsonObject, JsonValue


def typed(text: str, schema: JsonObject) -> JsonValue:
    return typed_arguments({"x": text}, {"type": "object", "properties": {"x": schema}})["x"]


@pytest.mark.parametrize(
    ("text", "schema", "value"),
    [
        ("3", {"type": "integer"}, 3),
        ("123456789012345678901234567890", {"type": "integer"}, 123456789012345678901234567890),
        ("3", {"type": "number"}, 3),
        ("3.5", {"type": "number"}, 3.5),
        ("True", {"type": "boolean"}, True),
        ("false", {"type": "boolean"}, False),
        ("[1]", {"type": "array"}, [1]),
        ('{"a": 1}', {"type": "object"}, {"a": 1}),
        ("3", {"type": "string"}, "3"),
        ("null", {"type": ["string", "null"]}, None),
        ("null", {"type": "string"}, "null"),
        ("3", {"type": ["integer", "null"]}, 3),
        ("3", {"anyOf": [{"type": "integer"}, {"type": "string"}]}, 3),
        ("x", {"anyOf": [{"type": "integer"}, {"type": "string"}]}, "x"),
        ("2", {"enum": [1, 2]}, 2),
        ("true", {"const": True}, True),
        ("a", {"enum": ["a", "b"]}, "a"),
        ('{"a": 1}', {}, {"a": 1}),
        ("3", {}, "3"),
    ],
)
def test_a_value_becomes_what_its_schema_says(text: str, schema: JsonObject, value: JsonValue) -> None:
    """S1-10, S1-21, W-30: a tool that wants a number was sent texts."""
    assert typed(text, schema) == value
    assert type(typed(text, schema)) is type(value)


@pytest.mark.parametrize(
    ("text", "schema"),
    [
        ("three", {"type": "integer"}),
        ("3.5", {"type": "integer"}),
        ("9" * 5000, {"type": "integer"}),
        ("NaN", {"type": "number"}),
        ("1e999", {"type": "number"}),
        ("yes", {"type": "boolean"}),
        ("[1", {"type": "array"}),
        ("{}", {"type": "array"}),
        ("[" * 100_000, {"type": "array"}),
        ("[" * 100_000, {}),
        ("[]", {"type": "object"}),
        ("x", {"type": "null"}),
        ("x", {"$ref": "#/$defs/missing"}),
        ("x", {"type": "no type at all"}),
    ],
)
def test_a_value_that_cannot_be_read_stays_a_text(text: str, schema: JsonObject) -> None:
    """Checking the arguments then says what is wrong, instead of a guess being sent."""
    assert typed(text, schema) == text


def test_references_within_the_schema_are_followed_but_not_for_ever() -> None:
    """A caller's own tool may have definitions, and they may go in circles."""
    schema: JsonObject = {
        "type": "object",
        "properties": {"n": {"$ref": "#/$defs/count"}, "loop": {"$ref": "#/$defs/loop"}},
        "$defs": {"count": {"type": "integer"}, "loop": {"$ref": "#/$defs/loop"}},
    }
    assert typed_arguments({"n": "3", "loop": "3"}, schema) == {"n": 3, "loop": "3"}


def test_keys_that_the_schema_does_not_name_are_read_as_its_further_properties() -> None:
    """A map of numbers is a common argument."""
    schema: JsonObject = {"type": "object", "additionalProperties": {"type": "integer"}}
    assert typed_arguments({"a": "1"}, schema) == {"a": 1}
    assert typed_arguments({"a": "1"}, {"type": "object"}) == {"a": "1"}
