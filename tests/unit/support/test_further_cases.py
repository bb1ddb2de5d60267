"""Which cases of a test are left to `make test-all`."""

from tests.support.examples import FEW_CASES, FurtherCases


def further(*names: str) -> list[str]:
    """Those of the tests that are further cases, when they are collected in this order."""
    cases = FurtherCases()
    return [name for name in names if cases.is_further(name)]


def test_a_costly_test_is_played_with_its_first_cases_at_each_change() -> None:
    """Issue 38: each starts a bridge of its own, and what a change breaks is seen in the first ones, too."""
    cases = [f"tests/http/test_login.py::test_a_header[{case}]" for case in range(FEW_CASES + 2)]
    assert further(*cases) == cases[FEW_CASES:]


def test_cheap_cases_and_tests_without_cases_are_all_played() -> None:
    """A table of values costs next to nothing in a unit test."""
    cheap = [f"tests/unit/test_tasks.py::test_a_value[{case}]" for case in range(FEW_CASES + 2)]
    single = ["tests/http/test_login.py::test_a_login"] * (FEW_CASES + 2)
    assert further(*cheap, *single) == []


def test_each_test_has_first_cases_of_its_own() -> None:
    """Also of one name in two files."""
    names = [
        f"tests/http/test_{file}.py::test_it[{case}]"
        for case in range(FEW_CASES)
        for file in ("login", "logout")
    ]
    assert further(*names) == []
