"""Somebody new: three steps above the servers, which end with a first call of one's own."""

from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from tests.browser.browser_harness import open_harness
from tests.browser.chat_harness import barriers
from tests.support.chromium import go_to, open_page, run_tool, tab_to

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


@pytest.mark.slow
async def test_the_first_steps_lead_to_a_first_call_and_go(chromium: Browser, tmp_path: Path) -> None:
    """A list of servers does not say what to press; and who knows it must not see it again."""
    async with open_harness(chromium, tmp_path, ["shop.json"]) as scene:
        page = await (await scene.new_context()).new_page()
        await open_page(page, await scene.link_of("ann"))
        steps = page.get_by_role("region", name="First steps")
        await expect(steps.get_by_role("listitem")).to_contain_text(["connected done", "next", "later"])
        await steps.get_by_role("link", name="Look at Corner Shop").click()
        await page.get_by_role("button", name="Accept the selection").click()
        await expect(page.get_by_test_id("accepted")).to_be_visible()
        await go_to(page, "servers")
        await expect(steps.get_by_role("listitem")).to_contain_text(["done", "done", "next"])
        assert await barriers(page) == []
        await expect(steps.locator("[aria-current=step]")).to_contain_text("Make your first call")
        first = steps.get_by_role("link", name="Try ")
        await tab_to(page, first)
        await page.keyboard.press("Enter")
        await expect(await run_tool(page)).to_contain_text("Succeeded")
        await go_to(page, "servers")
        await expect(steps.get_by_role("listitem")).to_contain_text(["done", "done", "done"])
        await expect(steps.get_by_role("link", name="Connect a program")).to_be_visible()
        await page.reload()
        await expect(page.get_by_role("article", name="Corner Shop")).to_be_visible()
        await expect(steps).to_be_hidden()


@pytest.mark.slow
async def test_first_steps_that_were_hidden_stay_so(chromium: Browser, tmp_path: Path) -> None:
    """Who wants to look around alone says so once."""
    async with open_harness(chromium, tmp_path, ["mirror.yaml"]) as scene:
        page = await scene.open_page()
        steps = page.get_by_role("region", name="First steps")
        await steps.get_by_role("button", name="Hide these steps").click()
        await expect(steps).to_be_hidden()
        assert await page.evaluate("document.activeElement.id") == "main"
        await page.reload()
        await expect(page.get_by_role("article")).to_be_visible()
        await expect(steps).to_be_hidden()
