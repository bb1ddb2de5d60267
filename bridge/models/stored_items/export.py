"""Export of what is stored of one user, as lines of JSON that can be imported again.

The first line identifies the file; each other line is an item or a response. Pure.
"""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, cast, get_args

from bridge.models.stored_items.items import ResponseStatus, StoredItem, StoredResponse
from toolserver.json_types import JsonObject, JsonValue, load_json

FORMAT = "tool-bridge-kept"
VERSION = 1

NOT_IMPORTED = frozenset({"record", "file"})
"""Kinds of lines that only tell: they belong to the bridge that wrote them."""

MAX_ID_CHARS = 200

_SIDES = ("input", "output")


class BadExport(ValueError):
    """The file cannot be imported; the text says where and why."""


def head_line(user: str, exported_at: float) -> bytes:
    """Return the first line of an export."""
    return _line({"format": FORMAT, "version": VERSION, "user": user, "exported_at": exported_at})


def item_line(item: StoredItem) -> bytes:
    """Return the line of one item, without its owner."""
    return _line({"kept": "item", **_facts(item)})


def response_line(response: StoredResponse) -> bytes:
    """Return the line of one response, without its owner."""
    return _line({"kept": "response", **_facts(response)})


def record_line(table: str, row: JsonObject) -> bytes:
    """Return the line of a row that says something about a user and cannot be imported."""
    return _line({"kept": "record", "table": table, "row": row})


def file_line(name: str, content: bytes) -> bytes:
    """Return the line of a stored answer that was too long for a message."""
    return _line({"kept": "file", "name": name, "base64": base64.b64encode(content).decode()})


def is_head(value: JsonValue) -> bool:
    """Return whether a value is the first line of an export.

    Raises:
        BadExport: the file has a version that is not known here.
    """
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        return False
    if value.get("version") != VERSION:
        raise BadExport(
            f"it is of version {value.get('version')!r}; this tool-bridge reads version {VERSION}"
        )
    return True


def read_line(line: bytes, user_id: str) -> StoredItem | StoredResponse:
    """Read the item or response of a line, for this user.

    Raises:
        BadExport: the line is neither.
    """
    try:
        value: JsonValue = load_json(line)
    except ValueError as error:
        raise BadExport(f"no JSON: {error}") from None
    if not isinstance(value, dict) or value.get("kept") not in ("item", "response"):
        raise BadExport('neither an item nor a response: "kept" is missing')
    return _item(value, user_id) if value["kept"] == "item" else _response(value, user_id)


def id_at(facts: Mapping[str, JsonValue], name: str) -> str:
    """Read an id of 1 to `MAX_ID_CHARS` printable characters.

    Raises:
        BadExport: it is missing or malformed.
    """
    value = facts.get(name)
    if not isinstance(value, str) or not 0 < len(value) <= MAX_ID_CHARS or not value.isprintable():
        raise BadExport(f"{name} must be a text of 1 to {MAX_ID_CHARS} printable characters")
    return value


def optional_id_at(facts: Mapping[str, JsonValue], name: str) -> str | None:
    """Read an id; None when it is absent.

    Raises:
        BadExport: it is malformed.
    """
    return None if facts.get(name) is None else id_at(facts, name)


def text_at(facts: Mapping[str, JsonValue], name: str) -> str:
    """Read a text.

    Raises:
        BadExport: it is missing or no text.
    """
    value = facts.get(name)
    if not isinstance(value, str):
        raise BadExport(f"{name} must be a text")
    return value


def object_at(facts: Mapping[str, JsonValue], name: str) -> JsonObject:
    """Read an object.

    Raises:
        BadExport: it is missing or no object.
    """
    value = facts.get(name)
    if not isinstance(value, dict):
        raise BadExport(f"{name} must be an object")
    return value


def time_at(facts: Mapping[str, JsonValue], name: str) -> float:
    """Read a time in seconds since 1970.

    Raises:
        BadExport: it is missing or no finite number.
    """
    value = facts.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise BadExport(f"{name} must be a number of seconds since 1970")
    return float(value)


def _item(facts: JsonObject, user_id: str) -> StoredItem:
    side = facts.get("side")
    position = facts.get("position")
    if side not in _SIDES:
        raise BadExport('side must be "input" or "output"')
    if isinstance(position, bool) or not isinstance(position, int) or not 0 <= position < 2**31:
        raise BadExport("position must be a whole number from 0 on")
    return StoredItem(
        id=id_at(facts, "id"),
        user_id=user_id,
        response_id=id_at(facts, "response_id"),
        position=position,
        side=cast(Any, side),
        model=text_at(facts, "model"),
        payload=object_at(facts, "payload"),
        created_at=time_at(facts, "created_at"),
        conversation_id=optional_id_at(facts, "conversation_id"),
        message_id=optional_id_at(facts, "message_id"),
    )


def _response(facts: JsonObject, user_id: str) -> StoredResponse:
    status = facts.get("status")
    if status not in get_args(ResponseStatus):
        raise BadExport(f"status must be one of {', '.join(get_args(ResponseStatus))}")
    return StoredResponse(
        id=id_at(facts, "id"),
        user_id=user_id,
        model=text_at(facts, "model"),
        status=cast(ResponseStatus, status),
        body=object_at(facts, "body"),
        request=object_at(facts, "request"),
        created_at=time_at(facts, "created_at"),
        background=facts.get("background") is True,
        previous_id=optional_id_at(facts, "previous_id"),
        conversation_id=optional_id_at(facts, "conversation_id"),
        ended_at=None if facts.get("ended_at") is None else time_at(facts, "ended_at"),
    )


def _facts(stored: StoredItem | StoredResponse) -> dict[str, Any]:
    facts = asdict(stored)
    del facts["user_id"]
    return facts


def _line(facts: Mapping[str, Any]) -> bytes:
    return json.dumps(facts, separators=(",", ":")).encode() + b"\n"
