"""Chat and message of a request, from Open WebUI's headers."""

from __future__ import annotations

from aiohttp import web

CHAT_HEADERS = ("X-OpenWebUI-Chat-Id", "X-Session-Id")
"""Open WebUI names the chat in the first (admin tool servers) or the second (direct ones)."""

MESSAGE_HEADER = "X-OpenWebUI-Message-Id"

MAX_HEADER_ID_CHARS = 200
"""Maximum length of an id that is taken from a header; the rest is cut off."""


def chat_id_of(request: web.Request) -> str | None:
    """The chat that a request belongs to."""
    return next((value for name in CHAT_HEADERS if (value := _id_in(request, name))), None)


def message_id_of(request: web.Request) -> str | None:
    """The message that a request belongs to."""
    return _id_in(request, MESSAGE_HEADER)


def _id_in(request: web.Request, name: str) -> str | None:
    value = request.headers.get(name)
    return value.encode("utf-8", "replace").decode()[:MAX_HEADER_ID_CHARS] if value else None
