"""The sample MCP server for tests, and what is wrong with some servers."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

from aiohttp import hdrs, web
from aiohttp.typedefs import Handler

from examples.mcp_server import NOTE_SERVER, NoteServer, create_mcp_server
from tests.support.web_servers import serving
from toolserver.json_types import JsonValue

HOLES = ("no CORS", "foreign origin", "hidden session")


@dataclass(slots=True)
class Faults:
    """What the server does wrong."""

    hole: str = ""
    """One of `HOLES`."""
    is_old: bool = False
    """It has never heard of `server/discover` and its headers."""
    location: str = ""
    """Where it redirects every message to."""


@dataclass(slots=True)
class Source:
    """A running sample server."""

    url: str
    server: NoteServer
    faults: Faults = field(default_factory=Faults)

    def describe(self, name: str, **change: JsonValue) -> None:
        """Change the definition of a tool while the server runs."""
        tool = self.server.tools[name]
        self.server.tools[name] = replace(tool, definition={**tool.definition, **change})


@asynccontextmanager
async def mcp_source(token: str | None = None) -> AsyncGenerator[Source]:
    """A fresh sample server."""
    app = create_mcp_server(token=token)
    source = Source("", app[NOTE_SERVER])

    @web.middleware
    async def misbehave(request: web.Request, handler: Handler) -> web.StreamResponse:
        return await _misbehave(source.faults, request, handler)

    app.middlewares.insert(0, misbehave)
    async with serving(app) as address:
        source.url = f"{address}/mcp"
        yield source


async def _misbehave(faults: Faults, request: web.Request, handler: Handler) -> web.StreamResponse:
    if faults.hole == "foreign origin":
        return web.Response(status=403)
    if faults.hole == "no CORS" and request.method == hdrs.METH_OPTIONS:
        return web.Response(status=405)
    if faults.is_old and "Mcp-Method" in request.headers:
        return web.Response(status=400, text="Bad Request: Unsupported protocol version")
    response = await handler(request)
    if faults.location and request.method == hdrs.METH_POST:
        response = web.Response(
            status=307, headers={"Location": faults.location, "Access-Control-Allow-Origin": "*"}
        )
    if faults.hole == "no CORS":
        response.headers.pop(hdrs.ACCESS_CONTROL_ALLOW_ORIGIN, None)
    if faults.hole == "hidden session":
        response.headers.pop(hdrs.ACCESS_CONTROL_EXPOSE_HEADERS, None)
    if faults.is_old:
        response.headers[hdrs.ACCESS_CONTROL_ALLOW_HEADERS] = (
            "content-type, authorization, mcp-session-id, mcp-protocol-version"
        )
    return response
