"""Who may use a route: what its row in the table declares is checked here, before its handler runs."""

from __future__ import annotations

from aiohttp import web

from bridge.auth.identity import Caller, Identity
from bridge.http.connections import mark_authenticated
from bridge.http.routing import Access, Handler

_CALLER = web.RequestKey("caller", Caller)


def check_access(handler: Handler, access: Access, identity: Identity) -> Handler:
    """`handler`, for those alone whom `access` lets in; it finds them by `caller_of`.

    The new handler raises `BridgeError`: `unauthorized`, `unverified_user`, `page_only`.
    """
    checks = {
        "caller": identity.authenticate_caller,
        "reader": identity.authenticate_reader,
        "page": identity.authenticate_page,
    }
    authenticate = checks.get(access)
    if authenticate is None:
        return handler

    async def checked(request: web.Request) -> web.StreamResponse:
        request[_CALLER] = await authenticate(request.headers)
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
