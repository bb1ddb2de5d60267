"""A client of others, unmodified, that knows the address of the endpoint alone, and signs its user in."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.clients.clients import CLIENTS
from tests.clients.environments import MCP_2
from tests.clients.running_client import running_client
from tests.support.authorization_server import authorization_server
from tests.support.oauth_client import oauth_client
from tests.support.running_bridge import json_answer, page_of

pytestmark = pytest.mark.asyncio


async def test_the_official_client_finds_the_authorization_server_and_gets_in(tmp_path: Path) -> None:
    """From the challenge by both metadata, registration, PKCE, `resource` and `iss` to a token and a call."""
    official = next(each for each in CLIENTS if each.environment is MCP_2)
    program = replace(official, program="programs/mcp_2_oauth_client.py")

    async def answer(_call: dict[str, object]) -> dict[str, object]:
        return json_answer({"products": []})

    async with (
        authorization_server() as server,
        oauth_client(tmp_path, server, oauth_scopes=("tools",)) as own,
    ):
        url = f"{own.bridge.base_url}/mcp"
        async with running_client(program, url, "", tmp_path) as client:
            assert "listProducts" in await client.list_tools()
            user = (await own.bridge.components.users.list_users())[1]
            async with page_of(own.bridge, user.id, answer) as page:
                ended = await client.call_tool("listProducts")
                assert (json.loads(ended["text"]), ended["is_error"]) == ({"products": []}, False)
                (call,) = (await page.get("/api/calls"))["calls"]
    assert call["asked_by"] == "client registered-1"
    assert server.granted == [{"resource": url, "scope": "tools"}]
