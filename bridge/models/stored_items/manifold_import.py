"""Import of items that OpenAI's manifold pipe (`openai_responses_pipe`) stored in chats of Open WebUI.

Receives a parsed export, of one chat or of many; returns the items, with the ids that markers name. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator

from bridge.models.stored_items.export import BadExport, id_at, object_at, text_at, time_at
from bridge.models.stored_items.items import StoredItem
from toolserver.json_types import JsonObject, JsonValue

MEMBER = "openai_responses_pipe"
VERSION = 3


def items_of_chats(exported: JsonValue, user_id: str) -> list[StoredItem]:
    """Return the items of all chats, in the order of their messages.

    Raises:
        BadExport: the export contains no chat, no chat has items, or an item is damaged.
    """
    chats = exported if isinstance(exported, list) else [exported]
    items: list[StoredItem] = []
    found = False
    for number, chat in enumerate(chats):
        state = _member(chat)
        if state is None:
            continue
        found = True
        try:
            items += _items(state, _id_of(chat), user_id)
        except BadExport as error:
            raise BadExport(f"chat {number + 1}: {error}") from None
    if not found:
        raise BadExport(f"no chat in it has the member {MEMBER}, where that pipe stores its items")
    return items


def _member(chat: JsonValue) -> JsonObject | None:
    """Return what the pipe stored, wherever an export has it: in the chat, or in the record around it."""
    while isinstance(chat, dict):
        state = chat.get(MEMBER)
        if isinstance(state, dict):
            return state
        chat = chat.get("chat")
    return None


def _id_of(chat: JsonValue) -> str | None:
    name = chat.get("id") if isinstance(chat, dict) else None
    return name if isinstance(name, str) and name else None


def _items(state: JsonObject, chat_id: str | None, user_id: str) -> Iterator[StoredItem]:
    if state.get("__v") != VERSION:
        raise BadExport(f"__v is {state.get('__v')!r}; version {VERSION} can be read")
    places = _places(state)
    for name, value in object_at(state, "items").items():
        try:
            if not isinstance(value, dict):
                raise BadExport("must be an object")
            yield _item(name, value, chat_id, places.get(name, 0), user_id)
        except BadExport as error:
            raise BadExport(f"item {name[:100]!r}: {error}") from None


def _places(state: JsonObject) -> dict[str, int]:
    """Return the position of each item in its message."""
    index = state.get("messages_index")
    messages = index.values() if isinstance(index, dict) else ()
    places: dict[str, int] = {}
    for message in messages:
        names = message.get("item_ids") if isinstance(message, dict) else None
        if isinstance(names, list):
            places |= {name: place for place, name in enumerate(names) if isinstance(name, str)}
    return places


def _item(name: str, facts: JsonObject, chat_id: str | None, place: int, user_id: str) -> StoredItem:
    message_id = id_at(facts, "message_id")
    return StoredItem(
        id=id_at({"id": name}, "id"),
        user_id=user_id,
        response_id=message_id,
        position=place,
        side="output",
        model=text_at(facts, "model"),
        payload=object_at(facts, "payload"),
        created_at=time_at(facts, "created_at"),
        conversation_id=chat_id,
        message_id=message_id,
    )
