"""Waiting with a bound or a companion, work that others may cancel, and what a pause of the process does."""

import asyncio
from collections.abc import Awaitable

import pytest

from bridge.tasks import (
    AbandonableWork,
    Abandoned,
    SideTask,
    Tasks,
    run_while_awake,
    run_with_companion,
    run_within,
    run_without_waiting,
)
from tests.faults.virtual_time import VirtualLoop

pytestmark = [pytest.mark.asyncio, pytest.mark.virtual_time]


class Companion:
    """Runs beside work until that has ended, or fails after some seconds."""

    def __init__(self, fails_after_s: float = 60) -> None:
        self.fails_after_s = fails_after_s
        self.history: list[str] = []

    async def run(self, working: asyncio.Future[str]) -> str:
        self.history.append("begun")
        try:
            await asyncio.wait({working}, timeout=self.fails_after_s)
        except asyncio.CancelledError:
            self.history.append("cancelled")
            raise
        if working.done():
            return f"{working.result()}, heard"
        raise ConnectionResetError


STEPS = 5
"""Turns of the loop that a driver takes from the bytes that have come to its answer."""


async def answer_after(seconds: float) -> str:
    await asyncio.sleep(seconds)
    for _ in range(STEPS):
        await asyncio.sleep(0)
    return "answer"


def pause_in(seconds: float, *, for_s: float) -> None:
    loop = asyncio.get_running_loop()
    assert isinstance(loop, VirtualLoop)
    loop.call_later(seconds, loop.stand_still, for_s)


async def test_a_pause_is_no_silence_of_what_is_awaited() -> None:
    """The answer came meanwhile, and lies in the socket when the process goes on."""
    pause_in(0.2, for_s=2.5)
    assert await run_while_awake(1.0, answer_after(0.5)) == "answer"
    pause_in(0.2, for_s=2.5)
    with pytest.raises(TimeoutError):
        await run_within(1.0, answer_after(0.5))


async def test_what_does_not_answer_is_given_up_when_the_time_is_over() -> None:
    """Nobody waits for ever."""
    began = asyncio.get_running_loop().time()
    with pytest.raises(TimeoutError):
        await run_while_awake(1.0, answer_after(60))
    assert asyncio.get_running_loop().time() - began == pytest.approx(1.0)


async def test_work_that_ends_soon_has_no_companion() -> None:
    """Nearly all calls do, and a task would cost each of them."""
    companion = Companion()
    assert await run_with_companion(answer_after(1), companion.run, 2) == ("answer", None)
    await asyncio.sleep(5)
    assert companion.history == []


async def test_a_companion_hears_the_result() -> None:
    """It has begun the response that the result belongs into."""
    companion = Companion()
    assert await run_with_companion(answer_after(3), companion.run, 2) == ("answer", "answer, heard")
    assert companion.history == ["begun"]


async def test_a_companion_that_fails_ends_the_work() -> None:
    """A caller who is gone when white space is written waits for nothing any more."""
    began = asyncio.get_running_loop().time()
    with pytest.raises(ConnectionResetError):
        await run_with_companion(answer_after(60), Companion(fails_after_s=3).run, 2)
    assert asyncio.get_running_loop().time() - began == pytest.approx(5.0)
    task = asyncio.current_task()
    assert task is not None
    assert task.cancelling() == 0


async def test_a_companion_that_ends_no_work_fails_once_that_has_ended() -> None:
    """The call of a legacy client of MCP goes on when nobody reads any more."""
    began = asyncio.get_running_loop().time()
    failing = Companion(fails_after_s=3)
    with pytest.raises(ConnectionResetError):
        await run_with_companion(answer_after(60), failing.run, 2, ends_work=False)
    assert asyncio.get_running_loop().time() - began == pytest.approx(60.0)


async def test_cancelling_ends_the_work_and_its_companion() -> None:
    """The caller hung up."""
    companion = Companion()
    task = asyncio.create_task(run_with_companion(answer_after(60), companion.run, 2))
    await asyncio.sleep(3)
    task.cancel()
    await asyncio.wait({task})
    assert task.cancelled()
    assert companion.history == ["begun", "cancelled"]


async def test_work_that_fails_ends_its_companion() -> None:
    """What the work raises is raised, in no group."""
    companion = Companion()

    async def fail() -> str:
        await asyncio.sleep(3)
        raise LookupError

    with pytest.raises(LookupError):
        await run_with_companion(fail(), companion.run, 2)
    assert companion.history == ["begun", "cancelled"]


async def answer_unless_cancelled(held: list[AbandonableWork]) -> str:
    """Goes on when its work is cancelled by others."""
    try:
        with AbandonableWork() as work:
            held.append(work)
            return await answer_after(60)
    except Abandoned:
        return await answer_after(1) + " instead"


async def test_work_that_others_cancel_ends_and_its_task_goes_on() -> None:
    """A response is cancelled by its id: its caller's connection is told so."""
    held: list[AbandonableWork] = []
    task = asyncio.create_task(answer_unless_cancelled(held))
    await asyncio.sleep(1)
    held[0].cancel()
    assert await task == "answer instead"
    assert task.cancelling() == 0
    assert held[0].has_ended
    held[0].cancel()
    assert task.cancelling() == 0


async def test_who_is_cancelled_itself_does_not_go_on() -> None:
    """Its caller hung up, whether others have cancelled its work as well or not."""
    for others in (False, True):
        held: list[AbandonableWork] = []
        task = asyncio.create_task(answer_unless_cancelled(held))
        await asyncio.sleep(1)
        if others:
            held[0].cancel()
        task.cancel()
        await asyncio.wait({task})
        assert task.cancelled()


class Reader:
    """Takes what is written in a side task, and may be gone after some."""

    def __init__(self, takes: int = 10) -> None:
        self.takes = takes
        self.unread: list[str] = []
        self.read: list[str] = []

    async def take_all(self) -> None:
        while self.unread:
            await asyncio.sleep(1)
            if len(self.read) >= self.takes:
                raise ConnectionResetError
            self.read.append(self.unread.pop(0))


def write_to(reader: Reader, side: SideTask, text: str) -> None:
    reader.unread.append(text)
    if not side.is_running:
        side.start(reader.take_all())


async def write_all(reader: Reader, *texts: str, then: Awaitable[object]) -> None:
    async with SideTask() as side:
        for text in texts:
            write_to(reader, side, text)
        await then


async def test_a_side_task_runs_while_there_is_something_for_it_and_is_waited_for() -> None:
    """A stream has a task that writes only while there is something to write."""
    reader = Reader()
    async with SideTask() as side:
        write_to(reader, side, "a")
        assert side.is_running
        await asyncio.sleep(2)
        assert not side.is_running
        write_to(reader, side, "b")
        write_to(reader, side, "c")
    assert reader.read == ["a", "b", "c"]


async def test_a_side_task_that_fails_ends_the_work_with_its_failure() -> None:
    """The reader is gone: the turn ends, and its task can still answer."""
    with pytest.raises(ConnectionResetError):
        await write_all(Reader(takes=1), "a", "b", then=answer_after(60))
    task = asyncio.current_task()
    assert task is not None
    assert task.cancelling() == 0


async def test_a_side_task_that_fails_at_the_end_fails_the_work() -> None:
    """What could not be written is no success."""
    with pytest.raises(ConnectionResetError):
        await write_all(Reader(takes=0), "a", then=answer_after(0))


async def test_work_that_fails_or_is_cancelled_cancels_its_side_task() -> None:
    """Nothing is written after a failure, and nothing waits for a slow reader then."""
    reader = Reader()

    async def fail() -> None:
        raise LookupError

    with pytest.raises(LookupError):
        await write_all(reader, "a", then=fail())
    task = asyncio.create_task(write_all(reader, "b", then=answer_after(0)))
    await asyncio.sleep(0.5)
    task.cancel()
    await asyncio.wait({task})
    assert task.cancelled()
    await asyncio.sleep(5)
    assert reader.read == []


async def test_a_task_that_others_have_started_ends_with_those_of_its_owner() -> None:
    """What served a connection that is gone, before the bridge stops or amid that."""
    tasks = Tasks()
    early, late = (asyncio.create_task(answer_after(60)) for _ in range(2))
    tasks.adopt_task(early)
    await tasks.close()
    assert early.cancelled()
    tasks.adopt_task(late)
    await asyncio.wait({late})
    assert late.cancelled()


async def test_what_must_not_end_begins_again_after_a_failure() -> None:
    """A watch that has ended lets in whom it should keep out, and nobody notices."""
    tasks, begun = Tasks(), list[float]()

    async def watch() -> None:
        begun.append(asyncio.get_running_loop().time())
        if len(begun) < 3:
            raise ValueError("nobody thought of that")
        await asyncio.sleep(3600)

    tasks.keep_running(watch, "watch")
    await asyncio.sleep(10)
    assert [round(at - begun[0]) for at in begun] == [0, 1, 2]
    await tasks.close()
    await asyncio.sleep(10)
    assert len(begun) == 3


async def test_what_waits_for_nothing_is_run_at_once() -> None:
    """Frames for a reader who keeps up are written without a task."""

    async def answer() -> str:
        return "answer"

    assert run_without_waiting(answer()) == "answer"
    with pytest.raises(AssertionError, match="waits"):
        run_without_waiting(asyncio.sleep(0))
