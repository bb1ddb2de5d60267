"""An MCP client that shows what it is given, to a bridge that believes one authorization server."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp

from bridge.app.server import Bridge
from tests.support.authorization_server import AuthorizationServer
from tests.support.documents.compiled import document_text
from tests.support.mcp_messages import LEGACY, REQUESTS
from tests.support.running_bridge import running_bridge
from tests.support.stores.databases import Where

CALL: tuple[str, dict[str, Any]] = ("tools/call", {"name": "listProducts", "arguments": {}})


@dataclass
class OAuthClient:
    """Sends messages with tokens, right or wrong."""

    bridge: Bridge
    http: aiohttp.ClientSession

    async def send(
        self, token: str | None, *, path: str = "/mcp", method: Any = ("tools/list",), era: str = "modern"
    ) -> tuple[int, Any, str | None]:
        """Status, answer and challenge."""
        body, headers = REQUESTS[era](*method)
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        async with self.http.post(self.bridge.base_url + path, json=body, headers=headers) as response:
            return response.status, await response.json(), response.headers.get("WWW-Authenticate")

    async def status(self, token: str | None, **how: Any) -> int:
        return (await self.send(token, **how))[0]

    async def cancel(self, token: str, request_id: int) -> int:
        """Cancel a request of the legacy era; the status."""
        body = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": request_id}}
        headers = {"Authorization": f"Bearer {token}", "MCP-Protocol-Version": LEGACY}
        async with self.http.post(f"{self.bridge.base_url}/mcp", json=body, headers=headers) as response:
            return response.status

    async def reason(self, token: str, **how: Any) -> tuple[int, str]:
        """Status and reason of a refusal, after the challenge that belongs to it."""
        status, answer, challenge = await self.send(token, **how)
        assert challenge is not None
        assert challenge.startswith('Bearer error="invalid_token", resource_metadata="')
        error = answer["error"]["data"]["error"]
        assert error["code"] == "unauthorized"
        return status, error["detail"]["reason"]


@asynccontextmanager
async def oauth_client(
    folder: Path, server: AuthorizationServer, *, database: Where | None = None, **settings: Any
) -> AsyncGenerator[OAuthClient]:
    """A client, and a bridge that offers one small shop to everybody; the server's tokens are for `/mcp`."""
    async with (
        running_bridge(folder, database=database, oauth_issuer=server.issuer, **settings) as bridge,
        aiohttp.ClientSession() as http,
    ):
        await bridge.components.registry.share_document("shop.json", document_text(), source_url=None)
        server.audience = f"{bridge.base_url}/mcp"
        yield OAuthClient(bridge, http)
