"""Settings and contents of messages as the JSON that is kept of them. Pure."""

from __future__ import annotations

from dataclasses import replace

from bridge.conversations.conversation import EnabledTool, Message, Settings
from toolserver.json_types import JsonObject, array_at, text_at


def settings_json(settings: Settings) -> JsonObject:
    """What `settings_of` reads."""
    return {
        "title": settings.title,
        "description": settings.description,
        "system_prompt": settings.system_prompt,
        "model": settings.model,
        "max_tokens": settings.max_tokens,
        "max_messages": settings.max_messages,
        "context": [*settings.context],
        "tools": [[tool.server_id, tool.name] for tool in settings.tools],
    }


def settings_of(kept: JsonObject) -> Settings:
    """What `settings_json` wrote."""
    default = Settings()
    tools = [pair for pair in array_at(kept, "tools") if isinstance(pair, list)]
    max_tokens, max_messages = kept.get("max_tokens"), kept.get("max_messages")
    return Settings(
        title=text_at(kept, "title"),
        description=text_at(kept, "description"),
        system_prompt=text_at(kept, "system_prompt"),
        model=text_at(kept, "model") or None,
        max_tokens=max_tokens if isinstance(max_tokens, int) else default.max_tokens,
        max_messages=max_messages if isinstance(max_messages, int) else default.max_messages,
        context=tuple(array_at(kept, "context")),
        tools=tuple(EnabledTool(str(server), str(name)) for server, name in tools),
    )


def content_json(message: Message) -> JsonObject:
    """What of a message is sealed."""
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
    """What `content_json` wrote, as the message that stands there."""
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
