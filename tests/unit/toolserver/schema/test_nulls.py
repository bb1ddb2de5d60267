"""Nulls in arguments: those that mean "left out" go, at any depth, and those that are meant stay."""

from collections.abc import Callable, Iterator
from itertools import combinations, product

import jsonschema_rs
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.models.agent.toolbox import BridgeTool
from bridge.models.agent.tools.arguments import engine_arguments
from tests.support.documents.any_schema import NAMES, SCHEMAS
from tests.support.documents.schemas import flat
from tests.support.documents.spoken_arguments import sayings
from tests.support.examples import examples
from toolserver.arguments.arguments import ArgumentValidator
from toolserver.json_types import JsonObject, JsonValue, dump_json
from toolserver.schema.nulls import takes_null, without_added_nulls
from toolserver.schema.strict import strict_schema


def tool_schema(properties: JsonObject, *required: str) -> JsonObject:
    flattened = {name: flat(schema) for name, schema in properties.items()}
    return {"type": "object", "properties": {**flattened}, "required": list[JsonValue](required)}


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


TEXT: JsonObject = {"type": "string"}
OPEN: JsonObject = {"type": "object", "properties": {"x": TEXT}}
MAYBE: JsonObject = {"type": ["string", "null"]}
SET: JsonObject = {"type": "object", "properties": {"x": MAYBE}, "required": ["x"]}
UNSAID: JsonObject = {"x": None}
EMPTY: JsonObject = {}
BOTH: JsonObject = {"type": "object", "properties": {"x": MAYBE}}
MAP: JsonObject = {"type": "object", "additionalProperties": OPEN}


@pytest.mark.parametrize(
    ("schema", "value", "cleaned"),
    [
        pytest.param(
            {"type": "object", "additionalProperties": OPEN}, {"k": {"x": None}}, {"k": {}}, id="map"
        ),
        pytest.param(
            {"type": "object", "patternProperties": {"^k": OPEN}}, {"k": {"x": None}}, {"k": {}}, id="pattern"
        ),
        pytest.param(
            {"type": "object", "properties": {"x": TEXT}, "additionalProperties": OPEN},
            {"x": None, "k": {"x": None}},
            {"k": {}},
            id="further keys",
        ),
        pytest.param(
            {"oneOf": [TEXT, {"type": "array", "items": OPEN}]},
            [{"x": None}, {"x": "y"}],
            [{}, {"x": "y"}],
            id="array among forms",
        ),
        pytest.param(
            {"type": ["array", "string"], "items": {"type": "array", "items": OPEN}},
            [[UNSAID]],
            [[EMPTY]],
            id="arrays in arrays",
        ),
        pytest.param({"oneOf": [OPEN, {"type": "null"}]}, {"x": None}, {}, id="nullable object"),
        pytest.param(
            {"type": "array", "items": {"type": ["string", "null"]}}, [None], [None], id="null item"
        ),
        pytest.param(
            {"type": "object", "additionalProperties": {"type": ["string", "null"]}},
            {"k": None},
            {"k": None},
            id="null in a map",
        ),
        pytest.param({"oneOf": [SET, BOTH]}, {"x": None}, {"x": None}, id="both forms take it"),
        pytest.param({"oneOf": [SET, OPEN]}, {"x": None}, {"x": None}, id="one form takes it"),
        pytest.param(
            {"properties": {"p": {"oneOf": [{"type": "string", "nullable": True}, {"type": "boolean"}]}}},
            {"p": None},
            {"p": None},
            id="an alternative takes it",
        ),
    ],
)
def test_a_null_is_read_by_every_form_that_its_object_may_have(
    schema: JsonValue, value: JsonValue, cleaned: JsonValue
) -> None:
    """Finding W-42: a null that only means "left out" reaches no API, one that is meant does."""
    assert without_added_nulls({"a": value}, tool_schema({"a": schema})) == {"a": cleaned}


def kinds(first: JsonValue, second: JsonValue) -> JsonObject:
    """Two forms with the same names, told apart by a value that both need."""
    tag_a: JsonObject = {"const": "a"}
    tag_b: JsonObject = {"const": "b"}
    a: JsonObject = {"type": "object", "properties": {"kind": tag_a, "x": first}, "required": ["kind"]}
    b: JsonObject = {"type": "object", "properties": {"kind": tag_b, "x": second}, "required": ["kind", "x"]}
    return {"oneOf": [a, b]}


def test_the_form_is_known_by_a_value_that_only_it_has() -> None:
    """Finding W-42: read by the first form that has the names, a null that `b` demands would be lost."""
    schema = tool_schema({"a": kinds(TEXT, {"type": ["string", "null"]})})
    first: JsonObject = {"a": {"kind": "a", "x": None}}
    second: JsonObject = {"a": {"kind": "b", "x": None}}
    assert without_added_nulls(first, schema) == {"a": {"kind": "a"}}
    assert without_added_nulls(second, schema) == second


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (True, True),
        (False, False),
        ({}, True),
        ({"type": "null"}, True),
        ({"enum": [1, None]}, True),
        ({"type": ["string", "null"], "enum": ["a"]}, False),
        ({"anyOf": [{"type": "string"}, {"anyOf": [{"type": "null"}]}]}, True),
        ({"type": "object", "description": "A pet. May be null."}, True),
        ({"type": "object", "description": "May be null. Or not."}, False),
    ],
)
def test_a_schema_takes_null_by_values_types_forms_or_words(schema: JsonValue, expected: bool) -> None:
    """Each of them is how some document says it."""
    assert takes_null(schema) is expected


def doors(schema: JsonObject) -> list[Callable[[JsonObject], JsonValue]]:
    """The ways by which a call with nulls goes to the page: the model loop's, and that of every caller."""
    tool = BridgeTool("t", "t", "T", {}, schema)
    validator = ArgumentValidator(dump_json(schema))
    return [
        lambda said: orjson.loads(engine_arguments(tool, dump_json(said).decode())),
        validator.without_added_nulls,
    ]


PLAIN: list[JsonObject] = [
    *({"type": name} for name in ("string", "integer", "boolean")),
    *({"type": [name, "null"]} for name in ("string", "integer")),
    {"type": "string", "nullable": True},
    {"enum": ["a", "b"]},
    {"enum": ["a", None]},
    {"const": "a"},
    {"const": None},
]
SCALARS = st.sampled_from(PLAIN)
NAMED = st.sampled_from(["kind", "x", "y"])


def as_object(properties: JsonObject, required: list[str], nullable: bool) -> JsonObject:
    schema: JsonObject = {"type": "object", "properties": properties, "required": [*required]}
    return {**schema, "nullable": True} if nullable else schema


def as_array(items: JsonObject, nullable: bool) -> JsonObject:
    return {"type": ["array", "null"] if nullable else "array", "items": items}


def as_forms(keyword: str, forms: list[JsonValue]) -> JsonObject:
    return {keyword: forms}


OBJECTS_IN_FORMS: st.SearchStrategy[JsonObject] = st.recursive(
    SCALARS,
    lambda inner: (
        st.builds(as_object, st.dictionaries(NAMED, inner, min_size=1), st.lists(NAMED), st.booleans())
        | st.builds(as_array, inner, st.booleans())
        | st.builds(as_forms, st.sampled_from(["oneOf", "anyOf"]), st.lists(inner, min_size=2, max_size=3))
    ),
    max_leaves=12,
)


def all_forms() -> Iterator[JsonObject]:
    """Objects that look alike, or nearly so."""
    inner: list[JsonValue] = [TEXT, MAYBE, OPEN, SET, {"type": "array", "items": OPEN}]
    for kind, x in product(("", "a", "b"), inner):
        properties: JsonObject = {"kind": {"const": kind}, "x": x} if kind else {"x": x}
        for required in ([], ["x"], ["kind"], ["kind", "x"]) if kind else ([], ["x"]):
            yield {"type": "object", "properties": properties, "required": [*required]}


@pytest.mark.parametrize("wrapped", ["object", "array", "either"])
def test_what_is_said_in_one_of_two_forms_is_sent_as_it_is_meant(wrapped: str) -> None:
    """Finding W-42: forms that look alike are where a null of one is read as that of another."""
    told_apart = 0
    for pair in combinations(all_forms(), 2):
        forms: JsonObject = {"oneOf": [*pair]}
        array: JsonObject = {"type": "array", "items": forms}
        either: JsonObject = {"oneOf": [array, TEXT]}
        schema = {"object": forms, "array": array, "either": either}[wrapped]
        told_apart += assert_sent_as_meant(flat(schema), required=True)
    assert told_apart > 200, "most pairs agree, or differ in a value that both need"


@pytest.mark.wide
@examples(600)
@given(schema=OBJECTS_IN_FORMS | SCHEMAS, required=st.booleans())
def test_what_a_strict_model_says_is_sent_as_it_is_meant(schema: JsonValue, required: bool) -> None:
    """Finding W-42: for whatever schema, by whichever door: nothing is erased, nothing is swallowed."""
    component: JsonObject = {"type": "object", "properties": {"p": {"type": "string"}}}
    assert_sent_as_meant(flat(schema, **dict.fromkeys(NAMES, component)), required=required)


def assert_sent_as_meant(node: JsonObject, *, required: bool) -> bool:
    """Returns whether the schema is strict; one that is not is sent as it is, and null means what it says."""
    tool: JsonObject = {"type": "object", "properties": {"a": node}, "required": ["a"] if required else []}
    made = strict_schema(dump_json(tool))
    if not made.is_strict:
        return False
    sayable = jsonschema_rs.validator_for(orjson.loads(made.schema_json))
    ways = doors(tool)
    for said, meant in sayings(tool):
        assert isinstance(said, dict)
        assert sayable.is_valid(said), "a strict model can say it"
        for send in ways:
            assert send(said) == meant
    return True
