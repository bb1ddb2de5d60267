"""Limits, deadlines and breakers in the page, and that they hold."""

import asyncio
import json
import re
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from bridge.models.stored_items.items import StoredItem
from bridge.storage.chat.items import ItemTables
from bridge.storage.users import UserTables
from tests.browser.browser_harness import BrowserHarness
from tests.support.chromium import expect_connection, go_to, run_tool

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session"), pytest.mark.slow]

TIMEOUT = "Deadline of a call"
FAILURES = "Failures that pause a tool"


async def unfold(page: Page) -> None:
    """Show what the operator sets."""
    bridge = page.locator("details").filter(has=page.get_by_role("heading", name="This bridge"))
    if await bridge.get_attribute("open") is None:
        await bridge.locator("summary").click()


async def save_limit(page: Page, name: str, value: str) -> None:
    """Type a limit and save it."""
    await unfold(page)
    await page.get_by_label(name, exact=True).fill(value)
    await page.get_by_role("button", name="Save the limits").click()


async def test_a_limit_changed_in_the_page_holds_for_the_next_call(odd: BrowserHarness) -> None:
    """The operator finds that calls hang too long; nothing is restarted."""
    page = await odd.open_page()
    await go_to(page, "settings")
    await unfold(page)
    form = page.get_by_role("form", name="Limits of the bridge")
    await expect(form).to_contain_text("Set at start By environment or command line")
    await save_limit(page, TIMEOUT, "1")
    await expect(form.get_by_text("Saved. It applies from the next call on.")).to_be_visible()
    await expect(form).to_contain_text("The next start restores the value")
    reply = await odd.caller.call("getSlow", {"seconds": 10})
    assert (reply.status, reply.code, reply.detail["set_by"]) == (504, "timeout", "TOOL_TIMEOUT_SECONDS")
    await page.get_by_role("button", name=f"{TIMEOUT}: Reset to the value set at start").click()
    await expect(page.get_by_label(TIMEOUT, exact=True)).to_have_value("20")


async def test_a_wrong_limit_is_said_at_its_field(scene: BrowserHarness) -> None:
    """And nothing of what was typed is lost."""
    page = await scene.open_page()
    await go_to(page, "settings")
    await unfold(page)
    await page.get_by_label(FAILURES).fill("7")
    await save_limit(page, TIMEOUT, "soon")
    field = page.get_by_label(TIMEOUT, exact=True)
    await expect(field).to_be_focused()
    await expect(field).to_have_attribute("aria-invalid", "true")
    await expect(page.get_by_text("Enter a number from 1 to 600, not “soon”.")).to_be_visible()
    await expect(page.get_by_label(FAILURES)).to_have_value("7")
    await save_limit(page, TIMEOUT, "30")
    await expect(page.get_by_text("Saved. It applies from the next call on.")).to_be_visible()


async def test_other_users_see_limits_and_cannot_change_them(scene: BrowserHarness) -> None:
    """They are everybody's."""
    page = await scene.open_page_of("bob")
    await go_to(page, "settings")
    await unfold(page)
    await expect(page.get_by_text("Only an operator of the bridge can change them.")).to_be_visible()
    await expect(page.get_by_text("TOOL_BRIDGE_MAX_PARALLEL_TOOLS_GLOBAL", exact=True)).to_be_visible()
    await expect(page.get_by_role("button", name="Save the limits")).to_be_hidden()
    await expect(page.get_by_label(TIMEOUT, exact=True)).to_have_count(0)


async def test_a_setting_is_found_by_its_words_and_by_its_constant(scene: BrowserHarness) -> None:
    """A dozen limits and six sections are too many to read; what is folded is found too."""
    page = await scene.open_page()
    await go_to(page, "settings")
    search = page.get_by_label("Search the settings")
    await expect(page.get_by_role("heading", name="Language")).to_be_visible()
    await search.fill("deadline batch")
    await expect(page.get_by_text("1 setting found")).to_be_visible()
    await expect(page.get_by_label("Deadline of a batch")).to_be_visible()
    await expect(page.get_by_label(TIMEOUT, exact=True)).to_be_hidden()
    await expect(page.get_by_role("heading", name="Language")).to_be_hidden()
    await search.fill("BREAKER_MAX")
    await expect(page.get_by_label(FAILURES)).to_be_visible()
    await search.fill("")
    await expect(page.get_by_role("heading", name="Language")).to_be_visible()


async def test_a_paused_tool_is_shown_everywhere_and_tried_again_by_hand(odd: BrowserHarness) -> None:
    """S0-93: five failures; the page says so without being asked, and its button lets the next call pass."""
    page = await odd.open_page()
    await go_to(page, "tools", "getFailure")
    for _ in range(5):
        assert (await odd.caller.call("getFailure")).code == "http_status"
    paused = page.get_by_role("status").filter(has_text="has been paused since")
    await expect(paused).to_contain_text("it failed 5 times")
    await expect(paused).to_contain_text("The API answered 500")
    await expect(page.get_by_role("listitem").filter(has_text="getFailure")).to_contain_text("paused")
    assert (await odd.caller.call("getFailure")).code == "breaker_open"
    server_id = (
        (await odd.bridge.components.registry.view_of_user(odd.bridge.local_user.id)).servers[0].record.id
    )
    await go_to(page, "servers", server_id)
    await expect(paused).to_be_visible()
    await page.get_by_role("button", name="Try again now: getFailure").click()
    await expect(paused).to_have_count(0)
    assert (await odd.caller.call("getFailure", {"status": 409})).detail["status"] == 409


async def test_a_tools_own_deadline_is_kept_and_named_when_it_was_too_short(odd: BrowserHarness) -> None:
    """The slow report gets its minute, the quick one need not."""
    page = await odd.open_page()
    await go_to(page, "tools", "getSlow")
    await page.get_by_text("Deadline and parallel calls").click()
    form = page.get_by_role("form", name="Deadline of this tool")
    await expect(form).to_contain_text("A call of this tool may take 20 s: the default of this bridge.")
    await form.get_by_label("Deadline in seconds").fill("700")
    await form.get_by_role("button", name="Save").click()
    await expect(form.get_by_role("alert")).to_contain_text("from 1 to 600")
    await form.get_by_label("Deadline in seconds").fill("1")
    await form.get_by_role("button", name="Save").click()
    await expect(form).to_contain_text("A call of this tool may take 1 s: the deadline of this tool.")
    answer = await run_tool(page)
    await expect(answer).to_contain_text("That is the deadline of this tool.")
    reply = await asyncio.wait_for(odd.caller.call("getSlow", {"seconds": 10}), 10)
    assert reply.detail["set_by"] == "tool"


async def test_a_call_that_ran_out_of_time_says_whose_deadline_it_was_and_is_made_again(
    odd: BrowserHarness,
) -> None:
    """In the log, where its user looks, with the way to change it."""
    page = await odd.open_page()
    assert (await odd.caller.call("getSlow", {"seconds": 10}, **{"X-Tool-Deadline": "1"})).code == "timeout"
    await go_to(page, "calls")
    await page.get_by_role("button", name="getSlow", exact=True).click()
    await expect(page.get_by_test_id("later")).to_contain_text("the caller's own deadline for this call")
    await go_to(page, "settings")
    await save_limit(page, TIMEOUT, "1")
    await expect(page.get_by_text("Saved. It applies from the next call on.")).to_be_visible()
    await go_to(page, "calls")
    await page.get_by_role("button", name="getSlow", exact=True).click()
    await page.get_by_role("button", name="Repeat this call").click()
    # The bridge's clock may ring first, or the page's, which runs out in the same moment.
    in_time = re.compile(r"Repeated: (No answer|The API did not answer) within 1 s\.")
    await expect(page.get_by_text(in_time)).to_be_visible()
    await expect(page.get_by_role("button", name="getSlow", exact=True)).to_have_count(2)


async def test_calls_that_the_page_does_not_remember_are_read_from_the_bridge(scene: BrowserHarness) -> None:
    """Finding F5: after a reload "No calls yet" stood there. What may change something asks first."""
    page = await scene.open_page()
    await scene.caller.call("mirrorJson", {"title": "tea"})
    await page.reload()
    await expect_connection(page, "connected")
    await go_to(page, "calls")
    await expect(page.get_by_text("The bridge stores calls for 30 days")).to_be_visible()
    await page.get_by_role("button", name="mirrorJson", exact=True).click()
    await expect(page.get_by_role("region", name="Arguments", exact=True)).to_contain_text("tea")
    await page.get_by_role("button", name="Repeat this call").click()
    await page.get_by_role("button", name="Repeat it", exact=True).click()
    await expect(page.get_by_text("Repeated: the call succeeded.")).to_be_visible()
    await expect(
        page.get_by_role("region", name="Call log").get_by_role("button", name="mirrorJson")
    ).to_have_count(2)


async def test_a_user_chooses_to_have_less_stored(scene: BrowserHarness) -> None:
    """Without answers there is no reasoning to choose; what was chosen is there when the page comes back."""
    page = await scene.open_page()
    await go_to(page, "settings")
    form = page.get_by_role("form", name="What to store")
    keeps, reasoning = form.get_by_label("Store answers from now on"), form.get_by_label("Reasoning")
    async with page.expect_response("**/api/stored-data/preference"):
        await reasoning.select_option("Resend for the next answer")
    await keeps.uncheck()
    await expect(reasoning).to_be_disabled()
    await page.reload()
    await go_to(page, "settings")
    await expect(reasoning).to_have_value("next_reply")
    await expect(keeps).not_to_be_checked()


async def test_what_is_stored_of_answers_is_shown_exported_and_deleted(
    scene: BrowserHarness, tmp_path: Path
) -> None:
    """Whose words are kept must see it, and be able to take them away; deleting asks first."""
    store = scene.bridge.components.store
    ann = await UserTables(store).ensure_user("ann-of-memory")
    item = StoredItem("A", ann.id, "r", 0, "output", "demo", {"type": "message", "text": "hi"}, 1.7e9, "chat")
    await ItemTables(store).add_items([item])
    page = await scene.open_page_of("ann-of-memory")
    await go_to(page, "settings")
    panel = page.get_by_role("region", name="Stored answers")
    await expect(panel).to_contain_text("1 item of 1 chat")
    await expect(panel).to_contain_text("Deleted after 90 days unused")
    async with page.expect_download() as download:
        await panel.get_by_role("button", name="Export").click()
    await (await download.value).save_as(tmp_path / "kept.jsonl")
    lines = (tmp_path / "kept.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(lines[1])["payload"] == item.payload
    await panel.get_by_role("button", name="Delete all").click()
    await panel.get_by_role("button", name="Keep it").click()
    assert await ItemTables(store).by_ids(ann.id, ["A"])
    await panel.get_by_role("button", name="Delete all").click()
    await panel.get_by_role("button", name="Delete stored answers").click()
    await expect(panel).to_contain_text("No answers are stored.")
    assert not await ItemTables(store).by_ids(ann.id, ["A"])
