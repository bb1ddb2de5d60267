"""Converts messages of Chat Completions to items of the Responses API, in their order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from bridge.models.agent.items import Item
from bridge.models.agent.rendering.call_details import without_details
from bridge.models.agent.request_fields import (
    InvalidRequest,
    as_array,
    as_object,
    optional_object,
    optional_text,
    required_text,
    wrong_type,
)
from toolserver.json_types import JsonObject, JsonValue, array_at, text_at

_ROLES = ("system", "developer", "user", "assistant", "tool")


def items_of_messages(messages: JsonValue) -> tuple[tuple[Item, ...], str | None]:
    """Return the items of `messages`, and the instructions: the text of the last system message.

    Raises:
        InvalidRequest: a message is malformed; names the path of the member.
    """
    if messages is None:
        message = "Missing required parameter: 'messages'."
        raise InvalidRequest(message, param="messages", code="missing_required_parameter")
    found = [
        as_object(value, f"messages[{place}]") for place, value in enumerate(as_array(messages, "messages"))
    ]
    if not found:
        raise InvalidRequest("'messages' must not be empty.", param="messages", code="invalid_value")
    last_system = max((place for place, message in enumerate(found) if _is_system(message)), default=None)
    instructions = None if last_system is None else _text_of(found[last_system], f"messages[{last_system}].")
    custom = _custom_calls(found)
    items = [
        item
        for place, message in enumerate(found)
        if place != last_system
        for item in _items(message, f"messages[{place}].", custom)
    ]
    return tuple(items), instructions


def _is_system(message: JsonObject) -> bool:
    return message.get("role") == "system"


def _items(message: JsonObject, where: str, custom: frozenset[str]) -> Iterator[Item]:
    role = required_text(message, "role", where)
    if role not in _ROLES:
        text = f"'{where}role' must be one of {', '.join(map(repr, _ROLES))}, not '{role[:100]}'."
        raise InvalidRequest(text, param=f"{where}role", code="invalid_value")
    if role == "assistant":
        yield from _said(message, where)
        yield from _calls(message, where)
    elif role == "tool":
        yield _output(message, where, custom)
    else:
        yield {"type": "message", "role": role, "content": cast("JsonValue", _content(message, where))}


def _said(message: JsonObject, where: str) -> Iterator[Item]:
    """Yield the model's message, without calls that an answer showed in its text."""
    content = message.get("content")
    if content is None:
        parts: list[JsonValue] = []
    elif isinstance(content, str):
        parts = [{"type": "output_text", "text": content}]
    else:
        parts = [_said_part(part) for part in as_array(content, f"{where}content")]
    if isinstance(refusal := message.get("refusal"), str) and refusal:
        parts.append({"type": "refusal", "refusal": refusal})
    bare_parts: list[JsonValue] = [part for value in parts if (part := _bare(value)) is not None]
    if bare_parts:
        yield {"type": "message", "role": "assistant", "content": bare_parts}


def _said_part(part: JsonValue) -> JsonValue:
    if isinstance(part, dict) and part.get("type") == "text":
        return {**part, "type": "output_text"}
    return part


def _bare(part: JsonValue) -> JsonValue:
    """Return a part without shown calls; None when nothing is left of it."""
    if not isinstance(part, dict) or part.get("type") != "output_text":
        return part
    text = without_details(text_at(part, "text"))
    return {**part, "text": text} if text.strip() else None


def _calls(message: JsonObject, where: str) -> Iterator[Item]:
    value = message.get("tool_calls")
    calls = [] if value is None else as_array(value, f"{where}tool_calls")
    for place, entry in enumerate(calls):
        path = f"{where}tool_calls[{place}]."
        call = as_object(entry, path[:-1])
        call_id = required_text(call, "id", path)
        if call.get("type") == "custom":
            custom = optional_object(call, "custom", path)
            yield {
                "type": "custom_tool_call",
                "call_id": call_id,
                "name": text_at(custom, "name"),
                "input": text_at(custom, "input"),
            }
        else:
            function = optional_object(call, "function", path)
            yield {
                "type": "function_call",
                "call_id": call_id,
                "name": required_text(function, "name", f"{path}function."),
                "arguments": optional_text(function, "arguments", f"{path}function.") or "",
            }


def _custom_calls(messages: list[JsonObject]) -> frozenset[str]:
    """Return ids of calls of custom tools, whose outputs have a type of their own."""
    return frozenset(
        text_at(call, "id")
        for message in messages
        for call in array_at(message, "tool_calls")
        if isinstance(call, dict) and call.get("type") == "custom"
    )


def _output(message: JsonObject, where: str, custom: frozenset[str]) -> Item:
    call_id = required_text(message, "tool_call_id", where)
    kind = "custom_tool_call_output" if call_id in custom else "function_call_output"
    content = message.get("content")
    if content is None or isinstance(content, str):
        return {"type": kind, "call_id": call_id, "output": content or ""}
    parts = _content(message, where)
    texts = [part for part in parts if isinstance(part, dict) and part.get("type") == "input_text"]
    if len(texts) == len(parts):
        return {"type": kind, "call_id": call_id, "output": "".join(text_at(part, "text") for part in texts)}
    return {"type": kind, "call_id": call_id, "output": parts}


def _text_of(message: JsonObject, where: str) -> str:
    parts = _content(message, where)
    return "\n".join(text_at(part, "text") for part in parts if isinstance(part, dict))


def _content(message: JsonObject, where: str) -> list[JsonValue]:
    content = message.get("content")
    if isinstance(content, str):
        return [{"type": "input_text", "text": content}]
    if content is None:
        text = f"Missing required parameter: '{where}content'."
        raise InvalidRequest(text, param=f"{where}content", code="missing_required_parameter")
    if not isinstance(content, list):
        raise wrong_type(f"{where}content", "a string or an array", content)
    return [
        _part(as_object(part, f"{where}content[{place}]"), f"{where}content[{place}].")
        for place, part in enumerate(content)
    ]


def _part(part: JsonObject, where: str) -> JsonValue:
    """Convert a part to the Responses form; parts of other types are passed on."""
    match part.get("type"):
        case "text":
            return {**part, "type": "input_text"}
        case "image_url":
            return _image(part, where)
        case "file":
            return {"type": "input_file", **optional_object(part, "file", where)}
        case _:
            return part


def _image(part: JsonObject, where: str) -> JsonValue:
    """Convert an image; several libraries send a string in place of the object."""
    image = part.get("image_url")
    if isinstance(image, str):
        return {"type": "input_image", "image_url": image, "detail": "auto"}
    members = optional_object(part, "image_url", where)
    url = required_text(members, "url", f"{where}image_url.")
    return {"type": "input_image", "image_url": url, "detail": members.get("detail") or "auto"}
