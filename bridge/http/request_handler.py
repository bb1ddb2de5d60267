"""From a request that has arrived to the handler of its route, with the application's middleware around it.

aiohttp matches the path of each request with patterns, and builds the chain of middleware for it, with one of
its own for applications within others. Here both are remembered for the paths that are asked for again.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import NamedTuple, cast

from aiohttp import hdrs, web
from aiohttp.typedefs import Handler

from bridge.http.connections import AnyHandler

MAX_PATHS = 1_000
"""Maximum number of paths that are remembered; beyond it all are forgotten."""

MAX_PATH_CHARS = 200
"""Maximum length of such a path."""


class _Known(NamedTuple):
    """What a path with its method leads to."""

    match_dict: dict[str, str]
    route: web.AbstractRoute
    handler: Handler
    """With the middleware around it."""


class _Paths:
    """The paths that have been asked for."""

    def __init__(self, app: web.Application) -> None:
        self.known: dict[tuple[str, str], _Known] = {}
        self._app = app
        self._middlewares = [
            cast("Callable[..., Awaitable[web.StreamResponse]]", each) for each in app.middlewares
        ]

    async def find_handler(
        self, request: web.Request, asked: tuple[str, str]
    ) -> tuple[web.UrlMappingMatchInfo, Handler]:
        """Match a request's path, and remember it."""
        match_info = await self._app.router.resolve(request)
        handler = match_info.handler
        for middleware in reversed(self._middlewares):
            handler = partial(middleware, handler=handler)
        if match_info.http_exception is None and len(asked[1]) <= MAX_PATH_CHARS:
            if len(self.known) >= MAX_PATHS:
                self.known.clear()
            self.known[asked] = _Known(dict(match_info), match_info.route, handler)
        return match_info, handler


def build_request_handler(app: web.Application) -> AnyHandler:
    """Return what handles every request of an application that is set up and has no others within it.

    It does what aiohttp's own does.
    """
    paths = _Paths(app)
    known = paths.known

    async def handle_unready(request: web.Request, asked: tuple[str, str]) -> web.StreamResponse:
        match_info, handler = await paths.find_handler(request, asked)
        match_info.add_app(app)
        match_info.freeze()
        request._match_info = match_info  # pyright: ignore[reportPrivateUsage] - as aiohttp's own does
        if hdrs.EXPECT in request.headers:
            refusal = await match_info.expect_handler(request)
            await request.writer.drain()
            if refusal is not None:
                return refusal
        return await handler(request)

    def handle(base_request: web.BaseRequest) -> Awaitable[web.StreamResponse]:
        request = cast(web.Request, base_request)
        asked = (request.method, request.rel_url.raw_path)
        if (found := known.get(asked)) is None or hdrs.EXPECT in request.headers:
            return handle_unready(request, asked)
        match_info = web.UrlMappingMatchInfo(found.match_dict, found.route)
        match_info.add_app(app)
        match_info.freeze()
        request._match_info = match_info  # pyright: ignore[reportPrivateUsage] - as aiohttp's own does
        return found.handler(request)

    return handle
