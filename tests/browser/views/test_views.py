"""The page as a page: nothing blocked, nothing thrown, usable by keyboard, in the dark and on a phone."""

from pathlib import Path

import pytest
from playwright.async_api import expect

from tests.browser.browser_harness import BrowserHarness
from tests.support.chromium import complaints_of, expect_connection, go_to, open_page, tab_to

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

VIEWS = (
    ("servers",),
    ("servers", "corner-shop"),
    ("servers", "corner-shop", "review"),
    ("servers", "no-such-server"),
    ("servers", "no-such-server", "review"),
    ("servers", "no-such-server", "edit", "GET%20%2Fnothing"),
    ("add",),
    ("tools",),
    ("tools", "addProduct"),
    ("tools", "no-such-tool"),
    ("selection",),
    ("chat",),
    ("calls",),
    ("audit",),
    ("connect",),
    ("doctor",),
)

VIEWS_OF_MIRROR = (
    ("servers",),
    ("servers", "mirror"),
    ("servers", "mirror", "review"),
    ("add",),
    ("tools", "mirrorQuery"),
    ("selection",),
    ("chat",),
    ("calls",),
    ("audit",),
    ("connect",),
    ("doctor",),
)

LIGHTNESS = """() => {
  const parts = (color) => color.match(/[0-9.]+/g).slice(0, 3).map(Number);
  const light = (color) => parts(color).reduce((sum, part) => sum + part, 0) / 765;
  const style = getComputedStyle(document.body);
  return [light(style.backgroundColor), light(style.color)];
}"""

NAMELESS = """() => [...document.querySelectorAll("input, select, textarea, button, a[href]")]
  .filter((element) => element.getClientRects().length > 0)
  .filter((element) => !element.labels?.length && !element.ariaLabel)
  .filter((element) => !element.textContent.trim() && !element.title)
  .map((element) => element.outerHTML)"""

REPORT_VIOLATIONS = """
addEventListener("securitypolicyviolation", (event) =>
  console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`));
"""


@pytest.mark.usefixtures("page_sources")
async def test_no_view_violates_the_policy_or_throws(demo: BrowserHarness) -> None:
    """The strict policy is worth nothing if the page itself needs an exception from it."""
    context = await demo.new_context()
    await context.add_init_script(REPORT_VIOLATIONS)
    page = await context.new_page()
    complaints = complaints_of(page)
    await open_page(page, await demo.bridge.page_url())
    await expect(page.get_by_text("because you named these documents")).to_be_visible()
    for view in VIEWS:
        await go_to(page, *view)
        await expect(page.get_by_role("main")).not_to_contain_text("Loading…")
        await expect(page.get_by_role("main")).not_to_be_empty()
    await go_to(page, "tools", "getPicture")
    await page.get_by_test_id("run").click()
    picture = page.get_by_role("img", name="The image the API answered with")
    await expect(picture).to_be_visible()
    assert await picture.evaluate("image => image.decode().then(() => image.naturalWidth)") > 0
    unexpected = [text for text in complaints if "404" not in text]
    assert unexpected == []


async def test_a_tool_is_found_filled_in_and_run_by_keyboard_alone(scene: BrowserHarness) -> None:
    """Not everybody uses a pointer."""
    page = await scene.open_page()
    await page.reload()
    await expect_connection(page, "connected")
    await page.keyboard.press("Tab")
    await expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    await tab_to(page, page.get_by_role("link", name="Tools", exact=True))
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("main")).to_be_focused()
    first = page.locator(".tool-rows a").first
    await tab_to(page, first)
    chosen = page.get_by_role("link", name="mirrorClash")
    for _ in range(await page.locator(".tool-rows a").count()):
        if await chosen.evaluate("link => link === document.activeElement"):
            break
        await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", name="mirrorClash")).to_be_focused()
    form = page.get_by_role("form", name="Try mirrorClash")
    await tab_to(page, form.get_by_role("textbox", name="name__path"))
    await page.keyboard.type("here")
    await tab_to(page, form.get_by_role("textbox", name="name", exact=False).last)
    await page.keyboard.type("there")
    await expect(page.get_by_test_id("run")).to_be_enabled()
    await page.keyboard.press("Enter")
    await expect(page.get_by_test_id("outcome")).to_contain_text("/echo/clash/here")


@pytest.mark.slow
async def test_the_page_follows_the_dark_scheme(scene: BrowserHarness, tmp_path: Path) -> None:
    """Light text on a light ground is what half-done dark modes give."""
    page = await scene.open_page(color_scheme="dark")
    picture = tmp_path / "dark.png"
    await page.screenshot(path=picture)
    assert picture.stat().st_size > 10_000
    for view in VIEWS_OF_MIRROR:
        await go_to(page, *view)
        await expect(page.get_by_role("main")).not_to_contain_text("Loading…")
        ground, text = await page.evaluate(LIGHTNESS)
        assert ground < 0.3, view
        assert text > 0.6, view


@pytest.mark.slow
async def test_a_narrow_screen_needs_no_sideways_scrolling(scene: BrowserHarness) -> None:
    """The page is opened on phones too, to see whether it still works."""
    page = await scene.open_page(viewport={"width": 360, "height": 740})
    for view in VIEWS_OF_MIRROR:
        await go_to(page, *view)
        await expect(page.get_by_role("main")).not_to_contain_text("Loading…")
        wide = await page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0, view


async def test_every_control_of_every_view_has_a_name(demo: BrowserHarness) -> None:
    """A screen reader says "edit text" and nothing else for a field without a label."""
    page = await demo.open_page()
    for view in VIEWS:
        await go_to(page, *view)
        await expect(page.get_by_role("main")).not_to_contain_text("Loading…")
        nameless = await page.evaluate(NAMELESS)
        assert nameless == [], view


@pytest.mark.slow
async def test_the_doctor_tells_reachable_from_unreadable_from_down(scene: BrowserHarness) -> None:
    """The first thing to try when a tool fails."""
    page = await scene.open_page()
    await go_to(page, "doctor")
    report = page.get_by_test_id("check-report")
    for path, code in (("/answers/json/object", "ok"), ("/nocors/readings", "cors")):
        await page.get_by_label("Address to check").fill(scene.samples_url + path)
        await page.get_by_role("button", name="Check this address").click()
        await expect(report).to_have_attribute("data-code", code)
    await scene.samples.cleanup()
    await page.get_by_role("button", name="Check this address").click()
    await expect(report).to_have_attribute("data-code", "network")
