"""The sample MCP server keeps the rules that it shows to others."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from aiohttp.test_utils import TestClient, TestServer

from examples.mcp_server import create_mcp_server

pytestmark = pytest.mark.asyncio

PAGE = {"Origin": "http://127.0.0.1:8765"}
VERSION = "2026-07-28"
META = {"io.modelcontextprotocol/protocolVersion": VERSION}

Client = TestClient[Any, Any]


@pytest_asyncio.fixture
async def client() -> AsyncIterator[Client]:
    async with TestClient(TestServer(create_mcp_server())) as running:
        yield running


async def ask(
    client: Client, method: str, headers: dict[str, str], **params: object
) -> tuple[int, dict[str, Any]]:
    """Status and body of the answer to one request."""
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    async with client.post("/mcp", json=message, headers={**PAGE, **headers}) as response:
        return response.status, await response.json()


def modern(method: str, name: str | None = None) -> dict[str, str]:
    """The headers of a modern request."""
    headers = {"MCP-Protocol-Version": VERSION, "Mcp-Method": method}
    return headers if name is None else {**headers, "Mcp-Name": name}


async def test_pages_of_this_machine_may_ask_and_others_may_not(client: Client) -> None:
    """A server on a laptop must not serve whatever site its user happens to visit."""
    asking = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "mcp-method"}
    async with client.options("/mcp", headers={**PAGE, **asking}) as response:
        assert (response.status, response.headers["Access-Control-Allow-Origin"]) == (204, PAGE["Origin"])
        assert "mcp-method" in response.headers["Access-Control-Allow-Headers"]
    async with client.get("/mcp", headers=PAGE) as response:
        assert (response.status, response.headers["Access-Control-Allow-Origin"]) == (405, PAGE["Origin"])
    async with client.post("/mcp", json={}, headers={"Origin": "https://evil.example"}) as response:
        assert (response.status, "Access-Control-Allow-Origin" in response.headers) == (403, False)


async def test_a_modern_request_must_say_the_same_in_headers_and_body(client: Client) -> None:
    """A proxy decides by the headers."""
    status, listed = await ask(client, "tools/list", modern("tools/list"), _meta=META)
    assert (status, listed["result"]["resultType"]) == (200, "complete")
    call: dict[str, object] = {"name": "add_note", "arguments": {"title": "x"}, "_meta": META}
    status, refused = await ask(client, "tools/call", modern("tools/call", "list_notes"), **call)
    assert (status, refused["error"]["code"]) == (400, -32020)
    later = {"io.modelcontextprotocol/protocolVersion": "2099-01-01"}
    status, unknown = await ask(client, "tools/list", modern("tools/list"), _meta=later)
    assert (status, unknown["error"]["code"]) == (400, -32022)
    assert VERSION in unknown["error"]["data"]["supported"]


async def test_a_server_of_the_older_era_knows_its_sessions(client: Client) -> None:
    """404 says that the session is gone and nothing was done."""
    assert (await ask(client, "tools/list", {}))[0] == 400
    assert (await ask(client, "tools/list", {"Mcp-Session-Id": "gone"}))[0] == 404
    status, begun = await ask(client, "initialize", {}, protocolVersion="2025-06-18")
    assert (status, begun["result"]["protocolVersion"]) == (200, "2025-06-18")
