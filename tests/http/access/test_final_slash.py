"""Programs reach each address with and without a slash at its end."""

from typing import Any

import aiohttp
import pytest

from bridge.app.server import Bridge
from tests.support.mcp_messages import REQUESTS, post_message
from tests.support.running_bridge import page_of

pytestmark = [pytest.mark.asyncio, pytest.mark.two_replicas, pytest.mark.slow]


async def products(_call: dict[str, Any]) -> dict[str, Any]:
    """A page whose API has one product."""
    body = {"kind": "text", "text": "[1]"}
    return {"status": "answered", "http_status": 200, "content_type": "application/json", "body": body}


@pytest.mark.parametrize("era", ["modern", "legacy"])
@pytest.mark.parametrize("path", ["/mcp/", "/mcp//", "/servers/shop/mcp/", "/mcp/?a=1"])
async def test_mcp_is_answered_at_both_spellings(
    bridge: Bridge, http: aiohttp.ClientSession, path: str, era: str
) -> None:
    """Finding W-19: clients and proxies add the slash; a redirect would lose bodies, tokens or sessions."""
    status, answer = await post_message(bridge, http, *REQUESTS[era]("tools/list"), path=path)
    assert (status, answer["result"]["tools"][0]["name"]) == (200, "listProducts")


@pytest.mark.parametrize("path", ["/tools/listProducts/", "//tools/listProducts/", "/tools/list%50roducts/"])
async def test_a_call_keeps_its_arguments_at_both_spellings(
    bridge: Bridge, http: aiohttp.ClientSession, path: str
) -> None:
    """Finding W-19: a call is run as it is without the slash, and so is a repeated one, by the known path."""
    key = {"Authorization": f"Bearer {bridge.key}"}
    async with page_of(bridge, bridge.local_user.id, products) as page:
        for _ in range(2):
            async with http.post(bridge.base_url + path, data='{"limit":2}', headers=key) as response:
                assert (response.status, await response.json()) == (200, {"result": [1]})
        assert [call["params"] for call in page.calls] == ['{"limit":2}', '{"limit":2}']


async def test_what_is_asked_for_in_a_query_survives(bridge: Bridge, http: aiohttp.ClientSession) -> None:
    """Finding W-19: only the slash is left out; what follows the path reaches its handler."""
    headers = {"Authorization": f"Bearer {bridge.key}"}
    for query, status in (("", 400), ("?q=tea", 200)):
        url = f"{bridge.base_url}/conversations/search/{query}"
        async with http.get(url, headers=headers) as response:
            assert response.status == status


async def test_the_pages_own_addresses_have_one_spelling(bridge: Bridge, http: aiohttp.ClientSession) -> None:
    """Finding W-19: addresses in the page's files are relative, and would lead elsewhere below a slash."""
    async with http.get(f"{bridge.base_url}/probe/") as response:
        assert response.status == 404
