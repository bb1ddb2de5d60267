"""`python fastmcp_program.py DOCUMENT API PORT`: a server of FastMCP with the tools of an OpenAPI document.

Runs in FastMCP's environment, by `bench/peers/launch.py`: nothing of this repository is there.
"""
# pyright: basic, reportMissingImports=false

import json
import sys
from pathlib import Path

import httpx2
from fastmcp import FastMCP


def main() -> None:
    """Serve `/mcp` until the process is ended."""
    document, api_url, port = sys.argv[1:]
    client = httpx2.AsyncClient(base_url=api_url)
    server = FastMCP.from_openapi(json.loads(Path(document).read_bytes()), client=client, name="shop")
    server.run(transport="http", host="127.0.0.1", port=int(port), show_banner=False, log_level="WARNING")


if __name__ == "__main__":
    main()
