"""The input items of a response, listed page by page as in OpenAI's API."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from bridge.models.agent.items import Item
from bridge.models.agent.request_fields import InvalidRequest
from bridge.models.stored_items.items import StoredItem
from toolserver.json_types import JsonObject, JsonValue, text_at

DEFAULT_LIMIT = 20
MAX_LIMIT = 100
MAX_DIGITS = 9

_PREFIXES = {
    "message": "msg_",
    "reasoning": "rs_",
    "function_call": "fc_",
    "function_call_output": "fco_",
    "tool_search_call": "tsc_",
    "tool_search_output": "tso_",
}


@dataclass(frozen=True, slots=True)
class ListPage:
    """The page of a list that a query asks for."""

    limit: int = DEFAULT_LIMIT
    order: Literal["asc", "desc"] = "desc"
    after: str | None = None
    """Id of the item before the first one of the page."""


def page_of(query: Mapping[str, str]) -> ListPage:
    """Read the page that a query asks for.

    Raises:
        InvalidRequest: a parameter is out of range.
    """
    order = query.get("order", "desc")
    if order not in ("asc", "desc"):
        raise InvalidRequest("'order' must be 'asc' or 'desc'.", param="order", code="invalid_value")
    limit = read_number(query, "limit", DEFAULT_LIMIT)
    if not 1 <= limit <= MAX_LIMIT:
        message = f"'limit' must be from 1 to {MAX_LIMIT}."
        raise InvalidRequest(message, param="limit", code="invalid_value")
    return ListPage(limit, "asc" if order == "asc" else "desc", query.get("after"))


def read_number(query: Mapping[str, str], name: str, default: int) -> int:
    """Read a whole number of at most `MAX_DIGITS` characters from a query.

    Raises:
        InvalidRequest: it is something else.
    """
    text = query.get(name)
    if text is None:
        return default
    if not (text.isascii() and text.removeprefix("-").isdigit() and len(text) <= MAX_DIGITS):
        raise InvalidRequest(f"'{name}' must be a whole number.", param=name, code="invalid_value")
    return int(text)


def build_list(items: Sequence[StoredItem], page: ListPage) -> JsonObject:
    """Build a list object as OpenAI does. `items`: all of them, oldest first.

    Raises:
        InvalidRequest: `after` names none of them.
    """
    public_items = [_public_item(stored) for stored in items]
    if page.order == "desc":
        public_items.reverse()
    start = 0 if page.after is None else _place_after(public_items, page.after)
    data: list[JsonValue] = [*public_items[start : start + page.limit]]
    ids = [text_at(item, "id") for item in public_items[start : start + page.limit]]
    return {
        "object": "list",
        "data": data,
        "first_id": ids[0] if ids else None,
        "last_id": ids[-1] if ids else None,
        "has_more": start + page.limit < len(public_items),
    }


def _place_after(items: Sequence[Item], item_id: str) -> int:
    for place, item in enumerate(items):
        if item["id"] == item_id:
            return place + 1
    message = f"There is no input item with id '{item_id[:200]}' in this response."
    raise InvalidRequest(message, param="after", code="invalid_value")


def _public_item(stored: StoredItem) -> Item:
    """Return the item with an id, a message in its long form."""
    item = stored.payload
    kind = text_at(item, "type") or "message"
    item_id = text_at(item, "id") or _PREFIXES.get(kind, "item_") + stored.id
    public: Item = {**item, "id": item_id, "type": kind}
    if kind != "message":
        return public
    content = item.get("content")
    if isinstance(content, str):
        part = "output_text" if item.get("role") == "assistant" else "input_text"
        public["content"] = [{"type": part, "text": content}]
    return {"status": "completed", **public}
