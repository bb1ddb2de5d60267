"""The page goes while it works: closed, reloaded, or not there at all."""

import asyncio

import pytest
from playwright.async_api import Page, expect

from examples.ledger import LEDGER
from tests.browser.browser_harness import BrowserHarness
from tests.support.chromium import Reply, expect_connection, go_to
from tests.support.waiting import eventually

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def started(scene: BrowserHarness, page: Page, *tools: str) -> list[asyncio.Task[Reply]]:
    """Calls that the page has begun to perform, as its log shows; the one that writes is at its API."""
    arguments = {"getSlow": {"seconds": 60}, "writeSlowly": {"seconds": 60, "note": "x"}}
    calls = [asyncio.create_task(scene.caller.call(tool, arguments[tool])) for tool in tools]
    await go_to(page, "calls")
    for tool in tools:
        await expect(page.get_by_role("row").filter(has_text=tool)).to_contain_text("running")
    ledger, unsafe = scene.samples.app[LEDGER], tools.count("writeSlowly")
    await eventually(lambda: len(ledger.entries) == unsafe)  # what has not left yet ends as never sent
    return calls


async def test_a_page_closed_in_mid_call_fails_its_calls_before_their_deadline(
    short_wait: BrowserHarness,
) -> None:
    """A chat must not hang until the deadline; what changes something is doubtful, never "failed"."""
    page = await short_wait.open_page()
    reading, writing = await started(short_wait, page, "getSlow", "writeSlowly")
    await page.close()
    read, wrote = await reading, await writing
    assert (read.status, read.code) == (503, "no_browser")
    assert (wrote.status, wrote.code, wrote.detail["reason"]) == (409, "outcome_unknown", "no_browser")


async def test_after_a_reload_a_safe_call_is_made_again_and_an_unsafe_one_is_in_doubt(
    odd: BrowserHarness,
) -> None:
    """S0-78, S0-79, W-10: users reload what looks stuck; nothing may stay stuck then (ruling 3)."""
    page = await odd.open_page()
    reading, writing = await started(odd, page, "getSlow", "writeSlowly")
    await page.reload()
    wrote = await writing
    assert (wrote.status, wrote.code, wrote.detail["reason"]) == (409, "outcome_unknown", "no_browser")
    # Who tells first depends on how fast the page is back: its new worker, or the end of the resume window.
    assert "reloaded" in wrote.json()["error"]["message"]
    await expect_connection(page, "connected")
    await go_to(page, "calls")
    await expect(page.get_by_role("row").filter(has_text="getSlow")).to_contain_text("running")
    reading.cancel()
    assert (await odd.caller.call("getNothing")).json() == {"status": 204}


async def test_without_a_page_a_call_says_at_once_what_to_do(short_wait: BrowserHarness) -> None:
    """The model passes the sentence on to the user, who opens the page."""
    page = await short_wait.open_page()
    await page.close()
    await short_wait.expect_no_page(short_wait.bridge.local_user.name)
    reply = await short_wait.caller.call("getNothing")
    assert (reply.status, reply.code) == (503, "no_browser")
    assert f"{short_wait.bridge.base_url}/" in reply.json()["error"]["message"]


async def test_a_caller_that_hangs_up_stops_the_request_in_the_browser(odd: BrowserHarness) -> None:
    """A stopped chat must not leave requests running in the user's name."""
    page = await odd.open_page()
    (reading,) = await started(odd, page, "getSlow")
    reading.cancel()
    await expect(page.get_by_role("row").filter(has_text="getSlow")).to_contain_text("cancelled")
