"""What the page looks like, as far as a program can tell: icons, drawings, and the accent of the user."""

import pytest
from playwright.async_api import Locator, expect

from tests.browser.browser_harness import BrowserHarness
from tests.support.chromium import go_to
from tests.support.waiting import eventually

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

ACCENT = "getComputedStyle(document.documentElement).getPropertyValue('--accent')"


async def _expect_drawn(picture: Locator) -> None:
    """An address that is wrong by one letter draws an empty square."""

    async def is_drawn() -> bool:
        return await picture.evaluate("(picture) => picture.getBBox().width > 0")

    await eventually(is_drawn, within_s=30, what="a picture")


async def test_icons_and_drawings_are_there(scene: BrowserHarness) -> None:
    """Issue 43 point 7: an icon set kept by others, drawn empty states; the words beside them are read."""
    page = await scene.open_page()
    await _expect_drawn(page.get_by_role("link", name="Servers", exact=True).locator(".icon"))
    for view, place in (("calls", ".empty"), ("devices", ".empty"), ("chat", ".welcome")):
        await go_to(page, view)
        await _expect_drawn(page.locator(f"{place} > .drawing"))
    await page.keyboard.press("Control+k")
    await page.get_by_role("dialog").get_by_role("combobox").fill("nothing is called so")
    await _expect_drawn(page.get_by_role("dialog").locator(".drawing"))
    pictures = page.locator("svg:is(.icon, .drawing)")
    assert await pictures.evaluate_all("(all) => all.every((each) => each.ariaHidden === 'true')")


async def test_a_user_chooses_the_accent_of_this_browser(scene: BrowserHarness) -> None:
    """Issue 43 point 7: it holds at once, in other tabs, and before the first paint after a reload."""
    page = await scene.open_page()
    await go_to(page, "settings", "appearance")
    before = await page.evaluate(ACCENT)
    await page.get_by_role("radio", name="Violet").check()
    await expect(page.locator("html")).to_have_attribute("data-accent", "violet")
    assert await page.evaluate(ACCENT) != before
    await page.reload()
    await expect(page.get_by_role("radio", name="Violet")).to_be_checked()
    await expect(page.locator("html")).to_have_attribute("data-accent", "violet")
    await page.get_by_role("radio", name="Teal").check()
    assert await page.evaluate(ACCENT) == before


async def test_the_list_of_settings_leads_to_each_by_an_address(scene: BrowserHarness) -> None:
    """Finding page §3: a side list, and rows with chevrons for what has a view of its own."""
    page = await scene.open_page()
    await go_to(page, "settings")
    listed = page.get_by_role("navigation", name="Settings", exact=True)
    await listed.get_by_role("link", name="This bridge").click()
    assert page.url.endswith("#/settings/bridge")
    await expect(page.get_by_role("form", name="Limits of the bridge")).to_be_visible()
    await page.reload()
    await expect(page.get_by_role("heading", name="This bridge")).to_be_in_viewport()
    await page.get_by_role("link", name="Approval Which calls").click()
    assert page.url.endswith("#/approval")


async def test_nothing_moves_for_whom_asked_for_less_motion(scene: BrowserHarness) -> None:
    """Issue 43 point 7: motion of 150 ms, reduced motion honoured."""
    page = await scene.open_page()
    await go_to(page, "calls")
    durations = "getComputedStyle(document.documentElement).getPropertyValue('--motion')"
    assert (await page.evaluate(durations)).startswith(("150ms", ".15s"))  # as it is written, or built
    await page.emulate_media(reduced_motion="reduce")
    assert await page.evaluate(durations) == "0s"
