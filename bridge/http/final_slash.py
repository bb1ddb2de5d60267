"""Paths of programs, with and without a slash at their end: both lead to the same, and nothing is redirected.

Clients and proxies add slashes. A redirect would lose bodies, tokens or the method, so the request itself is
read as if it had none, before anything looks at its path.
"""

from __future__ import annotations

from typing import Any

from aiohttp import web
from aiohttp.http_parser import RawRequestMessage

_PREFIXES = (
    "/mcp/",
    "/tools/",
    "/servers/",
    "/openapi.json/",
    "/system/",
    "/v1/",
    "/api/",
    "/conversations/",
    "/sse/",
    "/.well-known/",
)
"""Neither the page's own: the addresses in its files are relative to theirs. Nor those of monitors, which
proxies fence by their exact path."""


def ignore_final_slash(server: web.Server) -> None:
    """Have a server read paths of programs without a slash at their end."""
    make_request = server.request_factory

    def make(message: RawRequestMessage, *rest: Any) -> web.BaseRequest:
        if message.path.endswith("/") or "/?" in message.path:
            message = _without_slash(message)
        return make_request(message, *rest)

    server.request_factory = make


def _without_slash(message: RawRequestMessage) -> RawRequestMessage:
    path = message.url.raw_path
    if not path.endswith("/") or not f"/{path.lstrip('/')}".startswith(_PREFIXES):
        return message
    url = message.url.with_path(path.rstrip("/"), encoded=True, keep_query=True)
    return message._replace(path=url.raw_path_qs, url=url)
