"""The client of the official Python SDK, 2.x."""

import asyncio
from typing import Any

import httpx2
from commands import bridge_url, ending, key_header, obey, report_progress
from mcp import Client
from mcp.client.streamable_http import streamable_http_client


class Mcp2:
    def __init__(self, client: Client) -> None:
        self._client = client

    async def list_tools(self) -> list[dict[str, Any]]:
        tools = (await self._client.list_tools()).tools
        return [{"name": tool.name, "schema": tool.input_schema} for tool in tools]

    async def call_tool(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        result = await self._client.call_tool(name, arguments, progress_callback=report_progress)
        return ending(result.content, is_error=result.is_error, mime="mime_type")


async def main() -> None:
    """Connect as its documentation says, and obey."""
    async with (
        httpx2.AsyncClient(headers=key_header(), timeout=60) as http,
        Client(streamable_http_client(bridge_url(), http_client=http)) as client,
    ):
        await obey(Mcp2(client), client.protocol_version)


asyncio.run(main())
