"""The sample MCP server behind a login at the authorization server, which it names (RFC 9728)."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from aiohttp import web
from aiohttp.typedefs import Handler

from examples.mcp_server import NOTE_SERVER, create_mcp_server
from tests.support.oauth.authorization import OAuthServer
from tests.support.web_servers import serving

SCOPE = "read:notes"
METADATA_PATH = "/.well-known/oauth-protected-resource/mcp"


@asynccontextmanager
async def protected_mcp(server: OAuthServer, *page_hosts: str) -> AsyncGenerator[str]:
    """Its endpoint; every message needs a token for it. `page_hosts`: those of pages, beside this machine."""
    app = create_mcp_server()
    app[NOTE_SERVER].page_hosts.update(page_hosts)

    @web.middleware
    async def check(request: web.Request, handler: Handler) -> web.StreamResponse:
        if request.path == METADATA_PATH:
            return await handler(request)
        token = server.find_token(request.headers.get("Authorization", "").removeprefix("Bearer "))
        if token is None or not token.is_good or token.resource != endpoint:
            challenge = f'Bearer error="invalid_token", resource_metadata="{origin}{METADATA_PATH}"'
            return web.Response(status=401, headers={"WWW-Authenticate": challenge})
        return await handler(request)

    async def describe(_request: web.Request) -> web.Response:
        about = {"resource": endpoint, "authorization_servers": [server.issuer], "scopes_supported": [SCOPE]}
        return web.json_response(about)

    app.middlewares.append(check)
    app.router.add_get(METADATA_PATH, describe)
    async with serving(app) as origin:
        endpoint = f"{origin}/mcp"
        yield endpoint
