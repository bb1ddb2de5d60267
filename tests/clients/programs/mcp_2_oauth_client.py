"""The client of the official Python SDK, 2.x, which signs its user in."""

import asyncio
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
from commands import bridge_url, ending, obey
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import (
    AuthorizationCodeResult,
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthToken,
)

REDIRECT = "http://127.0.0.1:9/callback"


class Memory:
    """What the client keeps: nothing at first."""

    tokens: OAuthToken | None = None
    client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def read_client(self) -> OAuthClientInformationFull | None:
        return self.client

    async def keep_client(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info

    get_client_info, set_client_info = read_client, keep_client  # as the SDK calls them


class Browser:
    """Goes where the client sends its user, and brings back what the authorization server says."""

    said: dict[str, list[str]]

    async def open_page(self, url: str) -> None:
        async with httpx2.AsyncClient() as http:
            answer = await http.get(url)
        self.said = parse_qs(urlsplit(answer.headers["Location"]).query)

    async def come_back(self) -> AuthorizationCodeResult:
        return AuthorizationCodeResult(**{name: values[0] for name, values in self.said.items()})


class SignedIn:
    def __init__(self, client: Client) -> None:
        self._client = client

    async def list_tools(self) -> list[dict[str, Any]]:
        tools = (await self._client.list_tools()).tools
        return [{"name": tool.name, "schema": tool.input_schema} for tool in tools]

    async def call_tool(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        result = await self._client.call_tool(name, arguments)
        return ending(result.content, is_error=result.is_error, mime="mime_type")


async def main() -> None:
    """Connect as its documentation says, and obey."""
    browser = Browser()
    metadata = OAuthClientMetadata(redirect_uris=[REDIRECT], client_name="Test")
    sign_in = OAuthClientProvider(bridge_url(), metadata, Memory(), browser.open_page, browser.come_back)
    async with (
        httpx2.AsyncClient(auth=sign_in, timeout=60) as http,
        Client(streamable_http_client(bridge_url(), http_client=http)) as client,
    ):
        await obey(SignedIn(client), client.protocol_version)


asyncio.run(main())
