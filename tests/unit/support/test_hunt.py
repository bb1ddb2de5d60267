"""The searches of `make fuzz` find what is wrong, again and small: to find nothing must mean something."""

import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random

import pytest

from tests.fuzz.hunt import Area, Attempt, Budget, errors_logged, hunt, kind_of, smallest
from toolserver.json_types import JsonValue

pytestmark = pytest.mark.asyncio

ENOUGH = Budget(5.0, 400)


def area(fails: Attempt) -> Area:
    @asynccontextmanager
    async def opened(_folder: Path) -> AsyncGenerator[Attempt]:
        yield fails

    def make(source: Random) -> JsonValue:
        numbers: list[JsonValue] = [source.randrange(50) for _ in range(20)]
        return {"numbers": numbers, "text": "abc" * source.randrange(9), "more": [[1, {"deep": "x"}]]}

    return Area("played", "a played one", make, opened)


async def no_seven(case: JsonValue) -> str:
    numbers = case.get("numbers") if isinstance(case, dict) else None
    return f"number {7} at {id(case)}" if isinstance(numbers, list) and 7 in numbers else ""


async def test_what_fails_is_found_made_small_and_told_once(tmp_path: Path) -> None:
    """A report of a thousand lines that names one cause a hundred times is read by nobody."""
    found = await hunt(area(no_seven), tmp_path, 0, ENOUGH)
    (finding,) = found.findings
    assert finding.case == {"numbers": [7]}
    assert "--only played" in str(finding)


async def test_the_same_seed_makes_the_same_case(tmp_path: Path) -> None:
    """What was found is tried again after the repair."""
    first = await hunt(area(no_seven), tmp_path, 0, ENOUGH)
    seed = first.findings[0].seed
    assert seed is not None
    again = await hunt(area(no_seven), tmp_path, seed, Budget(5.0, 1))
    assert (again.tried, [each.case for each in again.findings]) == (1, [{"numbers": [7]}])


async def test_texts_are_made_small_too() -> None:
    """Down to the characters that matter."""

    async def fails(case: JsonValue) -> str:
        return "it has both" if isinstance(case, str) and "<" in case and "&" in case else ""

    assert await smallest("some <b> text & more of it" * 20, fails, "it has both") in ("<&", "&<")


async def test_nothing_wrong_is_said_so(tmp_path: Path) -> None:
    """And everything was tried."""

    async def works(_case: JsonValue) -> str:
        return ""

    found = await hunt(area(works), tmp_path, 0, ENOUGH)
    assert (found.tried, found.findings) == (ENOUGH.count, [])


async def test_failures_of_one_cause_are_of_one_kind() -> None:
    """Addresses, numbers and quoted values differ each time."""
    assert kind_of("KeyError: 'a' at 0x7f3\nmore") == kind_of("KeyError: 'b' at 0x1\nother")
    assert kind_of("KeyError: 'a'") != kind_of("IndexError: 'a'")


async def test_errors_in_the_log_are_heard(caplog: pytest.LogCaptureFixture) -> None:
    """An answer may be right and something else be broken."""
    async with errors_logged() as log:
        logging.getLogger("bridge.x").warning("not that")
        logging.getLogger("bridge.x").error("but that")
        assert log.take() == "bridge.x: but that"
        assert log.take() == ""
    assert len(caplog.records) == 2
