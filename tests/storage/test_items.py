"""What is kept of answers: the same tests for the database and for its double in memory."""

import asyncio
import math
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace

import pytest
import pytest_asyncio

from bridge.models.stored_items.items import Side, StoredItem, StoredResponse
from bridge.models.stored_items.store import ItemStore
from bridge.storage.chat.items import ItemTables
from bridge.storage.store import Store
from bridge.storage.users import UserTables
from tests.support.stores.databases import DATABASES, Where, execute, fresh_database
from tests.support.stores.memory_item_store import MemoryItemStore
from toolserver.json_types import JsonObject, JsonValue


@dataclass(frozen=True, slots=True)
class TwoUserStore:
    """A store with two users in it."""

    store: ItemStore
    ann: str = "ann"
    bob: str = "bob"


@pytest_asyncio.fixture(params=["memory", *DATABASES])
async def stored(request: pytest.FixtureRequest) -> AsyncIterator[TwoUserStore]:
    if request.param == "memory":
        yield TwoUserStore(MemoryItemStore())
        return
    with fresh_database(request.param, request) as where:
        database = Store.open_store(where)
        users = UserTables(database)
        ann, bob = (
            await users.ensure_user("ann"),
            await users.ensure_user("bob"),
        )
        yield TwoUserStore(ItemTables(database), ann.id, bob.id)
        await database.close()


def item(
    user_id: str,
    name: str,
    response_id: str = "resp_1",
    position: int = 0,
    *,
    side: Side = "output",
    **facts: str,
) -> StoredItem:
    payload: JsonObject = {"type": "message", "id": name}
    return StoredItem(
        id=name,
        user_id=user_id,
        response_id=response_id,
        position=position,
        side=side,
        model="demo",
        payload=payload,
        created_at=1_700_000_000.25,
        **facts,
    )


def response(user_id: str, name: str, previous_id: str | None = None) -> StoredResponse:
    body: JsonObject = {"id": name, "output": []}
    return StoredResponse(
        name, user_id, "demo", "in_progress", body, {"model": "demo"}, 5.0, previous_id=previous_id
    )


@pytest.mark.asyncio
async def test_an_item_is_read_as_it_was_added(stored: TwoUserStore) -> None:
    """W-34: committed when `add` returns; whoever rebuilds an input gets the bytes that the provider had."""
    added = [
        item(stored.ann, "A", conversation_id="chat", message_id="m1"),
        item(stored.ann, "B", position=1, side="input"),
    ]
    await stored.store.add_items(added)
    assert await stored.store.by_ids(stored.ann, ["A", "B", "C"]) == {"A": added[0], "B": added[1]}
    assert await stored.store.by_ids(stored.ann, []) == {}


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "value",
    [2**80, -(2**63) - 1, -0.0, math.inf, 1e-320, "half \ud83d of a pair", "\0", None, {"null": None}],
    ids=str,
)
async def test_values_come_back_to_the_last_bit(stored: TwoUserStore, value: JsonValue) -> None:
    """Integers beyond 64 bits, what `1e400` reads as, lone surrogates: a changed value is another prompt."""
    added = replace(item(stored.ann, "A"), payload={"type": "function_call", "value": value})
    await stored.store.add_items([added])
    read = (await stored.store.by_ids(stored.ann, ["A"]))["A"]
    assert read == added
    assert repr(read.payload) == repr(added.payload)


@pytest.mark.asyncio
async def test_an_item_that_is_there_stays_as_it_is(stored: TwoUserStore) -> None:
    """A round that is committed again after a crash must not change what a provider has seen."""
    await stored.store.add_items([item(stored.ann, "A")])
    await stored.store.add_items([replace(item(stored.ann, "A"), model="other"), item(stored.ann, "B")])
    found = await stored.store.by_ids(stored.ann, ["A", "B"])
    assert [found[each].model for each in ("A", "B")] == ["demo", "demo"]


@pytest.mark.asyncio
async def test_items_of_another_user_are_not_there(stored: TwoUserStore) -> None:
    """A marker that somebody pastes must not open another user's chat; equal ids do not meet."""
    await stored.store.add_items([item(stored.ann, "A"), replace(item(stored.bob, "A"), model="bobs")])
    assert (await stored.store.by_ids(stored.ann, ["A"]))["A"].model == "demo"
    assert (await stored.store.by_ids(stored.bob, ["A"]))["A"].model == "bobs"


@pytest.mark.asyncio
async def test_a_thousand_and_more_items_are_found_at_once(stored: TwoUserStore) -> None:
    """A long chat has more ids than a database takes as values of one query."""
    added = [item(stored.ann, f"I{number:05d}", position=number) for number in range(2_300)]
    await stored.store.add_items(added)
    assert len(await stored.store.by_ids(stored.ann, [each.id for each in added])) == 2_300


@pytest.mark.asyncio
async def test_a_chain_gives_the_oldest_first_and_inputs_before_outputs(stored: TwoUserStore) -> None:
    """This is the input of the next turn, in the order in which the model has seen it."""
    await stored.store.add_items(
        [
            item(stored.ann, "out3", "r2", 0),
            item(stored.ann, "out2", "r1", 1),
            item(stored.ann, "in1", "r1", 0, side="input"),
            item(stored.ann, "in2", "r2", 0, side="input"),
            item(stored.ann, "out1", "r1", 0),
            item(stored.ann, "fork", "r3", 0),
            item(stored.ann, "elsewhere", "r9", 0),
            item(stored.bob, "foreign", "r1", 0),
        ]
    )
    for name, previous in (("r1", None), ("r2", "r1"), ("r3", "r1")):
        await stored.store.save_response(response(stored.ann, name, previous))
    assert [each.id for each in await stored.store.read_chain(stored.ann, "r2")] == [
        "in1",
        "out1",
        "out2",
        "in2",
        "out3",
    ]
    assert [each.id for each in await stored.store.read_chain(stored.ann, "r3")] == [
        "in1",
        "out1",
        "out2",
        "fork",
    ]
    assert await stored.store.read_chain(stored.bob, "r2") == []
    assert await stored.store.read_chain(stored.ann, "r9") == []


@pytest.mark.asyncio
async def test_a_chain_that_bites_its_tail_ends(stored: TwoUserStore) -> None:
    """An imported file may say anything; nothing may hang or grow without end."""
    await stored.store.add_items([item(stored.ann, "one", "r1"), item(stored.ann, "two", "r2")])
    await stored.store.save_response(response(stored.ann, "r1", "r2"))
    await stored.store.save_response(response(stored.ann, "r2", "r1"))
    assert [each.id for each in await stored.store.read_chain(stored.ann, "r2")] == ["one", "two"]


@pytest.mark.asyncio
async def test_a_new_state_of_a_response_takes_the_place_of_the_old_one(stored: TwoUserStore) -> None:
    """Its age, and what it continues, stay; so does what belongs to another user."""
    first = response(stored.ann, "r1", "r0")
    await stored.store.save_response(first)
    ended = replace(
        first, status="completed", body={"id": "r1", "output": [1]}, ended_at=9.0, previous_id="r7"
    )
    await stored.store.save_response(ended)
    await stored.store.save_response(replace(ended, user_id=stored.bob, status="failed"))
    assert await stored.store.find_response(stored.ann, "r1") == replace(ended, previous_id="r0")
    assert await stored.store.find_response(stored.bob, "r1") is None


@pytest.mark.asyncio
async def test_responses_that_have_not_ended_are_found_after_a_restart(stored: TwoUserStore) -> None:
    """They are to be ended, or continued, by whoever starts the bridge."""
    made = response(stored.ann, "c")
    await stored.store.save_response(replace(made, status="queued", created_at=3.0))
    await stored.store.save_response(replace(made, id="b", status="completed"))
    await stored.store.save_response(replace(made, id="a", created_at=1.0))
    assert [each.id for each in await stored.store.list_unfinished()] == ["a", "c"]


@pytest.mark.asyncio
async def test_a_deleted_response_takes_its_items_and_events_along(stored: TwoUserStore) -> None:
    """Deleted is deleted; what other users have under the same ids stays."""
    await stored.store.save_response(response(stored.ann, "r1"))
    await stored.store.add_events(stored.ann, "r1", 0, 3, b"frames")
    await stored.store.add_items(
        [item(stored.ann, "A", "r1"), item(stored.ann, "B", "r2"), item(stored.bob, "A", "r1")]
    )
    assert not await stored.store.delete_response(stored.bob, "r1")
    assert await stored.store.delete_response(stored.ann, "r1")
    assert not await stored.store.delete_response(stored.ann, "r1")
    assert await stored.store.find_response(stored.ann, "r1") is None
    assert await stored.store.read_events(stored.ann, "r1", -1, limit=9) == []
    assert set(await stored.store.by_ids(stored.ann, ["A", "B"])) == {"B"}
    assert set(await stored.store.by_ids(stored.bob, ["A"])) == {"A"}


@pytest.mark.asyncio
async def test_events_are_read_from_the_frames_that_hold_the_next_one(stored: TwoUserStore) -> None:
    """`starting_after` may point into the middle of what was written at once."""
    await stored.store.save_response(response(stored.ann, "r1"))
    for first, last in ((0, 3), (4, 4), (5, 9)):
        await stored.store.add_events(stored.ann, "r1", first, last, f"{first}-{last}".encode())
    await stored.store.add_events(stored.ann, "r1", 4, 4, b"again")
    await stored.store.add_events(stored.ann, "r2", 0, 1, b"of a response that is not kept")
    assert await stored.store.read_events(stored.ann, "r1", -1, limit=9) == [
        (0, b"0-3"),
        (4, b"4-4"),
        (5, b"5-9"),
    ]
    assert await stored.store.read_events(stored.ann, "r1", 2, limit=9) == [
        (0, b"0-3"),
        (4, b"4-4"),
        (5, b"5-9"),
    ]
    assert await stored.store.read_events(stored.ann, "r1", 6, limit=9) == [(5, b"5-9")]
    assert await stored.store.read_events(stored.ann, "r1", 9, limit=9) == []
    assert await stored.store.read_events(stored.ann, "r1", -1, limit=1) == [(0, b"0-3")]
    assert await stored.store.read_events(stored.bob, "r1", -1, limit=9) == []
    assert await stored.store.read_events(stored.ann, "r2", -1, limit=9) == []


@pytest.mark.asyncio
async def test_ids_that_no_index_takes_are_stored_all_the_same(stored: TwoUserStore) -> None:
    """A client's name of a chat may be as long as a header, with any character in it."""
    odd = "x\0" * 5_000
    added = item(stored.ann, odd, conversation_id=odd, message_id="\ud800")
    await stored.store.add_items([added])
    assert set(await stored.store.by_ids(stored.ann, [odd])) == {odd}


@pytest.mark.asyncio
@pytest.mark.both_databases
async def test_what_a_deleted_user_still_makes_is_dropped(database: Where) -> None:
    """A turn may be under way while its user is deleted; it must not fail, and nothing may remain of him."""
    opened = Store.open_store(database)
    ann = await UserTables(opened).ensure_user("ann")
    store = ItemTables(opened)
    await store.add_items([item(ann.id, "A")])
    await store.save_response(response(ann.id, "r1"))
    await store.add_events(ann.id, "r1", 0, 1, b"frames")
    await asyncio.to_thread(execute, database, "DELETE FROM users")
    for table in ("kept_items", "kept_responses", "kept_events"):
        assert execute(database, f"SELECT * FROM {table}") == []
    await store.add_items([item(ann.id, "B")])
    await store.save_response(response(ann.id, "r2"))
    assert await store.by_ids(ann.id, ["A", "B"]) == {}
    await opened.close()


@pytest.mark.asyncio
@pytest.mark.both_databases
async def test_chat_message_model_and_kind_can_be_asked_for_in_the_database(database: Where) -> None:
    """S0-132: an operator must be able to see what belongs to a chat without opening payloads."""
    opened = Store.open_store(database)
    ann = await UserTables(opened).ensure_user("ann")
    await ItemTables(opened).add_items([item(ann.id, "A", conversation_id="chat", message_id="m1")])
    await opened.close()
    wanted = "SELECT id, model, type FROM kept_items WHERE conversation_id = 'chat' AND message_id = 'm1'"
    assert execute(database, wanted) == [("A", "demo", "message")]


@pytest.mark.asyncio
@pytest.mark.both_databases
async def test_an_item_that_cannot_be_read_is_not_there(
    database: Where, caplog: pytest.LogCaptureFixture
) -> None:
    """S0-146: one spoiled row costs itself and a warning, not the chat."""
    opened = Store.open_store(database)
    ann = await UserTables(opened).ensure_user("ann")
    store = ItemTables(opened)
    await store.add_items([item(ann.id, "A"), item(ann.id, "B", position=1)])
    execute(database, "UPDATE kept_items SET payload = 'spoiled' WHERE id = 'A'")
    assert set(await store.by_ids(ann.id, ["A", "B"])) == {"B"}
    assert " A: unknown form" in caplog.text
    await opened.close()
