"""Queries of answers: JMESPath, bounded, over numbers that keep their text."""

import pytest

from toolserver.answer.answer_query import MAX_QUERY_CHARS, QueryError, check_query, run_query
from toolserver.answer.exact_values import TooLong, read_exact

SHOP = read_exact('{"rows":[{"p":1.10,"n":"tea"},{"p":2.50,"n":"cup"},{"p":9007199254740993}],"zero":-0}')


@pytest.mark.parametrize(
    ("expression", "found"),
    [
        ("rows[].p", "[1.10,2.50,9007199254740993]"),
        ("max(rows[].p)", "9007199254740993"),
        ("sort_by(rows, &p)[0].p", "1.10"),
        ("rows[?p > `1.2`].p", "[2.50,9007199254740993]"),
        ("rows[?p == `1.1`].n", '["tea"]'),
        ("to_string(rows[0])", '"{\\"p\\":1.10,\\"n\\":\\"tea\\"}"'),
        ("to_string(rows[1].n)", '"cup"'),
        ("zero", "-0"),
        ("nothing", "null"),
        ("rows[0].{price: p, name: n}", '{"price":1.10,"name":"tea"}'),
    ],
)
def test_what_is_selected_has_the_numbers_of_the_api(expression: str, found: str) -> None:
    """Ruling 56: they are compared and sorted as numbers, and leave as they came."""
    assert run_query(expression, SHOP, 1000).decode() == found


@pytest.mark.parametrize(
    "expression",
    [
        "",
        "rows[",
        "rows.'",
        "a & b",
        "rows[?",
        "(" * 60 + "a" + ")" * 60,
        "!" * 400 + "a",
        "[*].a" * 150,
    ],
)
def test_an_expression_that_cannot_be_run_is_refused_before_it_is(expression: str) -> None:
    """Ruling 57: what would fail after the API answered fails before anything is sent."""
    with pytest.raises(QueryError):
        check_query(expression)


def test_a_text_in_quotes_opens_no_level() -> None:
    """Else a search for brackets would be refused as nested."""
    check_query("rows[?n == '" + "[" * 200 + "']")


def test_a_long_expression_is_refused_by_its_length() -> None:
    """Ruling 56."""
    check_query("a" * MAX_QUERY_CHARS)
    with pytest.raises(QueryError, match="1,001 characters"):
        check_query("a" * (MAX_QUERY_CHARS + 1))


@pytest.mark.parametrize(
    "expression", ["sum(rows)", "length(zero)", "foo(@)", "rows[::0]", "max_by(rows,&n)"]
)
def test_a_query_that_does_not_fit_says_so_without_the_values(expression: str) -> None:
    """The library's own message repeats the value, which may have megabytes."""
    with pytest.raises(QueryError) as refused:
        run_query(expression, SHOP, 1000)
    assert len(str(refused.value)) < 200


def test_what_is_selected_is_counted_while_it_is_written() -> None:
    """Ruling 56: 155 characters of shared parts are 470 MB in writing."""
    with pytest.raises(TooLong):
        run_query("rows" + "|[@,@,@,@,@,@,@,@,@,@]" * 12, SHOP, 100_000)
