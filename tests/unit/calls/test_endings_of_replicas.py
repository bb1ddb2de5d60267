"""What a replica tells of unsafe calls while PostgreSQL is slow, or when it slept itself. Time is virtual."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field

import pytest
import pytest_asyncio

from bridge.browser_protocol import Result
from bridge.calls.endings import replica_lost
from bridge.calls.fenced_journal import COMMIT_S, FencedJournal, KnownCall, LeftCall
from bridge.calls.limits.settings import Deadline
from bridge.calls.open_call import OpenCall
from bridge.calls.outcome import CallOutcome
from bridge.calls.ports import HomeLost, JournalUnavailable
from bridge.calls.state_machine import CallPhase, CallState
from bridge.homes import Home
from bridge.tasks import Tasks
from tests.support.calls.dispatcher_harness import FreeSlot, request
from tests.support.cluster.tables import Tables

pytestmark = [pytest.mark.asyncio, pytest.mark.virtual_time]


@dataclass
class SlowRows:
    """The table of calls, whose answers to writes take a while."""

    tables: Tables
    write_s: float = 0.001
    """Before a write is executed."""
    answer_s: float = 0.0
    """After it was."""

    async def write_call(self, call: OpenCall, epoch: int, *, may_begin: bool) -> bool:
        await asyncio.sleep(self.write_s)
        is_written = self.tables.write_call(call, epoch, may_begin=may_begin)
        await asyncio.sleep(self.answer_s)
        return is_written

    async def end_left(self, user_id: str, epoch: int, outcome: CallOutcome) -> bool:
        return self.tables.end_left(user_id, epoch, outcome)

    async def list_left(self, user_id: str, epoch: int) -> Sequence[LeftCall]:
        return self.tables.list_left(user_id, epoch)

    async def find_known(self, call_id: str) -> KnownCall | None:
        return self.tables.find_known(call_id)


@dataclass
class PlainNotes:
    """The ordinary journal."""

    ended: list[str] = field(default_factory=list[str])

    def record_ended(self, call: OpenCall, *, may_begin: bool, epoch: int | None = None) -> None:
        self.ended.append(call.call_id)

    def record_late(self, user_id: str, result: Result) -> None: ...


@dataclass
class HomeOfAnn:
    """This replica, where ann is at home under an epoch, and which may have slept since."""

    replica: str = "a"
    epoch: int = 1
    is_awake: bool = True

    def epoch_of(self, user_id: str) -> int | None:
        return self.epoch if self.is_awake else None

    def held_epoch(self, user_id: str) -> int | None:
        return self.epoch


@dataclass
class Scene:
    """A journal, and what is around it."""

    rows: SlowRows
    plain: PlainNotes
    home: HomeOfAnn
    journal: FencedJournal

    def claim_elsewhere(self, state: CallState | None = None) -> None:
        """Another replica claims ann, and settles her call."""
        tables = self.rows.tables
        new = tables.claim_home("ann", "b", tables.homes["ann"])
        if state is not None:
            doubt = CallOutcome("c", state, None, replica_lost(is_unsent=False))
            assert tables.end_left("ann", new.epoch, doubt)


@pytest_asyncio.fixture
async def scene() -> AsyncIterator[Scene]:
    rows, plain, home, tasks = SlowRows(Tables()), PlainNotes(), HomeOfAnn(), Tasks()
    rows.tables.homes["ann"] = Home("ann", "a", 1)
    yield Scene(rows, plain, home, FencedJournal(rows, plain, home, tasks))
    await tasks.close()


def a_call() -> OpenCall:
    return OpenCall("c", request(safe=False), "token", FreeSlot(Deadline(60, "call")), phase=CallPhase.SENT)


def end(call: OpenCall, phase: CallPhase) -> OpenCall:
    call.phase = phase
    call.outcome = CallOutcome(call.call_id, call.state, None, None)
    return call


async def test_a_call_that_ends_while_it_is_opened_is_told_as_it_is_kept(scene: Scene) -> None:
    """Its opening may be committed, so that the next home settles it, although no answer came yet."""
    scene.rows.answer_s = 30.0
    call = a_call()
    opening = asyncio.create_task(scene.journal.record_opened(call, 60, may_begin=True))
    await asyncio.sleep(1)
    scene.claim_elsewhere(CallState.OUTCOME_UNKNOWN)
    scene.rows.answer_s = 0.0
    confirmation = scene.journal.record_ended(end(call, CallPhase.EXPIRED), may_begin=False)
    assert confirmation is not None
    assert (await confirmation).outcome.state is CallState.OUTCOME_UNKNOWN
    opening.cancel()


async def test_an_opening_without_an_answer_is_taken_for_committed(scene: Scene) -> None:
    """Only the ending that is written after it decides what is kept."""
    scene.rows.answer_s = 30.0
    call = a_call()
    with pytest.raises(JournalUnavailable):
        await scene.journal.record_opened(call, 1, may_begin=True)
    scene.rows.answer_s = 0.0
    confirmation = scene.journal.record_ended(end(call, CallPhase.FAILED), may_begin=False)
    assert confirmation is not None
    assert (await confirmation).is_stored
    assert scene.rows.tables.calls["c"].state is CallState.FAILED


async def test_the_ending_of_a_call_that_was_never_opened_is_told_at_once(scene: Scene) -> None:
    """Nothing was sent, and no other replica knows of it."""
    scene.rows.write_s = 30.0
    call = a_call()
    with pytest.raises(JournalUnavailable):
        await scene.journal.record_opened(call, 1, may_begin=True)
    scene.rows.write_s = 0.0
    scene.claim_elsewhere()
    confirmation = scene.journal.record_ended(end(call, CallPhase.FAILED), may_begin=False)
    assert confirmation is not None
    began = asyncio.get_running_loop().time()
    assert (await confirmation).outcome.state is CallState.FAILED
    assert asyncio.get_running_loop().time() - began < 0.1


async def test_an_opening_under_a_claim_that_is_over_leaves_nothing(scene: Scene) -> None:
    """The call is not sent, and its ending needs no commit."""
    scene.claim_elsewhere()
    call = a_call()
    with pytest.raises(HomeLost):
        await scene.journal.record_opened(call, 60, may_begin=True)
    assert scene.journal.record_ended(end(call, CallPhase.FAILED), may_begin=False) is None


async def test_a_replica_that_slept_tells_no_ending_that_it_cannot_commit(scene: Scene) -> None:
    """When it goes on, the wait for the commit is over, and another replica may have settled the call."""
    call = a_call()
    await scene.journal.record_opened(call, 60, may_begin=True)
    scene.rows.write_s = 5.0
    confirmation = scene.journal.record_ended(end(call, CallPhase.SUCCEEDED), may_begin=True)
    assert confirmation is not None
    scene.home.is_awake = False
    scene.claim_elsewhere(CallState.OUTCOME_UNKNOWN)
    await asyncio.sleep(2.5)
    assert not confirmation.done()
    scene.rows.write_s = 0.001
    told = await confirmation
    assert told.outcome.state is CallState.OUTCOME_UNKNOWN
    assert scene.plain.ended == []


async def test_while_the_database_is_away_an_ending_is_told_in_the_end(scene: Scene) -> None:
    """Its user is at home here, so nobody else decides; it is written when the database answers."""
    call = a_call()
    await scene.journal.record_opened(call, 60, may_begin=True)
    scene.rows.write_s = 1000.0
    confirmation = scene.journal.record_ended(end(call, CallPhase.SUCCEEDED), may_begin=True)
    assert confirmation is not None
    began = asyncio.get_running_loop().time()
    told = await confirmation
    assert (told.outcome.state, told.is_stored) == (CallState.SUCCEEDED, False)
    assert asyncio.get_running_loop().time() - began == pytest.approx(COMMIT_S)
    assert scene.plain.ended == ["c"]
