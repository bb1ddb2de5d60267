"""Values that came as the text of their JSON."""

import json
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.documents.schemas import flat
from toolserver.arguments.arguments import ArgumentValidator
from toolserver.arguments.encoded_values import MAX_VALUES
from toolserver.errors import ArgumentError
from toolserver.json_types import JsonObject, JsonValue, array_at, dump_json, object_at


def validator(schema: JsonValue, **more: JsonValue) -> ArgumentValidator:
    """A validator for arguments `a`, and more, as tools are advertised."""
    schemas = {"a": schema, **more}
    properties: JsonObject = {name: flat(each) for name, each in schemas.items()}
    return ArgumentValidator(dump_json({"type": "object", "properties": properties}))


def sent(schema: JsonValue, value: JsonValue) -> JsonValue:
    return validator(schema).validate_arguments({"a": value})["a"]


TEXTS: JsonObject = {"type": "array", "items": {"type": "string"}}
DEEP: JsonObject = {"type": "object", "properties": {"deep": {"type": "boolean"}, "tags": TEXTS}}
INTEGERS: JsonObject = {"type": "array", "items": {"type": "integer"}}
FORMS: JsonObject = {
    "oneOf": [
        {
            "type": "object",
            "required": ["kind", "sizes"],
            "properties": {
                "kind": {"const": "many"},
                "sizes": INTEGERS,
            },
        },
        {
            "type": "object",
            "required": ["kind", "size"],
            "properties": {"kind": {"const": "one"}, "size": {"type": "integer"}},
        },
    ]
}

DECODED: list[tuple[JsonValue, JsonValue, JsonValue]] = [
    (TEXTS, '["a","b"]', ["a", "b"]),
    (DEEP, '{"deep": true}', {"deep": True}),
    (DEEP, {"tags": "[]"}, {"tags": []}),
    ({"type": "array", "items": DEEP}, ['{"tags": []}', {"deep": "false"}], [{"tags": []}, {"deep": False}]),
    ({"type": "object", "additionalProperties": TEXTS}, {"x": '["1"]'}, {"x": ["1"]}),
    ({"type": "object", "patternProperties": {"^x-": TEXTS}}, {"x-y": '["1"]'}, {"x-y": ["1"]}),
    ({"anyOf": [TEXTS, {"type": "integer"}]}, " [] ", []),
    ({"anyOf": [TEXTS, {"type": "integer"}]}, "7", 7),
    ({"type": ["array", "null"], "items": {"type": "integer"}}, "null", None),
    ({"type": "integer"}, "12345678901234567890123", 12345678901234567890123),
    (INTEGERS, "[9007199254740993]", [9007199254740993]),
    ({"type": "number"}, "1.5", 1.5),
    ({"type": "boolean"}, "true", True),
    ({"enum": [1, 2]}, "2", 2),
    ({"anyOf": [{"type": "boolean"}, {"type": "string", "enum": [""]}]}, "true", True),
    ({}, "[1]", "[1]"),
    (FORMS, '{"kind": "one", "size": 3}', {"kind": "one", "size": 3}),
    (FORMS, {"kind": "many", "sizes": "[1,2]"}, {"kind": "many", "sizes": [1, 2]}),
    ({"type": "array", "items": FORMS}, [{"kind": "one", "size": "3"}], [{"kind": "one", "size": 3}]),
]


@pytest.mark.parametrize(("schema", "value", "decoded"), DECODED)
def test_a_text_is_the_value_whose_json_it_is(
    schema: JsonValue, value: JsonValue, decoded: JsonValue
) -> None:
    """Finding W-8: a client that encodes once too often cannot be mended by its model, at any depth."""
    assert dump_json(sent(schema, value)) == dump_json(decoded)


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        ({"type": "string"}, "[1]"),
        ({"type": ["string", "integer"]}, "7"),
        ({"anyOf": [TEXTS, {"type": "string"}]}, '["a"]'),
        ({"anyOf": [{"type": "integer"}, {"enum": ["7", "8"]}]}, "7"),
        ({"type": "string", "format": "binary"}, "[1]"),
    ],
)
def test_where_a_text_is_allowed_it_stays_one(schema: JsonValue, text: str) -> None:
    """Finding W-8: a note that says `[1]` is a note."""
    arguments: JsonObject = {"a": text}
    assert validator(schema).validate_arguments(arguments) is arguments


@pytest.mark.parametrize(
    ("schema", "text", "message"),
    [
        ({"type": "integer"}, "08", '`a` must be integer, not "08".'),
        ({"type": "integer"}, "[8]", '`a` must be integer, not "[8]".'),
        ({"type": "integer"}, '"8"', '`a` must be integer, not "\\"8\\"".'),
        (TEXTS, "[1]", '`a` must be array, not "[1]".'),
        (TEXTS, '["a"', '`a` must be array, not "[\\"a\\"".'),
        (TEXTS, '"[]"', '`a` must be array, not "\\"[]\\"".'),
        (DEEP, '{"tags": "[]"}', '`a` must be object, not "{\\"tags\\": \\"[]\\"}".'),
        ({"type": "number"}, "NaN", '`a` must be number, not "NaN".'),
        ({"type": "integer"}, "", '`a` must be integer, not "".'),
        ({"type": "boolean"}, "True", '`a` must be boolean, not "True".'),
    ],
)
def test_what_is_no_allowed_value_is_refused_in_the_words_it_came_in(
    schema: JsonValue, text: str, message: str
) -> None:
    """Finding W-8: a text is read once; whoever wrote it finds it in the error."""
    with pytest.raises(ArgumentError) as caught:
        validator(schema).validate_arguments({"a": text})
    assert caught.value.message == message


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"deep": true, "tags": null}', {"deep": True}),
        ('{"deep": null, "tags": null}', {}),
        ('{"other": null}', {"other": None}),
    ],
)
def test_a_null_for_what_is_left_out_is_left_out_of_encoded_objects_too(text: str, value: JsonValue) -> None:
    """Finding W-8: what models write for optional properties made such a call fail where it was encoded."""
    assert sent(DEEP, text) == value
    assert sent({"type": "array", "items": DEEP}, f"[{text}]") == [value]
    assert sent({"type": "array", "items": DEEP}, [text]) == [value]


def test_a_null_that_is_meant_stays_in_an_encoded_object() -> None:
    """Finding W-8: where the schema takes null it is a value; where something is needed it is a mistake."""
    pair: JsonObject = {
        "type": "object",
        "required": ["b"],
        "properties": {"a": {"type": ["string", "null"]}, "b": {"type": "integer"}},
    }
    assert sent(pair, '{"a": null, "b": 1}') == {"a": None, "b": 1}
    with pytest.raises(ArgumentError):
        sent(pair, '{"a": "x", "b": null}')


def test_an_error_names_only_what_is_left() -> None:
    """Finding W-8: the model need not repair what was understood."""
    with pytest.raises(ArgumentError) as caught:
        validator(TEXTS, n={"type": "integer"}).validate_arguments({"a": "[]", "n": "x"})
    assert caught.value.message == '`n` must be integer, not "x".'


def test_where_two_readings_differ_neither_is_taken() -> None:
    """Finding W-8: one of them is not what was meant, and the call may change something."""
    small: JsonObject = {"type": "number", "maximum": 9}
    forms: JsonObject = {
        "anyOf": [
            {"type": "object", "properties": {"a": TEXTS, "n": {"type": "integer"}}},
            {"type": "object", "properties": {"a": {"type": "string"}, "n": small}},
        ]
    }
    with pytest.raises(ArgumentError):
        sent(forms, {"a": "[]", "n": "7"})
    assert sent(forms, {"a": "[]", "n": "10"}) == {"a": [], "n": 10}


def test_hostile_texts_are_refused_and_hold_up_nobody() -> None:
    """Finding W-8: depth, numbers without end and more values than anybody means."""
    for text in ("[" * 100_000, "[" * 900 + "]" * 900, "9" * 5000, "[1e999]", '"\\ud800"'):
        with pytest.raises(ArgumentError):
            sent(TEXTS, text)
    many = list[JsonValue](["1"] * (MAX_VALUES + 1))
    with pytest.raises(ArgumentError):
        sent({"type": "array", "items": {"type": "integer"}}, many)


def scalar_schemas() -> st.SearchStrategy[JsonObject]:
    return st.sampled_from(("integer", "number", "boolean", "null")).map(lambda name: {"type": name})


def listed_schemas() -> st.SearchStrategy[JsonObject]:
    return st.lists(st.integers(-9, 9), min_size=1, unique=True).map(lambda values: {"enum": [*values]})


def with_inner(inner: st.SearchStrategy[JsonObject]) -> st.SearchStrategy[JsonObject]:
    """Schemas of lists, maps, objects and unions of others."""

    def of_list(schema: JsonObject) -> JsonObject:
        return {"type": "array", "items": schema}

    def of_map(schema: JsonObject) -> JsonObject:
        return {"type": "object", "additionalProperties": schema}

    def of_object(schemas: dict[str, JsonObject]) -> JsonObject:
        return {"type": "object", "properties": {**schemas}}

    def of_union(schemas: list[JsonObject]) -> JsonObject:
        return {"anyOf": [*schemas]}

    named = st.dictionaries(st.sampled_from("xyz"), inner, min_size=1)
    several = st.lists(inner, min_size=1, max_size=3)
    return inner.map(of_list) | inner.map(of_map) | named.map(of_object) | several.map(of_union)


PLAIN = st.recursive(scalar_schemas() | listed_schemas(), with_inner, max_leaves=8)
"""Schemas that allow no text anywhere."""

SCALARS: dict[str, st.SearchStrategy[Any]] = {
    "integer": st.integers(-(2**80), 2**80),
    "number": st.floats(allow_nan=False, allow_infinity=False),
    "boolean": st.booleans(),
    "null": st.none(),
}


def allowed(schema: JsonObject) -> st.SearchStrategy[Any]:
    """Values that a plain schema allows."""
    if "anyOf" in schema:
        return st.one_of([allowed(cast(JsonObject, each)) for each in array_at(schema, "anyOf")])
    if "enum" in schema:
        return st.sampled_from(array_at(schema, "enum"))
    if schema["type"] == "array":
        return st.lists(allowed(object_at(schema, "items")), max_size=4)
    if schema["type"] != "object":
        return SCALARS[str(schema["type"])]
    if "properties" not in schema:
        of_keys = allowed(object_at(schema, "additionalProperties"))
        return st.dictionaries(st.text(max_size=3), of_keys, max_size=3)
    properties = object_at(schema, "properties")
    optional = {name: allowed(object_at(properties, name)) for name in properties}
    return st.fixed_dictionaries({}, optional=optional)


@given(st.data())
def test_the_json_of_any_allowed_value_is_sent_as_that_value(data: st.DataObject) -> None:
    """Finding W-8: for every schema without texts, at the top and within a list and a map."""
    schema = data.draw(PLAIN)
    value = data.draw(allowed(schema))
    text = json.dumps(value)
    places: list[tuple[JsonObject, JsonValue, JsonValue]] = [
        (schema, text, value),
        ({"type": "array", "items": schema}, [text], [value]),
        ({"type": "object", "additionalProperties": schema}, {"k": text}, {"k": value}),
    ]
    for kind, encoded, meant in places:
        assert dump_json(sent(kind, encoded)) == dump_json(sent(kind, meant)) == dump_json(meant)


@given(st.data())
def test_with_a_text_among_what_is_allowed_nothing_changes(data: st.DataObject) -> None:
    """Finding W-8: for every schema that also takes a text."""
    schema = data.draw(PLAIN)
    text = json.dumps(data.draw(allowed(schema)))
    arguments: JsonObject = {"a": text}
    assert validator({"anyOf": [schema, {"type": "string"}]}).validate_arguments(arguments) is arguments
