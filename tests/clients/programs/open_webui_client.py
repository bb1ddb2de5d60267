"""Open WebUI's own MCP client."""

import asyncio
import base64
import contextlib
import sys
from typing import Any

from commands import bridge_url, key_header, obey

with contextlib.redirect_stdout(sys.stderr):  # it greets
    from open_webui.utils.mcp.client import MCPClient


class OpenWebUI:
    def __init__(self, client: MCPClient) -> None:
        self._client = client

    async def list_tools(self) -> list[dict[str, Any]]:
        specs = await self._client.list_tool_specs()
        return [{"name": spec["name"], "schema": spec["parameters"]} for spec in specs]

    async def call_tool(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        # It raises a bare Exception for a call that failed.
        (content,) = await asyncio.gather(self._client.call_tool(name, arguments), return_exceptions=True)
        if isinstance(content, BaseException):
            return {"text": str(content), "images": [], "is_error": True}
        images = [
            {"mime": block["mimeType"], "bytes": len(base64.b64decode(block["data"]))}
            for block in content
            if block["type"] == "image"
        ]
        text = "\n".join(block["text"] for block in content if block["type"] == "text")
        return {"text": text, "images": images, "is_error": False}


async def main() -> None:
    """Connect as its server does, and obey."""
    client = MCPClient()
    await client.connect(bridge_url(), headers=key_header())
    await obey(OpenWebUI(client), client.client.protocol_version)
    await client.disconnect()


asyncio.run(main())
