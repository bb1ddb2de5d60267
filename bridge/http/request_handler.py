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
from aiohttp.web_urldispatcher import AbstractRoute, UrlMappingMatchInfo

MAX_PATHS = 1_000
"""Maximum number of paths that are remembered; beyond it all are forgotten."""

MAX_PATH_CHARS = 200
"""Maximum length of such a path."""

AnyHandler = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]


class _Known(NamedTuple):
    """What a path with its method leads to."""

    match_dict: dict[str, str]
    route: AbstractRoute
    handler: Handler
    """With the middleware around it."""


def build_request_handler(app: web.Application) -> AnyHandler:
    """Return what handles every request of an application that is set up and has no others within it.

    It does what aiohttp's own does.
    """
    known: dict[tuple[str, str], _Known] = {}
    middlewares = [cast("Callable[..., Awaitable[web.StreamResponse]]", each) for each in app.middlewares]

    def wrap(handler: Handler) -> Handler:
        for middleware in reversed(middlewares):
            handler = partial(middleware, handler=handler)
        return handler

    async def find(request: web.Request, asked: tuple[str, str]) -> tuple[UrlMappingMatchInfo, Handler]:
        match_info = await app.router.resolve(request)
        handler = wrap(match_info.handler)
        if match_info.http_exception is None and len(asked[1]) <= MAX_PATH_CHARS:
            if len(known) >= MAX_PATHS:
                known.clear()
            known[asked] = _Known(dict(match_info), match_info.route, handler)
        return match_info, handler

    async def handle(base_request: web.BaseRequest) -> web.StreamResponse:
        request = cast(web.Request, base_request)
        asked = (request.method, request.rel_url.raw_path)
        if (found := known.get(asked)) is not None:
            match_info, handler = UrlMappingMatchInfo(found.match_dict, found.route), found.handler
        else:
            match_info, handler = await find(request, asked)
        match_info.add_app(app)
        match_info.freeze()
        request._match_info = match_info  # pyright: ignore[reportPrivateUsage] - as aiohttp's own does
        if hdrs.EXPECT in request.headers:
            refusal = await match_info.expect_handler(request)
            await request.writer.drain()
            if refusal is not None:
                return refusal
        return await handler(request)

    return handle
