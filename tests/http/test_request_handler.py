"""A path that is asked for again leads to the same handler, with the same values and middleware."""

from collections.abc import AsyncIterator

import aiohttp
import pytest
import pytest_asyncio
from aiohttp import web
from aiohttp.typedefs import Handler

from bridge.http import request_handler
from bridge.http.request_handler import MAX_PATHS, build_request_handler

pytestmark = pytest.mark.asyncio


@web.middleware
async def sign(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Shows that it ran; errors of the router pass it, too."""
    try:
        response = await handler(request)
    except web.HTTPException as error:
        return web.Response(status=error.status, text="signed")
    response.headers["X-Signed"] = request.match_info.route.method
    return response


async def show(request: web.Request) -> web.Response:
    return web.json_response(dict(request.match_info))


@pytest_asyncio.fixture
async def base_url() -> AsyncIterator[str]:
    app = web.Application(middlewares=[sign])
    app.router.add_get("/things/{name}", show)
    app.router.add_post("/things/{name}", show)
    runner = web.AppRunner(app)
    await runner.setup()
    assert runner.server is not None
    runner.server.request_handler = build_request_handler(app)
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    await runner.cleanup()


async def test_values_and_middleware_are_the_same_each_time(
    base_url: str, http: aiohttp.ClientSession
) -> None:
    """What is remembered of a path belongs to its method, and to its text as it was sent."""
    for _ in range(2):
        for method in ("GET", "POST"):
            for sent, name in (("a", "a"), ("a%2Fb", "a/b"), ("%61", "a"), ("a?name=b", "a")):
                async with http.request(method, f"{base_url}/things/{sent}") as response:
                    assert await response.json() == {"name": name}
                    assert response.headers["X-Signed"] == method


async def test_what_no_route_has_is_refused_each_time(base_url: str, http: aiohttp.ClientSession) -> None:
    """It is not remembered: strangers ask for any number of paths."""
    for _ in range(2):
        for method, path, status in (("GET", "/nowhere", 404), ("DELETE", "/things/a", 405)):
            async with http.request(method, base_url + path) as response:
                assert (response.status, await response.text()) == (status, "signed")


async def test_long_paths_and_many_are_answered(base_url: str, http: aiohttp.ClientSession) -> None:
    """Beyond what is remembered aiohttp is asked."""
    for name in ("x" * 2 * request_handler.MAX_PATH_CHARS, *map(str, range(MAX_PATHS + 1)), "0"):
        async with http.get(f"{base_url}/things/{name}") as response:
            assert await response.json() == {"name": name}
