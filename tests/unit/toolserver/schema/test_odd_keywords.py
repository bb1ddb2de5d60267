"""Keywords whose values no reader understands: left out, and told."""

import pytest

from tests.support.documents.schemas import flat_with_warnings
from toolserver.json_types import JsonValue

NO_SCHEMA = "what stands in place of its schema is none; any value is accepted"


@pytest.mark.parametrize(
    ("schema", "told"),
    [
        ({"properties": {"b": "string"}}, f"a.b: {NO_SCHEMA}"),
        ({"properties": {"b": None}}, f"a.b: {NO_SCHEMA}"),
        (
            {"properties": [{"name": "b"}]},
            "a: its `properties` is no object of schemas, so that it names none",
        ),
        ({"type": "money"}, "a: its type 'money' is unknown; left out"),
        ({"type": ["money", "coin"]}, "a: its type 'money' or 'coin' is unknown; left out"),
        ({"type": {"a": 1}}, "a: its `type` is no name of a type; left out"),
        ({"type": "string", "enum": "x"}, "a: its `enum` is no list of values; left out"),
        ({"type": "array", "items": "string"}, "a: its `items` is no schema; any item is accepted"),
        ({"anyOf": {"type": "string"}}, "a: its `anyOf` is no list of schemas; left out"),
        ({"oneOf": "x"}, "a: its `oneOf` is no list of schemas; left out"),
        ({"allOf": {"type": "string"}}, "a: its `allOf` is no list of schemas; left out"),
        (
            {"type": "object", "additionalProperties": "string"},
            "a: its `additionalProperties` is no schema; any further key is accepted",
        ),
        (
            {"type": "string", "minLength": "long", "pattern": 5},
            "a: left out, because its value is none that it can have: `minLength`, `pattern`",
        ),
        (
            {"type": "number", "maximum": "high", "multipleOf": 0},
            "a: left out, because its value is none that it can have: `maximum`, `multipleOf`",
        ),
    ],
)
def test_what_cannot_be_read_is_told_once(schema: JsonValue, told: str) -> None:
    """Finding W-33: each of them became "any value", or a weaker rule, in silence."""
    assert flat_with_warnings(schema)[1] == [told]


@pytest.mark.parametrize(
    "schema",
    [
        *({}, True, {"type": "any"}, {"type": []}, {"type": "String"}, {"type": "float"}, {"type": ["null"]}),
        {"type": "integer", "minimum": 3, "exclusiveMinimum": True, "maximum": 9, "exclusiveMaximum": False},
        {"type": "string", "minLength": "3", "pattern": None, "maxLength": None},
        {"type": "array", "uniqueItems": False, "items": {}},
        {"type": "object", "additionalProperties": False, "properties": {}},
        {"type": "object", "additionalProperties": None, "properties": None},
        {"anyOf": [], "type": "string"},
        {"type": "string", "enum": None},
    ],
)
def test_what_is_read_or_says_nothing_is_not_told(schema: JsonValue) -> None:
    """Finding W-33: spellings that are understood, and keywords without a value, lose nothing."""
    assert flat_with_warnings(schema)[1] == []


def test_a_reference_that_leads_nowhere_is_told_once() -> None:
    """Finding W-33: its loss has a sentence of its own."""
    (told,) = flat_with_warnings({"$ref": "#/components/schemas/None"})[1]
    assert "leads nowhere" in told
