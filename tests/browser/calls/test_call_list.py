"""All calls as one list: what survives a reload, refused calls, filters in the address, the open call."""

import json
import re
import time
from collections.abc import Sequence

import pytest
from playwright.async_api import Locator, Page, expect
from sqlalchemy import insert

from bridge.storage.tables import CallRow
from tests.browser.browser_harness import BrowserHarness
from tests.browser.chat_harness import barriers
from tests.support.chromium import expect_connection, go_to

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

MANY = 450


def rows_of(page: Page) -> Locator:
    """The calls that are drawn, without the head."""
    return page.get_by_role("table", name="Calls").get_by_role("rowheader")


async def store_calls(scene: BrowserHarness, count: int) -> None:
    """Calls of the last hours in the bridge's history: `old1` is the newest."""
    now = time.time()
    row = {"user_id": scene.bridge.local_user.id, "server_id": "mirror", "safe": True, "may_begin": True}
    row |= {"operation_key": "GET /old", "arguments": "{}", "state": "succeeded", "http_status": 200}
    numbers = range(1, count + 1)
    rows = [
        row | {"id": f"old-{n}", "tool": f"old{n}", "opened_at": now - 10 * n, "ended_at": now - 10 * n + 1}
        for n in numbers
    ]
    store = scene.bridge.components.ground.store
    async with store.sessions.begin_transaction() as session:
        await session.execute(insert(CallRow), rows)


async def names_of(page: Page) -> Sequence[str]:
    return await page.get_by_role("table", name="Calls").locator(".opener").all_inner_texts()


async def test_a_long_history_goes_on_as_one_scrolls_and_draws_only_what_is_seen(
    scene: BrowserHarness,
) -> None:
    """Finding F5: one list, newest first, to its end; thousands of rows would freeze the page."""
    await store_calls(scene, MANY)
    page = await scene.open_page()
    await scene.caller.call("mirrorDelete")
    await go_to(page, "calls")
    await expect(rows_of(page).first).to_contain_text("mirrorDelete")
    await expect(rows_of(page).nth(1)).to_contain_text("old1")
    end = page.get_by_text("No earlier calls. The bridge stores calls for 30 days.")
    for _ in range(60):
        if await end.count() > 0 and await page.get_by_role("button", name=f"old{MANY}").count() > 0:
            break
        await page.mouse.move(400, 400)
        await page.mouse.wheel(0, 3000)
        await page.evaluate(
            "new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))"
        )
    await expect(page.get_by_role("button", name=f"old{MANY}", exact=True)).to_be_visible()
    assert await rows_of(page).count() < 100
    table = page.get_by_role("table", name="Calls")
    await expect(table).to_have_attribute("aria-rowcount", str(MANY + 2))
    last = table.get_by_role("row").filter(has_text=f"old{MANY}")
    await expect(last).to_have_attribute("aria-rowindex", str(MANY + 2))


async def test_a_refused_call_is_in_the_list_with_its_reason_and_without_its_arguments(
    scene: BrowserHarness,
) -> None:
    """Finding F23: a wrong argument by curl was nowhere in the page."""
    page = await scene.open_page()
    assert (await scene.caller.call("nosuchTool", {"secret": "hush"})).status == 404
    assert (await scene.caller.call("mirrorQuery", {"text": ["hush"]})).status == 400
    await scene.caller.call("mirrorQuery", {"text": "fine"})
    await go_to(page, "calls")
    await expect(rows_of(page)).to_have_count(3)
    assert await names_of(page) == ["mirrorQuery", "mirrorQuery", "nosuchTool"]
    await page.get_by_label("Show").select_option(label="Refused by the bridge")
    await expect(rows_of(page)).to_have_count(2)
    await page.get_by_role("button", name="mirrorQuery", exact=True).click()
    call = page.get_by_role("region", name="Call", exact=True)
    await expect(call).to_contain_text("refused: invalid arguments")
    await expect(call).to_contain_text("Key printed at start")
    await expect(call).to_contain_text("before a browser was asked")
    assert "hush" not in await page.content()


async def test_filters_and_the_open_call_are_in_the_address_and_survive_a_reload(
    scene: BrowserHarness,
) -> None:
    """A link to what one sees, and the way back by the browser's own button."""
    page = await scene.open_page()
    await scene.caller.call("mirrorDelete")
    await scene.caller.call("nosuchTool")
    await go_to(page, "tools", "mirrorQuery")
    await page.get_by_test_id("run").click()
    await expect(page.get_by_test_id("outcome")).to_be_visible()
    await go_to(page, "calls")
    await expect(rows_of(page)).to_have_count(3)
    await page.get_by_role("button", name="Filters", exact=True).click()
    await page.get_by_label("Asked by").select_option(value="bridge page")
    await expect(rows_of(page)).to_have_count(1)
    assert re.search(r"#/calls\?asker=bridge(\+|%20)page$", page.url)
    await page.reload()
    await expect_connection(page, "connected")
    await expect(rows_of(page)).to_have_count(1)
    await expect(page.get_by_label("Asked by")).to_have_value("bridge page")
    await page.get_by_role("button", name="mirrorQuery", exact=True).click()
    await expect(page).to_have_url(re.compile(r"#/calls/call_[^?]+\?asker="))
    await page.reload()
    await expect_connection(page, "connected")
    await expect(page.get_by_role("region", name="Call", exact=True)).to_contain_text("mirrorQuery")
    await page.go_back()
    await expect(page.get_by_role("region", name="Call", exact=True)).to_have_count(0)
    await page.get_by_role("button", name="Clear all filters").click()
    await expect(rows_of(page)).to_have_count(3)
    await page.get_by_label("API").select_option(label="Mirror")
    await page.get_by_label("Since").select_option(label="The last hour")
    await expect(rows_of(page)).to_have_count(2)


async def test_the_list_is_used_by_keys_alone(scene: BrowserHarness) -> None:
    """Arrows go from call to call, Enter opens one, Escape leads back to where one was."""
    page = await scene.open_page()
    for _ in range(3):
        await scene.caller.call("mirrorDelete")
    await go_to(page, "calls")
    buttons = page.get_by_role("table", name="Calls").get_by_role("button", name="mirrorDelete")
    await expect(buttons).to_have_count(3)
    await buttons.first.focus()
    for key, place in (
        ("ArrowDown", 1),
        ("End", 2),
        ("ArrowDown", 2),
        ("ArrowUp", 1),
        ("Home", 0),
        ("ArrowDown", 1),
    ):
        await page.keyboard.press(key)
        await expect(buttons.nth(place)).to_be_focused()
    await page.keyboard.press("Enter")
    call = page.get_by_role("region", name="Call", exact=True)
    await expect(call.get_by_role("heading", name="mirrorDelete")).to_be_focused()
    await expect(buttons.nth(1)).to_have_attribute("aria-expanded", "true")
    await page.keyboard.press("Escape")
    await expect(call).to_have_count(0)
    await expect(buttons.nth(1)).to_be_focused()


@pytest.mark.parametrize("width", [390, 1199, 1200])
async def test_the_open_call_is_beside_the_list_where_there_is_room(
    scene: BrowserHarness, width: int
) -> None:
    """From 1200 px on; below it has the screen for itself, with a way back."""
    page = await scene.open_page(viewport={"width": width, "height": 800})
    await scene.caller.call("mirrorDelete")
    await go_to(page, "calls")
    await page.get_by_role("button", name="mirrorDelete", exact=True).click()
    await expect(page.get_by_role("region", name="Request", exact=True)).to_be_visible()
    is_beside = width >= 1200
    await expect(page.get_by_role("table", name="Calls")).to_be_visible(visible=is_beside)
    overflow = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
    assert not await page.evaluate(overflow)
    await page.get_by_role("button", name="Close the call" if is_beside else "All calls").click()
    await expect(page.get_by_role("button", name="mirrorDelete", exact=True)).to_be_focused()


async def test_what_is_listed_is_exported_for_developer_tools_without_credentials(
    scene: BrowserHarness,
) -> None:
    """HAR 1.2, of which the file says what is missing."""
    page = await scene.open_page()
    await scene.caller.call("mirrorJson", {"title": "tea"})
    await page.reload()
    await expect_connection(page, "connected")
    await scene.caller.call("mirrorQuery", {"text": "needle"})
    await scene.caller.call("nosuchTool")
    await go_to(page, "calls")
    await expect(rows_of(page)).to_have_count(3)
    await page.get_by_label("More about this list").click()
    async with page.expect_download() as download:
        await page.get_by_role("button", name="Export as HAR").click()
    saved = await download.value
    assert saved.suggested_filename == "calls.har"
    log = json.loads((await saved.path()).read_text())["log"]
    assert log["version"] == "1.2"
    newest, oldest = log["entries"]
    assert (newest["request"]["method"], newest["response"]["status"]) == ("GET", 200)
    assert {"name": "text", "value": "needle"} in newest["request"]["queryString"]
    assert "needle" in newest["response"]["content"]["text"]
    assert oldest["request"]["url"] == f"{scene.samples_url}/echo/json"
    assert "neither request nor answer" in oldest["comment"]
    assert "1 calls that sent no request" in log["comment"]


@pytest.mark.parametrize(
    ("width", "scheme"), [(1280, "light"), pytest.param(390, "dark", marks=pytest.mark.slow)]
)
async def test_axe_finds_nothing_in_the_list_its_filters_and_an_open_call(
    scene: BrowserHarness, width: int, scheme: str
) -> None:
    """Of a list that is drawn whole, and of one of which only a part is."""
    page = await scene.open_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
    await scene.caller.call("mirrorJson", {"title": "tea"})
    await scene.caller.call("nosuchTool")
    for stored in (0, MANY):
        await store_calls(scene, stored) if stored else None
        await go_to(page, "servers")
        await go_to(page, "calls?hours=24")
        await expect(page.get_by_label("Asked by")).to_be_visible()
        await expect(rows_of(page).nth(1)).to_be_visible()
        assert await barriers(page) == [], stored
    for tool in ("nosuchTool", "mirrorJson"):
        await page.get_by_role("button", name=tool, exact=True).click()
        await expect(page.get_by_role("region", name="Call", exact=True)).to_contain_text(tool)
        assert await barriers(page) == [], tool
        await page.keyboard.press("Escape")


async def test_the_palette_finds_calls_that_only_the_bridge_remembers(scene: BrowserHarness) -> None:
    """Finding F5: it found this tab's alone."""
    await store_calls(scene, 3)
    page = await scene.open_page()
    await page.keyboard.press("Control+k")
    await page.get_by_role("combobox").fill("old2")
    found = page.get_by_role("group", name="Calls").get_by_role("option", name="old2")
    await expect(found).to_contain_text("GET /old")
    await found.click()
    await expect(page.get_by_role("region", name="Call", exact=True)).to_contain_text("old2")


async def test_calls_of_another_browser_come_without_a_reload(scene: BrowserHarness) -> None:
    """They are read again when one looks at the page, once each."""
    page = await scene.open_page()
    await go_to(page, "calls")
    await expect(page.get_by_text("No calls yet.")).to_be_visible()
    await store_calls(scene, 2)
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    await expect(rows_of(page)).to_have_count(2)
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    await scene.caller.call("mirrorDelete")
    await expect(rows_of(page)).to_have_count(3)
