"""What is kept goes when it is old or too much; what is used stays."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace

import pytest
import pytest_asyncio

from bridge.item_types import WAITING_TYPE
from bridge.models.stored_items.items import StoredItem, StoredResponse
from bridge.settings.storage import StorageSettings
from bridge.storage.chat.items import ItemTables
from bridge.storage.chat.retention import DAY_SECONDS, ROWS_AT_ONCE, Retention, pause_seconds
from bridge.storage.store import Store
from bridge.storage.users import UserTables
from tests.support.stores.databases import Where, execute
from toolserver.json_types import JsonObject

pytestmark = pytest.mark.both_databases

PLAIN = StorageSettings(compress=False)


@dataclass
class RetentionHarness:
    """A store with answers of one user, and a clock that counts days."""

    where: Where
    store: Store
    user_id: str
    day: float = 0.0

    def now(self) -> float:
        return self.day * DAY_SECONDS

    async def add_response(self, response_id: str, text: str = "x") -> None:
        """A response of two items."""
        items = ItemTables(self.store, PLAIN, self.now)
        names = f"{response_id}a", f"{response_id}b"
        payload: JsonObject = {"type": "message", "text": text}
        await items.add_items(
            [
                StoredItem(name, self.user_id, response_id, place, "output", "demo", payload, self.now())
                for place, name in enumerate(names)
            ]
        )
        await items.save_response(
            StoredResponse(response_id, self.user_id, "demo", "completed", {"id": 1}, {}, self.now())
        )

    async def sweep(self, settings: StorageSettings = PLAIN) -> str:
        """The responses that are left, whole."""
        await Retention(self.store, settings, self.now).sweep_once()
        left = [row[0] for row in execute(self.where, "SELECT id FROM kept_responses ORDER BY id")]
        items = [row[0] for row in execute(self.where, "SELECT id FROM kept_items ORDER BY id")]
        assert items == [f"{name}{half}" for name in left for half in "ab"]
        return "".join(left)


@pytest_asyncio.fixture
async def harness(database: Where) -> AsyncIterator[RetentionHarness]:
    store = Store.open_store(database)
    yield RetentionHarness(database, store, (await UserTables(store).ensure_user("ann")).id)
    await store.close()


@pytest.mark.asyncio
async def test_what_was_not_used_for_so_many_days_goes(harness: RetentionHarness) -> None:
    """S0-144: `TOOL_BRIDGE_CLEANUP_DAYS`, 90 unless told otherwise."""
    for day, name in ((0, "1"), (5, "2"), (90, "3")):
        harness.day = day
        await harness.add_response(name)
    assert await harness.sweep() == "123"
    harness.day = 90.5
    assert await harness.sweep() == "23"
    assert await harness.sweep(PLAIN.model_copy(update={"cleanup_days": 7})) == "3"


@pytest.mark.asyncio
async def test_a_chat_that_is_used_stays(harness: RetentionHarness) -> None:
    """S0-144: reading an item renews the age of its whole response; so does reading the response."""
    for name in "123":
        await harness.add_response(name)
    harness.day = 80
    items = ItemTables(harness.store, PLAIN, harness.now)
    await items.by_ids(harness.user_id, ["1a"])
    await items.find_response(harness.user_id, "2")
    harness.day = 100
    await harness.sweep()  # waits for what was noted before it
    assert await harness.sweep() == "12"


@pytest.mark.asyncio
async def test_reading_writes_at_most_once_a_day(harness: RetentionHarness) -> None:
    """A chat is read at every turn; its age need not be exact."""
    await harness.add_response("1")
    items = ItemTables(harness.store, PLAIN, harness.now)
    seen: list[float] = []
    for day in (0.9, 1.1, 1.9):
        harness.day = day
        await items.by_ids(harness.user_id, ["1a"])
        await items.add_items([])
        await harness.sweep()
        seen += {row[0] / DAY_SECONDS for row in execute(harness.where, "SELECT used_at FROM kept_items")}
    assert seen == pytest.approx([0, 1.1, 1.1])


@pytest.mark.asyncio
async def test_of_a_user_who_stores_too_much_the_least_recently_used_goes(harness: RetentionHarness) -> None:
    """Another user's answers stay, and what is left is within the quota."""
    text = "x" * 100_000
    for day, name in enumerate("123456"):
        harness.day = day
        await harness.add_response(name, text)
    bob = RetentionHarness(
        harness.where, harness.store, (await UserTables(harness.store).ensure_user("bob")).id
    )
    await bob.add_response("7", text)
    harness.day = 7
    await ItemTables(harness.store, PLAIN, harness.now).by_ids(harness.user_id, ["1a"])
    await harness.sweep(PLAIN.model_copy(update={"bytes_per_user": 0}))
    assert await harness.sweep(PLAIN.model_copy(update={"bytes_per_user": 650_000})) == "1567"
    assert await harness.sweep(PLAIN.model_copy(update={"bytes_per_user": 650_000})) == "1567"


@pytest.mark.asyncio
async def test_more_than_one_transaction_takes_goes_too(harness: RetentionHarness) -> None:
    """A sweep after a long pause finds thousands of rows; none of its transactions is long."""
    items = ItemTables(harness.store, PLAIN, harness.now)
    await items.add_items(
        [
            StoredItem(f"{number}", harness.user_id, "r", number, "output", "demo", {"type": "message"}, 0.0)
            for number in range(3 * ROWS_AT_ONCE + 1)
        ]
    )
    harness.day = 91
    assert await harness.sweep() == ""


def test_rounds_begin_up_to_a_quarter_later_and_never_more_than_ten_minutes() -> None:
    """S0-144: several bridges on one database do not all begin at once."""

    def pause_s(hours: float, chance: float) -> float:
        settings = PLAIN.model_copy(update={"cleanup_interval_hours": hours})
        return pause_seconds(settings, chance)

    assert [pause_s(1.0, chance) for chance in (0.0, 0.5, 1.0)] == [3600, 3900, 4200]
    assert pause_s(0.5, 1.0) == 1800 + 450


@pytest.mark.asyncio
async def test_events_of_a_response_go_a_day_after_its_end_and_the_response_stays(
    harness: RetentionHarness,
) -> None:
    """Who lost a stream comes back soon; one that is still being made keeps all of its own."""
    items = ItemTables(harness.store, PLAIN, harness.now)
    base = StoredResponse("1", harness.user_id, "demo", "completed", {"id": 1}, {}, 0.0)
    await items.save_response(replace(base, ended_at=DAY_SECONDS * 1.0))
    await items.save_response(replace(base, id="2", status="in_progress"))
    for name in "12":
        await items.add_events(harness.user_id, name, 0, 3, b"frames")
    for day, left in ((1.9, "12"), (2.1, "2")):
        harness.day = day
        await Retention(harness.store, PLAIN, harness.now).sweep_once()
        found = execute(harness.where, "SELECT response_id FROM kept_events ORDER BY response_id")
        assert "".join(row[0] for row in found) == left
        assert await items.find_response(harness.user_id, "1") is not None


@pytest.mark.asyncio
async def test_a_turn_that_waits_for_its_caller_goes_after_a_week(harness: RetentionHarness) -> None:
    """It may be of a caller who wanted nothing kept; items of answers stay."""
    items = ItemTables(harness.store, PLAIN, harness.now)
    for name, kind in (("W", WAITING_TYPE), ("M", "message")):
        payload: JsonObject = {"type": kind}
        await items.add_items([StoredItem(name, harness.user_id, "r", 0, "output", "demo", payload, 0.0)])
    for day, left in ((6.9, ["M", "W"]), (7.1, ["M"])):
        harness.day = day
        await Retention(harness.store, PLAIN, harness.now).sweep_once()
        assert [row[0] for row in execute(harness.where, "SELECT id FROM kept_items ORDER BY id")] == left
