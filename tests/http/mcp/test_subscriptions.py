"""`subscriptions/listen` over real HTTP: what is acknowledged, told, and said at the end."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import aiohttp
import pytest

from bridge.app.server import Bridge
from bridge.catalog.server_view import UserSelection
from bridge.http.user_connections import MAX_STREAMS
from tests.support.documents.compiled import document_text
from tests.support.mcp_messages import modern_request, next_message, post_message
from tests.support.running_bridge import running_bridge

pytestmark = pytest.mark.asyncio

SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"


@asynccontextmanager
async def listening(
    bridge: Bridge, http: aiohttp.ClientSession, **wanted: bool
) -> AsyncGenerator[aiohttp.ClientResponse]:
    """An open subscription."""
    body, headers = modern_request("subscriptions/listen", {"notifications": wanted}, request_id="s")
    headers["Authorization"] = f"Bearer {bridge.key}"
    async with http.post(f"{bridge.base_url}/mcp", json=body, headers=headers) as response:
        yield response


async def test_a_change_of_the_tools_is_told(bridge: Bridge, http: aiohttp.ClientSession) -> None:
    """First the acknowledgement; then one notification for each change of the user's own list."""
    registry, user_id = bridge.components.registry, bridge.local_user.id
    other = await bridge.components.users.ensure_user("somebody-else")
    async with listening(bridge, http, toolsListChanged=True, promptsListChanged=True) as response:
        first = await next_message(response)
        assert first["method"] == "notifications/subscriptions/acknowledged"
        assert first["params"] == {"notifications": {"toolsListChanged": True}, "_meta": {SUBSCRIPTION: "s"}}
        await registry.save_selection(user_id, UserSelection(max_tools=100))  # which changes nothing
        await registry.save_selection(user_id, UserSelection(names=("list*",)))
        told = await next_message(response)
        assert told["method"] == "notifications/tools/list_changed"
        assert told["params"]["_meta"] == {SUBSCRIPTION: "s"}
        await registry.add_server(other.id, document_text(), source_url=None)
        await registry.save_selection(user_id, UserSelection())
        assert (await next_message(response))["method"] == "notifications/tools/list_changed"


async def test_who_did_not_ask_for_it_is_not_told(bridge: Bridge, http: aiohttp.ClientSession) -> None:
    """The stream stays open and silent; the next message is the last one."""
    async with listening(bridge, http) as response:
        assert (await next_message(response))["params"]["notifications"] == {}
        await bridge.components.registry.save_selection(bridge.local_user.id, UserSelection(names=("list*",)))
        bridge.components.registry.changes.close()
        last = await next_message(response)
    assert (last["id"], last["result"]["resultType"]) == ("s", "complete")


async def test_a_bridge_that_stops_ends_the_stream_in_order(
    tmp_path: Path, http: aiohttp.ClientSession
) -> None:
    """The answer to the request says that the subscription ended, and did not break."""
    own = AsyncExitStack()
    bridge = await own.enter_async_context(running_bridge(tmp_path))
    async with listening(bridge, http, toolsListChanged=True) as response:
        await next_message(response)
        async with asyncio.TaskGroup() as group:
            group.create_task(own.aclose())
            last = await next_message(response)
        assert last["result"] == {"resultType": "complete", "_meta": {SUBSCRIPTION: "s"}}


async def test_a_subscription_needs_a_client_that_reads_streams(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """406, at once."""
    body, headers = modern_request("subscriptions/listen", {"notifications": {}})
    status, answer = await post_message(bridge, http, body, {**headers, "Accept": "application/json"})
    assert (status, answer["error"]["code"]) == (406, -32600)


async def test_what_is_no_server_of_the_user_cannot_be_listened_to(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """A stream at another user's server was acknowledged, where `tools/list` says 404."""
    other = await bridge.components.users.ensure_user("somebody-else")
    theirs = await bridge.components.registry.add_server(other.id, document_text("Theirs"), source_url=None)
    for server_id in (theirs.record.id, "made-up"):
        for method in ("tools/list", "subscriptions/listen"):
            message = modern_request(method, {"notifications": {}})
            status, answer = await post_message(bridge, http, *message, path=f"/servers/{server_id}/mcp")
            assert (status, answer["error"]["data"]["error"]["code"]) == (404, "not_found"), method


async def test_a_user_has_only_so_many_subscriptions(bridge: Bridge, http: aiohttp.ClientSession) -> None:
    """429; each holds a connection."""
    async with AsyncExitStack() as stack:
        for _ in range(MAX_STREAMS):
            await next_message(await stack.enter_async_context(listening(bridge, http)))
        body, headers = modern_request("subscriptions/listen", {"notifications": {}})
        status, answer = await post_message(bridge, http, body, headers)
        assert (status, answer["error"]["data"]["error"]["code"]) == (429, "rate_limited")
