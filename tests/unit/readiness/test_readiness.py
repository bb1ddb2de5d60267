"""When checks run, who shares them, and what becomes of one that hangs."""

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from bridge.readiness.readiness import CHECK_S, Check, NotReady, Readiness
from bridge.tasks import Tasks
from bridge.timings import USUAL_TIMINGS

pytestmark = [pytest.mark.asyncio, pytest.mark.looptime]


class Counted:
    """A probe that says how often it ran; `answer` None: never."""

    def __init__(self, answer: str | None = "Fine.") -> None:
        self.runs = 0
        self.answer = answer
        self.released = asyncio.Event()

    async def __call__(self) -> str:
        self.runs += 1
        if self.answer is None:
            await self.released.wait()
        return self.answer or "Late."


@pytest_asyncio.fixture
async def tasks() -> AsyncIterator[Tasks]:
    owned = Tasks()
    yield owned
    await owned.close()


async def test_many_who_ask_at_once_share_one_check(tasks: Tasks) -> None:
    """A balancer with ten nodes asks ten times."""
    probe = Counted()
    readiness = Readiness([Check("database", probe, tasks)])
    async with asyncio.TaskGroup() as group:
        asking = [group.create_task(readiness.read_report()) for _ in range(10)]
    assert {each.result().status for each in asking} == {"ready"}
    assert probe.runs == 1


async def test_a_result_is_used_again_only_while_it_is_fresh(tasks: Tasks) -> None:
    """Who asks all the time costs one check a second."""
    probe = Counted()
    readiness = Readiness([Check("database", probe, tasks)])
    await readiness.read_report()
    await readiness.read_report()
    assert probe.runs == 1
    await asyncio.sleep(USUAL_TIMINGS.checked_s)
    await readiness.read_report()
    assert probe.runs == 2


async def test_a_check_that_hangs_is_waited_for_once_and_never_started_twice(tasks: Tasks) -> None:
    """Each start would take another connection; whoever asks later is told at once."""
    loop, probe = asyncio.get_running_loop(), Counted(None)
    readiness = Readiness([Check("database", probe, tasks), Check("data_folder", Counted(), tasks)])
    begun = loop.time()
    report = await readiness.read_report()
    assert loop.time() - begun == pytest.approx(CHECK_S)
    assert (report.status, report.checks[0].message) == ("not_ready", "No answer within 2 s.")
    assert [check.ok for check in report.checks] == [False, True]
    assert (await readiness.read_report()).status == "not_ready"
    assert loop.time() - begun == pytest.approx(CHECK_S)
    assert probe.runs == 1
    probe.released.set()
    await asyncio.sleep(0)
    assert (await readiness.read_report()).status == "ready"


async def test_who_goes_away_while_waiting_ends_nobody_elses_check(tasks: Tasks) -> None:
    """The connection of one monitor may break."""
    probe = Counted(None)
    readiness = Readiness([Check("database", probe, tasks)])
    async with asyncio.TaskGroup() as group:
        leaving = group.create_task(readiness.read_report())
        staying = group.create_task(readiness.read_report())
        await asyncio.sleep(0.1)
        leaving.cancel()
        await asyncio.sleep(0.1)
        probe.released.set()
    assert staying.result().status == "ready"


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (NotReady("The disk is full."), "The disk is full."),
        (ZeroDivisionError("secret"), "The check failed; the log of the bridge says how."),
    ],
)
async def test_a_check_that_fails_says_why_unless_that_was_unforeseen(
    tasks: Tasks, error: Exception, told: str
) -> None:
    """What nobody foresaw is in the log alone, where secrets may be."""

    async def fail() -> str:
        raise error

    (result,) = (await Readiness([Check("data_folder", fail, tasks)]).read_report()).checks
    expected = (
        "The disk is full."
        if isinstance(error, NotReady)
        else "The check failed; the log of the bridge says how."
    )
    assert (result.ok, result.message) == (False, expected)


async def test_a_bridge_that_stops_is_not_ready_and_checks_nothing(tasks: Tasks) -> None:
    """Its database may be closed already."""
    probe = Counted()
    readiness = Readiness([Check("database", probe, tasks)])
    readiness.stop()
    report = await readiness.read_report()
    assert (report.status, report.checks[0].message) == ("not_ready", "The bridge is stopping.")
    assert probe.runs == 0
