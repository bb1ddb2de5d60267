"""The call log: what was sent and what came back, for the user whose browser did it."""

import asyncio
import shlex

import pytest
from playwright.async_api import expect

from tests.browser.browser_harness import BrowserHarness
from tests.browser.changing_api import changing_api
from tests.support.chromium import accept_selection, expect_connection, go_to
from tests.support.documents.compiled import document_text, operation
from tests.support.waiting import eventually

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def test_the_log_shows_request_answer_and_timing_as_calls_happen(scene: BrowserHarness) -> None:
    """Whoever lends his browser may see what it does, and repeat it by hand."""
    page = await scene.open_page(permissions=["clipboard-read", "clipboard-write"])
    await go_to(page, "calls")
    await expect(page.get_by_text("No calls yet.")).to_be_visible()
    await scene.caller.call("mirrorJson", '{"title": "it\'s", "count": 9007199254740993}')
    row = page.get_by_role("row").filter(has_text="mirrorJson")
    await expect(row).to_contain_text("POST")
    await expect(row).to_contain_text("/echo/json")
    await expect(row).to_contain_text("200")
    await expect(row).to_contain_text(" ms")
    await row.get_by_role("button", name="mirrorJson").click()
    request = page.get_by_role("region", name="Request", exact=True)
    await expect(request).to_contain_text("9007199254740993")
    await expect(page.get_by_role("region", name="Response", exact=True)).to_contain_text("application/json")
    await page.get_by_role("button", name="Copy as curl").click()
    await expect(page.locator("#announcements")).to_have_text("Copied")  # the button says so for a moment
    command = shlex.split(await page.evaluate("navigator.clipboard.readText()"))
    assert command[:2] == ["curl", f"{scene.samples_url}/echo/json"]
    body = command[command.index("--data-raw") + 1]
    assert body == '{"title":"it\'s","count":9007199254740993}'


async def test_failed_calls_stand_out_and_can_be_searched(scene: BrowserHarness) -> None:
    """After a bad answer of a model the user looks for the call that failed."""
    page = await scene.open_page()
    await scene.caller.call("mirrorQuery", {"text": "needle"})
    await scene.samples.cleanup()
    await scene.caller.call("mirrorDelete")
    await go_to(page, "calls")
    failed = page.get_by_role("row").filter(has_text="mirrorDelete")
    await expect(failed).to_contain_text("network")
    await page.get_by_label("Show").select_option(label="Failed")
    await expect(page.get_by_role("row").filter(has_text="mirror")).to_have_count(1)
    await page.get_by_label("Show").select_option(label="All")
    await page.get_by_label("Search").fill("NEEDLE")
    await expect(page.get_by_role("row").filter(has_text="mirror")).to_have_count(1)
    await expect(failed).to_be_hidden()


async def test_a_call_that_arrives_takes_nothing_away_of_what_is_being_typed(scene: BrowserHarness) -> None:
    """The list is drawn anew with each call, and wrote the last search back into the field."""
    page = await scene.open_page()
    await go_to(page, "calls")
    search = page.get_by_role("main").get_by_role("searchbox", name="Search")
    await expect(search).to_be_visible()
    await page.clock.install()
    await page.clock.pause_at(await page.evaluate("Date.now() + 60_000"))  # so the search never begins
    await search.press_sequentially("mirror")
    await scene.caller.call("mirrorDelete")
    await expect(page.get_by_role("row").filter(has_text="mirrorDelete")).to_be_visible()
    await expect(search).to_have_value("mirror")


async def test_cancel_in_the_log_aborts_the_request_and_tells_the_caller(scene: BrowserHarness) -> None:
    """The user may stop what his browser does; the API must see it, not only the table."""
    async with changing_api({}) as api:
        text = document_text(paths={"/endless": operation("waitForEver")}, server=api.url)
        await scene.bridge.components.registry.share_document("endless", text, source_url=None)
        page = await scene.open_page()
        await go_to(page, "calls")
        running = asyncio.create_task(scene.caller.call("waitForEver"))
        await eventually(lambda: api.asked == ["GET /endless"])
        await expect(page.get_by_test_id("connection")).to_contain_text("1 running")
        log = page.get_by_role("table", name="Calls")  # until the queue is read again, it lists the call, too
        await log.get_by_role("button", name="Cancel waitForEver").click()
        reply = await running
        assert (reply.status, reply.code) == (409, "cancelled")
        await eventually(lambda: api.abandoned == ["GET /endless"])
        await expect(page.get_by_role("row").filter(has_text="waitForEver")).to_contain_text("cancelled")


@pytest.mark.slow
async def test_stop_in_the_form_ends_the_call_and_says_how(scene: BrowserHarness) -> None:
    """Trying a tool is a call like any other."""
    async with changing_api({}) as api:
        text = document_text(paths={"/endless": operation("waitForEver")}, server=api.url)
        await scene.bridge.components.registry.share_document("endless", text, source_url=None)
        page = await scene.open_page()
        await go_to(page, "tools", "waitForEver")
        await page.get_by_test_id("run").click()
        await eventually(lambda: api.asked == ["GET /endless"])
        await page.get_by_role("button", name="Stop", exact=True).click()
        await eventually(lambda: api.abandoned == ["GET /endless"])
        answer = page.get_by_test_id("outcome")
        await expect(answer).to_have_attribute("data-state", "cancelled")
        await expect(answer).to_contain_text("Stopped on the bridge page.")


@pytest.mark.slow
async def test_calls_that_run_while_permissions_change_come_to_their_end(scene: BrowserHarness) -> None:
    """Accepting another origin needs a new worker; the old one finishes what it has begun."""
    page = await scene.open_page()
    share = scene.bridge.components.registry.share_document
    async with changing_api({}) as slow, changing_api({}) as quick:
        text = document_text(paths={"/endless": operation("waitForIt")}, server=slow.url)
        await accept_selection(page, (await share("slow", text, source_url=None)).record.id)
        running = asyncio.create_task(scene.caller.call("waitForIt"))
        await eventually(lambda: slow.asked == ["GET /endless"])
        text = document_text(paths={"/things": operation("listThings")}, server=quick.url)
        await accept_selection(page, (await share("quick", text, source_url=None)).record.id)
        assert (await scene.caller.call("listThings")).json() == {"asked": "GET /things"}
        assert not running.done()
        slow.release.set()
        assert (await running).json() == {"asked": "GET /endless"}
        await expect_connection(page, "connected")
