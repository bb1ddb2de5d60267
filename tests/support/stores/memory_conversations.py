"""Conversations without a database: a second implementation of the port, with PostgreSQL's unique indexes."""

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from bridge.models.conversations.conversation import Conversation, Message

UNIQUE_INDEXES: Mapping[str, tuple[str, ...]] = {
    "conversations_pkey": ("id",),
    "conversation_messages_pkey": ("id",),
    "conversation_messages_in_order": ("conversation_id", "seq"),
}
"""Columns of each, by its name."""


class UniqueViolation(Exception):
    """What PostgreSQL raises while the statement runs, before the commit."""


@dataclass
class MemoryConversations:
    """What a database would hold; survives as long as the object."""

    conversations: dict[str, Conversation] = field(default_factory=dict[str, Conversation])
    messages: dict[str, Message] = field(default_factory=dict[str, Message])

    async def add_conversation(self, conversation: Conversation) -> None:
        if conversation.id in self.conversations:
            raise UniqueViolation("conversations_pkey")
        self.conversations[conversation.id] = conversation

    async def save_conversation(
        self, conversation: Conversation, messages: Sequence[Message] = (), gone: Collection[str] = ()
    ) -> None:
        if conversation.id not in self.conversations:
            return
        kept = {each.id: each for each in self.messages.values() if each.id not in gone}
        for message in messages:
            kept[message.id] = message
            _check_unique(kept, message)
        self.conversations[conversation.id], self.messages = conversation, kept

    async def advance_run(
        self, conversation: Conversation, messages: Sequence[Message] = (), gone: Collection[str] = ()
    ) -> None:
        if (known := self.conversations.get(conversation.id)) is not None:
            changed = replace(conversation, settings=known.settings)
            await self.save_conversation(changed, messages, gone)

    async def save_settings(self, conversation: Conversation) -> None:
        known = self.conversations[conversation.id]
        self.conversations[conversation.id] = replace(known, settings=conversation.settings)

    async def pin_conversation(self, conversation: Conversation) -> None:
        known = self.conversations[conversation.id]
        self.conversations[conversation.id] = replace(known, pinned=conversation.pinned)

    async def count_conversations(self, user_id: str) -> int:
        return len(self._of_user(user_id))

    async def list_pinned(self, user_id: str, *, limit: int) -> list[Conversation]:
        return [each for each in self._of_user(user_id) if each.pinned is not None][:limit]

    async def find_conversation(self, user_id: str, conversation_id: str) -> Conversation | None:
        return next((each for each in self._of_user(user_id) if each.id == conversation_id), None)

    async def list_conversations(
        self, user_id: str, *, before: float | None, limit: int
    ) -> list[Conversation]:
        mine = [each for each in self._of_user(user_id) if before is None or each.updated_at < before]
        return sorted(mine, key=lambda each: -each.updated_at)[:limit]

    async def search_conversations(self, user_id: str, query: str, *, limit: int) -> list[Conversation]:
        return [each for each in self._of_user(user_id) if query in each.settings.title][:limit]

    async def list_running(self, user_id: str | None = None) -> list[Conversation]:
        running = [each for each in self.conversations.values() if each.run and each.run.state == "running"]
        return [each for each in running if user_id in (None, each.user_id)]

    async def list_messages(self, conversation_id: str) -> list[Message]:
        mine = [each for each in self.messages.values() if each.conversation_id == conversation_id]
        return sorted(mine, key=lambda each: each.seq)

    async def read_all(self, user_id: str) -> AsyncIterator[tuple[Conversation, list[Message]]]:
        for conversation in self._of_user(user_id):
            yield conversation, await self.list_messages(conversation.id)

    async def delete_conversation(self, user_id: str, conversation_id: str) -> None:
        if self.conversations.pop(conversation_id, None) is not None:
            kept = self.messages.values()
            self.messages = {each.id: each for each in kept if each.conversation_id != conversation_id}

    def _of_user(self, user_id: str) -> list[Conversation]:
        return [each for each in self.conversations.values() if each.user_id == user_id]


def _check_unique(kept: Mapping[str, Message], new: Message) -> None:
    place = (new.conversation_id, new.seq)
    if sum((each.conversation_id, each.seq) == place for each in kept.values()) > 1:
        raise UniqueViolation("conversation_messages_in_order")
