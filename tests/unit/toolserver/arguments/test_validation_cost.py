"""What is wrong with many arguments is told in a moment, whoever wrote them and the schema.

60 KB of arguments and a schema of 5 KB kept everybody waiting for 80 s, and took 1.6 GiB.
"""

import json
from time import process_time
from typing import Any

import pytest

from toolserver.arguments.arguments import ArgumentValidator
from toolserver.arguments.validation_cost import TEXT_CHARS, count_alternatives, count_values
from toolserver.errors import ArgumentError
from toolserver.json_types import JsonObject, JsonValue

MAX_S = 5.0
"""CPU seconds of a busy machine; each of these takes some hundredths of a second on an idle one."""

INTEGER: JsonObject = {"type": "integer"}
ITEMS: JsonObject = {"type": "array", "items": INTEGER}


def alternatives(count: int) -> JsonObject:
    """Lists of objects that each need another key."""
    named = [f"key_{number}" for number in range(count)]
    items: list[Any] = [
        {"type": "object", "properties": {name: {"type": "string"}}, "required": [name]} for name in named
    ]
    return {"anyOf": [{"type": "array", "items": each} for each in items]}


def refusal(node: JsonObject, value: Any) -> str:
    """What is said of a value that does not fit, in time."""
    schema = {"type": "object", "properties": {"a": node}, "required": ["a"]}
    validator, began = ArgumentValidator(json.dumps(schema).encode()), process_time()
    with pytest.raises(ArgumentError) as refused:
        validator.validate_arguments({"a": value})
    assert process_time() - began < MAX_S
    return refused.value.message


@pytest.mark.parametrize(
    ("node", "value", "said"),
    [
        (alternatives(50), [1] * 20_000, "`a[0]` must be object, not 1"),
        (alternatives(190), [1] * 340_000, "too many values for a tool with 190 alternatives"),
        (ITEMS, ["x"] * 250_000, '`a[4]` must be integer, not "x". There are more problems.'),
        ({"type": "array", "items": ITEMS}, [["x"] * 500] * 500, '`a[0][4]` must be integer, not "x"'),
        (ITEMS, [1] * 250_000 + ["x"], "have too many values to say where"),
        ({**ITEMS, "minItems": 250_001}, [1] * 250_000, "have too many values to say where"),
        ({"anyOf": [{"type": "array", "maxItems": n} for n in range(190)]}, "x" * 1_000_000, "to say where"),
    ],
)
def test_what_is_wrong_with_many_values_is_told_at_once(node: JsonObject, value: Any, said: str) -> None:
    """The validator collects every error of every alternative before the first one can be read."""
    assert said in refusal(node, value)


def test_one_wrong_value_is_told_whatever_else_a_tool_takes() -> None:
    """A tool of 200 alternatives took 46 values at most: of a call with more nothing was said at all."""
    properties: dict[str, Any] = {f"a{number}": alternatives(40) for number in range(5)}
    schema = {"type": "object", "properties": {**properties, "items": ITEMS, "depth": INTEGER}}
    validator = ArgumentValidator(json.dumps(schema).encode())
    items: JsonObject = {"items": list[JsonValue](range(60))}
    with pytest.raises(ArgumentError) as refused:
        validator.validate_arguments({**items, "depth": "deep"})
    assert refused.value.message == '`depth` must be integer, not "deep".'
    with pytest.raises(ArgumentError) as refused:
        validator.validate_arguments({**items, "a1": list[JsonValue]([1] * 1000)})
    assert refused.value.argument == "a1"


def test_many_values_that_fit_are_sent() -> None:
    """The bounds are for what is wrong, and for what no real document comes near."""
    for node in (ITEMS, {"anyOf": [ITEMS, {"type": "null"}]}):
        validator = ArgumentValidator(json.dumps({"type": "object", "properties": {"a": node}}).encode())
        arguments: JsonObject = {"a": list[JsonValue]([1] * 500_000)}
        assert validator.validate_arguments(arguments) is arguments


def test_a_long_text_is_not_read_anew_for_every_alternative() -> None:
    """Each reading of a mebibyte takes a third of a second, and there may be hundreds of alternatives."""
    branches: list[Any] = [
        {"type": "object", "properties": {"list": ITEMS, "kind": {"enum": [n]}}, "required": ["kind"]}
        for n in range(90)
    ]
    value = {"list": json.dumps([1] * 300_000), "kind": "other"}
    assert "to say where" in refusal({"anyOf": branches}, value)


def test_values_and_alternatives_are_counted() -> None:
    """A key, a long text and a list of values that is compared one by one are work, too."""
    assert count_values({"a": [1, {"b": None}], "c": "x" * TEXT_CHARS}, 100) == 7
    assert count_values(list[JsonValue]([1] * 1000), 50) > 50
    assert count_alternatives({"properties": {"a": {"anyOf": [INTEGER, ITEMS]}}}) == 2
    texts, mixed = list[JsonValue](["a"] * 80), list[JsonValue](["a", *range(79)])
    assert count_alternatives({"items": {"enum": texts}}) == 0
    assert count_alternatives({"items": {"enum": mixed}}) == 10
