"""A tool tried with its answer beside the request: where it stands, its head, and what its keys do."""

from itertools import pairwise
from pathlib import Path

import pytest
from playwright.async_api import Browser, FloatRect, Locator, expect

from tests.browser.approval_cards import customers, shop
from tests.browser.browser_harness import BrowserHarness
from tests.browser.chat_harness import barriers
from tests.support.chromium import go_to, run_tool

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def box_of(place: Locator) -> FloatRect:
    """Where an element stands."""
    box = await place.bounding_box()
    assert box
    return box


async def test_list_request_and_answer_stand_beside_each_other_and_run_stays_in_reach(
    scene: BrowserHarness,
) -> None:
    """Finding page-F18: the answer began below the fold, and *Run* went away with the form."""
    page = await scene.open_page(viewport={"width": 1200, "height": 760})
    await go_to(page, "tools", "mirrorQuery")
    answer = await run_tool(page)
    side, form = page.locator(".side"), page.get_by_role("form", name="Try mirrorQuery")
    panes = [await box_of(place) for place in (side, form, answer)]
    assert all(one["x"] + one["width"] <= other["x"] for one, other in pairwise(panes))
    last = page.get_by_text("Deadline and parallel calls")
    await last.scroll_into_view_if_needed()
    await last.click()
    await expect(page.get_by_test_id("run")).to_be_in_viewport(ratio=1)
    await expect(answer.locator(".outcome-head")).to_be_in_viewport()


@pytest.mark.parametrize("width", [820, 390])
async def test_ctrl_enter_runs_and_the_answer_comes_into_view(scene: BrowserHarness, width: int) -> None:
    """Finding page-F18: Ctrl+Enter did nothing, and after Enter nothing visible happened."""
    page = await scene.open_page(viewport={"width": width, "height": 700})
    await go_to(page, "tools", "mirrorQuery")
    await page.get_by_text("more optional fields").click()
    await page.get_by_role("textbox", name="text").focus()
    await page.keyboard.press("Control+Enter")
    head = page.locator(".outcome-head")
    await expect(head).to_contain_text("HTTP 200")
    await expect(head).to_be_in_viewport()
    await expect(page.get_by_test_id("run")).to_be_in_viewport(ratio=1)
    assert await page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


async def test_a_held_key_runs_nothing_that_can_change_something(chromium: Browser, tmp_path: Path) -> None:
    """*Run* stands outside of the form now; a key that is held down must still place one order at most."""
    async with shop(chromium, tmp_path) as (scene, page):
        await go_to(page, "tools", "placeOrder")
        await page.get_by_role("button", name="Fill with example").click()
        await page.get_by_role("textbox", name="customer").focus()
        await page.keyboard.down("Control")
        for _ in range(5):
            await page.keyboard.down("Enter")
        await page.keyboard.up("Control")
        for _ in range(5):
            await page.keyboard.down("Enter")
        await page.keyboard.up("Enter")
        await expect(await run_tool(page)).to_contain_text("Succeeded")
        assert len(await customers(scene)) <= 2, "one of the held key, one of the press"


async def test_the_address_has_chips_that_lead_to_the_fields_of_its_path(demo: BrowserHarness) -> None:
    """Findings, the table of views: *Try it* began with five lines of head; one bar says it all."""
    page = await demo.open_page(viewport={"width": 1280, "height": 800})
    await go_to(page, "tools", "getProduct")
    bar = page.get_by_role("group", name="Address of the request")
    chip = bar.get_by_role("button", name="{product_id}")
    await chip.press("Enter")
    field = page.get_by_role("form", name="Try getProduct").get_by_label("product_id")
    await expect(field).to_be_focused()
    await page.keyboard.type("2")
    await expect(bar).to_contain_text("/shop/products/2")
    await expect(bar).to_contain_text("GET")
    assert await barriers(page) == []

    await go_to(page, "tools", "listLoans")
    credential = bar.get_by_role("link", name="no credential")
    await expect(credential).to_contain_text("none is saved in this browser")
    await credential.click()
    await expect(page.locator("[data-place=credentials]")).to_be_focused()


async def test_a_failure_has_the_same_head_as_a_success(demo: BrowserHarness) -> None:
    """Finding page-F9: no status, size, headers or tree; the list of earlier calls said "http status"."""
    page = await demo.open_page(viewport={"width": 1280, "height": 800})
    await go_to(page, "tools", "getProduct")
    await page.get_by_label("product_id").fill("4711")
    answer = await run_tool(page)
    head = answer.locator(".outcome-head")
    for words in ("Failed", "HTTP 404", "application/problem+json", " B", " ms"):
        await expect(head).to_contain_text(words)
    await expect(answer.get_by_role("tree", name="The answer as a tree")).to_be_visible()
    await answer.get_by_text("Response headers").click()
    await expect(answer.get_by_role("region", name="Response headers")).to_contain_text("content-type")
    assert await barriers(page) == []
    await page.get_by_text("Saved requests and earlier calls").click()
    calls = page.get_by_role("list", name="Earlier calls")
    await expect(calls.get_by_role("listitem").first).to_contain_text("HTTP 404")


async def test_an_answer_is_searched_compared_and_saved_as_a_table(demo: BrowserHarness) -> None:
    """Findings, side by side: search in the answer, CSV, and what differs from the last one were missing."""
    page = await demo.open_page(viewport={"width": 1280, "height": 800})
    await go_to(page, "tools", "listProducts")
    answer = await run_tool(page)
    await answer.get_by_role("button", name="Tree", exact=True).click()
    await answer.get_by_role("button", name="Search", exact=True).press("Enter")
    search = answer.get_by_role("searchbox", name="Search in the answer")
    await expect(search).to_be_focused()
    await page.keyboard.type("mint")
    await expect(answer.get_by_role("search")).to_contain_text("1 match")
    await expect(answer.locator("[aria-selected=true]")).to_contain_text("Mint tea")
    await page.keyboard.press("Enter")
    await expect(answer.get_by_role("search")).to_contain_text("1 of 1")
    await expect(page.get_by_test_id("run")).to_be_enabled()

    await answer.get_by_role("button", name="Table", exact=True).click()
    async with page.expect_download() as saving:
        await answer.get_by_role("button", name="Download as CSV").click()
    saved = await saving.value
    assert saved.suggested_filename == "answer.csv"
    assert (await saved.path()).read_text(encoding="utf-8").startswith("id,name,category,price")

    form = page.get_by_role("form", name="Try listProducts")
    await form.get_by_role("textbox", name="search").fill("mint")
    await run_tool(page)
    await expect(page.locator(".outcome-head")).to_contain_text("HTTP 200")
    await page.get_by_role("button", name="Compare with the last answer").click()
    differs = page.get_by_role("region", name="What differs")
    await expect(differs.locator(".removed", has_text="Black tea")).to_be_visible()
    assert await barriers(page) == []


async def test_a_person_sees_all_of_an_answer_that_is_cut_for_a_model(odd: BrowserHarness) -> None:
    """Finding page-F22: of 1 MiB of JSON a person saw the model's beginning, as text."""
    page = await odd.open_page(viewport={"width": 1280, "height": 800})
    await go_to(page, "tools", "getLarge")
    await page.get_by_role("button", name="Edit as JSON").click()
    await page.get_by_label("Arguments as JSON").fill('{"bytes": 1048576}')
    answer = await run_tool(page)
    await expect(answer).to_contain_text("Truncated: the caller gets the first")
    await expect(answer).to_contain_text("You see all of it")
    await expect(answer.locator("[role=tree], [role=table]").first).to_be_visible()
