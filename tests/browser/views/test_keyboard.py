"""The page by keys: the palette, the shortcuts, and what they must leave alone."""

import pytest
from playwright.async_api import Locator, Page, expect

from tests.browser.browser_harness import BrowserHarness
from tests.support.chromium import go_to

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


def palette_of(page: Page) -> Locator:
    """The field in which one searches everything."""
    return page.get_by_role("combobox", name="Search tools, servers, calls, chats and views")


async def open_palette(page: Page, words: str) -> Locator:
    """Search everything for some words; returns what the arrow keys have chosen."""
    await page.keyboard.press("Control+k")
    await expect(palette_of(page)).to_be_focused()
    await page.keyboard.type(words)
    return page.get_by_role("dialog", name="Search").get_by_role("option", selected=True)


@pytest.mark.slow
async def test_everything_is_reached_by_words(scene: BrowserHarness) -> None:
    """Tools, a server, a chat that the bridge keeps, a call just made, a view, a command."""
    page = await scene.open_page()
    await expect(await open_palette(page, "mirrorquery")).to_contain_text("GET /query")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", name="mirrorQuery")).to_be_visible()
    await page.get_by_test_id("run").click()
    await expect(page.get_by_test_id("outcome")).to_be_visible()
    for words, kind, place in (
        ("/query", "Calls", "#/calls/"),
        ("mirror", "Servers", "#/servers/mirror"),
        ("audit", "Go to", "#/audit"),
    ):
        await open_palette(page, words)
        await page.get_by_role("group", name=kind).get_by_role("option").first.click()
        await page.wait_for_url(f"**/{place}*")
    account = {"Authorization": f"Bearer {scene.bridge.key}"}
    body = {"title": "Plans for Ada's garden"}
    async with scene.http.post(
        f"{scene.bridge.base_url}/conversations", json=body, headers=account
    ) as answer:
        made = await answer.json()
    await open_palette(page, "Ada's garden")
    await page.get_by_role("group", name="Chats").get_by_role("option", name="Plans for Ada's garden").click()
    await page.wait_for_url(f"**/#/chat/{made['conversation']['id']}")
    await open_palette(page, "dark theme")
    await page.keyboard.press("Enter")
    assert await page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "dark"


async def test_arrows_choose_and_escape_leaves_everything_as_it_was(scene: BrowserHarness) -> None:
    """The focus returns to where it was: a look into the palette costs nobody his place."""
    page = await scene.open_page()
    await go_to(page, "calls")
    search = page.get_by_role("main").get_by_role("searchbox", name="Search")
    await expect(search).to_be_visible()
    await page.keyboard.press("/")
    await expect(search).to_be_focused()
    await page.keyboard.type("a/b?g")
    await expect(search).to_have_value("a/b?g")
    chosen = await open_palette(page, "mirror")
    first = await chosen.get_attribute("id")
    await page.keyboard.press("ArrowDown")
    await expect(palette_of(page)).not_to_have_attribute("aria-activedescendant", first or "")
    await page.keyboard.press("ArrowUp")
    await expect(palette_of(page)).to_have_attribute("aria-activedescendant", first or "")
    await page.keyboard.press("Escape")
    await expect(palette_of(page)).to_have_count(0)
    await expect(search).to_be_focused()
    await expect(search).to_have_value("a/b?g")


async def test_what_the_arrows_chose_stays_itself_when_chats_are_found(scene: BrowserHarness) -> None:
    """Chats come after a rest: a user who reads or presses an entry meanwhile must still have that one."""
    page = await scene.open_page()
    async with page.expect_response(lambda answer: "/conversations" in answer.url) as searched:
        chosen = await open_palette(page, "mirror")
        first = await chosen.evaluate_handle("option => option")
    await (await searched.value).finished()
    await page.evaluate("() => new Promise(requestAnimationFrame)")
    assert await chosen.evaluate("(option, first) => option === first", first)


@pytest.mark.slow
async def test_keys_are_listed_and_those_without_ctrl_can_be_switched_off(scene: BrowserHarness) -> None:
    """Who dictates to the computer sends letters that he does not mean as commands (WCAG 2.1.4)."""
    page = await scene.open_page()
    await page.keyboard.type("gt")  # at once: the second key counts for 1.5 s
    await page.wait_for_url("**/#/tools")
    await page.keyboard.press("?")
    listed = page.get_by_role("dialog", name="Keyboard shortcuts")
    await expect(listed.get_by_role("row", name="Open Chat")).to_contain_text("g then c")
    next_entry = listed.get_by_role("row", name="Next or previous entry")
    await expect(next_entry).to_contain_text("↑ or ↓")  # finding page F18: "then" for two alternatives
    await listed.get_by_role("checkbox", name="Shortcuts of a single key").uncheck()
    await page.keyboard.press("Escape")
    await expect(listed).to_have_count(0)
    await page.keyboard.press("?")
    await page.keyboard.press("Control+k")
    await expect(palette_of(page)).to_be_focused()
    await expect(listed).to_have_count(0)


@pytest.mark.slow
async def test_the_theme_that_was_chosen_holds_before_anything_is_drawn(scene: BrowserHarness) -> None:
    """In this browser, over a reload, and against the system's own."""
    page = await scene.open_page(color_scheme="light")
    await go_to(page, "settings")
    await page.get_by_label("Theme").select_option(label="Dark")
    await page.get_by_label("Density").select_option(label="Compact")
    await page.route("**/app.js", lambda route: route.abort())
    await page.reload(wait_until="commit")
    await page.wait_for_selector("header")
    root = await page.evaluate("({...document.documentElement.dataset})")
    assert root == {"theme": "dark", "density": "compact"}
