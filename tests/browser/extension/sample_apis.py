"""An API without CORS that remembers every arrival: what no page can call, and where nothing may arrive."""

import asyncio
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aiohttp import web

PAGE = Path(__file__).parent
ARRIVAL = web.RequestKey("arrival", dict[str, Any])


@dataclass
class SampleApi:
    """`arrivals` in order; `closed`: paths of requests whose client went away before the end."""

    arrivals: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    closed: list[str] = field(default_factory=list[str])
    release: asyncio.Event = field(default_factory=asyncio.Event)

    def at(self, path: str) -> list[dict[str, Any]]:
        """Arrivals at this path."""
        return [arrival for arrival in self.arrivals if arrival["path"] == path]

    def application(self) -> web.Application:
        """Any method at any path is answered by what was sent, but for the few with a way of their own."""
        app = web.Application(client_max_size=64 * 1024 * 1024, middlewares=[self._record])
        app.router.add_route("*", "/redirect", _redirect)
        app.router.add_get("/basic", _basic)
        app.router.add_get("/login", _login)
        app.router.add_get("/large", _large)
        app.router.add_get("/events", self._events)
        app.router.add_route("*", "/hang/{name}", self._hang)
        app.router.add_route("*", "/{rest:.*}", _echo)
        return app

    @web.middleware
    async def _record(self, request: web.Request, handler: Any) -> web.StreamResponse:
        body = await request.read()
        arrival = {
            "method": request.method,
            "path": request.path,
            "host": request.host,
            "headers": {name.lower(): text for name, text in request.headers.items()},
            "bytes": len(body),
        }
        self.arrivals.append(arrival)
        request[ARRIVAL] = arrival
        return await handler(request)

    async def _events(self, request: web.Request) -> web.StreamResponse:
        """One event at once, the next when the test says so."""
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        await response.write(b"data: 1\n\n")
        try:
            await self.release.wait()
        except asyncio.CancelledError:
            self.closed.append(request.path)
            raise
        await response.write(b"data: 2\n\n")
        return response

    async def _hang(self, request: web.Request) -> web.StreamResponse:
        """No answer until the test says so."""
        try:
            await self.release.wait()
        except asyncio.CancelledError:
            self.closed.append(request.path)
            raise
        return await _echo(request)


def bridge_application(app: web.Application | None = None) -> web.Application:
    """The page of the tests' bridge, at every host and every path that `app` does not have."""
    app = web.Application() if app is None else app
    app.router.add_get("/bridge_page.js", _page_file("bridge_page.js"))
    app.router.add_get("/{rest:.*}", _page_file("bridge_page.html"))
    return app


def _page_file(name: str) -> Any:
    async def serve(_request: web.Request) -> web.FileResponse:
        return web.FileResponse(PAGE / name)

    return serve


async def _echo(request: web.Request) -> web.Response:
    headers = {"Retry-After": "7", "X-Request-Id": "r-1"}
    response = web.json_response(request[ARRIVAL], headers=headers)
    response.set_cookie(f"visited{request.path.replace(chr(47), chr(95))}", "yes")
    return response


async def _basic(_request: web.Request) -> web.Response:
    return web.Response(status=401, headers={"WWW-Authenticate": 'Basic realm="test"'})


async def _redirect(request: web.Request) -> web.Response:
    location = request.query.get("to", "/elsewhere")
    return web.Response(status=int(request.query.get("status", "302")), headers={"Location": location})


async def _login(_request: web.Request) -> web.Response:
    response = web.Response(text="signed in", content_type="text/html")
    for same_site in ("Strict", "Lax", "None"):
        response.set_cookie(
            f"session_{same_site.lower()}",
            "secret",
            httponly=True,
            samesite=same_site,
            secure=same_site == "None",
        )
    return response


async def _large(request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse()
    await response.prepare(request)
    for _ in range(int(request.query["kilobytes"]) // 64):
        await response.write(bytes(65536))
    return response
