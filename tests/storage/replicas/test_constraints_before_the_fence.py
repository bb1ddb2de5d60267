"""What a home that was cut off writes after the next home: some constraints speak before the fence."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import pytest
import pytest_asyncio
from sqlalchemy import URL
from sqlalchemy.exc import IntegrityError

from bridge.errors import BridgeError, ErrorCode
from bridge.models.conversations.conversation import Conversation, Message, Run
from bridge.models.stored_items.items import StoredItem, StoredResponse
from bridge.storage.chat.conversations import ConversationTables
from bridge.storage.chat.items import ItemTables
from bridge.storage.database import open_database
from bridge.storage.replicas.homes import HomeTable
from bridge.storage.store import Store, StoreHooks
from bridge.storage.users import User, UserTables
from tests.support.cluster.tables import UNIQUE_INDEXES
from tests.support.stores.databases import execute
from tests.support.stores.memory_conversations import MemoryConversations, UniqueViolation
from tests.support.stores.postgresql import PostgresServer

pytestmark = pytest.mark.asyncio

CHAT = Conversation("conv-1", "", 1.0, 1.0, run=Run("run-1", "running"))


@dataclass
class Homes:
    """A user who was at home in one replica, which was cut off, and is at home in another now."""

    where: URL
    old: Store
    new: Store
    ann: User
    chat: Conversation
    fenced: int = 0

    async def messages(self, store: Store, *seqs: int) -> None:
        """Store messages of the run with these numbers, as whoever settles or ends it."""
        mine = "old" if store is self.old else "new"
        added = [_message(f"{mine}-{seq}", seq) for seq in seqs]
        await ConversationTables(store).advance_run(self.chat, added)

    async def item(self, store: Store, item_id: str) -> None:
        await ItemTables(store).add_items([_item(self.ann, item_id)])

    async def response(self, store: Store, *items: str) -> None:
        stored = StoredResponse("r1", self.ann.id, "demo", "in_progress", {"id": "r1"}, {}, 5.0)
        await ItemTables(store).save_response(stored, [_item(self.ann, each) for each in items])

    async def events(self, store: Store) -> None:
        await ItemTables(store).add_events(self.ann.id, "r1", 0, 1, b"frames")


def _message(message_id: str, seq: int) -> Message:
    return Message(message_id, "conv-1", None, seq, "assistant", 2.0, ())


def _item(user: User, item_id: str) -> StoredItem:
    return StoredItem(item_id, user.id, "r1", 0, "output", "demo", {"type": "message"}, 1.0)


@pytest.fixture
def where(postgres_server: PostgresServer) -> Iterator[URL]:
    with postgres_server.database() as url:
        yield url


@pytest_asyncio.fixture
async def homes(where: URL) -> AsyncIterator[Homes]:
    def count() -> None:
        both.fenced += 1

    old = Store(open_database(where), StoreHooks(epoch_of=lambda _: first.epoch, on_fence=count))
    new = Store(open_database(where), StoreHooks(epoch_of=lambda _: second.epoch))
    ann = await UserTables(old).ensure_user("ann")
    first = await HomeTable(old.fenced_sessions).claim_home(ann.id, "a", None)
    both = Homes(where, old, new, ann, replace(CHAT, user_id=ann.id))

    await ConversationTables(old).add_conversation(both.chat)
    await both.response(old)
    second = await HomeTable(new.fenced_sessions).claim_home(ann.id, "b", first)
    yield both
    await old.close()
    await new.close()


Write = Callable[[Homes, Store], Awaitable[None]]

WRITES: dict[str, tuple[str, Write]] = {
    "a message": ("conversation_messages_in_order", lambda homes, store: homes.messages(store, 7)),
    "several messages": (
        "conversation_messages_in_order",
        lambda homes, store: homes.messages(store, 6, 7, 8),
    ),
    "a conversation": (
        "conversations_pkey",
        lambda homes, store: ConversationTables(store).add_conversation(replace(homes.chat, id="conv-2")),
    ),
    "an item": ("kept_items_by_id", lambda homes, store: homes.item(store, "i1")),
    "a response": ("kept_responses_pkey", lambda homes, store: homes.response(store)),
    "a response with items": ("kept_items_by_id", lambda homes, store: homes.response(store, "i1", "i2")),
    "events": ("kept_events_pkey", lambda homes, store: homes.events(store)),
}
"""Writes that both homes make, by what they write, and the constraint that the second one meets."""


@pytest.mark.parametrize("what", WRITES)
async def test_what_an_old_home_writes_after_the_new_one_means_elsewhere(homes: Homes, what: str) -> None:
    """Finding R-1: the constraint and the fence say the same, so that whoever waits hears `replica_lost`."""
    write = WRITES[what][1]
    await write(homes, homes.new)
    before = _contents(homes.where)
    with pytest.raises(BridgeError) as refused:
        await write(homes, homes.old)
    assert (refused.value.error.code, refused.value.error.retryable) == (ErrorCode.REPLICA_LOST, True)
    assert homes.fenced == 1
    assert _contents(homes.where) == before


async def test_what_a_home_breaks_itself_stays_a_bug(homes: Homes) -> None:
    """Finding R-1: only under a claim that is over a constraint says that the user is elsewhere."""
    await homes.messages(homes.new, 7)
    tables, again = ConversationTables(homes.new), _message("another", 7)
    with pytest.raises(IntegrityError):
        await tables.advance_run(homes.chat, [again])


async def test_a_user_who_was_deleted_is_not_elsewhere(homes: Homes) -> None:
    """Finding R-1: nobody has taken the user over; what is written of one who is gone is dropped, as ever."""
    execute(homes.where, "DELETE FROM users")
    await homes.item(homes.old, "i1")
    await homes.messages(homes.old, 7)
    assert _contents(homes.where) == [[]] * len(TABLES)
    with pytest.raises(IntegrityError):
        await ConversationTables(homes.old).add_conversation(replace(homes.chat, id="conv-2"))


TABLES = ("conversations", "conversation_messages", "kept_responses", "kept_items", "kept_events")

FENCED_IN_PARENTS = {"conversation_messages": "conversations", "kept_events": "kept_responses"}
"""Tables without an epoch of their own, and whose is checked."""

UNREACHED = {
    "calls_pkey": "each write is one upsert by this key, and any integrity error of it means elsewhere",
    "conversation_messages_pkey": "each write is an upsert by this key",
    "kept_items_pkey": "the database gives this number",
}
"""Unique indexes of fenced tables that refuse nothing, and why."""


async def test_each_unique_index_of_what_is_fenced_is_met_here(homes: Homes) -> None:
    """Finding R-1: a new index that speaks before the fence is a case of the test above, or has a reason."""
    fenced = execute(
        homes.where, "SELECT tgrelid::regclass::text FROM pg_trigger WHERE tgname = 'check_epoch'"
    )
    names = {str(row[0]) for row in fenced} | set(FENCED_IN_PARENTS)
    assert set(TABLES) | {"calls"} == names
    found = _unique_indexes(homes.where, sorted(names))
    assert found == {index for index, _ in WRITES.values()} | set(UNREACHED)


async def test_the_model_of_the_fault_suite_has_every_unique_index(homes: Homes) -> None:
    """Finding R-1: it had none, so that no history met one; a new one is to be one of the model, too."""
    tables = ", ".join(f"'{table}'::regclass" for table in (*TABLES, "calls", "homes"))
    found = execute(
        homes.where,
        "SELECT indexrelid::regclass::text, (SELECT string_agg(attname, ' ' ORDER BY place) FROM"
        " unnest(indkey) WITH ORDINALITY AS key (number, place) JOIN pg_attribute"
        " ON attrelid = indrelid AND attnum = number)"
        f" FROM pg_index WHERE indisunique AND indrelid IN ({tables})",
    )
    assert {str(name): tuple(str(columns).split()) for name, columns in found} == dict(UNIQUE_INDEXES)


async def test_the_model_refuses_what_postgresql_refuses(homes: Homes) -> None:
    """Finding R-1: the same writes, under a claim that holds, so that no fence says anything."""
    model, tables = MemoryConversations(), ConversationTables(homes.new)
    first, again = _message("first", 7), _message("again", 7)
    await model.add_conversation(homes.chat)
    await model.advance_run(homes.chat, [first])
    await tables.advance_run(homes.chat, [first])
    for store in (model, tables):
        await store.advance_run(homes.chat, [replace(first, created_at=3.0)])
        for write in (store.advance_run(homes.chat, [again]), store.add_conversation(homes.chat)):
            with pytest.raises((IntegrityError, UniqueViolation)):
                await write
        assert [each.id for each in await store.list_messages(homes.chat.id)] == ["first"]


def _unique_indexes(where: URL, tables: Sequence[str]) -> set[str]:
    listed = ", ".join(f"'{table}'::regclass" for table in tables)
    found = execute(
        where,
        f"SELECT indexrelid::regclass::text FROM pg_index WHERE indisunique AND indrelid IN ({listed})",
    )
    return {str(row[0]) for row in found}


def _contents(where: URL) -> list[list[str]]:
    return [sorted(map(repr, execute(where, f"SELECT * FROM {table}"))) for table in TABLES]
