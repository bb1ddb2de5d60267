"""Whatever stands in a document, a tool's schema is valid, finite and free of references."""

import json
from typing import cast

import jsonschema_rs
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.schemas import flat_with_warnings
from toolserver.argument_schemas import Budget
from toolserver.json_types import JsonObject, JsonValue, dump_json

DIALECT = "https://json-schema.org/draft/2020-12/schema"


SINGLE = ("items", "additionalProperties", "propertyNames", "anyOf")


def below(schema: JsonObject) -> list[JsonValue]:
    named = [*cast(JsonObject, schema.get("properties", {})).values()]
    named += [*cast(JsonObject, schema.get("patternProperties", {})).values()]
    return named + [schema[key] for key in SINGLE if key in schema]


def count_nodes(schema: JsonValue) -> int:
    if isinstance(schema, list):
        return sum(map(count_nodes, schema))
    if not isinstance(schema, dict):
        return 0
    return 1 + sum(map(count_nodes, below(schema)))


def has_keyword(schema: JsonValue, keyword: str) -> bool:
    if isinstance(schema, list):
        return any(has_keyword(item, keyword) for item in schema)
    if not isinstance(schema, dict):
        return False
    return keyword in schema or any(has_keyword(item, keyword) for item in below(schema))


NAMES = ("A", "B", "C")
REFS = tuple(f"#/components/schemas/{name}" for name in NAMES)


def as_schema(drawn: object) -> JsonObject:
    return cast(JsonObject, drawn)


def both_of(plain: JsonObject, more: object) -> JsonObject:
    return plain | as_schema(more)


PLAIN = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(
            ["string", "integer", "object", "array", "null", "any", ["string", "null"], ["object", "array"]]
        ),
        "nullable": st.booleans(),
        "enum": st.lists(st.sampled_from([1, "a", None, True, 1.5, "b", {"x": 1}]), max_size=4),
        "const": st.sampled_from([1, "a", None]),
        "minimum": st.sampled_from([0, "1e3", "x", True, 2**70, 1.5]),
        "exclusiveMinimum": st.sampled_from([True, 3, "4"]),
        "maxLength": st.sampled_from([3, -1, "5", 2.0, 1.5]),
        "pattern": st.sampled_from(["^a", "(", 3]),
        "required": st.sampled_from([["p"], ["p", "p", 1], True, None]),
        "readOnly": st.booleans(),
        "default": st.sampled_from([None, "x", 2**70, [1]]),
        "description": st.text(max_size=5),
        "format": st.sampled_from(["int32", "date", 4]),
        "$ref": st.sampled_from([*REFS, "#/nowhere", "x.yaml#/y"]),
        "$dynamicRef": st.sampled_from([REFS[1], "#node", 1]),
        "$dynamicAnchor": st.just("node"),
    },
)  # fmt: skip
SCHEMAS = st.recursive(
    PLAIN.map(as_schema) | st.booleans() | st.sampled_from(["text", 1, None]),
    lambda inner: st.builds(
        both_of,
        PLAIN.map(as_schema),
        st.fixed_dictionaries(
            {},
            optional={
                "properties": st.dictionaries(st.sampled_from(["p", "q", "$ref", ""]), inner, max_size=3),
                "patternProperties": st.dictionaries(st.sampled_from(["^p", "q"]), inner, max_size=2),
                "additionalProperties": inner,
                "unevaluatedProperties": inner,
                "propertyNames": inner,
                "dependentRequired": st.sampled_from([{"p": ["q"]}, {"q": []}, {"p": True}, True]),
                "discriminator": st.sampled_from([{"propertyName": "p", "mapping": {"m": REFS[0]}}, {}, "p"]),
                "not": inner,
                "if": inner,
                "then": inner,
                "contains": inner,
                "dependentSchemas": st.dictionaries(st.sampled_from(["p"]), inner, max_size=1),
                "items": inner | st.lists(inner, max_size=2),
                "prefixItems": st.lists(inner, max_size=2),
                "anyOf": st.lists(inner, max_size=3),
                "oneOf": st.lists(inner, max_size=3),
                "allOf": st.lists(inner, max_size=3),
            },
        ),
    ),
    max_leaves=12,
)


@settings(max_examples=150)
@given(schema=SCHEMAS, schemas=st.fixed_dictionaries(dict.fromkeys(NAMES, SCHEMAS)))
def test_any_schema_becomes_a_valid_finite_one_without_references(
    schema: JsonValue, schemas: JsonObject
) -> None:
    """Foreign documents hold every combination, circles included; none may break or bloat a tool."""
    budget = Budget(nodes=60, depth=5)
    result, _ = flat_with_warnings(schema, schemas, budget)
    assert count_nodes(result) <= 8 * budget.nodes
    assert jsonschema_rs.meta.is_valid({**result, "$schema": DIALECT})
    for keyword in ("$ref", "$dynamicRef", "allOf", "oneOf", "const", "nullable", "not", "if", "contains"):
        assert not has_keyword(result, keyword)
    jsonschema_rs.Draft202012Validator(without_patterns(result), offline=True)


def without_patterns(schema: JsonValue) -> JsonObject:
    text = dump_json(schema).replace(b'"pattern":"("', b'"pattern":"x"')
    return cast(JsonObject, json.loads(text))
