"""Stored answers of one user as a whole: how much there is, its export and its deletion."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Select, Table, delete, func, select
from sqlalchemy.exc import SQLAlchemyError

from bridge.models.stored_items.items import StoredItem, StoredResponse
from bridge.settings.storage import StorageSettings
from bridge.storage.chat.conversation_mapping import CONVERSATIONS, MESSAGES
from bridge.storage.chat.item_mapping import ItemMapping, index_key
from bridge.storage.chat.item_tables import ITEMS, RESPONSES
from bridge.storage.encryption import Encryption
from bridge.storage.sessions import database_unavailable
from bridge.storage.store import Store

PAGE_ROWS = 200
"""Number of rows read in one query of an export."""

DELETED_AT_ONCE = 500
"""Maximum number of rows deleted in one transaction."""


@dataclass(frozen=True, slots=True)
class StoredItemsFacts:
    """How much is stored of one user's answers. Times are UTC seconds since 1970."""

    items: int
    responses: int
    conversations: int
    """Number of clients' chats that have items."""
    own_conversations: int
    """Number of conversations that the bridge stores itself."""
    bytes: int
    """Size as stored in the database, in bytes."""
    oldest: float | None
    """Time at which the oldest item was created; None: there are no items."""


class UserItems:
    """Reads and deletes what is stored of one user, regardless of single answers.

    Raises, each method:
        BridgeError: `database_unavailable`.
    """

    def __init__(self, store: Store, settings: StorageSettings) -> None:
        self._session = store.sessions
        self._thread = store.thread
        self._rows = ItemMapping(Encryption(settings))

    async def summarize_items(self, user_id: str) -> StoredItemsFacts:
        """Return how much is stored."""
        sums = func.count(), func.coalesce(func.sum(ITEMS.c.size), 0), func.min(ITEMS.c.created_at)
        responses = func.count(), func.coalesce(func.sum(RESPONSES.c.size), 0)
        chats = select(func.count(ITEMS.c.conversation_id.distinct())).where(ITEMS.c.user_id == user_id)
        async with self._session() as session:
            of_items = (await session.execute(select(*sums).where(ITEMS.c.user_id == user_id))).one()
            of_responses = (
                await session.execute(select(*responses).where(RESPONSES.c.user_id == user_id))
            ).one()
            conversations = await session.scalar(chats)
            own = (await session.execute(_own_conversations(user_id))).one()
            bytes_of_messages = await session.scalar(_bytes_of_own_messages(user_id))
        return StoredItemsFacts(
            items=of_items[0],
            responses=of_responses[0],
            conversations=conversations or 0,
            own_conversations=own[0],
            bytes=int(of_items[1]) + int(of_responses[1]) + int(own[1]) + int(bytes_of_messages or 0),
            oldest=of_items[2],
        )

    async def list_items(self, user_id: str) -> AsyncIterator[StoredItem]:
        """Yield all readable items, in the order in which they were added."""
        async for page in self._pages(ITEMS, user_id):
            for item in await asyncio.to_thread(self._rows.read_items, page):
                yield item

    async def list_responses(self, user_id: str) -> AsyncIterator[StoredResponse]:
        """Yield all readable responses, by id."""
        async for page in self._pages(RESPONSES, user_id):
            for row in page:
                response = self._rows.read_response(row)
                if response is not None:
                    yield response

    async def delete_all(self, user_id: str) -> int:
        """Delete everything of a user, in small transactions; returns the number of items.

        Conversations of the bridge itself are deleted with their messages.
        """
        items = await self._delete(ITEMS, ITEMS.c.user_id == user_id)
        await self._delete(RESPONSES, RESPONSES.c.user_id == user_id)
        await self._delete(CONVERSATIONS, CONVERSATIONS.c.user_id == user_id)
        return items

    async def delete_conversation(self, user_id: str, conversation_id: str) -> int:
        """Delete what belongs to one chat, as its client names it; returns the number of items."""
        name = index_key(conversation_id)
        items = await self._delete(ITEMS, ITEMS.c.user_id == user_id, ITEMS.c.conversation_id == name)
        await self._delete(RESPONSES, RESPONSES.c.user_id == user_id, RESPONSES.c.conversation_id == name)
        return items

    async def _pages(self, table: Table, user_id: str) -> AsyncIterator[Sequence[Any]]:
        key, last = table.primary_key.columns[0], None
        while True:
            wanted = select(table).where(table.c.user_id == user_id).order_by(key).limit(PAGE_ROWS)
            if last is not None:
                wanted = wanted.where(key > last)
            async with self._session() as session:
                rows = (await session.execute(wanted)).all()
            if not rows:
                return
            yield rows
            last = getattr(rows[-1], key.name)

    async def _delete(self, table: Table, *which: Any) -> int:
        key = table.primary_key.columns[0]
        some = select(key).where(*which).limit(DELETED_AT_ONCE)
        counts = [0]

        def work(connection: Connection) -> None:
            counts.append(connection.execute(delete(table).where(key.in_(some))).rowcount)

        while True:
            await self._write(work)
            if not counts[-1]:
                return sum(counts)

    async def _write(self, work: Callable[[Connection], None]) -> None:
        try:
            await asyncio.wrap_future(self._thread.run_transaction(work))
        except (SQLAlchemyError, OSError) as error:
            raise database_unavailable() from error


def _own_conversations(user_id: str) -> Select[int, int]:
    """Select the number of conversations and their bytes."""
    size = func.coalesce(func.sum(CONVERSATIONS.c.size), 0)
    return select(func.count(), size).where(CONVERSATIONS.c.user_id == user_id)


def _bytes_of_own_messages(user_id: str) -> Select[int]:
    belongs = MESSAGES.c.conversation_id == CONVERSATIONS.c.id
    size = select(func.sum(MESSAGES.c.size)).join(CONVERSATIONS, belongs)
    return size.where(CONVERSATIONS.c.user_id == user_id)
