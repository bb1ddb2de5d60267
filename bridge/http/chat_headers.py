"""What Open WebUI's headers say about a request: that it is Open WebUI's, its chat and its message."""

from __future__ import annotations

from aiohttp import hdrs, web
from multidict import istr

from bridge.auth.forwarded_users import USER_HEADERS

SERVER_CHAT_HEADER = istr("X-OpenWebUI-Chat-Id")
"""Names the chat in requests of Open WebUI's server."""

PAGE_CHAT_HEADER = istr("X-Session-Id")
"""Names the chat in requests of Open WebUI's page, to direct tool servers."""

MESSAGE_HEADER = istr("X-OpenWebUI-Message-Id")

MAX_HEADER_ID_CHARS = 200
"""Maximum length of an id that is taken from a header; the rest is cut off."""


def is_of_open_webui(request: web.Request) -> bool:
    """Whether Open WebUI sent the request: its server, or its page, whose header other clients have, too."""
    names = (SERVER_CHAT_HEADER, MESSAGE_HEADER, *USER_HEADERS)
    is_of_page = PAGE_CHAT_HEADER in request.headers and hdrs.ORIGIN in request.headers
    return is_of_page or any(name in request.headers for name in names)


def chat_id_of(request: web.Request) -> str | None:
    """The chat that a request belongs to."""
    return _id_in(request, SERVER_CHAT_HEADER) or _id_in(request, PAGE_CHAT_HEADER)


def message_id_of(request: web.Request) -> str | None:
    """The message that a request belongs to."""
    return _id_in(request, MESSAGE_HEADER)


def _id_in(request: web.Request, name: str) -> str | None:
    value = request.headers.get(name)
    return value.encode("utf-8", "replace").decode()[:MAX_HEADER_ID_CHARS] if value else None
