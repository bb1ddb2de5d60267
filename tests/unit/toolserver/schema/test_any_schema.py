"""Whatever stands in a document, a tool's schema is valid, finite and free of references."""

import json
from typing import cast

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.documents.any_schema import NAMES, SCHEMAS
from tests.support.documents.schemas import flat_with_warnings
from tests.support.examples import examples
from toolserver.json_types import JsonObject, JsonValue, dump_json
from toolserver.tool.argument_schemas import Budget

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


@pytest.mark.wide
@examples(150)
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
