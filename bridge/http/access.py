"""Who may use a route: what its row in the table declares is checked here, before its handler runs."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Protocol, TypeAlias

from aiohttp import web

from bridge.auth.identity import Caller, Identity
from bridge.auth.mcp_callers import McpCallers
from bridge.http.connections import enter_caller, raise_ending
from bridge.http.relayed import relayed_of
from bridge.http.routing import Access, Handler
from bridge.log_lines import name_user

_CALLER = web.RequestKey("caller", Caller)


_Authenticate: TypeAlias = Callable[[web.Request], Awaitable[Caller]]


class Router(Protocol):
    """Sends requests to the replica in which their caller is at home."""

    async def pass_on(self, request: web.Request, caller: Caller) -> web.StreamResponse | None:
        """Have the caller's home answer, and return its response; None: the home is here.

        Cancelling it cancels the request at the home.

        Raises:
            BridgeError: `cluster_unavailable`, `replica_lost`, `database_unavailable`.
            ConnectionResetError: the home was lost amid its response; the caller is cut off, too.
        """
        ...

    def serve_user(self, user_id: str) -> AbstractAsyncContextManager[None]:
        """Run a block that serves a request of a user who is at home here."""
        ...


def check_access(
    handler: Handler, access: Access, identity: Identity, mcp: McpCallers, router: Router | None = None
) -> Handler:
    """`handler`, for those alone whom `access` lets in; it finds them by `caller_of`.

    With a `router`, requests of users who are at home elsewhere are passed on instead. The new handler raises
    `BridgeError`: `unauthorized`, also once its caller has lost access; `unverified_user`, `page_only`,
    `rate_limited`, `server_busy`, and what `mcp` and `router` raise.
    """
    checks: Mapping[str, _Authenticate] = {
        "caller": lambda request: identity.authenticate_caller(request.headers),
        "reader": lambda request: identity.authenticate_reader(request.headers),
        "page": lambda request: identity.authenticate_page(request.headers),
        "mcp": lambda request: mcp.authenticate(
            request.headers,
            request.query if request.query_string else (),
            request.match_info.get("server"),
        ),
    }
    authenticate = checks.get(access)
    if authenticate is None:
        return handler

    async def checked(request: web.Request) -> web.StreamResponse:
        request[_CALLER] = caller = await authenticate(request)
        enter_caller(request, caller)
        name_user(caller.user.id)
        try:
            return await handler(request)
        except asyncio.CancelledError:
            raise_ending(request)
            raise

    return checked if router is None else _routed(handler, authenticate, identity, router)


def _routed(handler: Handler, authenticate: _Authenticate, identity: Identity, router: Router) -> Handler:
    async def routed(request: web.Request) -> web.StreamResponse:
        relayed = relayed_of(request)
        if relayed is not None and relayed.caller is not None:
            await identity.check_credentials(caller := relayed.caller)
        else:
            caller = await authenticate(request)
        request[_CALLER] = caller
        enter_caller(request, caller)
        try:
            if relayed is None and (response := await router.pass_on(request, caller)) is not None:
                return response
            name_user(caller.user.id)
            async with router.serve_user(caller.user.id):
                return await handler(request)
        except asyncio.CancelledError:
            raise_ending(request)
            raise

    return routed


def caller_of(request: web.Request) -> Caller:
    """The caller of a request.

    Raises:
        KeyError: a mistake of ours: the route is for anybody.
    """
    return request[_CALLER]


def has_caller(request: web.Request) -> bool:
    """Whether the caller of this request is known; behind a proxy others may share its connection."""
    return _CALLER in request
