"""The file by which `tool-bridge demo --open` shows a browser the page."""

from pathlib import Path

import pytest
from playwright.async_api import expect

from bridge.cli.serve.browser import lead_on
from tests.browser.browser_harness import BrowserHarness
from tests.support.chromium import expect_connection

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(180)]


async def test_a_file_leads_a_new_browser_on_to_the_page_and_pairs_it(
    scene: BrowserHarness, tmp_path: Path
) -> None:
    """The browser's own rules decide whether a file may lead to a bridge; the ticket must arrive with it."""
    doorway = tmp_path / "open.html"
    doorway.write_text(lead_on(await scene.bridge.page_url()), encoding="utf-8")
    page = await (await scene.new_context()).new_page()
    await page.goto(doorway.as_uri())
    await expect_connection(page, "connected")
    await expect(page.get_by_text("because you named these documents")).to_be_visible()
    assert page.url.startswith(scene.bridge.base_url)
    assert "ticket" not in page.url
