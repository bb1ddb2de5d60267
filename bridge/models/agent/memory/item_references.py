"""Resolves items that a caller refers to by id (`item_reference`) instead of sending them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from bridge.models.agent.items import Item
from bridge.models.agent.memory.replay import Replayed
from bridge.models.agent.memory.replay_filter import make_portable
from bridge.models.agent.request_fields import InvalidRequest
from bridge.models.agent.turn import TurnRequest
from bridge.models.stored_items.items import OWN_TYPES, StoredItem
from bridge.models.stored_items.store import ItemStore
from toolserver.json_types import text_at

REFERENCE = "item_reference"

_NOT_FOUND = (
    "Item with id '{}' not found. Items of responses with 'store' false are not stored, and stored "
    "items expire; send the item itself."
)


async def with_named_items(request: TurnRequest, store: ItemStore) -> TurnRequest:
    """Return the request with the items that it refers to.

    The reference is the id of the item in its response. An item that precedes the input anyway, by
    `previous_response_id`, is not added twice.

    Raises:
        InvalidRequest: `item_not_found`: the user has no such item.
        StoreUnavailable: the items cannot be looked up.
    """
    names = {name for item in request.input if (name := _named(item))}
    if not names:
        return request
    found = await _found(request.user_id, names, store)
    previous = request.previous_response_id
    included = (
        {item.id for item in await store.read_chain(request.user_id, previous)} if previous else set[str]()
    )
    items: list[Item] = []
    for place, item in enumerate(request.input):
        name = _named(item)
        if not name:
            items.append(item)
            continue
        stored = _known(found, name, place)
        if stored.id not in included and (
            portable := make_portable(Replayed(stored.payload, stored), request.model)
        ):
            included.add(stored.id)
            items.append(portable.item)
    return replace(request, input=tuple(items))


async def _found(user_id: str, names: Collection[str], store: ItemStore) -> dict[str, StoredItem]:
    found = {**await store.by_ids(user_id, names), **await store.by_provider_ids(user_id, names)}
    return {name: stored for name, stored in found.items() if stored.payload.get("type") not in OWN_TYPES}


def _known(found: Mapping[str, StoredItem], name: str, place: int) -> StoredItem:
    if name not in found:
        message = _NOT_FOUND.format(name[:200])
        raise InvalidRequest(message, param=f"input[{place}].id", code="item_not_found")
    return found[name]


def _named(item: Item) -> str:
    """Return the id that an item refers to; "" when it is no reference."""
    return text_at(item, "id") if item.get("type") == REFERENCE else ""
