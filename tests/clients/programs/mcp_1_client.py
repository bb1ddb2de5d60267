"""The client of the official Python SDK, 1.x."""

import asyncio
from typing import Any

import httpx
from commands import bridge_url, ending, key_header, obey, report_progress
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client


class Mcp1:
    def __init__(self, session: ClientSession) -> None:
        self._session = session

    async def list_tools(self) -> list[dict[str, Any]]:
        tools = (await self._session.list_tools()).tools
        return [{"name": tool.name, "schema": tool.inputSchema} for tool in tools]

    async def call_tool(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        result = await self._session.call_tool(name, arguments, progress_callback=report_progress)
        return ending(result.content, is_error=result.isError, mime="mimeType")


async def main() -> None:
    """Connect as its documentation says, and obey."""
    async with (
        httpx.AsyncClient(headers=key_header(), timeout=60) as http,
        streamable_http_client(bridge_url(), http_client=http) as (read, write, _),
        ClientSession(read, write) as session,
    ):
        greeting = await session.initialize()
        await obey(Mcp1(session), str(greeting.protocolVersion))


asyncio.run(main())
