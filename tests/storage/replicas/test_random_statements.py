"""Random statements of several replicas, which PostgreSQL and the model of `make faults` answer alike.

Those that are executed at the same time must be answered, and leave what they leave, as if one came after the
other: the model knows nothing else. What it leaves out: users who are deleted, and locks that are waited for
longer than a second, which both are `database_unavailable` or a refusal.
"""

import asyncio
import copy
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from typing import Any, Protocol

import pytest
import pytest_asyncio
from sqlalchemy import URL

from bridge.browser_protocol import AnsweredOutcome, EmptyBody, Result
from bridge.calls.endings import replica_lost
from bridge.calls.fenced_journal import FencedRows, KnownCall
from bridge.calls.open_call import OpenCall
from bridge.calls.outcome import CallOutcome
from bridge.calls.ports import RecordedCall
from bridge.calls.request import RepeatIdentity
from bridge.calls.state_machine import TERMINAL, CallPhase, CallState
from bridge.homes import Home, HomeStore
from bridge.storage.call_journal import CallJournal
from bridge.storage.replicas.fenced_calls import FencedCalls
from bridge.storage.replicas.homes import HomeTable
from bridge.storage.replicas.relayed_records import RelayedRecords
from bridge.storage.store import Store
from bridge.storage.users import User
from tests.faults.replicas.engines import FarTables
from tests.support.calls.journal_harness import open_call
from tests.support.cluster.answers import ShortWay, answer_of
from tests.support.cluster.tables import CallRow, Tables
from tests.support.examples import seeds
from tests.support.stores.databases import execute
from tests.support.stores.postgresql import PostgresServer

SEEDS, STEPS = 8, 120

USERS, REPLICAS, CALLS = ("ann", "bob", "cid"), ("a", "b", "c"), 6
SINGLE_USER = "cid"
"""Whose calls a bridge that is alone has opened, too."""

PHASES = (
    CallPhase.QUEUED, CallPhase.SENT, CallPhase.AWAITING_APPROVAL, CallPhase.RUNNING, CallPhase.SUCCEEDED,
    CallPhase.FAILED, CallPhase.OUTCOME_UNKNOWN,
)  # fmt: skip
ENDINGS = (CallState.SUCCEEDED, CallState.FAILED, CallState.OUTCOME_UNKNOWN)


class Side(Protocol):
    """PostgreSQL or its model, as one replica has it."""

    @property
    def homes(self) -> HomeStore: ...
    @property
    def rows(self) -> FencedRows: ...
    @property
    def records(self) -> "FarTables | RelayedRecords": ...
    async def write_alone(self, call: OpenCall, *, may_begin: bool) -> None:
        """Open a call as a bridge without replicas."""
        ...

    async def write_queued(self, call: OpenCall, epoch: int, *, may_begin: bool) -> None:
        """Write the ending of a call in the journal that every bridge has."""
        ...

    async def find_keyed(self, user_id: str, caller: str, key_digest: str) -> RecordedCall | None: ...
    async def write_late(self, user_id: str, call_id: str) -> None:
        """Note a report of a call that has ended."""
        ...


class Model:
    """The model."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self.homes = self.rows = self.records = FarTables(tables, ShortWay())

    async def write_alone(self, call: OpenCall, *, may_begin: bool) -> None:
        self._tables.write_call(call, None, may_begin=may_begin)

    async def write_queued(self, call: OpenCall, epoch: int, *, may_begin: bool) -> None:
        await self.rows.write_call(call, epoch, may_begin=may_begin)

    async def find_keyed(self, user_id: str, caller: str, key_digest: str) -> RecordedCall | None:
        return await self.rows.find_keyed(user_id, caller, key_digest)

    async def write_late(self, user_id: str, call_id: str) -> None:
        await self.rows.write_late(call_id, user_id)


class Real:
    """The store of one replica."""

    def __init__(self, store: Store, journal: CallJournal) -> None:
        self.homes, self.rows, self.records = (
            HomeTable(store.fenced_sessions),
            FencedCalls(store.fenced_sessions),
            RelayedRecords(store),
        )
        self._journal = journal

    async def write_alone(self, call: OpenCall, *, may_begin: bool) -> None:
        await self._journal.record_opened(call, 5.0, may_begin=may_begin)
        await self._journal.catch_up()

    async def write_queued(self, call: OpenCall, epoch: int, *, may_begin: bool) -> None:
        self._journal.record_ended(call, may_begin=may_begin, epoch=epoch)
        await self._journal.catch_up()

    async def find_keyed(self, user_id: str, caller: str, key_digest: str) -> RecordedCall | None:
        return await self._journal.find_keyed(user_id, caller, key_digest, within_s=1e12)

    async def write_late(self, user_id: str, call_id: str) -> None:
        answered = AnsweredOutcome(status="answered", http_status=200, body=EmptyBody(kind="empty"))
        self._journal.record_late(user_id, Result(call_id=call_id, outcome=answered))
        await self._journal.catch_up()


@dataclass(frozen=True)
class Statement:
    """One statement, and what it says in a failure."""

    text: str
    ask: Callable[[Side], Awaitable[object]]


class Script:
    """Makes statements that now and then concern what is there."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._seen: list[Home] = [Home("ann", "a", 1)]
        """Homes that were true once."""
        self._makes: Sequence[Callable[[], Statement]] = (
            self._claim, self._claim, self._release, self._write, self._write, self._write, self._end_left,
        )  # fmt: skip
        """Statements that are executed at the same time, too."""
        self._others: Sequence[Callable[[], Statement]] = (
            self._find_home, self._list_homes, self._claim_left, self._claim_left, self._list_left,
            self._find_known, self._find_relayed, self._find_keyed, self._write_alone, self._write_queued,
            self._write_late,
        )  # fmt: skip

    def next_step(self, homes: Sequence[Home]) -> list[Statement]:
        """One statement, or two at once. `homes`: as they are now, as far as is known."""
        self._seen = [*self._seen[-12:], *homes]
        if self._chance.random() < 0.3:
            return [self._chance.choice(self._makes)(), self._chance.choice(self._makes)()]
        return [self._chance.choice((*self._makes, *self._others))()]

    def _user(self) -> str:
        return self._chance.choice(USERS)

    def _epoch(self, user_id: str) -> int:
        """Mostly the present one."""
        present = max((home.epoch for home in self._seen if home.user_id == user_id), default=1)
        return max(0, present + self._chance.choice((0, 0, 0, 0, -1, 1)))

    def _home(self, user_id: str) -> Home | None:
        mine = [home for home in self._seen if home.user_id == user_id]
        newest = mine[-1:] * 4
        return self._chance.choice([*newest, *mine, None])

    def _call(self, user_id: str, phase: CallPhase) -> OpenCall:
        number = self._chance.randrange(CALLS)
        user, safe = User(user_id, user_id), number == 0
        asked = (None, "r1", "r2")[number % 3]
        repeat = RepeatIdentity("request", "caller", f"digest {number}", f"key {number}")
        call_id = f"{user_id}-{number}"
        return open_call(user, call_id, safe=safe, phase=phase, relayed_id=asked, repeat=repeat)

    def _claim(self) -> Statement:
        user_id, replica = self._user(), self._chance.choice(REPLICAS)
        held = self._home(user_id)
        return Statement(
            f"claim {user_id} for {replica} from {held}",
            lambda side: side.homes.claim_home(user_id, replica, held),
        )

    def _release(self) -> Statement:
        home = self._home(self._user()) or Home("ann", "nobody", 1)
        return Statement(f"release {home}", lambda side: side.homes.release_home(home))

    def _find_home(self) -> Statement:
        user_id = self._user()
        return Statement(f"find home of {user_id}", lambda side: side.homes.find_home(user_id))

    def _list_homes(self) -> Statement:
        replica = self._chance.choice(REPLICAS)
        return Statement(f"list homes of {replica}", lambda side: side.homes.list_homes(replica))

    def _claim_left(self) -> Statement:
        replica, limit = self._chance.choice(REPLICAS), self._chance.choice((1, 2, 32))
        live = self._chance.sample(REPLICAS, self._chance.randrange(3))

        async def ask(side: Side) -> object:
            return sorted(await side.homes.claim_left(replica, live, limit), key=lambda pair: pair[0].user_id)

        return Statement(f"claim up to {limit} for {replica}, alive {live}", ask)

    def _write(self) -> Statement:
        user_id, phase = self._user(), self._chance.choice(PHASES)
        call, epoch, may_begin = self._call(user_id, phase), self._epoch(user_id), self._chance.random() < 0.5
        return Statement(
            f"write {call.call_id} {phase} under {epoch}, may begin {may_begin}",
            lambda side: side.rows.write_call(call, epoch, may_begin=may_begin),
        )

    def _end_left(self) -> Statement:
        user_id, state = self._user(), self._chance.choice(ENDINGS)
        call, epoch = self._call(user_id, CallPhase.SENT), self._epoch(user_id)
        outcome = CallOutcome(call.call_id, state, None, replica_lost(is_unsent=False))
        return Statement(
            f"end {call.call_id} {state} under {epoch}",
            lambda side: side.rows.end_left(user_id, epoch, outcome),
        )

    def _list_left(self) -> Statement:
        user_id = self._user()
        epoch = self._epoch(user_id)

        async def ask(side: Side) -> object:
            return sorted(
                (call.call_id, call.may_begin) for call in await side.rows.list_left(user_id, epoch)
            )

        return Statement(f"list what is left of {user_id} under {epoch}", ask)

    def _find_known(self) -> Statement:
        call_id = self._call(self._user(), CallPhase.SENT).call_id

        async def ask(side: Side) -> object:
            known = await side.rows.find_known(call_id)
            return None if known is None else _read_known(known)

        return Statement(f"find {call_id}", ask)

    def _find_relayed(self) -> Statement:
        user_id, request_id = self._user(), self._chance.choice(("r1", "r2", "r3"))

        async def ask(side: Side) -> object:
            return sorted(map(_read_known, await side.records.find_relayed(user_id, request_id)))

        return Statement(f"find what {user_id} asked for by {request_id}", ask)

    def _find_keyed(self) -> Statement:
        user_id, key = self._user(), f"key {self._chance.randrange(CALLS)}"

        async def ask(side: Side) -> object:
            found = await side.find_keyed(user_id, "caller", key)
            if found is None:
                return None
            return found.digest, *_read_known(KnownCall(found.outcome.call_id, "", found.outcome))

        return Statement(f"find {key} of {user_id}", ask)

    def _write_alone(self) -> Statement:
        call, may_begin = self._call(SINGLE_USER, CallPhase.SENT), self._chance.random() < 0.5
        return Statement(
            f"alone: open {call.call_id}", lambda side: side.write_alone(call, may_begin=may_begin)
        )

    def _write_queued(self) -> Statement:
        user_id, phase = self._user(), self._chance.choice([each for each in PHASES if each in TERMINAL])
        call, epoch = self._call(user_id, phase), self._epoch(user_id)
        return Statement(
            f"queued: {call.call_id} {phase} under {epoch}",
            lambda side: side.write_queued(call, epoch, may_begin=True),
        )

    def _write_late(self) -> Statement:
        user_id, owner = self._user(), self._user()
        call_id = self._call(owner, CallPhase.SENT).call_id
        return Statement(f"late: {call_id} of {user_id}", lambda side: side.write_late(user_id, call_id))


def _read_known(known: KnownCall) -> tuple[str, str, str]:
    outcome = known.outcome
    error = None if outcome is None else outcome.error
    return known.call_id, "" if outcome is None else outcome.state, "" if error is None else error.code


@dataclass(frozen=True)
class Database:
    """PostgreSQL, as two replicas have it."""

    where: URL
    sides: Sequence[Real]


@pytest.fixture
def where(postgres_server: PostgresServer) -> Iterator[URL]:
    with postgres_server.database() as url:
        people = [f"('{name}', '{name}', 0)" for name in USERS]
        execute(url, f"INSERT INTO users (id, name, created_at) VALUES {', '.join(people)}")
        yield url


@pytest_asyncio.fixture
async def database(where: URL, tmp_path: Path) -> AsyncIterator[Database]:
    stores = [Store.open_store(where) for _ in range(2)]
    journals = [CallJournal(store, _folder(tmp_path, number)) for number, store in enumerate(stores)]
    yield Database(where, [Real(store, journal) for store, journal in zip(stores, journals, strict=True)])
    for store, journal in zip(stores, journals, strict=True):
        await journal.close_journal()
        await store.close()


def _folder(parent: Path, number: int) -> Path:
    folder = parent / str(number)
    folder.mkdir()
    return folder


async def follow(
    before: Sequence[Tables], step: Sequence[Statement], answers: Sequence[object]
) -> list[Tables]:
    """What the model may be after a step that was answered so, in any order of what was asked at once."""
    after: list[Tables] = []
    for tables in before:
        for order in permutations(range(len(step))):
            tried = copy.deepcopy(tables)
            said = {number: await answer_of(step[number].ask(Model(tried))) for number in order}
            if [said[number] for number in range(len(step))] == list(answers) and tried not in after:
                after.append(tried)
    return after


def kept_by(tables: Tables) -> tuple[list[Any], list[Any]]:
    """All rows of the model."""
    calls = [
        (*_asked(row), row.state.value, row.may_begin, row.epoch, row.outcome is not None, row.late > 0)
        for row in tables.calls.values()
    ]
    return sorted((home.user_id, home.replica, home.epoch) for home in tables.homes.values()), sorted(calls)


def _asked(row: CallRow) -> tuple[str, str, str | None]:
    return row.call_id, row.user_id, row.request_id


def kept_at(where: URL) -> tuple[list[Any], list[Any]]:
    """All rows of PostgreSQL."""
    homes = execute(where, "SELECT user_id, replica, epoch FROM homes")
    calls = execute(
        where,
        "SELECT id, user_id, request_id, state, may_begin, epoch, ended_at IS NOT NULL, late IS NOT NULL"
        " FROM calls",
    )
    return sorted(tuple(row) for row in homes), sorted(tuple(row) for row in calls)


@pytest.mark.asyncio
@pytest.mark.parametrize("seed", seeds(SEEDS))
async def test_postgresql_answers_random_statements_as_the_model_does(database: Database, seed: int) -> None:
    """A model that differs makes thousands of histories of the fault suite worthless."""
    chance = random.Random(f"statements {seed}")
    script, possible, asked = Script(chance), [Tables()], list[str]()
    for _ in range(STEPS):
        step = script.next_step(list(possible[0].homes.values()))
        sides = chance.sample(database.sides, len(step))
        asking = (answer_of(each.ask(side)) for each, side in zip(step, sides, strict=True))
        answers = await asyncio.gather(*asking)
        asked += [f"{each.text}: {answer}" for each, answer in zip(step, answers, strict=True)]
        before, possible = possible, await follow(possible, step, answers)
        meant = [[await answer_of(each.ask(Model(copy.deepcopy(before[0]))))] for each in step]
        assert possible, f"the model answers {meant} at the end of {asked}"
    assert kept_at(database.where) in [kept_by(tables) for tables in possible], asked
