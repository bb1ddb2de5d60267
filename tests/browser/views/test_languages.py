"""The page in German: its browser asks for it, or its user does."""

import pytest
from playwright.async_api import Page, expect

from tests.browser.browser_harness import BrowserHarness
from tests.support.chromium import expect_connection, go_to

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

READ_LANGUAGE = "() => [document.documentElement.lang, document.documentElement.dir]"


async def test_a_german_browser_gets_a_german_page_until_its_user_wants_english(
    scene: BrowserHarness,
) -> None:
    """Texts of the document, of its scripts and of its sections; nothing is offered that is not there."""
    page = await _open_german_page(scene)
    assert await page.evaluate(READ_LANGUAGE) == ["de", "ltr"]
    await expect(page.get_by_role("link", name="Zum Inhalt springen")).to_be_attached()
    await go_to(page, "settings")
    await page.get_by_label("Sprache dieser Seite").select_option("English")
    await expect(page.get_by_role("heading", name="Settings")).to_be_visible()
    assert await page.evaluate(READ_LANGUAGE) == ["en", "ltr"]
    await page.get_by_label("Language of this page").select_option("As the browser")
    await expect(page.get_by_label("Sprache dieser Seite")).to_have_value("")


async def _open_german_page(scene: BrowserHarness, **options: object) -> Page:
    context = await scene.new_context(locale="de-DE", **options)
    page = await context.new_page()
    await page.goto(await scene.bridge.page_url())
    await expect_connection(page, "connected")
    return page
