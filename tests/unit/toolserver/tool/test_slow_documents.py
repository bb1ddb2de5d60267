"""How much work a document can be, and what is left of one that is too much."""

import time

import orjson
import pytest

from tests.support.documents.circles import Property, circles, ref
from toolserver.json_types import JsonObject, dump_json
from toolserver.openapi.document import DocumentLimits, parse_document
from toolserver.operation.operation import read_operations
from toolserver.tool.argument_schemas import Budget
from toolserver.tool.compile import DocumentTools
from toolserver.tool.definition import Definitions

pytestmark = pytest.mark.slow


def tools_of(document: JsonObject, **limits: int) -> DocumentTools:
    return DocumentTools(
        parse_document(dump_json(document), limits=DocumentLimits(**limits)), source_url=None
    )


def seconds_for(document: JsonObject, **limits: int) -> float:
    """Processor seconds for all schemas of a document."""
    started = time.process_time()
    tools = tools_of(document, **limits)
    for operation in tools.compiled.operations:
        tools.schema_of(operation.key)
    return time.process_time() - started


@pytest.mark.parametrize(
    ("schemas", "operations"), [pytest.param(60, 150, marks=pytest.mark.slow), (100, 100)]
)
def test_entries_into_one_circle_share_their_work(schemas: int, operations: int) -> None:
    """Finding O-3: 184 KB held the compiler for a minute, for one list of tools."""
    tools = tools_of(circles(schemas, operations), max_schema_steps=500_000)
    told = [tools.schema_of(operation.key) for operation in tools.compiled.operations]
    assert [schema.warnings for schema in told if "steps" in str(schema.warnings)] == []


WAYS: dict[str, Property] = {
    "an array": lambda _, other: {"type": "array", "items": ref(other)},
    "a map": lambda _, other: {"type": "object", "additionalProperties": ref(other)},
    "an alternative": lambda _, other: {"anyOf": [ref(other), {"type": "string"}]},
    "an extension": lambda one, other: {"allOf": [ref(other), {"properties": {f"x{one}": {}}}]},
    "a description": lambda one, other: {"allOf": [ref(other)], "description": f"{one} to {other}"},
    "five at once": lambda _, other: {"allOf": [ref((other + step) % 40) for step in range(5)]},
    "all at once": lambda _, other: {"allOf": [ref((other + step) % 40) for step in range(40)]},
    "a tuple": lambda _, other: {"type": "array", "prefixItems": [ref((other + n) % 40) for n in range(10)]},
}


@pytest.mark.parametrize("way", WAYS)
def test_no_way_into_a_circle_costs_more_than_the_limit_of_a_document(way: str) -> None:
    """Finding O-3: what is not shared is limited; some of these took minutes, and one did not end.

    Each takes less than a second.
    """
    assert seconds_for(circles(40, 20, WAYS[way]), max_schema_steps=200_000) < 6


def test_a_schema_beyond_its_steps_tells_the_types_of_its_arguments_and_why() -> None:
    """Finding O-3: a tool that is too much work is still a tool, and its warning names the schemas."""
    document = parse_document(dump_json(circles(12, 1)))
    (operation,) = read_operations(document).operations
    schema = Definitions(document, budget=Budget(steps=500)).build_schema(operation)
    properties = orjson.loads(schema.schema_json)["properties"]
    assert properties["p11"] == {"type": "object", "properties": {}}
    assert schema.warnings[0].startswith("Its schema ('S0', 'S1', 'S2',")
    assert (
        "takes more than 500 steps to describe. Only the types of its arguments are told."
        in schema.warnings[0]
    )


def test_a_document_beyond_its_steps_is_told_by_types_from_then_on() -> None:
    """Finding O-3: ten thousand schemas of a second each would be hours."""
    tools = tools_of(circles(12, 12, title="Filters"), max_schema_steps=1_000)
    schemas = [tools.schema_of(operation.key) for operation in tools.compiled.operations]
    assert len(schemas[0].schema_json) > 3 * len(schemas[-1].schema_json)
    assert schemas[-1].warnings[0] == (
        "The schemas of 'Filters' take more than 1,000 steps together. "
        "Only the types of its arguments are told."
    )


def test_even_the_types_of_arguments_are_limited() -> None:
    """Finding O-3: an argument that merges thousands of properties takes any value, others keep a type."""
    document = circles(60, 1, lambda _, other: {"allOf": [ref((other + n) % 60) for n in range(60)]})
    schema = tools_of(document, max_schema_steps=-1).schema_of("POST /0")
    forms = [*orjson.loads(schema.schema_json)["properties"].values()]
    assert len(forms) == 60
    assert all("anyOf" in form or form["type"] == "object" for form in forms)
    assert "anyOf" in forms[-1]


def test_what_a_user_accepts_does_not_depend_on_the_limits() -> None:
    """Finding O-3: a replica that is told less of a tool offers the same operation (ruling 19)."""
    few, many = (tools_of(circles(12, 3), max_schema_steps=steps) for steps in (-1, 10_000_000))
    assert few.schema_of("POST /0") != many.schema_of("POST /0")
    assert few.compiled == many.compiled


def test_the_order_of_requests_changes_nothing_within_the_limits() -> None:
    """Finding O-3: shared work must not change what is told."""
    document = circles(10, 10)
    forward, backward = tools_of(document), tools_of(document)
    keys = [operation.key for operation in forward.compiled.operations]
    told = {key: forward.schema_of(key) for key in keys}
    assert {key: backward.schema_of(key) for key in reversed(keys)} == told
