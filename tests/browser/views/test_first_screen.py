"""What opens first: one field while there is no API, then three ways on and a row for each API."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, Page, expect

from tests.browser.browser_harness import BrowserHarness, open_harness
from tests.browser.chat_harness import barriers
from tests.support.chromium import complaints_of, go_to, open_page, run_tool

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

FIELD = "Paste an address, a curl command or a document, or drop files here"
ROW_PX = 60
"""At most, of an API whose names fit: 56 and a line."""

DROP = """(form, [name, text]) => {
  const transfer = new DataTransfer();
  transfer.items.add(new File([text], name));
  form.dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
}"""


async def open_empty(scene: BrowserHarness, user: str) -> Page:
    page = await (await scene.new_context()).new_page()
    await open_page(page, await scene.link_of(user))
    await expect(page.get_by_label(FIELD)).to_be_visible()
    return page


@pytest.mark.slow
async def test_an_empty_bridge_asks_for_one_thing_and_takes_what_there_is(
    chromium: Browser, tmp_path: Path
) -> None:
    """Issue 43: three filled buttons with two names for one thing were the first that a newcomer saw."""
    async with open_harness(chromium, tmp_path, []) as scene:
        page = await open_empty(scene, "ann")
        complaints = complaints_of(page)
        await expect(page.get_by_role("main").locator(".primary:visible")).to_have_count(1)
        field = page.get_by_label(FIELD)
        await field.fill(f"{scene.samples_url}/documents/shop.json")
        await field.press("Enter")
        await expect(page.get_by_role("heading", name="Review Corner Shop")).to_be_visible()

        other = await open_empty(scene, "bob")
        assert await barriers(other) == []  # its judge writes styles, of which a page complains later
        await other.get_by_label(FIELD).fill("curl http://127.0.0.1:9/pets?limit=3")
        await other.get_by_role("button", name="Add it").click()
        await expect(other.get_by_text("Curl command: 1 request becomes 1 operation")).to_be_visible()

        third = await open_empty(scene, "eve")
        document: Any = {
            "openapi": "3.1.0",
            "info": {"title": "Dropped", "version": "1"},
            "paths": {"/a": {"get": {}}},
        }
        await third.locator("form.bring").evaluate(DROP, ["api.json", json.dumps(document)])
        await expect(third.get_by_role("heading", name="Review Dropped")).to_be_visible()

        fourth = await open_empty(scene, "joe")
        document["info"]["title"] = "Pasted"
        await fourth.get_by_label(FIELD).fill(json.dumps(document, separators=(",", ":")))
        await fourth.get_by_label(FIELD).press("Enter")
        await expect(fourth.get_by_role("heading", name="Review Pasted")).to_be_visible()
        assert complaints == []


async def test_a_row_says_when_its_api_was_called_last_and_leads_to_its_calls(
    chromium: Browser, tmp_path: Path
) -> None:
    """Issue 43: host, count, state and last call. Also after a reload, when only the bridge knows."""
    async with open_harness(chromium, tmp_path, ["shop.json", "library.yaml"]) as scene:
        page = await scene.open_page()
        row = page.get_by_role("article", name="Corner Shop")
        called = row.get_by_role("link", name=re.compile(r"^last call .+: Corner Shop$"))
        await expect(row).to_be_visible()
        await expect(called).to_have_count(0)
        await go_to(page, "tools", "listProducts")
        await expect(await run_tool(page)).to_contain_text("HTTP")
        await go_to(page, "servers")
        await expect(called).to_be_visible()
        await page.reload()
        await called.click()
        await expect(page.get_by_role("main")).to_contain_text("listProducts")
        assert page.url.endswith("#/calls?server=corner-shop")
        await go_to(page, "servers")
        other = page.get_by_role("article", name="Library")
        await expect(other).to_be_visible()
        await expect(other.get_by_text("last call")).to_have_count(0)


async def test_each_api_is_a_row_that_opens_its_tools_and_has_a_menu(
    chromium: Browser, tmp_path: Path
) -> None:
    """Issue 43: eight cards of 160 px filled two screens."""
    async with open_harness(chromium, tmp_path, ["shop.json", "library.yaml"]) as scene:
        page = await scene.open_page()
        await page.get_by_role("button", name="Hide these steps").click()
        ready = page.get_by_role("region", name="Ready")
        await expect(ready).to_contain_text("You are connected.")
        await expect(ready.get_by_role("link")).to_contain_text(
            ["Try a tool", "Ask a model", "Connect a program"]
        )
        row = page.get_by_role("article", name="Corner Shop")
        assert (await row.bounding_box() or {"height": ROW_PX + 1})["height"] <= ROW_PX
        menu = row.locator("summary")
        await menu.press("Enter")
        details = row.get_by_role("link", name="Details of Corner Shop")
        await expect(details).to_be_visible()
        assert await barriers(page) == []
        await menu.press("Escape")
        await expect(details).to_be_hidden()
        await expect(menu).to_be_focused()
        await menu.press("Enter")
        await page.get_by_role("heading", name="Servers", exact=True).click()
        await expect(details).to_be_hidden()
        await row.get_by_role("link", name="Corner Shop", exact=True).click()
        chosen = page.get_by_label("Server", exact=True).locator("option:checked")
        await expect(chosen).to_have_text("Corner Shop")
        tools = page.get_by_role("main").get_by_role("listitem")
        await expect(tools.filter(has_text="listProducts")).to_be_visible()
        await expect(tools.filter(has_text="searchBooks")).to_have_count(0)
        await go_to(page, "servers")
        await expect(row).to_be_visible()
