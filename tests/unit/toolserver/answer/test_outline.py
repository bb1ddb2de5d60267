"""The outline of a long answer: what a model must know to ask for the rest."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolserver.answer.exact_values import read_exact
from toolserver.answer.outline import OUTLINE_BYTES, outline_of

_ORDERS = """{"orders": [
  {"id": "o-1", "total": 10.50, "items": [{"product": 3}], "note": null},
  {"id": "o-2", "total": 9007199254740993, "items": [{"product": 4}, {"product": 5}]}
], "next": "/orders?page=2"}"""


def _outline(value: Any, **facts: bool) -> dict[str, Any]:
    outline: dict[str, Any] = json.loads(outline_of(value, **facts))
    return outline


def test_an_outline_tells_keys_types_and_counts() -> None:
    """A model has to know what it can ask for: `?` marks keys that not every item has."""
    assert _outline(read_exact(_ORDERS))["shape"] == (
        "{orders: [2 of {id: string, total: number | integer, items: [1 to 2 of {product: integer}], "
        "note?: null}], next: string}"
    )


def test_the_first_items_stand_under_the_query_that_selects_them() -> None:
    """They show values, such as the form of dates, and how to write a query."""
    first = _outline(read_exact(_ORDERS))["first"]
    assert first == {"orders[0]": {"id": "o-1", "total": 10.5, "items": [{"product": 3}], "note": None}}


def test_numbers_of_first_items_keep_the_text_of_the_api() -> None:
    """10.50 is a price; a model that reads 10.5 repeats another one."""
    assert b'"total":10.50' in outline_of(read_exact(_ORDERS))
    assert b'[0]":9007199254740993' in outline_of(read_exact("[9007199254740993]"))


def test_a_key_that_a_query_must_quote_is_quoted() -> None:
    """`living-room` without quotes is a subtraction to a reader, and an error to JMESPath."""
    outline = _outline({"living-room": [1, 2]})
    assert outline["shape"] == '{"living-room": [2 of integer]}'
    assert list(outline["first"]) == ['"living-room"[0]']


def test_an_answer_that_was_cut_says_so() -> None:
    """Counts are of what the page read."""
    assert _outline([1], complete=False)["complete"] is False
    assert "complete" not in _outline([1])


def _deep(levels: int) -> Any:
    value: Any = {}
    for level in range(levels):
        value = {f"level{level}": [value, value]}
    return value


_HOSTILE: list[Any] = [
    {f"{number}{'a' * 300}": [{}] for number in range(50_000)},
    {'\x00"\\' * 100 + str(number): "\x01" * 1000 for number in range(3000)},
    {"ü" * 80 + str(number): number for number in range(500)},
    [{str(number): number} for number in range(10_000)],
    [[[[]]]] * 200_000,
    _deep(30),
    "x" * 1_000_000,
    ["\ud800" * 200] * 50,
    10**3999,
    {},
    None,
]


@pytest.mark.parametrize(
    "value",
    _HOSTILE,
    ids=[
        "long keys",
        "escaped keys",
        "bytes",
        "wide",
        "many",
        "deep",
        "text",
        "surrogates",
        "digits",
        "{}",
        "null",
    ],
)
def test_no_answer_makes_an_outline_long(value: Any) -> None:
    """A conversation keeps what its model has read for ever: 36 MB were reported (facts §6)."""
    outline = outline_of(value)
    assert len(outline) <= OUTLINE_BYTES
    assert set(json.loads(outline)) <= {"shape", "first"}


_VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=60) | st.dictionaries(st.text(), inner, max_size=60),
    max_leaves=200,
)


@given(_VALUES)
def test_every_value_has_an_outline(value: Any) -> None:
    """An outline stands where the answer was, so it may never fail."""
    assert len(outline_of(value)) <= OUTLINE_BYTES
