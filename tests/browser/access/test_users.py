"""Several users on one bridge, and who may open a page at all."""

import pytest
from playwright.async_api import expect

from tests.browser.browser_harness import BrowserHarness
from tests.support.chromium import expect_connection, go_to

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session"), pytest.mark.slow]


async def test_calls_of_two_users_never_reach_each_others_page(scene: BrowserHarness) -> None:
    """S0-116: each acts with his own browser, network and logins; a mix-up would be a breach."""
    await scene.open_page(user_agent="Ann's browser")
    bobs_page = await scene.open_page_of("bob", user_agent="Bob's browser")
    bobs_program = await scene.program_of("bob")
    seen = [
        (await caller.call("mirrorDelete")).json()["headers"]["user-agent"]
        for caller in [scene.caller, bobs_program] * 5
    ]
    assert seen == ["Ann's browser", "Bob's browser"] * 5
    await go_to(bobs_page, "calls")
    await expect(bobs_page.get_by_role("row").filter(has_text="mirrorDelete")).to_have_count(5)
    await bobs_page.close()
    await scene.expect_no_page("bob")
    assert (await bobs_program.call("mirrorDelete")).code == "no_browser"


async def test_another_users_program_needs_his_own_acceptance(scene: BrowserHarness) -> None:
    """What Ann accepted says nothing about what Bob's browser may send."""
    await scene.open_page()
    reply = await (await scene.program_of("bob")).call("mirrorDelete")
    assert (reply.status, reply.code) == (403, "not_accepted")


async def test_a_spent_link_opens_nothing_in_another_browser(scene: BrowserHarness) -> None:
    """Links end up in histories and chats; the second one to use it must not become the user."""
    link = await scene.bridge.page_url()
    first = await (await scene.new_context()).new_page()
    await first.goto(link)
    await expect_connection(first, "connected")
    second = await (await scene.new_context()).new_page()
    await second.goto(link)
    await expect(second.get_by_role("alert")).to_contain_text("This link has been used or has expired")
    await expect(second.get_by_test_id("entrance")).to_contain_text(
        "For a new one, run tool-bridge key --user NAME or restart the bridge."
    )
    await expect_connection(second, "signed_out")


async def test_a_browser_without_a_link_is_told_where_to_get_one(scene: BrowserHarness) -> None:
    """Somebody who guesses the address sees no tool and no name."""
    page = await (await scene.new_context()).new_page()
    await page.goto(scene.bridge.base_url)
    await expect(page.get_by_role("alert")).to_contain_text("This browser is not connected yet")
    await expect(page.get_by_role("article")).to_have_count(0)
