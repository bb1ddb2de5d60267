"""A sick database costs an answer its memory and no more than two seconds."""

import asyncio
import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from sqlalchemy.exc import OperationalError

from bridge.calls.limits.circuit_breaker import Breakers, BreakerState
from bridge.models.stored_items.items import StoredItem, StoredResponse
from bridge.models.stored_items.store import StoreUnavailable
from bridge.settings.limits import Limits
from bridge.storage.chat.items import ItemTables
from bridge.storage.chat.resilient_items import ALL_USERS, ResilientItemStore
from bridge.storage.store import Store
from bridge.storage.users import UserTables
from tests.support.stores.memory_item_store import MemoryItemStore

WAIT_S = 0.05
ITEM = StoredItem("A", "ann", "r1", 0, "output", "demo", {"type": "message"}, 1.0)


class FailingItemStore(MemoryItemStore):
    """Fails, or hangs and cannot even be cancelled, until it is well."""

    works = False
    hangs = False
    calls = 0

    async def add_items(self, items: object) -> None:
        self.calls += 1
        await self._fail_or_hang()

    async def by_ids(self, user_id: str, ids: object) -> Mapping[str, StoredItem]:
        self.calls += 1
        await self._fail_or_hang()
        return {}

    async def list_unfinished(self, user_id: str | None = None) -> Sequence[StoredResponse]:
        await self._fail_or_hang()
        return []

    async def _fail_or_hang(self) -> None:
        if self.works:
            return
        while self.hangs:
            try:
                await asyncio.sleep(3600)
            except asyncio.CancelledError:
                await asyncio.sleep(0.3)
        raise OperationalError("INSERT of a secret", {}, Exception("disk I/O error"))


class ResilientStoreHarness:
    """A guarded store and the clock of its breakers."""

    def __init__(self) -> None:
        self.now = 100.0
        self.inner = FailingItemStore()
        self.breakers = Breakers(Limits, lambda: self.now)
        self.store = ResilientItemStore(self.inner, self.breakers, wait_s=lambda: WAIT_S)

    async def fail(self, user_id: str = "ann") -> str:
        with pytest.raises(StoreUnavailable) as failed:
            await self.store.by_ids(user_id, ["A"])
        return str(failed.value)


@pytest.mark.asyncio
async def test_a_failing_database_is_not_asked_after_five_failures_until_one_try_works() -> None:
    """S0-96: the same window as for tools; then one call tries, and its success forgets all failures."""
    harness = ResilientStoreHarness()
    assert [await harness.fail() for _ in range(5)] == [
        "Stored answers cannot be read or written: disk I/O error."
    ] * 5
    assert (await harness.fail()).startswith("DB ops skipped due to repeated errors.")
    assert harness.inner.calls == 5
    harness.now += 61
    assert "disk I/O" in await harness.fail()
    assert (await harness.fail()).startswith("DB ops skipped")
    harness.inner.works = True
    harness.now += 61
    await harness.store.by_ids("ann", ["A"])
    assert harness.breakers.list_breakers("ann") == []


@pytest.mark.asyncio
async def test_the_breaker_of_one_user_is_not_that_of_another() -> None:
    """S0-96 says per user; what one user keeps may be what the database cannot take."""
    harness = ResilientStoreHarness()
    for _ in range(6):
        await harness.fail("ann")
    assert "disk I/O" in await harness.fail("bob")
    (facts,) = harness.breakers.list_breakers("ann")
    assert (facts.key.kind, facts.state) == ("store", BreakerState.OPEN)


@pytest.mark.asyncio
async def test_calls_that_name_no_user_have_a_breaker_too() -> None:
    """Else the stream events of every answer would wait for the patience of each write."""
    harness = ResilientStoreHarness()
    for _ in range(5):
        with pytest.raises(StoreUnavailable):
            await harness.store.list_unfinished()
    with pytest.raises(StoreUnavailable, match="skipped"):
        await harness.store.list_unfinished()
    assert len(harness.breakers.list_breakers(ALL_USERS)) == 1


@pytest.mark.asyncio
@pytest.mark.looptime
async def test_a_database_that_hangs_is_not_waited_for_even_when_it_cannot_be_cancelled() -> None:
    """S0-143: a driver may need as long to give up as to answer; the answer must go on."""
    harness = ResilientStoreHarness()
    harness.inner.hangs = True
    async with asyncio.timeout(0.25):
        with pytest.raises(StoreUnavailable, match=r"no answer within 0\.05 s"):
            await harness.store.add_items([ITEM])
    harness.inner.hangs = False
    harness.inner.works = True


@pytest.mark.asyncio
async def test_a_caller_who_gives_up_counts_for_nothing() -> None:
    """Stop is no failure of the database."""
    harness = ResilientStoreHarness()
    harness.inner.hangs = True
    adding = asyncio.create_task(harness.store.add_items([ITEM]))
    await asyncio.sleep(0)
    adding.cancel()
    with pytest.raises(asyncio.CancelledError):
        await adding
    harness.inner.hangs = False
    assert harness.breakers.list_breakers("ann") == []


@pytest.mark.asyncio
async def test_a_database_that_another_program_holds_is_unavailable_and_then_there_again(
    tmp_path: Path,
) -> None:
    """A backup tool may lock the file; what was kept before stays readable meanwhile (WAL)."""
    path = tmp_path / "b.sqlite3"
    database = Store.open_store(path)
    ann = await UserTables(database).ensure_user("ann")
    clock = asyncio.get_running_loop().time
    guarded = ResilientItemStore(ItemTables(database), Breakers(Limits, clock), wait_s=lambda: 0.5)
    kept = StoredItem("A", ann.id, "r1", 0, "output", "demo", {"type": "message"}, 1.0)
    await guarded.add_items([kept])
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreUnavailable):
        await guarded.add_items(
            [StoredItem("B", ann.id, "r1", 1, "output", "demo", {"type": "message"}, 1.0)]
        )
    assert await guarded.by_ids(ann.id, ["A"]) == {"A": kept}
    other.execute("ROLLBACK")
    other.close()
    await guarded.add_items([StoredItem("C", ann.id, "r1", 2, "output", "demo", {"type": "message"}, 1.0)])
    assert "C" in await guarded.by_ids(ann.id, ["A", "C"])
    await database.close()
