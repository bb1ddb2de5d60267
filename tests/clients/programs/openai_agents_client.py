"""The MCP server class of OpenAI's Agents SDK."""

import asyncio
from typing import Any

from agents.mcp import MCPServerStreamableHttp
from commands import bridge_url, ending, key_header, obey


class OpenAIAgents:
    def __init__(self, server: MCPServerStreamableHttp) -> None:
        self._server = server

    async def list_tools(self) -> list[dict[str, Any]]:
        tools = await self._server.list_tools()
        return [{"name": tool.name, "schema": tool.input_schema} for tool in tools]

    async def call_tool(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        result = await self._server.call_tool(name, arguments)
        return ending(result.content, is_error=result.is_error, mime="mime_type")


async def main() -> None:
    """Connect as its documentation says, with more than five seconds for a call, and obey."""
    where = {"url": bridge_url(), "headers": key_header()}
    async with MCPServerStreamableHttp(where, client_session_timeout_seconds=60) as server:
        await obey(OpenAIAgents(server), server.session.protocol_version)


asyncio.run(main())
