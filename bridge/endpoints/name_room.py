"""`?names=46` of an address: how many characters a name may have there, because its client adds a prefix."""

from __future__ import annotations

from aiohttp import web

from bridge.errors import BridgeError, ErrorCode
from toolserver.tool.naming import MAX_NAME_CHARS
from toolserver.tool.short_names import MIN_ROOM

PARAMETER = "names"
_ROOMS = {str(room): room for room in range(MIN_ROOM, MAX_NAME_CHARS + 1)}


def read_room(request: web.Request) -> int | None:
    """Return the number that the address of a request gives; None: none.

    Raises:
        BridgeError: `invalid_request`: it is not a number from `MIN_ROOM` to 64.
    """
    text = request.query.get(PARAMETER)
    if text is None:
        return None
    if text not in _ROOMS:
        message = (
            f"{PARAMETER} in the address is the maximum length of a tool's name, from {MIN_ROOM} to"
            f" {MAX_NAME_CHARS}, not {text[:20]!r}."
        )
        raise BridgeError(ErrorCode.INVALID_REQUEST, message)
    return _ROOMS[text]
