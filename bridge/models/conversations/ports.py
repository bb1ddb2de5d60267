"""The port to the storage of conversations, implemented in `bridge/storage/chat/conversations.py`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Sequence
from typing import Protocol

from bridge.models.conversations.conversation import Conversation, Message


class ConversationStore(Protocol):
    """All conversations. Whoever changes one holds its lock; each method is one transaction.

    Raises, each of them:
        BridgeError: `database_unavailable`.
    """

    async def add_conversation(self, conversation: Conversation) -> None:
        """Store a new conversation.

        Raises:
            BridgeError: `invalid_request`: its context is nested too deeply.
        """
        ...

    async def save_conversation(
        self, conversation: Conversation, messages: Sequence[Message] = (), gone: Collection[str] = ()
    ) -> None:
        """Store a conversation's new state with new and changed messages, and delete the messages in `gone`.

        A conversation that has been deleted in the meantime stays deleted.
        """
        ...

    async def advance_run(
        self, conversation: Conversation, messages: Sequence[Message] = (), gone: Collection[str] = ()
    ) -> None:
        """As `save_conversation`, but leave the settings, which somebody may have changed in the meantime."""
        ...

    async def save_settings(self, conversation: Conversation) -> None:
        """Store settings, and leave everything else unchanged."""
        ...

    async def pin_conversation(self, conversation: Conversation) -> None:
        """Store its place among the pinned ones, and leave everything else unchanged."""
        ...

    async def count_conversations(self, user_id: str) -> int:
        """Return how many conversations a user has."""
        ...

    async def list_pinned(self, user_id: str, *, limit: int) -> list[Conversation]:
        """Return a user's pinned conversations in their order."""
        ...

    async def find_conversation(self, user_id: str, conversation_id: str) -> Conversation | None:
        """Return one conversation of a user; None when there is none of that id."""
        ...

    async def list_conversations(
        self, user_id: str, *, before: float | None, limit: int
    ) -> list[Conversation]:
        """Return a user's conversations changed before a time, most recently changed first."""
        ...

    async def search_conversations(self, user_id: str, query: str, *, limit: int) -> list[Conversation]:
        """Return a user's conversations that contain a text, most recently changed first.

        From the first search on their texts are in memory.
        """
        ...

    async def list_running(self, user_id: str | None = None) -> list[Conversation]:
        """Return conversations of one user, or of all, whose run another process left behind."""
        ...

    async def list_messages(self, conversation_id: str) -> list[Message]:
        """Return a conversation's readable messages, in the order in which they were added."""
        ...

    def read_all(self, user_id: str) -> AsyncIterator[tuple[Conversation, list[Message]]]:
        """Yield a user's conversations with their messages, most recently changed first."""
        ...

    async def delete_conversation(self, user_id: str, conversation_id: str) -> None:
        """Delete a conversation with its messages."""
        ...
