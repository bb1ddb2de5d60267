"""MCP servers that ask for a login: added, called and refetched with it."""

import re
from pathlib import Path
from time import time

import pytest
from playwright.async_api import Browser, Page, expect

from tests.browser.browser_harness import BrowserHarness, open_harness
from tests.browser.tls_proxy import HOST, tls_proxy
from tests.support.chromium import accept_selection, expect_connection, go_to, open_page
from tests.support.oauth.authorization import oauth_server
from tests.support.oauth.protected_mcp import SCOPE, protected_mcp

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session"), pytest.mark.slow]


async def add_by_login(page: Page, endpoint: str) -> None:
    """Add an MCP server, log in to it, and accept its tools; the page itself says who it is."""
    await go_to(page, "add")
    await page.get_by_label("Address of the document").fill(endpoint)
    await page.get_by_role("button", name="Fetch", exact=True).click()
    panel = page.get_by_role("region", name="Login")
    async with page.context.expect_page() as opened:
        await panel.get_by_role("button", name="Log in", exact=True).click()
    window = await opened.value
    await window.get_by_role("button", name="Allow").click()
    await expect(page.get_by_role("heading", name="Review Notes (MCP)")).to_be_visible()
    server_id = page.url.partition("#/servers/")[2].partition("/")[0]
    await accept_selection(page, server_id)
    await expect_connection(page, "connected")


async def test_an_mcp_server_is_added_and_called_with_a_login(scene: BrowserHarness) -> None:
    """MCP authorization 2026-07-28: the server names who logs in; tokens are for this server alone."""
    page = await scene.open_page()
    async with oauth_server() as server, protected_mcp(server) as endpoint:
        await add_by_login(page, endpoint)
        (token,) = server.tokens
        assert (token.resource, token.scope) == (endpoint, SCOPE)
        assert (await scene.caller.call("list_notes")).status == 200
        await page.clock.set_system_time(time() + 7200)
        await page.get_by_role("button", name="Refetch the tools").click()
        await expect(page.get_by_text("The tools have not changed.")).to_be_visible()
        assert server.grants("refresh_token") == 1, "the page renews an expired login, too"
        token.is_revoked = True
        assert (await scene.caller.call("list_notes")).status == 200


async def test_removing_a_server_ends_its_logins_there(scene: BrowserHarness) -> None:
    """Nothing shows its accounts any more; its tokens would go on without anybody who knows of them."""
    page = await scene.open_page()
    async with oauth_server() as server, protected_mcp(server) as endpoint:
        await add_by_login(page, endpoint)
        await go_to(page, "servers")
        await page.locator(".server-row summary").last.click()
        await page.get_by_role("link", name="Details").last.click()
        await page.get_by_role("button", name="Remove this server").click()
        await page.get_by_role("button", name="Remove for good").click()
        await expect(page).to_have_url(re.compile("#/servers$"))
        assert [token.is_good for token in server.tokens] == [False]


async def test_a_public_bridge_is_known_by_the_document_that_the_server_fetches_from_it(
    chromium: Browser, tmp_path: Path
) -> None:
    """Client ID Metadata Documents: the bridge's own description is enough, and nothing is registered."""
    async with (
        tls_proxy(tmp_path) as front,
        open_harness(chromium, tmp_path, [], deadline_s=20, public_url=front.url) as harness,
        oauth_server() as server,
        protected_mcp(server, HOST) as endpoint,
    ):
        server.reads_client_documents = True
        front.target_port = harness.bridge.server.sockets[0].getsockname()[1]
        page = await (await harness.new_context(ignore_https_errors=True)).new_page()
        await open_page(page, await harness.bridge.page_url())
        await add_by_login(page, endpoint)
        client_id = f"{front.url}/oauth/client.json"
        assert set(server.clients) == {client_id}
        assert server.clients[client_id].redirect_uris == (f"{front.url}/oauth/callback",)
        assert [token.client_id for token in server.tokens] == [client_id]
        caller = harness.caller_at(f"http://127.0.0.1:{front.target_port}")
        assert (await caller.call("list_notes")).status == 200


async def test_a_bridge_of_this_machine_registers_where_servers_would_read_documents(
    scene: BrowserHarness,
) -> None:
    """No server elsewhere could fetch a document from it."""
    page = await scene.open_page()
    async with oauth_server() as server, protected_mcp(server) as endpoint:
        server.reads_client_documents = True
        await add_by_login(page, endpoint)
        (registered,) = server.clients.values()
        assert registered.redirect_uris == (f"{scene.bridge.base_url}/oauth/callback",)
        assert not registered.client_id.startswith("http")
        assert [token.client_id for token in server.tokens] == [registered.client_id]
