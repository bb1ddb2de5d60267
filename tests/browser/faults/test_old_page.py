"""A page that was open while the bridge was updated, and speaks an older protocol."""

from pathlib import Path

import pytest
from playwright.async_api import Route, expect

from bridge.browser_protocol import PROTOCOL
from tests.browser.browser_harness import BrowserHarness
from tests.support.chromium import expect_connection

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session"), pytest.mark.slow]

SCRIPT = "static/connection/bridge_socket.js"
ADDRESS = "**/connection/bridge_socket.js"
TEXT = Path(SCRIPT).read_text(encoding="utf-8")


@pytest.mark.usefixtures("page_sources")
async def test_an_old_page_shows_that_it_has_to_be_reloaded(scene: BrowserHarness) -> None:
    """A page that looks connected and gets no calls would be a riddle; reloaded, it is a new one."""
    older = TEXT.replace(f"const PROTOCOL = {PROTOCOL};", f"const PROTOCOL = {PROTOCOL - 1};")
    assert older != TEXT

    async def serve_older(route: Route) -> None:
        await route.fulfill(body=older, content_type="text/javascript")

    page = await (await scene.new_context()).new_page()
    await page.context.route(ADDRESS, serve_older)
    await page.goto(await scene.bridge.page_url())
    await expect_connection(page, "refused")
    await expect(page.locator("#connection-hint")).to_contain_text("Reload the page")
    await page.context.unroute(ADDRESS)
    await page.reload()
    await expect_connection(page, "connected")
