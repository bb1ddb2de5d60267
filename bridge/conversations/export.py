"""A conversation with its messages as a line of an export, and back. Pure."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, cast, get_args

from bridge.conversations.conversation import Conversation, Message, Role
from bridge.conversations.kept_form import content_json, message_of, settings_json, settings_of
from bridge.stored_items.export import BadExport, id_at, object_at, optional_id_at, time_at
from toolserver.json_types import JsonObject, array_at

KIND = "conversation"
"""What `kept` says in such a line."""

MAX_ID_CHARS = 40
"""Of ids of conversations and messages."""


def conversation_line(conversation: Conversation, messages: Sequence[Message]) -> bytes:
    """One conversation, without its owner."""
    facts: dict[str, Any] = {
        "kept": KIND,
        "id": conversation.id,
        "created_at": conversation.created_at,
        "updated_at": conversation.updated_at,
        "head_id": conversation.head_id,
        "settings": settings_json(conversation.settings),
        "messages": [
            {
                "id": message.id,
                "parent_id": message.parent_id,
                "seq": message.seq,
                "role": message.role,
                "created_at": message.created_at,
                "content": content_json(message),
            }
            for message in messages
        ],
    }
    return json.dumps(facts, separators=(",", ":")).encode() + b"\n"


def read_conversation(facts: JsonObject, user_id: str) -> tuple[Conversation, list[Message]]:
    """The conversation of a line, for this user.

    Raises:
        BadExport: it is none.
    """
    conversation = Conversation(
        id=_short(id_at(facts, "id")),
        user_id=user_id,
        created_at=time_at(facts, "created_at"),
        updated_at=time_at(facts, "updated_at"),
        settings=settings_of(object_at(facts, "settings")),
        head_id=optional_id_at(facts, "head_id"),
    )
    messages = [_message(each, conversation.id) for each in array_at(facts, "messages")]
    if len({message.seq for message in messages}) < len(messages):
        raise BadExport("two messages have the same seq")
    return conversation, messages


def _message(facts: object, conversation_id: str) -> Message:
    if not isinstance(facts, dict):
        raise BadExport("messages must be a list of objects")
    known = cast(JsonObject, facts)
    seq, role = known.get("seq"), known.get("role")
    if isinstance(seq, bool) or not isinstance(seq, int) or not 0 <= seq < 2**31:
        raise BadExport("seq must be a whole number from 0 on")
    if role not in get_args(Role):
        raise BadExport(f"role must be one of {', '.join(get_args(Role))}")
    parent_id = optional_id_at(known, "parent_id")
    return message_of(
        object_at(known, "content"),
        Message(
            id=_short(id_at(known, "id")),
            conversation_id=conversation_id,
            parent_id=None if parent_id is None else _short(parent_id),
            seq=seq,
            role=cast(Role, role),
            created_at=time_at(known, "created_at"),
            items=(),
        ),
    )


def _short(name: str) -> str:
    if len(name) > MAX_ID_CHARS:
        raise BadExport(f"ids of conversations and messages have at most {MAX_ID_CHARS} characters")
    return name
