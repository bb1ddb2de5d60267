"""Mapping between items, responses and stream events as values and as rows of the database."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Sequence
from typing import Any, cast

from sqlalchemy import Row

from bridge.models.stored_items.items import (
    ResponseStatus,
    Side,
    StoredItem,
    StoredResponse,
    Unstorable,
    pack_value,
    unpack_value,
)
from bridge.storage.encryption import Encrypted, Encryption, Unreadable
from toolserver.json_types import JsonObject, text_at

MAX_ID_CHARS = 200
"""Maximum length of ids that clients chose; longer ones are stored as a hash."""

REASONING = "reasoning"
"""Type of the items that hold a model's reasoning."""

_log = logging.getLogger(__name__)


def index_key(name: str) -> str:
    """Return an id as the tables store it: any text, in a form that every database accepts and can index."""
    if len(name) <= MAX_ID_CHARS and name.isprintable():
        return name
    return "sha256:" + hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()


def place_of_item(user_id: str, item_id: str) -> str:
    """Return the place of an item's payload; see `Encryption.encrypt_bytes`."""
    return f"item {user_id} {item_id}"


def place_of_response(user_id: str, response_id: str, column: str) -> str:
    """Return the place of a part of a response."""
    return f"response {user_id} {response_id} {column}"


def place_of_events(response_id: str, first: int) -> str:
    """Return the place of stream events; a response's id is unique among all users."""
    return f"events {response_id} {first}"


class ItemMapping:
    """Builds and reads rows."""

    def __init__(self, encryption: Encryption) -> None:
        self._encryption = encryption

    def of_items(self, items: Sequence[StoredItem], now: float) -> list[dict[str, Any]]:
        """Build rows of the items, without those that cannot be packed."""
        rows = [self._of_item(item, now) for item in items]
        return [row for row in rows if row is not None]

    def of_response(self, response: StoredResponse, now: float) -> dict[str, Any]:
        """Build the row of a response.

        Raises:
            Unstorable: it is nested too deeply.
        """
        name = index_key(response.id)
        body, request = (
            self._encryption.encrypt_bytes(
                pack_value(part), place_of_response(response.user_id, name, column)
            )
            for column, part in (("body", response.body), ("request", response.request))
        )
        return {
            "id": name,
            "user_id": response.user_id,
            "model": _storable(response.model),
            "status": response.status,
            "body": body.content,
            "request": request.content,
            "size": len(body.content) + len(request.content),
            "key_id": body.key_id,
            "background": response.background,
            "previous_id": None if response.previous_id is None else index_key(response.previous_id),
            "conversation_id": (
                None if response.conversation_id is None else index_key(response.conversation_id)
            ),
            "created_at": response.created_at,
            "ended_at": response.ended_at,
            "used_at": now,
            "request_id": text_at(response.request, "relayed_id") or None,
        }

    def of_events(self, response_id: str, first: int, last: int, frames: bytes) -> dict[str, Any]:
        """Build the row of stream events."""
        name = index_key(response_id)
        encrypted = self._encryption.encrypt_bytes(frames, place_of_events(name, first))
        return {
            "response_id": name,
            "first": first,
            "last": last,
            "frames": encrypted.content,
            "key_id": encrypted.key_id,
        }

    def read_items(self, rows: Sequence[Row[Any]]) -> list[StoredItem]:
        """Read the items of rows, without those that cannot be decrypted or unpacked."""
        found = [self._item(row) for row in rows]
        return [item for item in found if item is not None]

    def read_response(self, row: Row[Any]) -> StoredResponse | None:
        """Read the response of a row; None when it cannot be decrypted or unpacked."""
        body, request = (
            self._object(Encrypted(encrypted, row.key_id), place_of_response(row.user_id, row.id, column))
            for column, encrypted in (("body", row.body), ("request", row.request))
        )
        if body is None or request is None:
            return None
        return StoredResponse(
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

    def read_frames(self, row: Row[Any]) -> bytes | None:
        """Return the stream events of a row; None when they cannot be decrypted."""
        return self._opened(Encrypted(row.frames, row.key_id), place_of_events(row.response_id, row.first))

    def _of_item(self, item: StoredItem, now: float) -> dict[str, Any] | None:
        try:
            packed = pack_value(item.payload)
        except Unstorable as error:
            _log.warning("Item %s is not stored: %s.", item.id, error)
            return None
        kind = text_at(item.payload, "type")
        name = index_key(item.id)
        encrypted = self._encryption.encrypt_bytes(
            packed, place_of_item(item.user_id, name), is_reasoning=kind == REASONING
        )
        return {
            "id": name,
            "user_id": item.user_id,
            "response_id": index_key(item.response_id),
            "side": item.side,
            "position": item.position,
            "type": index_key(kind),
            "model": _storable(item.model),
            "payload": encrypted.content,
            "size": len(encrypted.content),
            "key_id": encrypted.key_id,
            "conversation_id": None if item.conversation_id is None else index_key(item.conversation_id),
            "message_id": None if item.message_id is None else index_key(item.message_id),
            "created_at": item.created_at,
            "used_at": now,
            "provider_id": index_key(provider_id) if (provider_id := text_at(item.payload, "id")) else None,
        }

    def _item(self, row: Row[Any]) -> StoredItem | None:
        payload = self._object(Encrypted(row.payload, row.key_id), place_of_item(row.user_id, row.id))
        if payload is None:
            return None
        return StoredItem(
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

    def _object(self, encrypted: Encrypted, place: str) -> JsonObject | None:
        packed = self._opened(encrypted, place)
        try:
            value = None if packed is None else unpack_value(packed)
        except Unstorable as error:
            _log.warning("Stored data cannot be read: %s: %s.", place, error)
            return None
        return value if isinstance(value, dict) else None

    def _opened(self, encrypted: Encrypted, place: str) -> bytes | None:
        try:
            return self._encryption.decrypt_bytes(encrypted, place)
        except Unreadable as error:
            if self._encryption.is_first_miss(encrypted):
                _log.warning("Stored data cannot be read: %s: %s.", place, error)
            return None


def _storable(text: str) -> str:
    """Replace what no database accepts: invalid Unicode and NUL."""
    return text.encode("utf-8", "replace").decode().replace("\0", "\N{REPLACEMENT CHARACTER}")
