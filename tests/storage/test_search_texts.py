"""Searching conversations: what is kept in memory follows what is stored, and has a limit."""

from dataclasses import replace

import pytest

from bridge.models.agent.items import message_item, output_item
from bridge.models.conversations.conversation import Conversation, ConversationSettings, Message
from bridge.settings.storage import StorageSettings
from bridge.storage.chat.conversation_mapping import ConversationRows
from bridge.storage.chat.conversations import ConversationTables
from bridge.storage.chat.search_texts import SearchTexts
from bridge.storage.encryption import Encryption
from bridge.storage.store import Store
from bridge.storage.users import UserTables
from tests.support.stores.databases import Where

pytestmark = [pytest.mark.asyncio, pytest.mark.both_databases]

SEALED = StorageSettings(encryption_keys=("password",))


def said(conversation: Conversation, number: int, words: str) -> Message:
    items = (message_item("user", words),)
    name = f"{conversation.id}-{number}"
    return Message(name, conversation.id, None, number, "user", 1.0, items)


async def begun(tables: ConversationTables, user_id: str, number: int, words: str) -> Conversation:
    name, settings = f"conv-{number}", ConversationSettings(title=f"Title {number}")
    made = Conversation(name, user_id, float(number), float(number), settings)
    await tables.add_missing(made, [said(made, 0, words)])
    return made


async def found(tables: ConversationTables, user_id: str, query: str, limit: int = 50) -> list[str]:
    return [each.id for each in await tables.search_conversations(user_id, query, limit=limit)]


async def test_a_search_finds_what_was_said_since_the_last_one(database: Where) -> None:
    """Added, changed and deleted conversations, in whatever letter case, the newest first."""
    store = Store.open_store(database)
    ann, tables = await UserTables(store).ensure_user("ann"), ConversationTables(store, SEALED)
    first = await begun(tables, ann.id, 1, "Green TEA, straße")
    await begun(tables, ann.id, 2, "Black tea")
    assert await found(tables, ann.id, "tea") == ["conv-2", "conv-1"]
    assert await found(tables, ann.id, "STRASSE") == ["conv-1"]
    assert await found(tables, ann.id, "title 2") == ["conv-2"]
    await tables.advance_run(replace(first, updated_at=3.0), [said(first, 1, "Now coffee")])
    assert await found(tables, ann.id, "coffee") == ["conv-1"]
    assert await found(tables, ann.id, "tea") == ["conv-1", "conv-2"]
    assert await found(tables, ann.id, "tea", limit=1) == ["conv-1"]
    output = Message("o", first.id, None, 2, "tool", 1.0, (output_item("c", '{"price": "cheap"}'),))
    await tables.advance_run(replace(first, updated_at=4.0), [output], gone=[f"{first.id}-0"])
    assert await found(tables, ann.id, "cheap") == ["conv-1"]
    assert await found(tables, ann.id, "green") == []
    await tables.delete_conversation(ann.id, "conv-1")
    assert await found(tables, ann.id, "coffee") == []
    await store.close()


async def test_nobody_finds_what_others_said(database: Where) -> None:
    """Texts are kept by user."""
    store = Store.open_store(database)
    users = UserTables(store)
    ann, bob = await users.ensure_user("ann"), await users.ensure_user("bob")
    tables = ConversationTables(store, SEALED)
    await begun(tables, ann.id, 1, "tea")
    assert await found(tables, ann.id, "tea") == ["conv-1"]
    assert await found(tables, bob.id, "tea") == []
    await store.close()


async def test_memory_has_a_limit_and_a_search_is_complete_all_the_same(database: Where) -> None:
    """What does not fit is read again; of others, those who searched longest ago are forgotten first."""
    store = Store.open_store(database)
    users = [(await UserTables(store).ensure_user(name)).id for name in ("ann", "bob")]
    tables = ConversationTables(store, SEALED)
    for number in range(6):
        await begun(tables, users[number % 2], number, f"word{number} " + "x" * 100)
    texts = SearchTexts(store.sessions, ConversationRows(Encryption(SEALED)), max_chars=250)
    for _ in range(2):
        for user_id, ids in zip(
            users, (["conv-4", "conv-2", "conv-0"], ["conv-5", "conv-3", "conv-1"]), strict=True
        ):
            assert await texts.find_ids(user_id, "word", limit=9) == ids
            assert 0 < texts.chars <= 250
    await store.close()
