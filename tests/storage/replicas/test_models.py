"""The models of PostgreSQL that `make faults` plays with do what PostgreSQL does."""

import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
import pytest_asyncio

from bridge.calls.endings import replica_lost
from bridge.calls.fenced_journal import FencedRows, KnownCall, LeftCall
from bridge.calls.outcome import CallOutcome
from bridge.calls.state_machine import CallPhase, CallState
from bridge.homes import Home, HomeStore
from bridge.storage.replicas.fenced_calls import FencedCalls
from bridge.storage.replicas.homes import HomeTable
from bridge.storage.store import Store
from bridge.storage.users import User, UserTables
from tests.faults.replicas.engines import FarTables
from tests.support.calls.journal_harness import open_call
from tests.support.cluster.tables import Tables
from tests.support.stores.postgresql import PostgresServer

pytestmark = pytest.mark.asyncio


class _AtOnce:
    """A way that takes no time and loses nothing."""

    async def ask(self, name: str, statement: Any, call_id: str = "") -> Any:
        return statement()


@dataclass(frozen=True)
class Engine:
    """PostgreSQL or its model, with two users who have no homes yet."""

    homes: HomeStore
    rows: FencedRows
    ann: User
    bob: User

    async def write(self, user: User, call_id: str, epoch: int, phase: CallPhase = CallPhase.SENT) -> bool:
        call = open_call(user, call_id, phase=phase, opened_at=time.time())
        return await self.rows.write_call(call, epoch, may_begin=True)

    async def doubt(self, user: User, call_id: str, epoch: int) -> bool:
        outcome = CallOutcome(call_id, CallState.OUTCOME_UNKNOWN, None, replica_lost(is_unsent=False))
        return await self.rows.end_left(user.id, epoch, outcome)

    async def state_of(self, call_id: str) -> CallState | None:
        known: KnownCall | None = await self.rows.find_known(call_id)
        return None if known is None or known.outcome is None else known.outcome.state


@pytest_asyncio.fixture(params=["model", "postgresql"])
async def engine(request: pytest.FixtureRequest) -> AsyncIterator[Engine]:
    if request.param == "model":
        far = FarTables(Tables(), _AtOnce())
        yield Engine(far, far, User("ann", "ann"), User("bob", "bob"))
        return
    server: PostgresServer = request.getfixturevalue("postgres_server")
    with server.database() as where:
        store = Store.open_store(where)
        users = UserTables(store)
        ann, bob = await users.ensure_user("ann"), await users.ensure_user("bob")
        yield Engine(HomeTable(store.fenced_sessions), FencedCalls(store.fenced_sessions), ann, bob)
        await store.close()


async def test_a_home_has_one_owner_and_rising_epochs(engine: Engine) -> None:
    """Who claims from another home than the present one learns that, and changes nothing."""
    homes, ann = engine.homes, engine.ann.id
    assert await homes.find_home(ann) is None
    first = await homes.claim_home(ann, "a", None)
    assert first == Home(ann, "a", 1)
    assert await homes.claim_home(ann, "b", None) == first
    second = await homes.claim_home(ann, "b", first)
    assert second == Home(ann, "b", 2)
    assert await homes.claim_home(ann, "c", first) == second
    assert not await homes.release_home(first)
    assert await homes.list_homes("b") == {ann: 2}
    assert await homes.release_home(second)
    assert await homes.find_home(ann) == Home(ann, "", 3)
    assert await homes.list_homes("b") == {}


async def test_what_is_written_under_another_epoch_than_the_present_one_is_refused(engine: Engine) -> None:
    """Openings and endings alike, older and newer ones."""
    home = await engine.homes.claim_home(engine.ann.id, "a", None)
    assert await engine.write(engine.ann, "c1", home.epoch)
    await engine.homes.claim_home(engine.ann.id, "b", home)
    for epoch in (home.epoch, home.epoch + 2):
        assert not await engine.write(engine.ann, "c2", epoch)
        assert not await engine.write(engine.ann, "c1", epoch, CallPhase.SUCCEEDED)
    assert not await engine.doubt(engine.ann, "c1", home.epoch + 2)
    assert await engine.rows.find_known("c2") is None


async def test_a_call_ends_once(engine: Engine) -> None:
    """The first ending is kept, and an opening that comes after it changes nothing."""
    home = await engine.homes.claim_home(engine.ann.id, "a", None)
    assert await engine.write(engine.ann, "c1", home.epoch)
    assert await engine.write(engine.ann, "c1", home.epoch, CallPhase.SUCCEEDED)
    assert not await engine.write(engine.ann, "c1", home.epoch, CallPhase.FAILED)
    assert not await engine.write(engine.ann, "c1", home.epoch)
    new = await engine.homes.claim_home(engine.ann.id, "b", home)
    assert not await engine.doubt(engine.ann, "c1", new.epoch)
    assert await engine.state_of("c1") is CallState.SUCCEEDED


async def test_only_calls_of_older_epochs_are_left(engine: Engine) -> None:
    """Those of the home itself run; those of other users are not its affair."""
    home = await engine.homes.claim_home(engine.ann.id, "a", None)
    await engine.write(engine.ann, "c1", home.epoch)
    assert await _left(engine, home.epoch) == []
    assert not await engine.doubt(engine.ann, "c1", home.epoch)
    new = await engine.homes.claim_home(engine.ann.id, "b", home)
    await engine.write(engine.ann, "c2", new.epoch)
    assert await _left(engine, new.epoch) == [LeftCall("c1", may_begin=True)]
    assert not await engine.doubt(engine.bob, "c1", new.epoch)
    assert await engine.doubt(engine.ann, "c1", new.epoch)
    assert await _left(engine, new.epoch) == []
    assert await engine.state_of("c1") is CallState.OUTCOME_UNKNOWN


async def test_users_with_open_calls_are_claimed_from_dead_replicas(engine: Engine) -> None:
    """Not those without open calls, nor those of replicas that live."""
    anns = await engine.homes.claim_home(engine.ann.id, "dead", None)
    bobs = await engine.homes.claim_home(engine.bob.id, "alive", None)
    assert await engine.homes.claim_left("b", ["alive"], 32) == []
    await engine.write(engine.ann, "c1", anns.epoch)
    await engine.write(engine.bob, "c2", bobs.epoch)
    assert await engine.homes.claim_left("b", ["alive"], 32) == [(anns, Home(engine.ann.id, "b", 2))]
    assert await engine.homes.claim_left("b", ["alive"], 32) == []


async def _left(engine: Engine, epoch: int) -> Sequence[LeftCall]:
    return await engine.rows.list_left(engine.ann.id, epoch)
