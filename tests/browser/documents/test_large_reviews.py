"""The review of a document with many operations: by group, searched, and only the rows in sight are made."""

import pytest
from playwright.async_api import Page, expect

from tests.browser.browser_harness import BrowserHarness
from tests.support.chromium import go_to
from tests.support.documents.compiled import document_text
from toolserver.json_types import JsonObject

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

GROUPS, OF_EACH = 2, 200


def tagged_text(server: str) -> str:
    """Operations of two tags, of which each second one reads."""
    paths: JsonObject = {}
    for number in range(GROUPS * OF_EACH):
        answers: JsonObject = {"200": {"description": ""}}
        made: JsonObject = {
            "operationId": f"do{number}",
            "tags": [f"Part {number % GROUPS}"],
            "responses": answers,
        }
        paths[f"/things/{number:03}"] = {"get" if number < OF_EACH else "post": made}
    return document_text("Crowd", paths=paths, server=server)


async def open_review(scene: BrowserHarness) -> Page:
    page = await scene.open_page()
    text = tagged_text(scene.samples_url)
    server = await scene.bridge.components.registry.share_document("crowd", text, source_url=None)
    await go_to(page, "servers", server.record.id, "review")
    return page


@pytest.mark.slow
async def test_many_operations_are_chosen_by_group_and_by_search(scene: BrowserHarness) -> None:
    """Nobody reads a thousand rows; what will be accepted must be plain all the same."""
    page = await open_review(scene)
    accept = page.get_by_role("button", name="Accept the selection")
    await expect(page.get_by_text("200 selected", exact=True)).to_be_visible()
    await expect(accept).to_have_class("primary")
    group = page.get_by_role("checkbox", name="All of Part 0")
    assert await group.evaluate("box => box.indeterminate")
    await page.get_by_role("button", name="None", exact=True).click()
    await group.check()
    await expect(page.get_by_text("200 of 200 operations")).to_be_visible()
    await page.get_by_label("Search the operations").fill("post things/3")
    await expect(page.get_by_text("100 of 400 operations")).to_be_visible()
    await page.get_by_role("button", name="None", exact=True).click()
    await accept.click()
    await expect(page.get_by_test_id("accepted")).to_contain_text(
        "150 operations accepted. 250 operations of this document are not accepted."
    )
    await expect(page.get_by_text("150 selected, all accepted")).to_be_visible()
    await expect(accept).not_to_have_class("primary")
    assert (await scene.caller.call("do0")).code != "not_accepted"
    assert (await scene.caller.call("do398")).code == "not_accepted"


@pytest.mark.slow
async def test_only_rows_in_sight_are_made_and_arrow_keys_reach_all(scene: BrowserHarness) -> None:
    """Ten thousand rows at once would take seconds, and as stops of Tab nobody would get past them."""
    page = await open_review(scene)
    rows = page.get_by_role("list", name="Operations").locator("> li")
    await expect(rows).to_have_count(GROUPS)
    await page.get_by_role("button", name="Part 0", exact=True).click()
    await expect(page.get_by_text("do0", exact=True)).to_be_visible()
    assert await rows.count() < 60
    await page.get_by_role("checkbox", name="All of Part 0").focus()
    await page.keyboard.press("End")
    await expect(page.get_by_role("checkbox", name="All of Part 1")).to_be_focused()
    await page.keyboard.press("ArrowUp")
    await expect(page.get_by_role("checkbox", name="POST do398")).to_be_focused()
