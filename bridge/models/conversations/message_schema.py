"""Messages as the API sends them: roles, texts and `tool_calls`, derived from the items. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import orjson

from bridge.models.agent.items import (
    SEARCH_OUTPUT,
    Item,
    answered_call_id,
    arguments_text,
    loaded_text,
    message_text,
    model_call,
)
from bridge.models.conversations.attachments import attachments_of
from bridge.models.conversations.branches import Branches
from bridge.models.conversations.conversation import Message, Role
from bridge.models.stored_items.items import NOTICE_TYPE
from bridge.time_format import format_time
from toolserver.json_types import JsonObject, JsonValue, array_at, dump_json, text_at


def message_json(message: Message, branches: Branches) -> JsonObject:
    """Return one message as JSON; members that do not apply to its role are absent."""
    shape: JsonObject = {
        "id": message.id,
        "role": message.role,
        "content": content_of(message),
        "timestamp": format_time(message.created_at),
        "parent_id": message.parent_id,
        "siblings": [*branches.siblings_of(message)],
    }
    if message.role == "user" and (files := attachments_of(message)):
        shape["attachments"] = [
            {"number": number, "name": file.name, "mime": file.mime, "bytes": file.size}
            for number, file in enumerate(files, 1)
        ]
    if message.role == "assistant":
        shape |= _said(message.items)
    if message.role == "tool":
        shape |= {
            "tool_call_id": next((answered_call_id(item) for item in message.items), ""),
            "name": message.tool_name or "",
            "failed": message.has_failed,
            "duration_ms": message.duration_ms,
            "call_id": message.call_id,
            "state": message.call_state,
        }
    return shape


def content_of(message: Message) -> str | None:
    """Return the text of a message; None for an assistant's that only makes calls."""
    if message.role == "tool":
        return output_text(message.items[0], has_failed=message.has_failed)
    text = text_of(message.items)
    return None if not text and any(model_call(item) for item in message.items) else text


def words_in(content: JsonObject, role: Role) -> str:
    """Return what a reader sees of a message from its stored content, without building the message."""
    items = [item for item in array_at(content, "items") if isinstance(item, dict)]
    if role == "tool":
        return output_text(items[0], has_failed=content.get("has_failed") is True) if items else ""
    return text_of(items)


def text_of(items: Sequence[Item]) -> str:
    """Return the text that a reader sees of the items: texts, refusals and notices, in order."""
    return "\n\n".join(text for item in items if (text := _words(item)))


def output_text(item: Item, *, has_failed: bool) -> str:
    """Return a call's output as text; for a failed call always a JSON object with the member `error`.

    An API's answer that is not an object is returned without its wrapping: a list of text parts as one text,
    a number as its digits.
    """
    if item.get("type") == SEARCH_OUTPUT:
        return loaded_text(item)
    output = item.get("output")
    text = output if isinstance(output, str) else _joined(array_at(item, "output"))
    value = _parsed(text)
    if has_failed:
        is_told = isinstance(value, dict) and "error" in value
        return text if is_told else dump_json({"error": text}).decode()
    return _unwrapped(value) if isinstance(value, dict) and set(value) == {"result"} else text


def tool_calls_of(items: Sequence[Item]) -> list[JsonValue]:
    """Return the calls in the form of Chat Completions; arguments are JSON text as the model wrote it."""
    calls = [call for item in items if (call := model_call(item)) is not None]
    return [
        {
            "id": call.call_id,
            "type": "function",
            "function": {"name": call.name, "arguments": arguments_text(call.item) or "{}"},
        }
        for call in calls
    ]


def reasoning_of(items: Sequence[Item]) -> str:
    """Return the reasoning that the model made visible."""
    reasoning = [item for item in items if item.get("type") == "reasoning"]
    parts = [part for item in reasoning for name in ("summary", "content") for part in array_at(item, name)]
    return "\n\n".join(text_at(part, "text") for part in parts if isinstance(part, dict))


def _said(items: Sequence[Item]) -> JsonObject:
    shape: JsonObject = {}
    if calls := tool_calls_of(items):
        shape["tool_calls"] = calls
    if reasoning := reasoning_of(items):
        shape["reasoning"] = reasoning
    if any(item.get("status") == "incomplete" for item in items):
        shape["incomplete"] = True
    return shape


def _words(item: Item) -> str:
    if item.get("type") == NOTICE_TYPE:
        return text_at(item, "text")
    refusals = [text_at(part, "refusal") for part in array_at(item, "content") if isinstance(part, dict)]
    return message_text(item) or "".join(refusals)


def _joined(parts: Sequence[JsonValue]) -> str:
    return "".join(text_at(part, "text") for part in parts if isinstance(part, dict))


def _unwrapped(wrapping: JsonObject) -> str:
    value = wrapping["result"]
    if isinstance(value, str):
        return value
    if isinstance(value, list) and value and all(_is_text_part(part) for part in value):
        return _joined(value)
    return dump_json(value).decode()


def _is_text_part(part: JsonValue) -> bool:
    return isinstance(part, dict) and part.get("type") == "text" and isinstance(part.get("text"), str)


def _parsed(text: str) -> JsonValue:
    if not text.startswith("{"):
        return None
    try:
        return cast(JsonValue, orjson.loads(text))
    except orjson.JSONDecodeError:
        return None
