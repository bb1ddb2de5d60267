"""A server made with the official Python SDK, 1.x or 2.x; `SERVER_LINES` are what the page shows for it."""

import os

from listening import serve_app

try:
    from mcp.server.mcpserver import MCPServer as Server
except ImportError:
    from mcp.server.fastmcp import FastMCP as Server

mcp = Server("sums")


@mcp.tool()
def add_numbers(a: int, b: int) -> dict[str, int]:
    """Add two numbers."""
    return {"sum": a + b}


@mcp.tool()
def fail_always() -> str:
    """Fail."""
    raise ValueError("No sums today.")


app = mcp.streamable_http_app()
exec(os.environ.get("SERVER_LINES", ""))  # they make `app` anew

if __name__ == "__main__":
    serve_app(app)
