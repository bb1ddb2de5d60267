"""Prints, as JSON, the tools that FastMCP makes of an OpenAPI document. Run by a Python that has FastMCP.

Receives the document as JSON on standard input. Needs nothing of this repository.
"""

import asyncio
import json
import logging
import sys
import warnings

import httpx2
from fastmcp import FastMCP
from fastmcp.server.providers.openapi import OpenAPITool


async def _tools(document: dict[str, object]) -> list[dict[str, object]]:
    client = httpx2.AsyncClient(base_url="http://127.0.0.1:9")
    listed = await FastMCP.from_openapi(document, client=client).list_tools()
    return [
        {
            "key": f"{tool._route.method} {tool._route.path}",
            "name": tool.name,
            "description": tool.description or "",
            "schema": tool.parameters,
        }
        for tool in listed
        if isinstance(tool, OpenAPITool)
    ]


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    json.dump(asyncio.run(_tools(json.load(sys.stdin))), sys.stdout)
