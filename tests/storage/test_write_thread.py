"""Writing in groups: what is written together, who waits, and what a database that is away costs."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any, cast

import pytest
from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError, OperationalError

from bridge.storage.dialects import FENCE
from bridge.storage.write_thread import (
    BATCH,
    BUSY,
    GATHER_S,
    HELD,
    MAX_WAITING,
    PUT_OFF_S,
    RETRY_S,
    GroupCommit,
)

pytestmark = [pytest.mark.asyncio, pytest.mark.looptime]

DISK_FULL = OperationalError("INSERT", None, OSError("database or disk is full"))


class Fenced(Exception):
    """What the driver says of a write under a claim that is over."""

    class diag:
        constraint_name = FENCE
        message_primary = "another replica has claimed this user"


CLAIMED = IntegrityError("INSERT", None, Fenced())
NO_SUCH_USER = IntegrityError("INSERT", None, OSError("FOREIGN KEY constraint failed"))


class Thread:
    """Transactions that a test ends."""

    def __init__(self) -> None:
        self.entries = GroupCommit[str]("The list", self, self._save)
        self.started: list[list[str]] = []
        self._future: Future[None] = Future()

    def run_transaction(self, work: Callable[[Connection], None]) -> Future[None]:
        work(cast(Any, None))
        self._future = Future()
        return self._future

    def _save(self, _connection: Connection, entries: Sequence[str]) -> None:
        self.started.append([*entries])

    def put(self, *entries: str) -> None:
        for entry in entries:
            self.entries.put_entry(entry)

    async def end(self, failure: Exception | None = None) -> None:
        """End the transaction that runs; returns when everybody has heard of it."""
        if failure is None:
            self._future.set_result(None)
        else:
            self._future.set_exception(failure)
        for _ in range(3):
            await asyncio.sleep(0)


async def reading(thread: Thread) -> "asyncio.Task[None]":
    """A reader who waits for what is on its way; its transaction has begun."""
    task = asyncio.create_task(thread.entries.caught_up())
    await asyncio.sleep(0)
    return task


async def test_entries_gather_for_a_moment_and_are_written_together() -> None:
    """A hundred calls in a second cost one transaction."""
    thread = Thread()
    thread.put("a")
    await asyncio.sleep(GATHER_S * 0.9)
    thread.put("b")
    assert thread.started == []
    await asyncio.sleep(GATHER_S * 0.2)
    assert thread.started == [["a", "b"]]
    await thread.end()
    assert (thread.entries.accepted, thread.entries.settled) == (2, 2)


async def test_what_is_being_written_waits_no_more_unless_it_comes_back() -> None:
    """Whoever changes an entry in place has to know."""
    thread = Thread()
    thread.put("a", "b")
    assert thread.entries.is_waiting(1)
    reader = await reading(thread)
    thread.put("c")
    assert [thread.entries.is_waiting(number) for number in (1, 2, 3)] == [False, False, True]
    await thread.end(DISK_FULL)
    assert [thread.entries.is_waiting(number) for number in (1, 2, 3)] == [True, True, True]
    await reader


async def test_when_many_have_gathered_they_are_written_at_once() -> None:
    """Under load the moment would be long enough to fill the memory."""
    thread = Thread()
    thread.put(*map(str, range(HELD)))
    assert [len(batch) for batch in thread.started] == [BATCH]
    for _ in range(HELD // BATCH):
        await thread.end()
    assert thread.entries.settled == HELD


async def test_while_many_come_they_wait_for_a_quieter_moment() -> None:
    """Writing in between would slow down the calls of which there are so many."""
    thread = Thread()
    for second in range(3):
        thread.put(*(f"{second}-{count}" for count in range(BUSY + 1)))
        await asyncio.sleep(GATHER_S)
        assert thread.started == []
    await asyncio.sleep(GATHER_S * 1.1)
    assert [len(batch) for batch in thread.started] == [3 * (BUSY + 1)]


async def test_when_no_quieter_moment_comes_they_are_written_all_the_same() -> None:
    """A killed bridge forgets no more than the last seconds of what did no harm."""
    thread = Thread()
    began = asyncio.get_running_loop().time()
    while not thread.started:
        thread.put(*map(str, range(BUSY + 1)))
        await asyncio.sleep(GATHER_S)
        assert asyncio.get_running_loop().time() - began <= PUT_OFF_S + 0.1


async def test_who_reads_does_not_wait_for_a_quieter_moment() -> None:
    """History is read while the bridge is busy, too."""
    thread = Thread()
    thread.put(*map(str, range(BUSY + 1)))
    await asyncio.sleep(GATHER_S * 1.1)
    reader = await reading(thread)
    await thread.end()
    assert reader.done()
    assert len(thread.started[0]) == BUSY + 1


async def test_who_comes_while_a_transaction_runs_is_in_a_later_one() -> None:
    """The thread does one transaction after the other."""
    thread = Thread()
    thread.put("a")
    reader = await reading(thread)
    thread.put("b", "c")
    await asyncio.sleep(GATHER_S * 2)
    assert thread.started == [["a"]]
    await thread.end()
    assert reader.done()
    await asyncio.sleep(GATHER_S * 1.1)
    assert thread.started == [["a"], ["b", "c"]]


async def test_what_the_database_does_not_take_is_tried_again_in_its_order() -> None:
    """No ending is lost while a disk is full."""
    thread = Thread()
    thread.put("a", "b")
    await reading(thread)
    thread.put("c")
    await thread.end(DISK_FULL)
    assert thread.entries.is_away
    thread.put("d")
    await asyncio.sleep(RETRY_S * 0.9)
    assert len(thread.started) == 1
    await asyncio.sleep(RETRY_S * 0.2)
    assert thread.started[1:] == [["a", "b", "c", "d"]]
    await thread.end()
    assert not thread.entries.is_away


@pytest.mark.parametrize("failure", [NO_SUCH_USER, UnicodeEncodeError("utf-8", "\ud800", 0, 1, "surrogates")])
async def test_one_unfit_entry_harms_no_other(failure: Exception) -> None:
    """They are written one by one; the one that is to blame is dropped."""
    thread = Thread()
    thread.put("good", "bad", "also good")
    reader = await reading(thread)
    thread.put("last")
    for ending in (failure, None, failure, None):
        await thread.end(ending)
    assert reader.done()
    assert thread.started == [["good", "bad", "also good"], ["good"], ["bad"], ["also good"]]
    await asyncio.sleep(GATHER_S * 1.1)
    assert thread.started[4:] == [["last"]]


async def test_a_reader_waits_for_what_came_before_it_and_not_for_what_comes_after() -> None:
    """Under steady load there is always something to write."""
    thread = Thread()
    thread.put("before")
    reader = await reading(thread)
    assert thread.started == [["before"]]
    thread.put("after")
    assert not reader.done()
    await thread.end()
    assert reader.done()


async def test_a_reader_in_a_running_transaction_waits_for_the_next_one_too() -> None:
    """What it wants to read may be in neither yet; it does not wait for the moment to pass."""
    thread = Thread()
    thread.put("a")
    await reading(thread)
    thread.put("b")
    reader = await reading(thread)
    await thread.end()
    assert (thread.started, reader.done()) == ([["a"], ["b"]], False)
    await thread.end()
    assert reader.done()


async def test_a_reader_does_not_wait_for_a_database_that_is_away() -> None:
    """It reads what there is, or fails by itself; the end of the bridge tries once more."""
    thread = Thread()
    thread.put("a")
    reader = await reading(thread)
    await thread.end(DISK_FULL)
    assert reader.done()
    await thread.entries.caught_up()
    assert len(thread.started) == 1
    ending = asyncio.create_task(thread.entries.flush_entries())
    await asyncio.sleep(0)
    assert thread.started == [["a"], ["a"]]
    await thread.end()
    assert ending.done()


async def test_a_database_that_is_away_for_long_is_said_once(caplog: pytest.LogCaptureFixture) -> None:
    """It is tried every second; a night of that must not fill the disk. Its return is said, too."""
    thread = Thread()
    thread.put("a")
    await asyncio.sleep(GATHER_S)
    for _ in range(3):
        await thread.end(DISK_FULL)
        await asyncio.sleep(RETRY_S)
    assert caplog.text.count("The list cannot be written: database or disk is full") == 1
    await thread.end()
    assert caplog.text.count("The list can be written again.") == 1


async def test_while_the_database_is_away_memory_stays_bounded(caplog: pytest.LogCaptureFixture) -> None:
    """Further entries are given up, and the log says so once and how many; what is vital is kept."""
    thread = Thread()
    thread.put("away")
    await reading(thread)
    with caplog.at_level(logging.ERROR):
        await thread.end(DISK_FULL)
        assert not thread.entries.is_behind
        thread.put(*map(str, range(MAX_WAITING + 1)))
        assert thread.entries.is_behind
        thread.entries.put_entry("vital", is_vital=True)
        await asyncio.sleep(RETRY_S * 1.1)
        reader = await reading(thread)
        while not reader.done():
            await thread.end()
    written = [entry for batch in thread.started[1:] for entry in batch]
    assert [written[0], *written[-2:]] == ["away", str(MAX_WAITING - 2), "vital"]
    assert [record.getMessage() for record in caplog.records][1:] == [
        "The list: entries are dropped, because the database does not answer.",
        "The list: 2 entries were dropped in the meantime.",
    ]


async def test_entries_that_the_fence_refuses_are_one_line_that_asks_for_nothing(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A replica that was frozen has many of them, and its operator has nothing to mend."""
    caplog.set_level(logging.INFO)
    thread = Thread()
    thread.put("a", "b", "c")
    waiting = await reading(thread)
    for _ in range(4):
        await thread.end(CLAIMED)
    await waiting
    assert thread.started == [["a", "b", "c"], ["a"], ["b"], ["c"]]
    assert [(each.levelname, each.message) for each in caplog.records] == [
        (
            "INFO",
            "The list: 3 entries are left out; another replica has claimed their users, as after a freeze.",
        )
    ]
