"""Which callers of tools read outlines, and the header by which they choose."""

from __future__ import annotations

from aiohttp import web
from multidict import istr

from bridge.auth.identity import Caller
from bridge.calls.reading import Outlines

OUTLINE_HEADER = istr("X-Tool-Outline")
"""`true`: outlines of all that is longer than the setting; `false`: only of what is longer than is read."""

_CHOICES: dict[str, Outlines] = {"true": "early", "false": "long"}


def outlines_of(request: web.Request, caller: Caller) -> Outlines:
    """Return which answers a caller reads as outlines: without the header, a forwarder's models early."""
    chosen = _CHOICES.get(request.headers.get(OUTLINE_HEADER, "").strip().lower())
    return chosen or ("early" if caller.is_forwarded else "long")
