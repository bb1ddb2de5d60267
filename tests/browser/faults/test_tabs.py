"""Tabs of one browser: reloaded, doubled, hidden, and there when the bridge comes back."""

import statistics
import time
from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from tests.browser.browser_harness import BrowserHarness, open_harness, start_offering
from tests.browser.plain_chromium import plain_chromium
from tests.support.chromium import accept_selection, expect_connection, go_to
from tests.support.tcp_servers import free_port

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session"), pytest.mark.slow]


async def test_a_paired_browser_needs_no_new_link(scene: BrowserHarness) -> None:
    """Users reload and bookmark; the link works once, the browser stays known."""
    page = await scene.open_page()
    await page.reload()
    await expect_connection(page, "connected")
    await page.goto("about:blank")
    await page.goto(scene.bridge.base_url)
    await expect_connection(page, "connected")
    assert (await scene.caller.call("mirrorDelete")).status == 200


async def test_a_second_tab_stands_by_and_takes_over_when_the_first_closes(scene: BrowserHarness) -> None:
    """Two tabs must not perform a call twice, and closing the wrong one must not end the service."""
    first = await scene.open_page()
    second = await first.context.new_page()
    await second.goto(scene.bridge.base_url)
    await expect_connection(second, "standby")
    assert (await scene.caller.call("mirrorDelete")).status == 200
    await go_to(second, "calls")
    await expect(second.get_by_role("row").filter(has_text="mirrorDelete")).to_have_count(1)
    await first.close()
    await expect_connection(second, "connected")
    assert (await scene.caller.call("mirrorDelete")).status == 200


async def test_what_a_standby_tab_accepts_holds_in_the_working_one(scene: BrowserHarness) -> None:
    """The user does not know which tab works; acceptance there must not be lost."""
    first = await scene.open_page()
    second = await first.context.new_page()
    await second.goto(scene.bridge.base_url)
    await expect_connection(second, "standby")
    await accept_selection(second, "mirror", "Read-only")
    assert (await scene.caller.call("mirrorDelete")).code == "not_accepted"
    assert (await scene.caller.call("mirrorQuery")).status == 200


async def median_ms(scene: BrowserHarness, calls: int = 30) -> float:
    """Of calls one after the other; the first is not counted."""
    await scene.caller.call("mirrorDelete")
    took: list[float] = []
    for _ in range(calls):
        started = time.perf_counter()
        assert (await scene.caller.call("mirrorDelete")).status == 200
        took.append((time.perf_counter() - started) * 1000)
    return statistics.median(took)


async def test_a_hidden_tab_answers_as_fast_as_a_visible_one(
    scene: BrowserHarness, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """S0-116, W-28: the page stands behind the chat; browsers slow timers of hidden pages by seconds."""
    async with plain_chromium(tmp_path / "profile") as browser:
        page = await browser.open_tab(await scene.bridge.page_url())
        await page.expect("document.body.innerText.includes('because you named these documents')")
        await page.expect("document.getElementById('connection').dataset.state === 'connected'")
        await page.expect("document.visibilityState === 'visible'")
        visible = await median_ms(scene)
        await browser.open_tab("about:blank")
        await page.expect("document.visibilityState === 'hidden'")
        hidden = await median_ms(scene)
    with capsys.disabled():
        print(f"\nmedian of 30 calls: visible {visible:.1f} ms, hidden {hidden:.1f} ms")
    assert hidden < 3 * visible


async def test_after_a_restart_of_the_bridge_the_open_page_goes_on(chromium: Browser, tmp_path: Path) -> None:
    """Updates and reboots happen; names and acceptances are the user's and stay."""
    documents = ["mirror.yaml", "answers.yaml"]
    port = free_port()
    async with open_harness(chromium, tmp_path, documents, port=port, deadline_s=10) as scene:
        page = await scene.open_page()
        await accept_selection(page, "mirror", "Read-only")
        before = await scene.caller.document()
        key = scene.bridge.key
        closing_at = time.perf_counter()
        await scene.bridge.close()
        assert time.perf_counter() - closing_at < 15, "an open page does not hold the bridge up"
        await expect(page.get_by_test_id("connection")).not_to_have_attribute("data-state", "connected")
        scene.bridge = await start_offering(tmp_path, scene.samples_url, documents, port=port, deadline_s=10)
        await expect_connection(page, "connected")
        assert scene.bridge.key == key
        assert await scene.caller.document() == before
        assert (await scene.caller.call("mirrorQuery")).status == 200
        assert (await scene.caller.call("mirrorDelete")).code == "not_accepted"
        assert (await scene.caller.call("getNothing")).json() == {"status": 204}
        await page.reload()
        await expect_connection(page, "connected")
