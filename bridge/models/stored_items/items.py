"""Stored items, as they went to and came from a model, and the responses that they belong to.

An item is never changed. Times are UTC seconds since 1970.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Literal, cast

import orjson

from bridge.item_types import WAITING_TYPE
from toolserver.json_types import JsonObject, JsonValue, load_json, nests_deeply

Side = Literal["input", "output"]
"""Origin of an item: sent by a caller, or made in the turn, as outputs of the bridge's calls are."""

NOTICE_TYPE = "tool_bridge_notice"
"""Type of an item that no model made: a text of the bridge within an answer, which models are not sent."""

OWN_TYPES = frozenset({NOTICE_TYPE, WAITING_TYPE})
"""Types that are neither sent to models nor shown to callers as items."""

ResponseStatus = Literal["queued", "in_progress", "completed", "incomplete", "failed", "cancelled"]


@dataclass(frozen=True, slots=True)
class StoredItem:
    """One item of one user."""

    id: str
    """A ULID; imported items keep their id."""
    user_id: str
    response_id: str
    """Id of the answer that it belongs to, whichever endpoint was asked."""
    position: int
    """Position within its response and side, from 0."""
    side: Side
    model: str
    """The caller's name for the model that was asked."""
    payload: JsonObject
    """The item as JSON, verbatim."""
    created_at: float
    conversation_id: str | None = None
    """Id of the chat, as its client names it."""
    message_id: str | None = None


@dataclass(frozen=True, slots=True)
class StoredResponse:
    """One answer of the Responses API, which can be read, continued and resumed."""

    id: str
    user_id: str
    model: str
    status: ResponseStatus
    body: JsonObject
    """The response object as its caller sees it, as far as it goes."""
    request: JsonObject
    """The request without `input`."""
    created_at: float
    background: bool = False
    previous_id: str | None = None
    conversation_id: str | None = None
    ended_at: float | None = None


_PLAIN, _EXACT = b"\x00", b"\x01"


class Unstorable(ValueError):
    """The value is nested too deeply to be packed, or the bytes are not from `pack_value`."""


def pack_value(value: JsonValue) -> bytes:
    """Pack a value into bytes.

    Raises:
        Unstorable: the value is nested too deeply.
    """
    try:
        written = orjson.dumps(value)
    except TypeError:
        return _EXACT + _exact(value)
    if b"null" in written and orjson.loads(written) != value:  # orjson writes non-finite numbers as null
        return _EXACT + _exact(value)
    return _PLAIN + written


def unpack_value(packed: bytes) -> JsonValue:
    """Return the value that was packed.

    Raises:
        Unstorable: the bytes are not a packed value.
    """
    form, written = packed[:1], packed[1:]
    try:
        if form == _PLAIN:
            return cast(JsonValue, orjson.loads(written))
        if form == _EXACT:
            return load_json(written.decode("utf-8", "surrogatepass"))
    except ValueError as error:
        raise Unstorable(str(error)) from None
    raise Unstorable("unknown form")


def _exact(value: JsonValue) -> bytes:
    if nests_deeply(value):
        raise Unstorable("nested too deeply")
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
