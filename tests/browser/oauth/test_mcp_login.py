"""MCP servers that ask for a login: added, called and refetched with it."""

from time import time

import pytest
from playwright.async_api import expect

from tests.browser.browser_harness import BrowserHarness
from tests.support.chromium import accept_selection, expect_connection, go_to
from tests.support.oauth.authorization import oauth_server
from tests.support.oauth.protected_mcp import SCOPE, protected_mcp

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def test_an_mcp_server_is_added_and_called_with_a_login(scene: BrowserHarness) -> None:
    """MCP authorization 2026-07-28: the server names who logs in; tokens are for this server alone."""
    page = await scene.open_page()
    async with oauth_server() as server, protected_mcp(server) as endpoint:
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
        (token,) = server.tokens
        assert (token.resource, token.scope) == (endpoint, SCOPE)
        assert (await scene.caller.call("list_notes")).status == 200
        await page.clock.set_system_time(time() + 7200)
        await page.get_by_role("button", name="Refetch the tools").click()
        await expect(page.get_by_text("The tools have not changed.")).to_be_visible()
        assert server.grants("refresh_token") == 1, "the page renews an expired login, too"
        token.is_revoked = True
        assert (await scene.caller.call("list_notes")).status == 200
