"""Parses requests to `/v1/responses`: reads what the bridge decides by, passes everything else on.

A client that stores a chat itself may send it as `messages`, in the form of Chat Completions. What needs more
than stored responses is refused by name.
"""

from __future__ import annotations

from bridge.models.agent.chat_completions.messages_to_items import items_of_messages
from bridge.models.agent.items import Item
from bridge.models.agent.memory.item_references import REFERENCE
from bridge.models.agent.rendering.call_details import without_details
from bridge.models.agent.request_fields import (
    MAX_ROUNDS_MEMBER,
    InvalidRequest,
    ParsedRequest,
    as_array,
    as_object,
    optional_text,
    read_flag,
    refuse_too_many,
    requested_rounds,
    required_text,
    wrong_type,
)
from bridge.models.agent.request_tools import (
    EXTRA_TOOLS,
    TOOL_SERVERS,
    caller_tools,
    chosen_servers,
    wants_tools,
)
from toolserver.json_types import JsonObject, JsonValue

_READ = frozenset(
    {
        "model",
        "input",
        "messages",
        "instructions",
        "tools",
        EXTRA_TOOLS,
        TOOL_SERVERS,
        "stream",
        "stream_options",
        "background",
        "previous_response_id",
        MAX_ROUNDS_MEMBER,
    }
)


def parse_responses_request(body: JsonObject) -> ParsedRequest:
    """Parse the body of a request.

    Raises:
        InvalidRequest: a member is missing, has a wrong type, or asks for what the bridge does not do.
    """
    refuse_too_many(body)
    _refuse(body)
    model = required_text(body, "model")
    messages, chat_instructions = _chat(body)
    return ParsedRequest(
        model=model,
        input=(*messages, *(() if _goes_without_input(body) else _items(body.get("input")))),
        instructions=optional_text(body, "instructions") or chat_instructions,
        caller_tools=caller_tools(body),
        options=_options(body),
        with_tools=wants_tools(body),
        tool_servers=chosen_servers(body),
        max_rounds=requested_rounds(body),
        streams=read_flag(body, "stream"),
        stores=read_flag(body, "store", default=True),
        background=read_flag(body, "background"),
        previous_response_id=optional_text(body, "previous_response_id"),
    )


def _options(body: JsonObject) -> JsonObject:
    """Return the options for the provider. `store` is passed on only if false: true concerns the bridge."""
    read = _READ if body.get("store") is False else _READ | {"store"}
    return {name: value for name, value in body.items() if name not in read and value is not None}


def _chat(body: JsonObject) -> tuple[tuple[Item, ...], str | None]:
    """Return the items of `messages`, which precede `input`, and their instructions."""
    return ((), None) if body.get("messages") is None else items_of_messages(body["messages"])


def _goes_without_input(body: JsonObject) -> bool:
    """Return whether `input` may be absent: with a chat, the provider's template or a previous response."""
    return body.get("input") is None and (
        isinstance(body.get("prompt"), dict)
        or bool(body.get("previous_response_id"))
        or body.get("messages") is not None
    )


def _refuse(body: JsonObject) -> None:
    if body.get("conversation") is not None:
        message = (
            "This bridge does not support OpenAI's conversations. Use 'previous_response_id', or the "
            "bridge's own under /conversations."
        )
        raise InvalidRequest(message, param="conversation", code="unsupported_parameter")
    if read_flag(body, "background") and not read_flag(body, "store", default=True):
        message = "'background' needs 'store': a background response is read from the store."
        raise InvalidRequest(message, param="background", code="invalid_value")


def _items(value: JsonValue) -> list[Item]:
    if value is None:
        message = "Missing required parameter: 'input'."
        raise InvalidRequest(message, param="input", code="missing_required_parameter")
    if isinstance(value, str):
        return [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": value}]}]
    if not isinstance(value, list):
        raise wrong_type("input", "a string or an array", value)
    items = [_item(item, f"input[{place}]") for place, item in enumerate(value)]
    if not items:
        raise InvalidRequest("'input' must not be empty.", param="input", code="invalid_value")
    return [item for item in items if item is not None]


def _item(value: JsonValue, param: str) -> Item | None:
    item = as_object(value, param)
    if item.get("type") == REFERENCE or {name for name in item if item[name] is not None} == {"id"}:
        return {"type": REFERENCE, "id": required_text(item, "id", f"{param}.")}
    if item.get("role") == "assistant" and item.get("type", "message") == "message":
        return _without_shown_calls(item, param)
    return item


def _without_shown_calls(item: Item, param: str) -> Item | None:
    """Return an assistant's message without calls shown in its text; None when nothing else is left."""
    content = item.get("content")
    if isinstance(content, str):
        text = without_details(content)
        if text == content:
            return item
        return {**item, "content": text} if text.strip() else None
    parts = [_part(part) for part in as_array(content, f"{param}.content")]
    remaining: list[JsonValue] = [part for part in parts if part is not None]
    return {**item, "content": remaining} if remaining or not parts else None


def _part(part: JsonValue) -> JsonValue:
    if not isinstance(part, dict) or part.get("type") != "output_text":
        return part
    text = part.get("text")
    if not isinstance(text, str) or (bare := without_details(text)) == text:
        return part
    return {**part, "text": bare} if bare.strip() else None
