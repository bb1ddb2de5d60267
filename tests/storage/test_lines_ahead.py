"""The lines that the journal writes ahead of the database: gathered into one write, and read at a start."""

import json
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from bridge.calls.state_machine import CallState
from bridge.storage.call_journal import QUICK_ARGUMENTS_CHARS
from bridge.storage.write_ahead_log import NAMES
from tests.support.calls.journal_harness import (
    JournalHarness,
    open_call,
    open_journal,
    reopen_after_crash,
    states_ahead,
)
from tests.support.stores.full_disk import limit_disk

pytestmark = pytest.mark.asyncio


@pytest_asyncio.fixture
async def harness(tmp_path: Path) -> AsyncGenerator[JournalHarness]:
    folder = tmp_path / "data"
    folder.mkdir()
    async with open_journal(folder) as opened:
        yield opened


@pytest.fixture
def lost() -> list[str]:
    """Calls whose messages must not be written."""
    return []


@pytest_asyncio.fixture
async def holding(tmp_path: Path, lost: list[str]) -> AsyncGenerator[JournalHarness]:
    """It holds openings."""
    folder = tmp_path / "data"
    folder.mkdir()
    async with open_journal(folder, on_unrecorded=lost.extend) as opened:
        yield opened


def lines_of(harness: JournalHarness) -> list[dict[str, Any]]:
    *complete, _torn = (harness.folder / NAMES[0]).read_bytes().split(b"\n")
    return [json.loads(line) for line in complete]


def endings_of(harness: JournalHarness) -> list[str]:
    return [call_id for call_id, state in states_ahead(harness.folder) if state == "succeeded"]


def size_of(harness: JournalHarness) -> int:
    return (harness.folder / NAMES[0]).stat().st_size


def replace_lines(harness: JournalHarness, rows: list[dict[str, Any]]) -> None:
    (harness.folder / NAMES[0]).write_bytes(b"".join(json.dumps(row).encode() + b"\n" for row in rows))


async def test_endings_that_come_together_are_written_together(harness: JournalHarness) -> None:
    """Before anybody hears of one of them; what comes later is written at once, as before."""
    for call_id in ("call_1", "call_2", "call_3"):
        await harness.open(call_id)
    before = lines_of(harness)
    harness.journal.hold_endings()
    harness.end("call_1")
    harness.end("call_2")
    assert lines_of(harness) == before
    harness.journal.write_endings()
    assert endings_of(harness) == ["call_1", "call_2"]
    harness.end("call_3")
    assert endings_of(harness) == ["call_1", "call_2", "call_3"]


async def test_openings_of_calls_that_are_sent_together_are_written_together(holding: JournalHarness) -> None:
    """Before their messages; one that only reads needs no line."""
    for call_id, safe in (("call_1", False), ("call_2", True), ("call_3", False)):
        assert holding.journal.hold_opening(open_call(holding.ann, call_id, safe=safe))
    assert lines_of(holding) == []
    holding.journal.write_openings()
    assert [line["id"] for line in lines_of(holding)] == ["call_1", "call_3"]
    async with reopen_after_crash(holding) as later:
        assert await later.journal.settle_orphans() == 2
        assert (await later.stored_call("call_3")).state is CallState.OUTCOME_UNKNOWN


async def test_of_openings_that_do_not_fit_together_those_that_fit_are_written(
    holding: JournalHarness,
    lost: list[str],
) -> None:
    """Who would send the others hears of them; from then on each is recorded by itself, or refused."""
    await holding.open("call_1")
    for call_id in ("call_2", "call_3"):
        assert holding.journal.hold_opening(open_call(holding.ann, call_id))
    with limit_disk(2 * size_of(holding) + 10):
        holding.journal.write_openings()
        assert lost == ["call_3"]
        assert not holding.journal.hold_opening(open_call(holding.ann, "call_4"))
    assert [line["id"] for line in lines_of(holding)] == ["call_1", "call_2"]
    await holding.open("call_4")
    assert holding.journal.hold_opening(open_call(holding.ann, "call_5"))


async def test_openings_that_take_long_to_record_are_not_held(
    tmp_path: Path, harness: JournalHarness
) -> None:
    """Long arguments are searched in the writing thread; and without a listener nobody would be refused."""
    long = open_call(harness.ann, "call_1", arguments=f'{{"text":"{"x" * QUICK_ARGUMENTS_CHARS}"}}')
    assert not harness.journal.hold_opening(open_call(harness.ann, "call_2"))
    async with open_journal(tmp_path, on_unrecorded=lambda call_ids: None) as holding:
        assert not holding.journal.hold_opening(long)


async def test_of_endings_that_do_not_fit_together_those_that_fit_are_written(
    harness: JournalHarness,
) -> None:
    """On a full disk the next process should know as many as possible."""
    for call_id in ("call_0", "call_1", "call_2"):
        await harness.open(call_id)
    before = size_of(harness)
    harness.end("call_0")
    size = size_of(harness)
    harness.journal.hold_endings()
    harness.end("call_1")
    harness.end("call_2")
    with limit_disk(size + (size - before) * 3 // 2):
        harness.journal.write_endings()
    assert endings_of(harness) == ["call_0", "call_1"]


async def test_lines_of_another_version_are_read_as_far_as_they_can_be(
    harness: JournalHarness, caplog: pytest.LogCaptureFixture
) -> None:
    """The versions before wrote nulls, one to come may know more columns, and more states."""
    for call_id in ("call_1", "call_2", "call_3"):
        await harness.open(call_id)
    first, second, third = lines_of(harness)
    first |= {"error": None, "ended_at": None, "epoch": None}
    second |= {"colour": "blue"}
    third |= {"state": "dreaming"}
    replace_lines(harness, [first, second, third])
    async with reopen_after_crash(harness) as later:
        assert await later.journal.settle_orphans() == 2
        calls = await later.journal.list_calls(harness.ann.id, before=None, limit=5)
    assert {call.call_id: call.state for call in calls} == {
        "call_1": CallState.OUTCOME_UNKNOWN,
        "call_2": CallState.OUTCOME_UNKNOWN,
    }
    assert "1 lines that cannot be read" in caplog.text


async def test_the_line_of_an_ending_is_read_with_that_of_the_opening(harness: JournalHarness) -> None:
    """It has only what has changed, as long as the database does not know the call."""
    await harness.open("call_1", arguments='{"name":"tea"}')
    harness.end("call_1")
    opening, ending = (harness.folder / NAMES[0]).read_bytes().splitlines(keepends=True)
    assert len(ending) < len(opening) / 2
    for lines in (opening + ending, ending + opening):
        async with reopen_after_crash(harness, logs=[lines]) as later:
            assert await later.journal.settle_orphans() == 0
            assert await later.stored_call("call_1") == await harness.stored_call("call_1")


async def test_an_ending_without_its_opening_says_nothing_new(
    harness: JournalHarness, caplog: pytest.LogCaptureFixture
) -> None:
    """The file with the opening is cleared once the database has both."""
    await harness.open("call_1")
    harness.end("call_1")
    ending = (harness.folder / NAMES[0]).read_bytes().splitlines(keepends=True)[1]
    await harness.stored_call("call_1")
    async with reopen_after_crash(harness, logs=[ending]) as later:
        assert await later.journal.settle_orphans() == 0
        assert (await later.stored_call("call_1")).state is CallState.SUCCEEDED
    assert "cannot be read" not in caplog.text


async def test_an_ending_whose_opening_did_not_fit_has_a_whole_line(holding: JournalHarness) -> None:
    """The call was declined, and its history is not lost."""
    assert holding.journal.hold_opening(open_call(holding.ann, "call_1"))
    with limit_disk(10):
        holding.journal.write_openings()
    holding.end("call_1")
    async with reopen_after_crash(holding) as later:
        assert await later.journal.settle_orphans() == 0
        assert (await later.stored_call("call_1")).state is CallState.SUCCEEDED
