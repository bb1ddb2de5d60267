"""The page of a user with more tools than a model takes: what models are shown, and what the user chooses."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, expect

from tests.browser.browser_harness import BrowserHarness, open_harness
from tests.support.chromium import go_to

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session"), pytest.mark.slow]

META_TOOLS = ["find_operations", "run_operation", "read_result"]


@pytest_asyncio.fixture(loop_scope="session")
async def crowded(chromium: Browser, tmp_path: Path) -> AsyncIterator[BrowserHarness]:
    """A bridge whose models take five tools, with 39 of them."""
    async with open_harness(chromium, tmp_path, ["mirror.yaml", "answers.yaml"], max_tools=5) as scene:
        yield scene


async def shown(scene: BrowserHarness) -> list[str]:
    """What a model is shown."""
    return [tool["operationId"] for tool in await scene.caller.tools()]


async def expect_sentence(page: Page, words: str) -> None:
    await expect(page.get_by_test_id("shown")).to_contain_text(words)


async def test_a_tool_is_pinned_by_keyboard_and_the_sentence_follows(crowded: BrowserHarness) -> None:
    """The focus stays where it was, so that the next one can be pinned."""
    page = await crowded.open_page()
    await go_to(page, "tools")
    await expect_sentence(page, "0 of 39 tools are shown to models; the others are found by find_operations.")
    assert await shown(crowded) == META_TOOLS
    pin = page.get_by_role("button", name="Pin mirrorDelete", exact=True)
    await expect(pin).to_have_attribute("aria-pressed", "false")
    await pin.focus()
    await page.keyboard.press("Enter")
    await expect_sentence(page, "1 of 39 tools is shown to models")
    await expect(pin).to_have_attribute("aria-pressed", "true")
    await expect(pin).to_be_focused()
    assert await shown(crowded) == ["mirrorDelete", *META_TOOLS]
    await page.keyboard.press("Enter")
    await expect_sentence(page, "0 of 39 tools")
    assert await shown(crowded) == META_TOOLS


async def test_the_list_is_narrowed_and_stays_so_when_a_tool_is_chosen(crowded: BrowserHarness) -> None:
    """Whoever tries one tool after another must not search anew each time."""
    page = await crowded.open_page()
    await go_to(page, "tools")
    rows = page.get_by_role("main").get_by_role("listitem")
    await page.get_by_label("Server", exact=True).select_option("Mirror")
    await page.get_by_label("Search").fill("delete")
    await expect(rows).to_have_count(1)
    await page.get_by_role("link", name="mirrorDelete").click()
    await expect(page.get_by_role("form", name="Try mirrorDelete")).to_be_visible()
    await expect(rows).to_have_count(1)
    await page.get_by_label("Search").fill("")
    await page.get_by_role("combobox", name="Show").select_option("Shown to models")
    await expect(page.get_by_text("No tool matches.")).to_be_visible()


async def test_what_models_are_shown_is_chosen_in_its_own_view(crowded: BrowserHarness) -> None:
    """By pattern, pin and number; a pin that names nothing is kept and said."""
    page = await crowded.open_page()
    await go_to(page, "tools")
    await page.get_by_role("link", name="Choose which tools are shown to models").click()
    await page.get_by_label("Add a name or pattern").fill("mirrorQ*")
    await page.keyboard.press("Enter")
    await expect_sentence(page, "the others are left out by your choice.")
    assert all(name.startswith("mirrorQ") for name in (await shown(crowded))[:-1])
    await page.get_by_role("button", name="Remove mirrorQ*").click()
    await expect(page.get_by_label("Add a name or pattern")).to_be_focused()
    await page.get_by_label("Pin a tool").fill("formerTool")
    await page.get_by_role("button", name="Add").first.click()
    await expect(page.get_by_role("list", name="Pinned tools")).to_contain_text("not available now")
    most = page.get_by_label("Maximum number of tools")
    await most.fill("2")
    await most.press("Tab")
    assert await most.evaluate("field => field.validity.rangeUnderflow")
    await most.fill("50")
    await most.press("Tab")
    await expect_sentence(page, "All 39 tools are shown to models.")
    await page.reload()
    await expect(most).to_have_value("50")
    await expect(page.get_by_role("list", name="Pinned tools")).to_contain_text("formerTool")
    await most.fill("")
    await most.press("Tab")
    await page.get_by_role("button", name="Remove formerTool").click()
    await expect_sentence(page, "0 of 39 tools are shown to models")


async def test_an_operation_that_was_found_and_run_is_logged_as_itself(crowded: BrowserHarness) -> None:
    """The user sees what was done, not by which way."""
    page = await crowded.open_page()
    found = (await crowded.caller.call("find_operations", {"query": "mirror delete", "limit": 1})).json()
    assert found["operations"][0]["name"] == "mirrorDelete"
    reply = await crowded.caller.call("run_operation", {"name": "mirrorDelete", "arguments": {}})
    assert (reply.status, reply.json()["method"]) == (200, "DELETE")
    await go_to(page, "calls")
    await expect(page.get_by_role("rowheader", name="mirrorDelete")).to_be_visible()
    await expect(page.get_by_text("run_operation")).to_have_count(0)


async def test_the_review_says_what_will_be_searched_and_lets_its_user_choose(
    chromium: Browser, tmp_path: Path
) -> None:
    """Finding F-1: accepting a large API is announced with what it does, and a switch for this server."""
    async with open_harness(chromium, tmp_path, ["mirror.yaml"], max_tools=12) as scene:
        page = await scene.open_page()
        await go_to(page, "servers", "mirror", "review")
        forecast = page.get_by_test_id("forecast")
        await page.get_by_role("button", name="All", exact=True).click()
        await expect(forecast).to_contain_text("Mirror (15) will be searched")
        await page.get_by_role("button", name="None", exact=True).click()
        await expect(forecast).to_be_empty()
        boxes = page.get_by_role("list", name="Operations").locator("input:not([data-group])")
        for place in range(5):
            await boxes.nth(place).check()
        await page.get_by_role("button", name="Accept the selection").click()
        await expect(page.get_by_test_id("accepted")).to_be_visible()
        await expect(forecast).to_be_empty()
        await go_to(page, "selection")
        listing = page.get_by_test_id("listing")
        await expect(listing).to_contain_text("5 tools, listed")
        await listing.get_by_label("Mirror").select_option("by search")
        await expect(listing).to_contain_text("5 tools, found by search")
        assert await shown(scene) == META_TOOLS
        await go_to(page, "servers", "mirror", "review")
        await forecast.get_by_label("Models get these tools").select_option("as there is room")
        await expect(forecast).to_be_empty()
        assert len(await shown(scene)) > len(META_TOOLS)
