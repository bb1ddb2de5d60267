"""The tables of OWASP's lists name tests that exist, and leave no row out."""

import ast
import re
from pathlib import Path

from tests.house.source import ROOT, refuse, text_of, tree_of

PAGES = ("docs/reference/owasp.md", "docs/explanation/threat-model.md")
PAGE = PAGES[0]
ROW = re.compile(r"^\| ([0-9LM][\w., ]*) \| (.+?) \| (met|partly|not met|n/a) \| (.+) \|$", re.MULTILINE)
TEST = re.compile(r"`(tests/[\w./]+\.(?:py|js))::([^`]+)`")
NUMBERS = Path(__file__).with_name("asvs_5_0_levels_1_2.txt")
"""Numbers of the rows of ASVS 5.0.0 at levels 1 and 2, and nothing else of it."""

TOP_TENS = [f"{name}{number:02}" for name in ("LLM", "MCP") for number in range(1, 11)]
COUNTS = re.compile(r"(\d+) rows, of which (\d+) are met, (\d+) partly, (\d+) not, and (\d+) do not apply")


def test_every_test_that_a_table_names_exists() -> None:
    """A row whose proof was renamed or removed proves nothing, and nobody would notice."""
    refuse(
        f"{page}: there is no {path}::{name}"
        for page in PAGES
        for path, name in TEST.findall(text_of(page))
        if not _exists(path, name)
    )


def test_no_row_is_left_out_or_there_twice() -> None:
    """The rows that are not met are the ones that one would like to forget."""
    rows = [number.strip() for row in ROW.findall(text_of(PAGE)) for number in row[0].split(",")]
    assert sorted(rows) == sorted([*NUMBERS.read_text(encoding="utf-8").split(), *TOP_TENS])


def test_what_is_met_is_proven_and_what_is_not_says_why() -> None:
    """A claim without a test is a wish."""
    rows = ROW.findall(text_of(PAGE))
    refuse(
        f"{PAGE}: {numbers} names no test"
        for numbers, _, state, why in rows
        if state == "met" and not TEST.search(why)
    )
    refuse(
        f"{PAGE}: {numbers} says nothing"
        for numbers, _, state, why in rows
        if state != "met" and len(why) < 12
    )


def test_the_counts_are_those_of_the_table() -> None:
    """They are what is read of it."""
    counted = dict.fromkeys(("met", "partly", "not met", "n/a"), 0)
    for numbers, _, state, _ in ROW.findall(text_of(PAGE)):
        if numbers[0].isdigit():
            counted[state] += len(numbers.split(","))
    (said,) = COUNTS.findall(text_of(PAGE))
    assert [int(number) for number in said] == [sum(counted.values()), *counted.values()]


def _exists(path: str, name: str) -> bool:
    if not (ROOT / path).is_file():
        return False
    if path.endswith(".js"):
        return f'test("{name}' in text_of(path)
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return any(isinstance(node, kinds) and node.name == name for node in ast.walk(tree_of(path)))
