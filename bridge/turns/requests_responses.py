"""Requests to `/v1/responses`: read what the bridge decides by, pass everything else on as it came.

What needs more than kept responses is refused by name.
"""

from __future__ import annotations

from bridge.turns.details import without_details
from bridge.turns.items import Item
from bridge.turns.request_members import (
    MAX_ROUNDS_MEMBER,
    InvalidRequest,
    ParsedRequest,
    as_array,
    as_object,
    asked_rounds,
    flag,
    optional_text,
    required_text,
    wrong_type,
)
from bridge.turns.request_tools import EXTRA_TOOLS, caller_tools, wants_tools
from toolserver.json_types import JsonObject, JsonValue

_READ = frozenset(
    {
        "model",
        "input",
        "instructions",
        "tools",
        EXTRA_TOOLS,
        "stream",
        "stream_options",
        "previous_response_id",
        MAX_ROUNDS_MEMBER,
    }
)
_STORED = {
    "conversation": "Send the earlier items in `input` instead.",
    "background": "Use `stream` instead, and keep the connection open.",
}
"""Members that need what is not kept: what to do instead."""


def parse_responses_request(body: JsonObject) -> ParsedRequest:
    """The request of a body.

    Raises:
        InvalidRequest: a member is missing, has a wrong type, or needs stored responses.
    """
    _refuse_stored(body)
    model = required_text(body, "model")
    return ParsedRequest(
        model=model,
        input=() if _is_stored_prompt(body) else tuple(_items(body.get("input"))),
        instructions=optional_text(body, "instructions"),
        caller_tools=caller_tools(body),
        options=_options(body),
        with_tools=wants_tools(body),
        max_rounds=asked_rounds(body),
        streams=flag(body, "stream"),
        stores=flag(body, "store", default=True),
        previous_response_id=optional_text(body, "previous_response_id"),
    )


def _options(body: JsonObject) -> JsonObject:
    """What goes on to the provider. To store the answer is asked of this bridge; not to, of everybody."""
    read = _READ if body.get("store") is False else _READ | {"store"}
    return {name: value for name, value in body.items() if name not in read and value is not None}


def _is_stored_prompt(body: JsonObject) -> bool:
    """The provider's own template may be all that is asked."""
    return body.get("input") is None and isinstance(body.get("prompt"), dict)


def _refuse_stored(body: JsonObject) -> None:
    for name, instead in _STORED.items():
        if body.get(name) not in (None, False):
            message = f"'{name}' needs stored responses, which this bridge does not keep yet. {instead}"
            raise InvalidRequest(message, param=name, code="unsupported_parameter")


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
    if item.get("type") == "item_reference":
        message = f"'{param}' refers to a stored item, and this bridge keeps none yet. Send the item itself."
        raise InvalidRequest(message, param=param, code="unsupported_parameter")
    if item.get("role") == "assistant" and item.get("type", "message") == "message":
        return _without_shown_calls(item, param)
    return item


def _without_shown_calls(item: Item, param: str) -> Item | None:
    """An assistant's message without what an answer showed of calls; None when nothing else was in it."""
    content = item.get("content")
    if isinstance(content, str):
        text = without_details(content)
        if text == content:
            return item
        return {**item, "content": text} if text.strip() else None
    parts = [_part(part) for part in as_array(content, f"{param}.content")]
    kept: list[JsonValue] = [part for part in parts if part is not None]
    return {**item, "content": kept} if kept or not parts else None


def _part(part: JsonValue) -> JsonValue:
    if not isinstance(part, dict) or part.get("type") != "output_text":
        return part
    text = part.get("text")
    if not isinstance(text, str) or (bare := without_details(text)) == text:
        return part
    return {**part, "text": bare} if bare.strip() else None
