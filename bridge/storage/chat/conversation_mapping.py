"""Mapping between conversations and messages as values and as rows of the database."""

from __future__ import annotations

import logging
from typing import Any, cast

from sqlalchemy import Row, Table

from bridge.models.conversations.conversation import Conversation, Message, Role, Run, RunState
from bridge.models.conversations.export import content_json, message_of, settings_json, settings_of
from bridge.models.conversations.message_schema import words_in
from bridge.models.stored_items.items import Unstorable, pack_value, unpack_value
from bridge.storage.chat.conversation_tables import ConversationMessageRow, ConversationRow
from bridge.storage.encryption import Encrypted, Encryption, Unreadable
from toolserver.json_types import JsonObject

CONVERSATIONS = cast(Table, ConversationRow.__table__)
MESSAGES = cast(Table, ConversationMessageRow.__table__)

RUNNING, MOVING = "running", "moving"
"""States of runs that nobody has ended, as they are stored."""

_log = logging.getLogger(__name__)


def place_of_conversation(user_id: str, conversation_id: str) -> str:
    """Return the place of a conversation's settings; see `Encryption.encrypt_bytes`."""
    return f"conversation {user_id} {conversation_id}"


def place_of_message(conversation_id: str, message_id: str) -> str:
    """Return the place of a message's content; see `Encryption.encrypt_bytes`."""
    return f"message {conversation_id} {message_id}"


def stored_state(run: Run | None) -> str | None:
    """Return the state of a conversation's run as it is stored."""
    if run is None:
        return None
    return MOVING if run.is_moving else run.state


def _run_of(row: Row[Any]) -> Run | None:
    if not row.run_id:
        return None
    if row.run_state == MOVING:
        return Run(row.run_id, RUNNING, is_moving=True)
    return Run(row.run_id, cast(RunState, row.run_state))


class ConversationRows:
    """Builds and reads rows."""

    def __init__(self, encryption: Encryption) -> None:
        self._encryption = encryption

    def of_conversation(self, conversation: Conversation) -> dict[str, Any]:
        """Build the row of a conversation.

        Raises:
            Unstorable: its context is nested too deeply.
        """
        run = conversation.run
        return {
            "id": conversation.id,
            "user_id": conversation.user_id,
            "created_at": conversation.created_at,
            "updated_at": conversation.updated_at,
            "head_id": conversation.head_id,
            "run_id": run.id if run else None,
            "run_state": stored_state(run),
            **self._encrypted_values(
                "settings",
                settings_json(conversation.settings),
                place_of_conversation(conversation.user_id, conversation.id),
            ),
        }

    def of_message(self, message: Message) -> dict[str, Any]:
        """Build the row of a message.

        Raises:
            Unstorable: an item is nested too deeply.
        """
        place = place_of_message(message.conversation_id, message.id)
        return {
            "id": message.id,
            "conversation_id": message.conversation_id,
            "parent_id": message.parent_id,
            "seq": message.seq,
            "role": message.role,
            "created_at": message.created_at,
            **self._encrypted_values("content", content_json(message), place),
        }

    def read_conversation(self, row: Row[Any]) -> Conversation | None:
        """Read the conversation of a row; None when it cannot be decrypted or unpacked."""
        place = place_of_conversation(row.user_id, row.id)
        settings = self._object(Encrypted(row.settings, row.key_id), place)
        if settings is None:
            return None
        return Conversation(
            id=row.id,
            user_id=row.user_id,
            created_at=row.created_at,
            updated_at=row.updated_at,
            settings=settings_of(settings),
            head_id=row.head_id,
            run=_run_of(row),
            pinned=row.pinned,
        )

    def read_message(self, row: Row[Any]) -> Message | None:
        """Read the message of a row; None when it cannot be decrypted or unpacked."""
        place = place_of_message(row.conversation_id, row.id)
        content = self._object(Encrypted(row.content, row.key_id), place)
        if content is None:
            return None
        return message_of(
            content,
            Message(
                id=row.id,
                conversation_id=row.conversation_id,
                parent_id=row.parent_id,
                seq=row.seq,
                role=cast(Role, row.role),
                created_at=row.created_at,
                items=(),
            ),
        )

    def read_words(self, row: Row[Any]) -> str:
        """Read what a reader sees of the message of a row; "" when it cannot be decrypted or unpacked."""
        place = place_of_message(row.conversation_id, row.id)
        content = self._object(Encrypted(row.content, row.key_id), place)
        return "" if content is None else words_in(content, cast(Role, row.role))

    def _encrypted_values(self, column: str, value: JsonObject, place: str) -> dict[str, Any]:
        encrypted = self._encryption.encrypt_bytes(pack_value(value), place)
        return {column: encrypted.content, "size": len(encrypted.content), "key_id": encrypted.key_id}

    def _object(self, encrypted: Encrypted, place: str) -> JsonObject | None:
        try:
            value = unpack_value(self._encryption.decrypt_bytes(encrypted, place))
        except (Unreadable, Unstorable) as error:
            if self._encryption.is_first_miss(encrypted):
                _log.warning("Stored data cannot be read: %s: %s.", place, error)
            return None
        return value if isinstance(value, dict) else None
