"""What is kept of answers, as rows of the database and back."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Sequence
from typing import Any, cast

from sqlalchemy import Row, Table

from bridge.artifacts.payload import Unkeepable, pack, unpack
from bridge.artifacts.record import KeptItem, KeptResponse, ResponseStatus, Side
from bridge.edges.store_items_tables import KeptEventsRow, KeptItemRow, KeptResponseRow
from toolserver.json_types import JsonObject, text_at

MAX_ID_CHARS = 200
"""Of ids that clients chose; of longer ones a hash stands in the tables."""

ITEMS = cast(Table, KeptItemRow.__table__)
RESPONSES = cast(Table, KeptResponseRow.__table__)
EVENTS = cast(Table, KeptEventsRow.__table__)

_log = logging.getLogger(__name__)


def indexed(name: str) -> str:
    """An id as the tables have it: any text, in a form that every database takes and can index."""
    if len(name) <= MAX_ID_CHARS and name.isprintable():
        return name
    return "sha256:" + hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()


def item_rows(items: Sequence[KeptItem], now: float) -> list[dict[str, Any]]:
    """Rows of the items, without those that cannot be written down."""
    rows = [_item_row(item, now) for item in items]
    return [row for row in rows if row is not None]


def _item_row(item: KeptItem, now: float) -> dict[str, Any] | None:
    try:
        payload = pack(item.payload)
    except Unkeepable as error:
        _log.warning("Item %s is not kept: %s.", item.id, error)
        return None
    return {
        "id": indexed(item.id),
        "user_id": item.user_id,
        "response_id": indexed(item.response_id),
        "side": item.side,
        "position": item.position,
        "type": indexed(text_at(item.payload, "type")),
        "model": _storable(item.model),
        "payload": payload,
        "size": len(payload),
        "key_id": None,
        "conversation_id": None if item.conversation_id is None else indexed(item.conversation_id),
        "message_id": None if item.message_id is None else indexed(item.message_id),
        "created_at": item.created_at,
        "used_at": now,
    }


def item_of(row: Row[Any]) -> KeptItem | None:
    """The item of a row; None: its payload cannot be read."""
    payload = _opened(row.payload, f"item {row.id}")
    if payload is None:
        return None
    return KeptItem(
        id=row.id,
        user_id=row.user_id,
        response_id=row.response_id,
        position=row.position,
        side=cast(Side, row.side),
        model=row.model,
        payload=payload,
        created_at=row.created_at,
        conversation_id=row.conversation_id,
        message_id=row.message_id,
    )


def response_row(response: KeptResponse, now: float) -> dict[str, Any]:
    """The row of a response.

    Raises:
        Unkeepable: it is nested too deeply.
    """
    body, request = pack(response.body), pack(response.request)
    return {
        "id": indexed(response.id),
        "user_id": response.user_id,
        "model": _storable(response.model),
        "status": response.status,
        "body": body,
        "request": request,
        "size": len(body) + len(request),
        "key_id": None,
        "background": response.background,
        "previous_id": None if response.previous_id is None else indexed(response.previous_id),
        "conversation_id": None if response.conversation_id is None else indexed(response.conversation_id),
        "created_at": response.created_at,
        "ended_at": response.ended_at,
        "used_at": now,
    }


def response_of(row: Row[Any]) -> KeptResponse | None:
    """The response of a row; None: it cannot be read."""
    body, request = (_opened(each, f"response {row.id}") for each in (row.body, row.request))
    if body is None or request is None:
        return None
    return KeptResponse(
        id=row.id,
        user_id=row.user_id,
        model=row.model,
        status=cast(ResponseStatus, row.status),
        body=body,
        request=request,
        created_at=row.created_at,
        background=row.background,
        previous_id=row.previous_id,
        conversation_id=row.conversation_id,
        ended_at=row.ended_at,
    )


def _opened(payload: bytes, name: str) -> JsonObject | None:
    try:
        value = unpack(payload)
    except Unkeepable as error:
        _log.warning("What is kept as %s cannot be read: %s.", name, error)
        return None
    return value if isinstance(value, dict) else None


def _storable(text: str) -> str:
    """Text without what no database takes."""
    return text.encode("utf-8", "replace").decode().replace("\0", "�")
