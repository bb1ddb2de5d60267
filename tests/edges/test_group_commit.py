"""Writing in groups: what is written together, who is told, and what a database that is away costs."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any, cast

import pytest
from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError, OperationalError

from bridge.edges.group_commit import BATCH, GATHER_S, MAX_WAITING, RETRY_S, CommitFailed, GroupCommit

pytestmark = [pytest.mark.asyncio, pytest.mark.looptime]

DISK_FULL = OperationalError("INSERT", None, OSError("database or disk is full"))
NO_SUCH_USER = IntegrityError("INSERT", None, OSError("FOREIGN KEY constraint failed"))


class Thread:
    """Transactions that a test ends."""

    def __init__(self) -> None:
        self.entries = GroupCommit[str]("The list", self, self._save)
        self.begun: list[list[str]] = []
        self._future: Future[None] = Future()

    def transact(self, work: Callable[[Connection], None]) -> Future[None]:
        work(cast(Any, None))
        self._future = Future()
        return self._future

    def _save(self, _connection: Connection, entries: Sequence[str]) -> None:
        self.begun.append([*entries])

    async def end(self, failure: Exception | None = None) -> None:
        """End the transaction that runs; returns when everybody has heard of it."""
        if failure is None:
            self._future.set_result(None)
        else:
            self._future.set_exception(failure)
        for _ in range(3):
            await asyncio.sleep(0)


async def begun() -> None:
    """Returns when what was given just now is being written, if it is."""
    await asyncio.sleep(0)
    await asyncio.sleep(0)


def waiting_for(thread: Thread, *entries: str) -> list[asyncio.Task[None]]:
    return [asyncio.create_task(thread.entries.commit(entry)) for entry in entries]


async def test_who_comes_while_a_transaction_runs_is_in_the_next_one_together() -> None:
    """A hundred calls at once cost two commits, not a hundred."""
    thread = Thread()
    first = waiting_for(thread, "a")
    await begun()
    others = waiting_for(thread, "b", "c", "d")
    await begun()
    assert thread.begun == [["a"]]
    await thread.end()
    assert [task.done() for task in (*first, *others)] == [True, False, False, False]
    await thread.end()
    await asyncio.gather(*others)
    assert thread.begun == [["a"], ["b", "c", "d"]]


async def test_what_nobody_waits_for_gathers_and_goes_with_what_somebody_waits_for() -> None:
    """Endings cost no commits of their own while calls begin."""
    thread = Thread()
    thread.entries.put("ended")
    await asyncio.sleep(0)
    assert thread.begun == []
    waiting = waiting_for(thread, "opened")
    await begun()
    assert thread.begun == [["ended", "opened"]]
    await thread.end()
    await asyncio.gather(*waiting)


async def test_who_can_wait_a_moment_is_written_with_those_who_come_in_it() -> None:
    """Under load a transaction for each would cost more than the waiting."""
    thread = Thread()
    first = asyncio.create_task(thread.entries.commit("a", within_s=0.002))
    await asyncio.sleep(0.0015)
    assert thread.begun == []
    second = asyncio.create_task(thread.entries.commit("b", within_s=0.002))
    await asyncio.sleep(0.001)
    assert thread.begun == [["a", "b"]]
    await thread.end()
    await asyncio.gather(first, second)


async def test_who_cannot_wait_takes_along_who_could() -> None:
    """The sooner of two moments counts."""
    thread = Thread()
    patient = asyncio.create_task(thread.entries.commit("patient", within_s=0.002))
    await begun()
    hurried = waiting_for(thread, "hurried")
    await begun()
    assert thread.begun == [["patient", "hurried"]]
    await thread.end()
    await asyncio.gather(patient, *hurried)


async def test_what_nobody_waits_for_is_written_after_a_moment() -> None:
    """Or when enough has gathered."""
    thread = Thread()
    thread.entries.put("a")
    thread.entries.put("b")
    await asyncio.sleep(GATHER_S * 0.9)
    assert thread.begun == []
    await asyncio.sleep(GATHER_S * 0.2)
    assert thread.begun == [["a", "b"]]
    await thread.end()
    for number in range(BATCH):
        thread.entries.put(str(number))
    await begun()
    assert len(thread.begun[1]) == BATCH


async def test_on_a_full_disk_who_waits_is_told_and_the_others_are_tried_again_in_their_order() -> None:
    """A call that may change something is refused at once; no ending is lost."""
    thread = Thread()
    thread.entries.put("a")
    waiting = waiting_for(thread, "refused")
    await begun()
    thread.entries.put("b")
    await thread.end(DISK_FULL)
    with pytest.raises(CommitFailed):
        await waiting[0]
    later = waiting_for(thread, "later")
    await asyncio.sleep(RETRY_S * 0.9)
    assert len(thread.begun) == 1
    await asyncio.sleep(RETRY_S * 0.2)
    assert thread.begun[1:] == [["a", "b", "later"]]
    await thread.end()
    await asyncio.gather(*later)


@pytest.mark.parametrize("failure", [NO_SUCH_USER, UnicodeEncodeError("utf-8", "\ud800", 0, 1, "surrogates")])
async def test_one_unfit_entry_harms_no_other(failure: Exception) -> None:
    """They are written one by one; the one that is to blame is dropped."""
    thread = Thread()
    tasks = waiting_for(thread, "good", "bad", "also good")
    await begun()
    last = waiting_for(thread, "last")
    await begun()
    for ending in (failure, None, failure, None, None):
        await thread.end(ending)
    assert thread.begun == [["good", "bad", "also good"], ["good"], ["bad"], ["also good"], ["last"]]
    told = await asyncio.gather(*tasks, *last, return_exceptions=True)
    assert [type(each) for each in told] == [type(None), CommitFailed, type(None), type(None)]


async def test_a_reader_waits_for_what_came_before_it_and_not_for_what_comes_after() -> None:
    """Under steady load there is always something to write."""
    thread = Thread()
    thread.entries.put("before")
    reading = asyncio.create_task(thread.entries.caught_up())
    await begun()
    assert thread.begun == [["before"]]
    thread.entries.put("after")
    assert not reading.done()
    await thread.end()
    assert reading.done()


async def test_a_reader_does_not_wait_for_a_database_that_is_away() -> None:
    """It reads what there is, or fails by itself; the end of the bridge tries once more."""
    thread = Thread()
    thread.entries.put("a")
    reading = asyncio.create_task(thread.entries.caught_up())
    await begun()
    await thread.end(DISK_FULL)
    assert reading.done()
    await thread.entries.caught_up()
    assert len(thread.begun) == 1
    ending = asyncio.create_task(thread.entries.flush())
    await begun()
    assert thread.begun == [["a"], ["a"]]
    await thread.end()
    assert ending.done()


async def test_while_the_database_is_away_memory_stays_bounded(caplog: pytest.LogCaptureFixture) -> None:
    """The oldest entries are given up, and the log says so."""
    thread = Thread()
    waiting = waiting_for(thread, "away")
    await begun()
    with caplog.at_level(logging.ERROR):
        await thread.end(DISK_FULL)
        for number in range(MAX_WAITING + 2):
            thread.entries.put(str(number))
    assert [record.getMessage() for record in caplog.records].count(
        "The list: an entry is given up, because the database does not answer."
    ) == 2
    await asyncio.gather(*waiting, return_exceptions=True)
    await asyncio.sleep(RETRY_S)
    assert thread.begun[1][0] == "2"


async def test_whoever_stops_waiting_disturbs_nobody() -> None:
    """The entry is written all the same: it stood in the transaction."""
    thread = Thread()
    gone, stays = waiting_for(thread, "gone", "stays")
    await begun()
    gone.cancel()
    await thread.end()
    await stays
    assert gone.cancelled()
    assert thread.begun == [["gone", "stays"]]
