"""The page's tab shows another address: the browser stores the page, and may bring it back."""

import os
import signal
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import expect

from bridge.calls.dispatcher import RESUME_S
from bridge.timings import USUAL_TIMINGS
from tests.browser.browser_harness import BrowserHarness, open_harness
from tests.support.chromium import expect_connection, running_chromium
from tests.support.waiting import eventually

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session"), pytest.mark.slow]

ANSWER_S = 10
"""Far below the 45 s after which a silent socket is closed, far above the 2 s that an idle machine needs."""


@pytest_asyncio.fixture(loop_scope="session")
async def storing(tmp_path: Path) -> AsyncIterator[BrowserHarness]:
    """A browser as users have it: Playwright's own arguments switch the back/forward cache off."""
    limits = {"PAGE_RESUME_SECONDS": RESUME_S}
    async with (
        running_chromium(without=["--disable-back-forward-cache"], whole=True) as browser,
        open_harness(browser, tmp_path, ["answers.yaml"], deadline_s=60, limits=limits) as scene,
    ):
        yield scene


async def test_a_page_left_in_the_same_tab_is_gone_as_if_it_was_closed(storing: BrowserHarness) -> None:
    """D1: a page in the back/forward cache is frozen with its socket open; its calls hung for 45 s."""
    page = await storing.open_page()
    await page.goto(f"{storing.samples_url}/")
    began = time.monotonic()
    reply = await storing.caller.call("getNothing")
    assert (reply.status, reply.code) == (503, "no_browser")
    assert time.monotonic() - began < ANSWER_S


async def test_a_page_that_the_system_froze_ends_its_calls_with_their_own_status(
    storing: BrowserHarness,
) -> None:
    """D1: nobody closed it, so its socket stays open; white space had begun a response with status 200."""
    page = await storing.open_page()
    assert page.context.browser is not None
    session: Any = await page.context.browser.new_browser_cdp_session()
    processes = (await session.send("SystemInfo.getProcessInfo"))["processInfo"]
    renderers = [each["id"] for each in processes if each["type"] == "renderer"]
    began = time.monotonic()
    for process in renderers:  # CDP's own freezing leaves workers running
        os.kill(process, signal.SIGSTOP)
    try:
        reply = await storing.caller.call("getNothing")
    finally:
        for process in renderers:
            os.kill(process, signal.SIGCONT)
    assert (reply.status, reply.code) == (503, "no_browser")
    assert USUAL_TIMINGS.ack_s < time.monotonic() - began < USUAL_TIMINGS.silence_s
    pages, user = storing.bridge.components.gateway.pages, storing.bridge.local_user.id
    await eventually(lambda: pages.count_pages(user) == 1)  # what the page shows is of before, for a moment
    assert (await storing.caller.call("getNothing")).json() == {"status": 204}


async def test_a_page_that_comes_back_from_the_cache_runs_calls_again(storing: BrowserHarness) -> None:
    """*Back* shows the page as it was left, without loading it: it must connect again by itself."""
    page = await storing.open_page()
    await page.evaluate("addEventListener('pageshow', (event) => (window.wasStored = event.persisted))")
    await page.goto(f"{storing.samples_url}/")
    await page.go_back(wait_until="commit")
    await expect_connection(page, "connected")
    assert await page.evaluate("window.wasStored") is True
    assert (await storing.caller.call("getNothing")).json() == {"status": 204}
    await expect(page.get_by_role("alert")).to_have_count(0)
