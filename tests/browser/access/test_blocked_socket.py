"""A bridge behind a proxy that passes no WebSocket."""

from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from tests.browser.browser_harness import open_harness
from tests.browser.upgrade_proxy import proxy_without_upgrades
from tests.support.chromium import expect_connection

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def test_a_proxy_that_passes_no_websocket_is_named(chromium: Browser, tmp_path: Path) -> None:
    """Finding W-21: the bridge runs and answers, so "is it still running?" leads its operator astray."""
    async with (
        proxy_without_upgrades() as proxy,
        open_harness(chromium, tmp_path, ["mirror.yaml"], public_url=proxy.url) as scene,
    ):
        proxy.target_port = scene.bridge.server.sockets[0].getsockname()[1]
        page = await (await scene.new_context()).new_page()
        await page.goto(await scene.bridge.page_url())
        hint = page.locator("#connection-hint")
        await expect(hint).to_contain_text("its WebSocket does not come through")
        await expect(hint).to_contain_text("/ws/socket.io/")
        await expect_connection(page, "offline")
        assert proxy.upgrades >= 3
