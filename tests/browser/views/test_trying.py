"""A tool tried in the page: its list, its form, and what its answer says."""

import json
import re
from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from tests.browser.approval_cards import cards, customers, shop
from tests.browser.browser_harness import BrowserHarness, open_harness
from tests.support.chromium import go_to, run_tool, tab_to

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

ORDER = {
    "customer": "Grace",
    "items": [{"product_id": 1, "quantity": 1}],
    "delivery": {"street": "Canal Street 5", "city": "Springfield"},
}


async def test_pressing_run_allows_that_call_without_a_card(chromium: Browser, tmp_path: Path) -> None:
    """D7: the user was asked to approve the very press of *Run*, and the time of the call held that wait."""
    async with shop(chromium, tmp_path) as (scene, page):
        await page.evaluate(
            "new MutationObserver(() => (window.hadCard ||= !document.getElementById('approvals').hidden))"
            ".observe(document.getElementById('approvals'), {attributes: true, childList: true})"
        )
        await go_to(page, "tools", "placeOrder")
        await page.get_by_role("button", name="Edit as JSON").click()
        await page.get_by_label("Arguments as JSON").fill(json.dumps(ORDER))
        await expect(await run_tool(page)).to_contain_text("Succeeded")
        assert "Grace" in await customers(scene)
        assert await page.evaluate("window.hadCard") is not True
        await expect(cards(page)).to_have_count(0)


@pytest.mark.slow
async def test_the_answer_says_status_size_and_headers(scene: BrowserHarness) -> None:
    """D8: what every tool for trying an API shows; the call itself is one click away."""
    page = await scene.open_page()
    await go_to(page, "tools", "mirrorClash")
    form = page.get_by_role("form", name="Try mirrorClash")
    await expect(form).to_be_visible()
    for box in await form.get_by_role("textbox").all():
        await box.fill("x")
    answer = await run_tool(page)
    await expect(answer.locator(".outcome-head")).to_contain_text("HTTP 200")
    await expect(answer.locator(".outcome-head")).to_contain_text(" B")
    await answer.get_by_text("Response headers").click()
    headers = answer.get_by_role("region", name="Response headers")
    await expect(headers).to_contain_text("content-type: application/json")
    others = answer.get_by_role("link", name="Call it through the companion")
    await expect(others).to_have_attribute("href", re.compile(r"#/servers/.+\?transport"))
    await answer.get_by_role("link", name="Show in Calls").click()
    await expect(page.get_by_role("table", name="Calls")).to_contain_text("mirrorClash")


async def test_every_missing_argument_is_marked_until_it_is_filled(scene: BrowserHarness) -> None:
    """D12: "This argument is required." stayed beside an argument that was given."""
    page = await scene.open_page(viewport={"width": 1280, "height": 420})
    await go_to(page, "tools", "mirrorClash")
    form = page.get_by_role("form", name="Try mirrorClash")
    await page.get_by_test_id("run").click()
    marks = form.locator("[aria-invalid]")
    await expect(marks).not_to_have_count(0)
    missing = await marks.count()
    await expect(form.get_by_text("This argument is required.")).to_have_count(missing)
    first = marks.first
    await expect(first).to_be_focused()
    label = form.locator("label", has=page.locator(".required")).first
    header, place = await page.locator(".top").bounding_box(), await label.bounding_box()
    assert header
    assert place
    assert place["y"] >= header["y"] + header["height"]
    await first.fill("x")
    await expect(form.get_by_text("This argument is required.")).to_have_count(missing - 1)


@pytest.mark.slow
async def test_on_a_phone_a_chosen_tool_has_the_screen_for_itself(scene: BrowserHarness) -> None:
    """D3: the list was a sliver of 17 px above the form."""
    page = await scene.open_page(viewport={"width": 390, "height": 800})
    await go_to(page, "tools", "mirrorClash")
    await expect(page.get_by_role("heading", name="mirrorClash")).to_be_in_viewport()
    await expect(page.locator(".tool-list")).to_be_hidden()
    await page.get_by_role("link", name="All tools").click()
    await expect(page.locator(".tool-list")).to_be_visible()
    box = await page.locator(".tool-list").bounding_box()
    assert box
    assert box["height"] > 400


@pytest.mark.slow
async def test_run_is_reached_past_a_list_of_any_length(demo: BrowserHarness) -> None:
    """D4: each of 1,522 tools was a stop of Tab, and choosing one threw the focus back to the beginning."""
    page = await demo.open_page()
    await go_to(page, "tools")
    await tab_to(page, page.locator(".tool-rows a").first, within=15)
    await page.keyboard.press("End")
    await page.keyboard.press("Enter")
    await tab_to(page, page.get_by_test_id("run"), within=30)


async def test_a_refusal_for_want_of_a_credential_names_it_and_leads_to_its_form(
    chromium: Browser, tmp_path: Path
) -> None:
    """Finding F-21, W-25: the link led to the top of the server, its credentials were below the fold."""
    async with open_harness(chromium, tmp_path, ["library.yaml"]) as scene:
        page = await scene.open_page(viewport={"width": 1280, "height": 600})
        await go_to(page, "tools", "listLoans")
        answer = await run_tool(page)
        await expect(answer).to_contain_text("No credential for 'card' is saved in this browser")
        await answer.get_by_role("link", name="Add a credential").click()
        heading = page.get_by_role("heading", name="Credentials")
        await expect(heading).to_be_in_viewport()
        await expect(page.locator("[data-place=credentials]")).to_be_focused()


@pytest.mark.slow
async def test_a_required_list_without_items_is_marked_until_it_has_one(
    chromium: Browser, tmp_path: Path
) -> None:
    """Finding F-14: only the bridge noticed it, in words that stood at no field."""
    async with shop(chromium, tmp_path) as (scene, page):
        await go_to(page, "tools", "placeOrder")
        form = page.get_by_role("form", name="Try placeOrder")
        await form.get_by_role("button", name="Clear the form").click()
        await page.get_by_test_id("run").click()
        lack = form.get_by_text("Add at least 1 item.")
        await expect(lack).to_be_visible()
        await page.locator(".problem-list").get_by_role("button", name="items", exact=True).click()
        adder = form.get_by_role("button", name="Add an item to items")
        await expect(adder).to_be_focused()
        await adder.click()
        await expect(lack).to_have_count(0)
        assert await customers(scene) == []
