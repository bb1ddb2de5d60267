"""What a document allows, the arguments of its tool are allowed to be."""

from typing import cast

import jsonschema_rs
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.documents.schemas import flat_with_warnings
from tests.support.examples import examples
from toolserver.arguments.arguments import ArgumentValidator
from toolserver.errors import ArgumentError
from toolserver.json_types import JsonObject, JsonValue

NAMES = st.sampled_from(["p", "q", "x-a"])
REFS = st.sampled_from([{"$ref": "#/components/schemas/A"}, {"$ref": "#/components/schemas/B"}])
VALUES = st.recursive(
    st.sampled_from(["a", "b", "", "xyz", 0, 1, 3, -1, 1.5, True, False, None]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=6,
)
TEXTS = st.fixed_dictionaries(
    {"type": st.sampled_from(["string", ["string", "null"]])},
    optional={
        "enum": st.just(["a", "b", None]),
        "minLength": st.just(1),
        "maxLength": st.just(2),
        "pattern": st.sampled_from(["^[ax]", "(?!a)"]),
        "not": st.just({"const": "b"}),
    },
)
NUMBERS = st.fixed_dictionaries(
    {"type": st.sampled_from(["integer", "number", ["integer", "null"]])},
    optional={"minimum": st.just(1), "exclusiveMaximum": st.just(3), "multipleOf": st.just(2)},
)
OTHERS = st.sampled_from(
    [{"type": "boolean"}, {"type": "null"}, {"const": "a"}, {"enum": [1, "a", {"p": 1}]}, True, False, {}]
)


def objects(inner: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    optional = {
        "properties": st.dictionaries(NAMES, inner, max_size=3),
        "required": st.lists(NAMES, max_size=2, unique=True),
        "additionalProperties": inner,
        "patternProperties": st.dictionaries(st.sampled_from(["^x-", "(?!x)"]), inner, max_size=2),
        "propertyNames": st.sampled_from([{"pattern": "^[px]"}, {"enum": ["p", "q"]}, {"maxLength": 1}]),
        "dependentRequired": st.dictionaries(NAMES, st.lists(NAMES, max_size=1), max_size=1),
        "dependentSchemas": st.dictionaries(NAMES, inner, max_size=1),
        "unevaluatedProperties": inner,
        "minProperties": st.just(1),
        "maxProperties": st.just(2),
        "if": inner,
        "then": inner,
        "not": inner,
    }
    return st.fixed_dictionaries({"type": st.just("object")}, optional=optional)


def arrays(inner: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    optional = {
        "items": inner,
        "prefixItems": st.lists(inner, min_size=1, max_size=2),
        "unevaluatedItems": inner,
        "contains": inner,
        "uniqueItems": st.just(value=True),
        "maxItems": st.just(2),
    }
    return st.fixed_dictionaries({"type": st.just("array")}, optional=optional)


def composed(inner: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    parts = st.lists(inner, min_size=1, max_size=3)
    alone = st.fixed_dictionaries({"anyOf": parts}) | st.fixed_dictionaries({"oneOf": parts})
    closed = {"unevaluatedProperties": st.just(value=False), "oneOf": parts}
    shared = {
        "anyOf": parts,
        "type": st.just("object"),
        "properties": st.dictionaries(NAMES, inner, max_size=2),
    }
    return (
        alone
        | st.fixed_dictionaries({"anyOf": parts}, optional=closed)
        | st.fixed_dictionaries(shared, optional=closed)
    )


SCHEMAS = st.recursive(
    TEXTS | NUMBERS | OTHERS | REFS,
    lambda inner: objects(inner) | arrays(inner) | composed(inner),
    max_leaves=8,
)


@pytest.mark.wide
@examples(300)
@given(schema=SCHEMAS, first=SCHEMAS, second=SCHEMAS, values=st.lists(VALUES, min_size=8, max_size=12))
def test_no_value_is_refused_that_the_document_allows(
    schema: JsonValue, first: JsonValue, second: JsonValue, values: list[JsonValue]
) -> None:
    """A refused call that the API would have taken is a tool that does not work."""
    schemas: JsonObject = {"A": first, "B": second}
    written: JsonObject = {"components": {"schemas": schemas}, "allOf": [schema]}
    try:
        original = jsonschema_rs.Draft202012Validator(written, offline=True)
        allowed = [value for value in values if original.is_valid(value)]
    except (jsonschema_rs.ValidationError, ValueError):
        return  # such as a reference that only leads to itself
    flat, _ = flat_with_warnings(schema, schemas)
    arguments: JsonObject = {"type": "object", "properties": {"a": cast(JsonValue, flat)}}
    validator = ArgumentValidator(orjson.dumps(arguments))
    for value in allowed:
        try:
            validator.validate_arguments({"a": value})
        except ArgumentError as error:
            raise AssertionError(f"{schema} allows {value}, and the tool says: {error}") from error
