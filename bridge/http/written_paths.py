"""Paths as clients and proxies write them, which are read before anything looks at a request's path.

Below a path prefix (`--public-url https://host/bridge`) the paths of the bridge follow it. A proxy may pass
them unchanged or take the prefix away: a path without it is read as it stands (ADR 66).

With and without a slash at their end, paths of programs lead to the same, and nothing is redirected: clients
and proxies add slashes, and a redirect would lose bodies, tokens or the method.
"""

from __future__ import annotations

from typing import Any

from aiohttp import web
from aiohttp.http_parser import RawRequestMessage

from bridge.auth.resource_server import METADATA_PATH
from bridge.settings.path_prefix import prefix_of

_PROGRAMS = (
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


def read_paths(server: web.Server, base_url: str) -> None:
    """Have a server read paths without the path prefix of its public address, and without a final slash."""
    make_request = server.request_factory
    prefix = prefix_of(base_url)

    def make(message: RawRequestMessage, *rest: Any) -> web.BaseRequest:
        if prefix and prefix in message.path:
            message = without_prefix(message, prefix)
        if message.path.endswith("/") or "/?" in message.path:
            message = _without_slash(message)
        return make_request(message, *rest)

    server.request_factory = make


def without_prefix(message: RawRequestMessage, prefix: str) -> RawRequestMessage:
    """Return a message without the prefix at the beginning of its path, or behind the place of metadata.

    That place, of RFC 9728, comes before the path of what the metadata are about.
    """
    path = message.url.raw_path
    for before in ("", METADATA_PATH):
        rest = path.removeprefix(before + prefix)
        if rest != path and (not rest or rest.startswith("/")):
            return _with_path(message, before + rest or "/")
    return message


def _without_slash(message: RawRequestMessage) -> RawRequestMessage:
    path = message.url.raw_path
    if not path.endswith("/") or not f"/{path.lstrip('/')}".startswith(_PROGRAMS):
        return message
    return _with_path(message, path.rstrip("/"))


def _with_path(message: RawRequestMessage, path: str) -> RawRequestMessage:
    url = message.url.with_path(path, encoded=True, keep_query=True)
    return message._replace(path=url.raw_path_qs, url=url)
