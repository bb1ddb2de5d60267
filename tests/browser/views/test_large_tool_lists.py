"""*Tools* with thousands of tools: a search shows the best first, and only the rows in sight are made."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, expect

from tests.browser.browser_harness import BrowserHarness, open_harness
from tests.support.chromium import go_to
from tests.support.documents.compiled import document_text
from toolserver.json_types import JsonObject

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

PARTS, VERBS = 100, ("list", "insert", "get", "update", "delete", "move", "copy", "watch", "lock", "free")
ROWS = ".tool-rows > li"
MOST_ROWS = 200
"""Rows that are elements at once: those in sight, and a whole list of at most 150."""
COUNT_MADE = """() => {
    window.made = 0;
    new MutationObserver((changes) => {
        for (const { addedNodes } of changes) window.made += addedNodes.length;
    }).observe(document.querySelector(".tool-list"), { childList: true, subtree: true });
}"""


def crowded_text(server: str) -> str:
    """A thousand operations, of one tag for each hundred; their descriptions name instances."""
    paths: JsonObject = {}
    for number in range(PARTS):
        part = "instances" if number == PARTS - 1 else f"part{number}s"
        for verb in VERBS:
            answers: JsonObject = {"200": {"description": ""}}
            made: JsonObject = {
                "operationId": f"compute_{part}_{verb}",
                "tags": [f"Group {number // 10}"],
                "description": "Affects an instance.",
                "responses": answers,
            }
            paths[f"/{part}/{verb}"] = {"get": made}
    return document_text("Crowd", paths=paths, server=server)


@pytest_asyncio.fixture(loop_scope="session")
async def crowd(chromium: Browser, tmp_path: Path) -> AsyncIterator[BrowserHarness]:
    """A bridge that has one document of a thousand operations beside the mirror."""
    async with open_harness(chromium, tmp_path, ["mirror.yaml"], deadline_s=20) as scene:
        text = crowded_text(scene.samples_url)
        await scene.bridge.components.registry.share_document("crowd", text, source_url=None)
        yield scene


async def open_tools(crowd: BrowserHarness) -> Page:
    page = await crowd.open_page()
    await go_to(page, "tools")
    await expect(page.get_by_role("heading", name="Crowd")).to_be_visible()
    return page


@pytest.mark.slow
async def test_typing_among_a_thousand_tools_makes_only_the_rows_in_sight(crowd: BrowserHarness) -> None:
    """Finding page-F12: each key drew the whole list anew and blocked the page up to 580 ms."""
    page = await open_tools(crowd)
    rows, search = page.locator(ROWS), page.get_by_role("searchbox", name="Search", exact=True)
    await page.evaluate(COUNT_MADE)
    for key in "insert instance":
        await search.press(key)
        await expect(rows.first).to_be_visible()
        assert await rows.count() < MOST_ROWS
    assert await page.evaluate("window.made") < MOST_ROWS * len("insert instance")
    await expect(rows.locator("a").first).to_have_text("compute_instances_insert")
    await rows.locator("a").first.focus()
    await page.keyboard.press("End")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", name="compute_part", exact=False)).to_be_visible()


@pytest.mark.slow
async def test_what_is_opened_from_elsewhere_is_seen_in_the_list(crowd: BrowserHarness) -> None:
    """Finding page-F16: the search stayed, said "No tool matches" beside the open tool, without a way out."""
    page = await open_tools(crowd)
    search = page.get_by_role("searchbox", name="Search", exact=True)
    await search.fill("no such tool")
    await expect(page.get_by_text("No tool matches.")).to_be_visible()
    await page.get_by_role("button", name="Clear the search").click()
    await expect(search).to_be_focused()
    await search.fill("insert")
    await go_to(page, "tools", "compute_part71s_lock")
    await expect(search).to_have_value("")
    await expect(page.locator(".tool-rows a[aria-current]")).to_be_in_viewport()


@pytest.mark.slow
async def test_the_details_of_a_large_api_make_only_the_tools_in_sight(crowd: BrowserHarness) -> None:
    """Finding page-F6: *Details* of 758 operations was a wall of 21,000 px; 3,954 froze the page."""
    page = await open_tools(crowd)
    view = await crowd.bridge.components.registry.view_of_user(crowd.bridge.local_user.id)
    [server_id] = [each.record.id for each in view.servers if each.record.title == "Crowd"]
    await go_to(page, "servers", server_id)
    tools = page.get_by_role("region", name="Tools of this server")
    await expect(tools.get_by_role("heading")).to_have_text("1,000 tools")
    await expect(tools.get_by_role("link", name="compute_part0s_list", exact=True)).to_be_visible()
    assert await tools.get_by_role("listitem").count() < MOST_ROWS
    box = await tools.bounding_box()
    assert box
    assert box["height"] < 2_000
    await tools.get_by_role("link", name="All tools").click()
    await expect(page.get_by_label("Server", exact=True)).to_have_value(server_id)
