"""Every view as those use it who see little, or hold a phone in one hand."""

import pytest
from playwright.async_api import Page, expect

from tests.browser.browser_harness import MIRROR_VIEWS, BrowserHarness
from tests.browser.chat_harness import barriers
from tests.support.chromium import go_to

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

RECIPES = (("connect", "open-webui"), ("connect", "cursor"), ("connect", "curl"))
VIEWS = (*MIRROR_VIEWS, *RECIPES, ("add",))

SECTIONS = ("Servers", "Tools", "Chat", "Calls", "Devices", "Settings", "Connect")

COVERED = """(last) => {
  scrollTo(0, document.documentElement.scrollHeight);
  const bar = document.querySelector("#sections").getBoundingClientRect();
  return document.querySelector(last).getBoundingClientRect().bottom - bar.top;
}"""


async def open_view(page: Page, *view: str) -> None:
    """Show a view once it has loaded."""
    await go_to(page, *view)
    await expect(page.get_by_role("main")).not_to_contain_text("Loading…")
    await expect(page.get_by_role("main")).not_to_be_empty()


@pytest.mark.parametrize(
    ("width", "scheme"), [(1280, "light"), pytest.param(390, "dark", marks=pytest.mark.slow)]
)
@pytest.mark.timeout(180)
async def test_axe_finds_nothing_in_any_view(scene: BrowserHarness, width: int, scheme: str) -> None:
    """WCAG 2.2 AA as far as a program can judge it; other widths and themes have no colours of their own."""
    page = await scene.open_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
    for view in VIEWS:
        await open_view(page, *view)
        assert await barriers(page) == [], view
    await page.keyboard.press("Control+k")
    await expect(page.get_by_role("option").first).to_be_visible()
    assert await barriers(page) == [], "palette"
    await page.keyboard.press("Escape")
    await page.keyboard.press("?")
    await expect(page.get_by_role("dialog")).to_be_visible()
    assert await barriers(page) == [], "shortcuts"


@pytest.mark.slow
async def test_a_phone_has_every_section_within_reach_of_the_thumb(scene: BrowserHarness) -> None:
    """In one row at the bottom, none smaller than a fingertip, and nothing of a view is hidden behind it."""
    page = await scene.open_page(viewport={"width": 360, "height": 740})
    navigation = page.get_by_role("navigation", name="Sections")
    for name in SECTIONS:
        box = await navigation.get_by_role("link", name=name, exact=True).bounding_box()
        assert box is not None
        assert box["y"] >= 740 - 60, name
        assert min(box["width"], box["height"]) >= 44, name
    for view in VIEWS:
        await open_view(page, *view)
        assert await page.evaluate(COVERED, "main > :last-child") <= 0, view
        assert await page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, view
    await open_view(page, "chat")
    await expect(page.get_by_role("textbox", name="Message")).to_be_in_viewport(ratio=1)
    assert await page.evaluate(COVERED, ".chat-bottom") <= 0
