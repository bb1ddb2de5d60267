"""Who may use a route: what its row in the table declares is checked here, before its handler runs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TypeAlias

from aiohttp import web

from bridge.auth.identity import Caller, Identity
from bridge.auth.mcp_callers import McpCallers
from bridge.http.connections import mark_authenticated
from bridge.http.routing import Access, Handler

_CALLER = web.RequestKey("caller", Caller)


_Authenticate: TypeAlias = Callable[[web.Request], Awaitable[Caller]]


def check_access(handler: Handler, access: Access, identity: Identity, mcp: McpCallers) -> Handler:
    """`handler`, for those alone whom `access` lets in; it finds them by `caller_of`.

    The new handler raises `BridgeError`: `unauthorized`, `unverified_user`, `page_only`, and what `mcp`
    raises.
    """
    checks: Mapping[str, _Authenticate] = {
        "caller": lambda request: identity.authenticate_caller(request.headers),
        "reader": lambda request: identity.authenticate_reader(request.headers),
        "page": lambda request: identity.authenticate_page(request.headers),
        "mcp": lambda request: mcp.authenticate(
            request.headers, request.query, request.match_info.get("server")
        ),
    }
    authenticate = checks.get(access)
    if authenticate is None:
        return handler

    async def checked(request: web.Request) -> web.StreamResponse:
        request[_CALLER] = await authenticate(request)
        mark_authenticated(request)
        return await handler(request)

    return checked


def caller_of(request: web.Request) -> Caller:
    """The caller of a request.

    Raises:
        KeyError: a mistake of ours: the route is for anybody.
    """
    return request[_CALLER]


def has_caller(request: web.Request) -> bool:
    """Whether the caller of this request is known; behind a proxy others may share its connection."""
    return _CALLER in request
