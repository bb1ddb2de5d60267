"""FastMCP's client."""

import asyncio
from typing import Any

from commands import bridge_url, ending, key_header, obey, report_progress
from fastmcp import Client
from fastmcp.client.transports import StreamableHttpTransport


class FastMcp:
    def __init__(self, client: Client[StreamableHttpTransport]) -> None:
        self._client = client

    async def list_tools(self) -> list[dict[str, Any]]:
        return [{"name": tool.name, "schema": tool.input_schema} for tool in await self._client.list_tools()]

    async def call_tool(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        result = await self._client.call_tool(
            name, arguments, progress_handler=report_progress, raise_on_error=False
        )
        return ending(result.content, is_error=result.is_error, mime="mime_type")


async def main() -> None:
    """Connect as its documentation says, and obey."""
    async with Client(StreamableHttpTransport(bridge_url(), headers=key_header())) as client:
        await obey(FastMcp(client), client.session.protocol_version)


asyncio.run(main())
