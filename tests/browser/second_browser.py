"""Another browser of a user, paired by the code that it shows."""

from playwright.async_api import Page

from tests.browser.browser_harness import BrowserHarness
from tests.support.chromium import expect_connection, go_to


async def shown_code(page: Page) -> str:
    """What a browser without a link shows."""
    return await page.get_by_test_id("pairing-code").inner_text()


async def type_code(page: Page, code: str) -> None:
    """Look a code up under Devices, on a browser that is paired."""
    await go_to(page, "devices")
    await page.get_by_label("Code", exact=True).fill(code)
    await page.get_by_role("button", name="Look it up").click()


async def paired_by_code(scene: BrowserHarness, page: Page, **options: str) -> Page:
    """Another browser of the user of `page`."""
    other = await (await scene.new_context(**options)).new_page()
    await other.goto(scene.bridge.base_url)
    await type_code(page, await shown_code(other))
    await page.get_by_role("button", name="Confirm this device").click()
    await expect_connection(other, "connected")
    return other
