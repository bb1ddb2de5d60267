"""Servers as the store keeps them for all replicas: new ids, and changes that come too late."""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import chain, count

from bridge.errors import BridgeError, ErrorCode


def changed_elsewhere(server_id: str) -> BridgeError:
    """Build the error of a change of a server that is not stored as it was when the change was made."""
    message = (
        f"Another replica of the bridge has changed the server {server_id!r}, or removed it; nothing of "
        "yours was stored. Look at it again in a moment, then repeat your change if it is still wanted."
    )
    return BridgeError(ErrorCode.DOCUMENT_CHANGED, message, detail={"server": server_id})


def new_server_id(title: str, taken: Collection[str]) -> str:
    """Return a readable id for URLs, such as `corner-shop`, `corner-shop-2`."""
    base = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:40].rstrip("-") or "server"
    numbered = (f"{base}-{number}" for number in count(2))
    return next(candidate for candidate in chain((base,), numbered) if candidate not in taken)
