"""What the companion extension rests on, and what is tried against it, is shown by tests that there are."""

import tomllib
from typing import Any

from tests.features import all_tests
from tests.house.source import refuse, text_of

TABLE = "tests/companion.toml"
GROUPS = {"facts", "canaries", "attacks"}


def rows() -> dict[str, dict[str, Any]]:
    """Every entry, by group and name."""
    groups = tomllib.loads(text_of(TABLE))
    assert groups.keys() == GROUPS
    return {f"{group}.{name}": row for group, entries in groups.items() for name, row in entries.items()}


def test_every_row_names_tests_that_there_are_or_says_why_not() -> None:
    """A browser changes under an extension; what nobody tests is noticed by its users."""
    known = {f"{file}: {name}" for file, name in all_tests()}
    refuse(
        f"{TABLE}: {row} has neither tests nor `untested`"
        for row, entry in rows().items()
        if not proofs(entry)
    )
    refuse(
        f"{TABLE}: {row} names {test}, which there is not"
        for row, entry in rows().items()
        for test in entry.get("tests", [])
        if test not in known
    )


def proofs(entry: dict[str, Any]) -> list[str]:
    return entry.get("tests") or [entry[key] for key in ("untested",) if key in entry]
