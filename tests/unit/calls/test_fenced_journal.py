"""The journal of a replica: only what is committed under its user's claim counts. On a virtual clock."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field

import pytest
import pytest_asyncio

from bridge.browser_protocol import Result
from bridge.calls.endings import replica_lost
from bridge.calls.fenced_journal import COMMIT_S, GREETING_S, FencedJournal, KnownCall, LeftCall
from bridge.calls.open_call import Confirmation, OpenCall
from bridge.calls.outcome import CallOutcome, doubtful_error
from bridge.calls.ports import HomeLost, JournalUnavailable
from bridge.calls.state_machine import CallPhase, CallState
from bridge.errors import BridgeError, ErrorCode
from bridge.storage.users import User
from bridge.tasks import Tasks
from tests.support.calls.dispatcher_harness import answered
from tests.support.calls.journal_harness import open_call

pytestmark = [pytest.mark.asyncio, pytest.mark.looptime]

ANN = User("ann", "ann")


@dataclass
class Rows:
    """The table of calls, as PostgreSQL keeps it."""

    epoch: int = 1
    """The claim that holds."""
    opened: dict[str, bool] = field(default_factory=dict[str, bool])
    ended: dict[str, CallOutcome] = field(default_factory=dict[str, CallOutcome])
    is_away: bool = False
    answers_after_s: float = 0.001

    async def write_call(self, call: OpenCall, epoch: int, *, may_begin: bool) -> bool:
        await self._answer()
        if epoch != self.epoch or call.call_id in self.ended:
            return False
        self.opened[call.call_id] = may_begin
        if call.outcome is not None:
            self.ended[call.call_id] = call.outcome
        return True

    async def end_left(self, user_id: str, epoch: int, outcome: CallOutcome) -> bool:
        await self._answer()
        if epoch != self.epoch or outcome.call_id not in self.opened or outcome.call_id in self.ended:
            return False
        self.ended[outcome.call_id] = outcome
        return True

    async def list_left(self, user_id: str, epoch: int) -> Sequence[LeftCall]:
        await self._answer()
        return [LeftCall(name, may) for name, may in self.opened.items() if name not in self.ended]

    async def find_known(self, call_id: str) -> KnownCall | None:
        await self._answer()
        return KnownCall(call_id, "t", self.ended.get(call_id)) if call_id in self.opened else None

    async def _answer(self) -> None:
        await asyncio.sleep(self.answers_after_s)
        if self.is_away:
            raise BridgeError(ErrorCode.DATABASE_UNAVAILABLE, "The database is away.", retryable=True)


@dataclass
class Plain:
    """The ordinary journal."""

    ended: list[tuple[str, int | None]] = field(default_factory=list[tuple[str, int | None]])
    late: list[str] = field(default_factory=list[str])

    def record_ended(self, call: OpenCall, *, may_begin: bool, epoch: int | None = None) -> None:
        self.ended.append((call.call_id, epoch))

    def record_late(self, user_id: str, result: Result) -> None:
        self.late.append(result.call_id)


@dataclass
class OneHome:
    """What this replica believes."""

    epoch: int | None = 1
    is_awake: bool = True
    replica: str = "a"

    def epoch_of(self, user_id: str) -> int | None:
        return self.epoch if self.is_awake else None

    def held_epoch(self, user_id: str) -> int | None:
        return self.epoch


class Scene:
    """A replica's journal with everything around it."""

    def __init__(self) -> None:
        self.rows, self.plain, self.home, self.tasks = Rows(), Plain(), OneHome(), Tasks()
        self.journal = FencedJournal(self.rows, self.plain, self.home, self.tasks)

    async def open(self, call_id: str = "c1", *, may_begin: bool = True, within_s: float = 5) -> None:
        await self.journal.record_opened(open_call(ANN, call_id), within_s, may_begin=may_begin)

    async def end(self, call_id: str = "c1") -> CallOutcome:
        confirmation = self.start_ending(call_id)
        return (await confirmation).outcome

    def start_ending(self, call_id: str = "c1") -> Confirmation:
        confirmation = self.journal.record_ended(
            open_call(ANN, call_id, phase=CallPhase.SUCCEEDED), may_begin=True
        )
        assert confirmation is not None
        return confirmation


@pytest_asyncio.fixture
async def scene() -> AsyncIterator[Scene]:
    made = Scene()
    yield made
    await made.tasks.close()


async def test_a_call_is_not_sent_for_a_user_who_is_at_home_elsewhere(scene: Scene) -> None:
    """Its opening is refused by the database, whatever this replica believes."""
    scene.rows.epoch = 2
    with pytest.raises(HomeLost):
        await scene.open()
    assert scene.rows.opened == {}


async def test_a_replica_that_slept_opens_nothing_before_it_has_looked(scene: Scene) -> None:
    """The lease is for speed; the database would refuse it, too."""
    scene.home.is_awake = False
    with pytest.raises(HomeLost):
        await scene.open()


async def test_without_the_database_no_unsafe_call_is_sent(scene: Scene) -> None:
    """Nor when it is too slow: nobody could know of the call afterwards."""
    scene.rows.is_away = True
    with pytest.raises(JournalUnavailable):
        await scene.open()
    scene.rows.is_away, scene.rows.answers_after_s = False, 10
    with pytest.raises(JournalUnavailable):
        await scene.open(within_s=2)


async def test_an_ending_is_told_once_it_is_committed(scene: Scene) -> None:
    """What its caller hears is what is kept."""
    await scene.open()
    scene.rows.answers_after_s = 2.5  # longer than a commit takes on any machine that works
    confirmation = scene.start_ending()
    await asyncio.sleep(2.4)
    assert not confirmation.done()
    kept = await confirmation
    assert kept.is_stored
    assert scene.rows.ended["c1"] == kept.outcome


async def test_the_ending_of_the_new_home_is_told_where_there_is_one(scene: Scene) -> None:
    """The old home's caller must not hear of a success that is kept as in doubt."""
    await scene.open()
    scene.rows.epoch = 2
    error = doubtful_error(replica_lost(is_unsent=False))
    doubt = CallOutcome("c1", CallState.OUTCOME_UNKNOWN, None, error)
    confirmation = scene.start_ending()
    await asyncio.sleep(1)
    assert not confirmation.done()
    scene.rows.ended["c1"] = doubt
    assert (await confirmation).outcome == doubt
    assert not (await confirmation).is_stored


async def test_an_ending_that_is_also_the_kept_one_is_told_with_its_answer(scene: Scene) -> None:
    """The page has told the new home as well, which does not keep answers."""
    await scene.open()
    scene.rows.epoch = 2
    scene.rows.ended["c1"] = CallOutcome("c1", CallState.SUCCEEDED, None, None)
    own = open_call(ANN, "c1", phase=CallPhase.SUCCEEDED).outcome
    assert await scene.end() == own


async def test_an_ending_that_nobody_keeps_is_in_doubt_in_the_end(scene: Scene) -> None:
    """Nobody waits for ever."""
    await scene.open()
    scene.rows.epoch = 2
    assert (await scene.end()).state is CallState.OUTCOME_UNKNOWN


async def test_while_the_database_is_away_an_ending_is_told_and_written_later(scene: Scene) -> None:
    """As in a bridge alone; but its page keeps it, too, until it is written (36)."""
    await scene.open()
    scene.rows.is_away = True
    kept = await scene.start_ending()
    assert kept.outcome.state is CallState.SUCCEEDED
    assert not kept.is_stored
    assert scene.plain.ended == [("c1", 1)]
    scene.rows.is_away = False
    await scene.open("c2")
    scene.rows.answers_after_s = 10 * COMMIT_S
    assert not (await scene.start_ending("c2")).is_stored


async def test_a_page_that_comes_soon_ends_the_calls_of_a_lost_home(scene: Scene) -> None:
    """It knows how they ended; nothing is in doubt then (34)."""
    await scene.open()
    scene.home.epoch = scene.rows.epoch = 2
    settling = asyncio.create_task(scene.journal.settle_user("ann", 2))
    await asyncio.sleep(GREETING_S / 2)
    reported = scene.journal.record_late("ann", answered("c1"))
    assert reported is not None
    assert (await reported).is_stored
    assert await settling == 0
    assert scene.rows.ended["c1"].state is CallState.SUCCEEDED
    assert scene.plain.late == []


async def test_calls_of_which_no_page_reports_are_in_doubt_or_were_never_sent(scene: Scene) -> None:
    """Those that no page was allowed to begin may be made again."""
    await scene.open("begun")
    await scene.open("asked", may_begin=False)
    scene.home.epoch = scene.rows.epoch = 2
    began = asyncio.get_running_loop().time()
    assert await scene.journal.settle_user("ann", 2) == 1
    assert asyncio.get_running_loop().time() - began >= GREETING_S
    assert scene.rows.ended["begun"].state is CallState.OUTCOME_UNKNOWN
    error = scene.rows.ended["asked"].error
    assert error is not None
    assert (error.code, error.retryable) == (ErrorCode.REPLICA_LOST, True)


async def test_a_report_of_a_call_that_has_ended_is_noted_as_late(scene: Scene) -> None:
    """A terminal state never changes."""
    await scene.open()
    await scene.end()
    reported = scene.journal.record_late("ann", answered("c1"))
    assert reported is not None
    assert (await reported).is_stored
    assert scene.plain.late == ["c1"]


async def test_a_safe_call_is_written_as_in_a_bridge_alone(scene: Scene) -> None:
    """Nobody waits for the database; the row carries the claim."""
    safe = open_call(ANN, "s1", safe=True, phase=CallPhase.SUCCEEDED)
    assert scene.journal.record_ended(safe, may_begin=True) is None
    assert scene.plain.ended == [("s1", 1)]
