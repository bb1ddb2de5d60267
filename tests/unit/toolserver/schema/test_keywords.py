"""Plain keywords of schemas as real documents write them."""

import tracemalloc

import pytest

from toolserver.json_types import JsonObject, JsonValue
from toolserver.schema.keywords import (
    combine_keywords,
    keywords_for,
    read_keywords,
    read_number,
    read_types,
    type_of,
    unique_values,
)


@pytest.mark.parametrize(
    ("written", "types"),
    [
        ("string", ("string",)),
        (["string", "null", "string"], ("string", "null")),
        (["integer", "number"], ("number",)),
        ("String", ("string",)),
        ("file", ("string",)),
        ("any", None),
        (["wrong", 3], None),
        (None, None),
        ({}, None),
    ],
)
def test_types_are_read_leniently(written: JsonValue, types: tuple[str, ...] | None) -> None:
    """A misspelled type costs a little knowledge, not the operation."""
    assert read_types(written) == types


@pytest.mark.parametrize(
    ("written", "number"),
    [
        (3, 3),
        (2.0, 2),
        (1.5, 1.5),
        ("1e9", 1_000_000_000),
        ("1e-08", 1e-8),
        ("x", None),
        (True, None),
        (None, None),
        (float("nan"), None),
        ("inf", None),
        (2**70, 2**70),
        (1e30, 1e30),
        (10**400, None),
    ],
)
def test_bounds_are_finite_numbers(written: JsonValue, number: float | None) -> None:
    """Text in a bound made five real tools invalid; long integers are settled in writing."""
    assert read_number(written) == number
    assert type(read_number(written)) is type(number)


def test_keywords_are_kept_only_where_they_are_valid() -> None:
    """One wrong value makes a whole schema invalid."""
    written: JsonObject = {
        "title": "T\u200b",
        "minLength": -1,
        "maxLength": "7",
        "pattern": 5,
        "multipleOf": 0,
        "uniqueItems": "yes",
        "deprecated": True,
        "minimum": 1,
        "exclusiveMinimum": True,
        "exclusiveMaximum": 5,
        "default": None,
        "example": "e",
        "x-extra": 1,
    }
    assert read_keywords(written) == {
        "title": "T",
        "maxLength": 7,
        "deprecated": True,
        "exclusiveMinimum": 1,
        "exclusiveMaximum": 5,
        "default": None,
        "examples": ["e"],
    }
    assert read_keywords({"examples": ["a"], "example": "b", "title": "\u200b"}) == {"examples": ["a"]}


def test_of_two_bounds_the_tighter_holds_and_of_the_rest_the_first() -> None:
    """That is what `allOf` means for bounds; texts of the outer schema describe the place."""
    kept: JsonObject = {"minimum": 1, "maxLength": 9, "title": "outer"}
    combine_keywords(kept, {"minimum": 3, "maxLength": 12, "title": "inner", "format": "date"})
    assert kept == {"minimum": 3, "maxLength": 9, "title": "outer", "format": "date"}
    bounds: JsonObject = {"exclusiveMinimum": 0, "exclusiveMaximum": 9}
    combine_keywords(bounds, {"exclusiveMinimum": 5, "exclusiveMaximum": 7})
    assert bounds == {"exclusiveMinimum": 5, "exclusiveMaximum": 7}


def test_keywords_of_other_types_are_left_out() -> None:
    """`maxLength` beside an array would be said of the array."""
    keywords: JsonObject = {"maxLength": 3, "minimum": 1, "minItems": 2, "title": "T"}
    assert keywords_for(("array",), keywords) == {"minItems": 2, "title": "T"}
    assert keywords_for(("integer", "string"), keywords) == {"maxLength": 3, "minimum": 1, "title": "T"}


def test_true_and_one_are_different_values() -> None:
    """They are equal in Python, not in JSON."""
    assert unique_values([1, True, 1, "1", True]) == [1, True, "1"]
    assert [type(value) for value in unique_values([1, True])] == [int, bool]


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (None, "null"),
        (True, "boolean"),
        (1, "integer"),
        (1.0, "integer"),
        (1.5, "number"),
        ("", "string"),
        ([], "array"),
        ({}, "object"),
    ],
)
def test_values_have_the_types_of_json_schema(value: JsonValue, name: str) -> None:
    """1.0 is an integer there."""
    assert type_of(value) == name


def test_many_values_take_little_memory() -> None:
    """Each text written by orjson holds 4 KiB until it is copied: a document of 19 MB took 4 GiB."""
    values: list[JsonValue] = list(range(20_000))
    tracemalloc.start()
    unique_values(values)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 200 * len(values)


def test_a_default_that_is_no_json_value_is_left_out() -> None:
    """YAML has `.nan`; written as JSON it would tell the model that the default is null."""
    assert read_keywords({"default": float("nan"), "example": float("inf")}) == {}
