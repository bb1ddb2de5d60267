"""Export of stored items in the structure in which OpenAI's manifold pipe keeps them in chats of Open WebUI.

Receives items; returns chats that `manifold_import` reads. Pure.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence

from bridge.models.stored_items.items import OWN_TYPES, StoredItem
from bridge.models.stored_items.manifold_import import MEMBER, VERSION
from toolserver.json_types import JsonObject, JsonValue


def chats_of_items(items: Iterable[StoredItem], unfinished: Collection[str]) -> list[JsonObject]:
    """Return one chat for each chat of the items, oldest first, and one without an id for those of none.

    Only what answers are made of: neither input nor the bridge's own texts. `unfinished`: ids of responses
    that have not ended.
    """
    by_chat: defaultdict[str | None, list[StoredItem]] = defaultdict(list)
    for item in items:
        if item.side == "output" and item.payload.get("type") not in OWN_TYPES:
            by_chat[item.conversation_id].append(item)
    return [_chat(chat_id, of_chat, unfinished) for chat_id, of_chat in by_chat.items()]


def _chat(chat_id: str | None, items: Sequence[StoredItem], unfinished: Collection[str]) -> JsonObject:
    messages = _messages(items)
    state: JsonObject = {
        "__v": VERSION,
        "items": {item.id: _facts(item) for of_message in messages.values() for item in of_message},
        "messages_index": {
            message_id: _message(of_message, unfinished) for message_id, of_message in messages.items()
        },
    }
    named: JsonObject = {} if chat_id is None else {"id": chat_id}
    return {**named, "chat": {MEMBER: state}}


def _messages(items: Sequence[StoredItem]) -> dict[str, list[StoredItem]]:
    """Return the items of each message in their order; an import and another export change none of it.

    A message may be made of several responses, one after another.
    """
    began: dict[str, float] = {}
    found: defaultdict[str, list[StoredItem]] = defaultdict(list)
    for item in items:
        began[item.response_id] = min(item.created_at, began.get(item.response_id, item.created_at))
        found[_message_id(item)].append(item)
    for of_message in found.values():
        of_message.sort(key=lambda item: (began[item.response_id], item.response_id, item.position))
    seconds = {name: int(min(item.created_at for item in of_message)) for name, of_message in found.items()}
    return {name: found[name] for name in sorted(found, key=lambda name: (seconds[name], name))}


def _message_id(item: StoredItem) -> str:
    return item.message_id or item.response_id


def _facts(item: StoredItem) -> JsonObject:
    return {
        "model": item.model,
        "created_at": int(item.created_at),
        "payload": item.payload,
        "message_id": _message_id(item),
    }


def _message(items: Sequence[StoredItem], unfinished: Collection[str]) -> JsonObject:
    ids: list[JsonValue] = [item.id for item in items]
    is_done = not any(item.response_id in unfinished for item in items)
    return {"role": "assistant", "done": is_done, "item_ids": ids}
