"""LangChain's MCP adapters."""

import asyncio
import base64
from typing import Any

from commands import bridge_url, key_header, obey, report_progress
from langchain_core.tools import BaseTool
from langchain_mcp_adapters.callbacks import Callbacks
from langchain_mcp_adapters.client import MultiServerMCPClient


class Langchain:
    def __init__(self, tools: list[BaseTool]) -> None:
        self._tools = {tool.name: tool for tool in tools}

    async def list_tools(self) -> list[dict[str, Any]]:
        return [{"name": name, "schema": tool.args_schema} for name, tool in self._tools.items()]

    async def call_tool(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        call = {"type": "tool_call", "id": "1", "name": name, "args": arguments}
        message = await self._tools[name].ainvoke(call)
        blocks = message.content_blocks
        images = [
            {"mime": block["mime_type"], "bytes": len(base64.b64decode(block["base64"]))}
            for block in blocks
            if block["type"] == "image"
        ]
        text = "\n".join(block["text"] for block in blocks if block["type"] == "text")
        return {"text": text, "images": images, "is_error": message.status == "error"}


async def main() -> None:
    """Connect as its documentation says, and obey."""
    bridge = {"transport": "streamable_http", "url": bridge_url(), "headers": key_header()}
    client = MultiServerMCPClient({"bridge": bridge}, callbacks=Callbacks(on_progress=report_progress))
    async with client.session("bridge", auto_initialize=False) as session:
        version = str((await session.initialize()).protocolVersion)
    await obey(Langchain(await client.get_tools()), version)


asyncio.run(main())
