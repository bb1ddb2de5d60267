"""Converts a conversation with its messages to a line of an export, and back. Pure."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast, get_args

from bridge.models.conversations.conversation import (
    Conversation,
    ConversationSettings,
    EnabledTool,
    Message,
    Role,
)
from bridge.models.stored_items.export import BadExport, id_at, object_at, optional_id_at, time_at
from toolserver.json_types import JsonObject, array_at, text_at
from toolserver.json_types import object_at as object_in


def settings_json(settings: ConversationSettings) -> JsonObject:
    """Return the JSON that `settings_of` reads."""
    return {
        "title": settings.title,
        "description": settings.description,
        "system_prompt": settings.system_prompt,
        "model": settings.model,
        "max_tokens": settings.max_tokens,
        "max_messages": settings.max_messages,
        "context": [*settings.context],
        "tools": [[tool.server_id, tool.name] for tool in settings.tools],
        **({"parameters": settings.parameters} if settings.parameters else {}),
    }


def settings_of(stored: JsonObject) -> ConversationSettings:
    """Read the JSON that `settings_json` wrote."""
    default = ConversationSettings()
    tools = [pair for pair in array_at(stored, "tools") if isinstance(pair, list)]
    max_tokens = stored.get("max_tokens")
    max_messages = stored.get("max_messages")
    return ConversationSettings(
        title=text_at(stored, "title"),
        description=text_at(stored, "description"),
        system_prompt=text_at(stored, "system_prompt"),
        model=text_at(stored, "model") or None,
        max_tokens=max_tokens if isinstance(max_tokens, int) else default.max_tokens,
        max_messages=max_messages if isinstance(max_messages, int) else default.max_messages,
        context=tuple(array_at(stored, "context")),
        tools=tuple(EnabledTool(str(server), str(name)) for server, name in tools),
        parameters=object_in(stored, "parameters"),
    )


def content_json(message: Message) -> JsonObject:
    """Return the part of a message that is encrypted."""
    return {
        "items": [*message.items],
        "run_id": message.run_id,
        "model": message.model,
        "tool_name": message.tool_name,
        "has_failed": message.has_failed,
        "duration_ms": message.duration_ms,
        "call_id": message.call_id,
        "call_state": message.call_state,
    }


def message_of(content: JsonObject, placed: Message) -> Message:
    """Return `placed` with the content that `content_json` wrote."""
    duration = content.get("duration_ms")
    return replace(
        placed,
        items=tuple(item for item in array_at(content, "items") if isinstance(item, dict)),
        run_id=text_at(content, "run_id") or None,
        model=text_at(content, "model"),
        tool_name=text_at(content, "tool_name") or None,
        has_failed=content.get("has_failed") is True,
        duration_ms=duration if isinstance(duration, int | float) else None,
        call_id=text_at(content, "call_id") or None,
        call_state=text_at(content, "call_state") or None,
    )


KIND = "conversation"
"""Value of `stored` in the line of a conversation."""

MAX_ID_CHARS = 40
"""Maximum length of an id of a conversation or a message."""


def conversation_line(conversation: Conversation, messages: Sequence[Message]) -> bytes:
    """Return the line of one conversation, without its owner."""
    facts: dict[str, Any] = {
        "kept": KIND,
        "id": conversation.id,
        "created_at": conversation.created_at,
        "updated_at": conversation.updated_at,
        "head_id": conversation.head_id,
        **({} if conversation.pinned is None else {"pinned": conversation.pinned}),
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
    """Read the conversation of a line, for this user.

    Raises:
        BadExport: the line is not a conversation.
    """
    conversation = Conversation(
        id=_short(id_at(facts, "id")),
        user_id=user_id,
        created_at=time_at(facts, "created_at"),
        updated_at=time_at(facts, "updated_at"),
        settings=settings_of(object_at(facts, "settings")),
        head_id=optional_id_at(facts, "head_id"),
        pinned=None if facts.get("pinned") is None else time_at(facts, "pinned"),
    )
    messages = [_message(each, conversation.id) for each in array_at(facts, "messages")]
    if len({message.seq for message in messages}) < len(messages):
        raise BadExport("two messages have the same seq")
    return conversation, messages


def _message(facts: object, conversation_id: str) -> Message:
    if not isinstance(facts, dict):
        raise BadExport("messages must be a list of objects")
    known = cast(JsonObject, facts)
    seq = known.get("seq")
    role = known.get("role")
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
