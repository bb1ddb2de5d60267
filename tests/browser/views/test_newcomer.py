"""A newcomer's way through the page, from the printed link to a chat; `PICTURES=folder` keeps what is seen.

What each step must show is what the report of a first use missed, by its numbers D1 to D17.
"""

import asyncio
import os
from pathlib import Path

import pytest
from playwright.async_api import FilePayload, Page, expect

from tests.browser.approval_cards import card_of
from tests.browser.browser_harness import BrowserHarness
from tests.browser.chat_harness import barriers
from tests.support.chromium import go_to, run_tool

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session"), pytest.mark.slow]

PICTURES = os.environ.get("PICTURES")

SIZES = [(1280, "light"), (1280, "dark"), (390, "light"), (390, "dark")]


class Walk:
    """A page of one size and theme, looked at after each step."""

    def __init__(self, page: Page, name: str) -> None:
        self.page = page
        self.name = name
        self.steps = 0

    async def look(self, step: str) -> None:
        """Judge what is shown: nothing wider than the window, nothing that axe objects to."""
        self.steps += 1
        if PICTURES:
            picture = Path(PICTURES) / f"{self.name}-{self.steps:02}-{step}.png"
            await self.page.screenshot(path=picture)
        assert await self.page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, step
        assert await barriers(self.page) == [], step


async def find(page: Page, words: str) -> None:
    """Go to what the search over everything finds first."""
    await page.keyboard.press("Control+k")
    search = page.get_by_role("dialog", name="Search")
    await search.get_by_role("combobox").fill(words)
    await search.get_by_role("option", selected=True).click()


@pytest.mark.timeout(300)
@pytest.mark.parametrize(("width", "scheme"), SIZES)
async def test_a_newcomer_gets_from_the_link_to_a_chat(demo: BrowserHarness, width: int, scheme: str) -> None:
    """Every step is one that somebody did on his first day, and got stuck at."""
    page = await demo.open_page(viewport={"width": width, "height": 844}, color_scheme=scheme)
    walk = Walk(page, f"{width}-{scheme}")
    await expect(page.get_by_role("heading", name="Servers", exact=True)).to_be_visible()
    await walk.look("start")
    await find(page, "addProduct")
    await expect(page.get_by_role("heading", name="addProduct", exact=True)).to_be_visible()
    await page.get_by_test_id("run").click()
    await expect(page.get_by_role("group", name="What is wrong")).to_be_visible()
    await walk.look("what-is-wrong")
    await find(page, "getProduct")
    await expect(page.get_by_role("heading", name="getProduct", exact=True)).to_be_visible()
    await page.get_by_role("button", name="Fill with example").click()
    await expect(await run_tool(page)).to_contain_text("200")
    await walk.look("answer")
    await walk_files(walk)
    await walk_review(walk)
    await walk_approval(walk, demo)
    await walk_chat(walk)
    for view in ("calls", "charts", "audit", "devices", "connect", "settings", "selection", "add", "doctor"):
        await go_to(page, view)
        await expect(page.get_by_role("main")).not_to_contain_text("Loading…")
        await walk.look(view)


async def walk_files(walk: Walk) -> None:
    """D2: a file is chosen, and D7: what one presses oneself asks nobody."""
    page = walk.page
    await go_to(page, "tools", "mirrorMultipart")
    await page.get_by_label("title").fill("A cat")
    chosen = FilePayload(name="cat.png", mimeType="image/png", buffer=b"a cat")
    await page.get_by_role("group", name="file").get_by_label("Choose a file").set_input_files(chosen)
    await expect(await run_tool(page)).to_contain_text("cat.png")
    await walk.look("file")


async def walk_review(walk: Walk) -> None:
    """D9: operations are searched and chosen by group, and nothing is to be accepted when nothing changed."""
    page = walk.page
    await go_to(page, "servers", "town-library", "review")
    await page.get_by_label("Search the operations").fill("book")
    await walk.look("review")
    await page.get_by_label("Search the operations").fill("")
    await page.get_by_role("button", name="Read-only", exact=True).first.click()
    await page.get_by_role("button", name="Accept the selection").click()
    await expect(page.get_by_test_id("accepted")).to_be_visible()
    await walk.look("accepted")


async def walk_approval(walk: Walk, demo: BrowserHarness) -> None:
    """D11: the card says who asks; denied is denied."""
    page = walk.page
    await go_to(page, "approval")
    async with page.expect_response(lambda answer: answer.request.method == "PUT"):
        await page.get_by_label("Calls that can change something").check()
    order = '{"customer": "Ada", "items": [{"product_id": 1, "quantity": 1}]}'
    call = asyncio.create_task(demo.caller.call("placeOrder", order))
    card = await card_of(page, "placeOrder")
    await expect(card).to_contain_text("printed at start")
    await walk.look("card")
    await card.get_by_role("button", name="Deny").click()
    assert (await call).status == 403


async def walk_chat(walk: Walk) -> None:
    """The demo model answers without a key, and the empty chat says how to get a real one."""
    page = walk.page
    await go_to(page, "chat")
    await expect(page.get_by_role("link", name="add a model", exact=True)).to_be_visible()
    await page.get_by_role("textbox", name="Message", exact=True).fill("CALL getOpeningHours {}")
    await page.get_by_role("button", name="Send").click()
    await expect(page.get_by_role("article", name="Call of getOpeningHours")).to_be_visible()
    await expect(page.get_by_role("button", name="Regenerate")).to_be_visible()
    await walk.look("chat")
