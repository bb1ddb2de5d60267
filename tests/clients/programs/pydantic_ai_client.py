"""The MCP toolset of Pydantic AI."""

import asyncio
import json
from typing import Any

from commands import bridge_url, key_header, obey
from fastmcp.exceptions import ToolError
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.messages import BinaryContent


class PydanticAI:
    def __init__(self, toolset: MCPToolset[None]) -> None:
        self._toolset = toolset

    async def list_tools(self) -> list[dict[str, Any]]:
        return [{"name": t.name, "schema": t.input_schema} for t in await self._toolset.list_tools()]

    async def call_tool(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        try:
            result = await self._toolset.direct_call_tool(name, arguments)
        except ToolError as error:
            return {"text": str(error), "images": [], "is_error": True}
        if isinstance(result, BinaryContent):
            image = {"mime": result.media_type, "bytes": len(result.data)}
            return {"text": "", "images": [image], "is_error": False}
        text = result if isinstance(result, str) else json.dumps(result)
        return {"text": text, "images": [], "is_error": False}


async def main() -> None:
    """Connect as its documentation says, and obey."""
    async with MCPToolset(bridge_url(), headers=key_header(), tool_error_behavior="error") as toolset:
        await obey(PydanticAI(toolset), toolset.client.session.protocol_version)


asyncio.run(main())
