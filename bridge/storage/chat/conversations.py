"""Conversations in the database. Writes go through the writing thread.

Callers that change a conversation hold its lock (`conversation_runs`); here each method is one transaction.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Sequence
from typing import Any, TypeVar

from sqlalchemy import Connection, Row, Select, delete, func, insert, select, update
from sqlalchemy.exc import SQLAlchemyError

from bridge.errors import BridgeError, ErrorCode
from bridge.models.conversations.conversation import Conversation, Message
from bridge.models.stored_items.items import Unstorable
from bridge.settings.storage import StorageSettings
from bridge.storage.chat.conversation_mapping import (
    CONVERSATIONS,
    MESSAGES,
    MOVING,
    RUNNING,
    ConversationRows,
    stored_state,
)
from bridge.storage.chat.conversation_tables import ConversationMessageRow, ConversationRow
from bridge.storage.chat.search_texts import SearchTexts
from bridge.storage.dialects import build_upsert, delete_claimed, insert_missing, is_unfit
from bridge.storage.encryption import Encryption
from bridge.storage.sessions import database_unavailable
from bridge.storage.store import Store

PAGE_ROWS = 100
"""Number of conversations that are read in one query."""

T = TypeVar("T")


class ConversationTables:
    """Reads and writes all conversations.

    Raises, each method:
        BridgeError: `database_unavailable`; a write: `replica_lost`, the user is at home in another replica.
    """

    def __init__(self, store: Store, settings: StorageSettings | None = None) -> None:
        self._epoch_of = store.epoch_of
        self._session = store.sessions
        self._writes = store.writes
        self._rows = ConversationRows(Encryption(settings or StorageSettings()))
        self._texts = SearchTexts(store.sessions, self._rows)

    async def add_conversation(self, conversation: Conversation) -> None:
        """Store a new conversation.

        Raises:
            BridgeError: `invalid_request`: its context is nested too deeply.
        """
        row = await self._made(lambda: self._rows.of_conversation(conversation))
        user_id, epoch = conversation.user_id, self._epoch_of(conversation.user_id)
        row |= {"epoch": epoch, "pinned": conversation.pinned}
        await self._write(user_id, epoch, lambda connection: connection.execute(insert(CONVERSATIONS), row))

    async def save_conversation(
        self, conversation: Conversation, messages: Sequence[Message] = (), gone: Collection[str] = ()
    ) -> None:
        """Store a conversation's new state with new and changed messages, and delete the messages in `gone`.

        A conversation that has been deleted in the meantime stays deleted.
        """
        row = await self._made(lambda: self._rows.of_conversation(conversation))
        await self._change(conversation, row, messages, gone)

    async def advance_run(
        self, conversation: Conversation, messages: Sequence[Message] = (), gone: Collection[str] = ()
    ) -> None:
        """As `save_conversation`, but leave the settings, which somebody may have changed in the meantime."""
        run = conversation.run
        row = {
            "updated_at": conversation.updated_at,
            "head_id": conversation.head_id,
            "run_id": run.id if run else None,
            "run_state": stored_state(run),
        }
        await self._change(conversation, row, messages, gone)

    async def save_settings(self, conversation: Conversation) -> None:
        """Store settings, and leave everything else unchanged."""
        row = await self._made(lambda: self._rows.of_conversation(conversation))
        chosen = {name: row[name] for name in ("settings", "size", "key_id", "updated_at")}
        await self._change(conversation, chosen, (), ())

    async def pin_conversation(self, conversation: Conversation) -> None:
        """Store its place among the pinned ones, and leave everything else unchanged."""
        await self._change(conversation, {"pinned": conversation.pinned}, (), ())

    async def _change(
        self,
        conversation: Conversation,
        row: dict[str, Any],
        messages: Sequence[Message],
        gone: Collection[str],
    ) -> None:
        added = await self._made(lambda: [self._rows.of_message(message) for message in messages])
        mine = (CONVERSATIONS.c.id == conversation.id, CONVERSATIONS.c.user_id == conversation.user_id)
        epoch = self._epoch_of(conversation.user_id)
        row = row | {"epoch": epoch}

        def work(connection: Connection) -> None:
            if not connection.execute(update(CONVERSATIONS).where(*mine).values(row)).rowcount:
                return
            if gone:
                connection.execute(delete(MESSAGES).where(MESSAGES.c.id.in_(gone)))
            if added:
                connection.execute(build_upsert(connection.dialect.name, ConversationMessageRow), added)

        await self._write(conversation.user_id, epoch, work)

    async def find_conversation(self, user_id: str, conversation_id: str) -> Conversation | None:
        """Return one conversation of a user; None when there is none of that id."""
        mine = (CONVERSATIONS.c.user_id == user_id, CONVERSATIONS.c.id == conversation_id)
        found = await self._conversations(select(CONVERSATIONS).where(*mine))
        return found[0] if found else None

    async def list_conversations(
        self, user_id: str, *, before: float | None, limit: int
    ) -> list[Conversation]:
        """Return a user's conversations changed before a time, most recently changed first."""
        wanted = select(CONVERSATIONS).where(CONVERSATIONS.c.user_id == user_id)
        if before is not None:
            wanted = wanted.where(CONVERSATIONS.c.updated_at < before)
        return await self._conversations(wanted.order_by(CONVERSATIONS.c.updated_at.desc()).limit(limit))

    async def count_conversations(self, user_id: str) -> int:
        """Return how many conversations a user has."""
        counted = select(func.count()).select_from(CONVERSATIONS).where(CONVERSATIONS.c.user_id == user_id)
        async with self._session() as session:
            return await session.scalar(counted) or 0

    async def list_pinned(self, user_id: str, *, limit: int) -> list[Conversation]:
        """Return a user's pinned conversations in their order."""
        mine = (CONVERSATIONS.c.user_id == user_id, CONVERSATIONS.c.pinned.is_not(None))
        wanted = select(CONVERSATIONS).where(*mine).order_by(CONVERSATIONS.c.pinned, CONVERSATIONS.c.id)
        return await self._conversations(wanted.limit(limit))

    async def search_conversations(self, user_id: str, query: str, *, limit: int) -> list[Conversation]:
        """Return a user's conversations that contain a text, most recently changed first.

        Titles, descriptions and texts of messages are kept in memory from the first search on.
        """
        ids = await self._texts.find_ids(user_id, query, limit=limit)
        mine = (CONVERSATIONS.c.user_id == user_id, CONVERSATIONS.c.id.in_(ids))
        wanted = select(CONVERSATIONS).where(*mine).order_by(CONVERSATIONS.c.updated_at.desc())
        return await self._conversations(wanted)

    async def list_running(self, user_id: str | None = None) -> list[Conversation]:
        """Return conversations of one user, or of all, whose run another process left behind."""
        wanted = select(CONVERSATIONS).where(CONVERSATIONS.c.run_state.in_([RUNNING, MOVING]))
        if user_id is not None:
            wanted = wanted.where(CONVERSATIONS.c.user_id == user_id)
        return await self._conversations(wanted)

    async def list_messages(self, conversation_id: str) -> list[Message]:
        """Return a conversation's readable messages, in the order in which they were added."""
        wanted = select(MESSAGES).where(MESSAGES.c.conversation_id == conversation_id)
        async with self._session() as session:
            rows = (await session.execute(wanted.order_by(MESSAGES.c.seq))).all()
        return await _read(self._rows.read_message, rows)

    async def read_all(self, user_id: str) -> AsyncIterator[tuple[Conversation, list[Message]]]:
        """Yield a user's conversations with their messages, most recently changed first."""
        before: float | None = None
        while page := await self.list_conversations(user_id, before=before, limit=PAGE_ROWS):
            before = page[-1].updated_at
            for conversation in page:
                yield conversation, await self.list_messages(conversation.id)

    async def add_missing(self, conversation: Conversation, messages: Sequence[Message]) -> bool:
        """Store a conversation unless its id exists; returns whether it was stored."""
        row = await self._made(lambda: self._rows.of_conversation(conversation))
        row["pinned"] = conversation.pinned
        added = await self._made(lambda: [self._rows.of_message(message) for message in messages])
        new: list[int] = []

        def work(connection: Connection) -> None:
            dialect = connection.dialect.name
            new.append(connection.execute(insert_missing(dialect, ConversationRow), row).rowcount)
            if new[-1] and added:
                connection.execute(insert_missing(dialect, ConversationMessageRow), added)

        await self._write(conversation.user_id, None, work)
        return new[-1] > 0

    async def delete_conversation(self, user_id: str, conversation_id: str) -> None:
        """Delete a conversation with its messages."""
        mine = (CONVERSATIONS.c.user_id == user_id, CONVERSATIONS.c.id == conversation_id)
        epoch = self._epoch_of(user_id)
        await self._write(
            user_id, epoch, lambda connection: delete_claimed(connection, CONVERSATIONS, *mine, epoch=epoch)
        )

    async def _conversations(self, wanted: Select[Any]) -> list[Conversation]:
        async with self._session() as session:
            rows = (await session.execute(wanted)).all()
        return await _read(self._rows.read_conversation, rows)

    async def _made(self, make: Callable[[], T]) -> T:
        try:
            return await asyncio.to_thread(make)
        except Unstorable as error:
            message = f"The conversation cannot be stored: {error}."
            raise BridgeError(ErrorCode.INVALID_REQUEST, message) from None

    async def _write(self, user_id: str, epoch: int | None, work: Callable[[Connection], object]) -> None:
        def transaction(connection: Connection) -> None:
            work(connection)

        try:
            await self._writes.write_rows(user_id, epoch, transaction)
        except (SQLAlchemyError, OSError) as error:
            if is_unfit(error):
                raise
            raise database_unavailable() from error


async def _read(read: Callable[[Row[Any]], T | None], rows: Iterable[Row[Any]]) -> list[T]:
    found = await asyncio.to_thread(lambda: [read(row) for row in rows])
    return [each for each in found if each is not None]
