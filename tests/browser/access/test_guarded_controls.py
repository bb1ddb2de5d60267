"""Controls that decide something take no press for a moment after they came to the front."""

from time import time

import pytest
from playwright.async_api import Locator, Page, Request, expect

from tests.browser.browser_harness import BrowserHarness
from tests.support.chromium import go_to, open_page
from tests.support.documents.compiled import document_text, operation

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session"), pytest.mark.slow]


async def expect_guard(page: Page, control: Locator) -> list[str]:
    """Press a control too early, which sends nothing, then in time; gives the changing requests of that."""
    sent: list[str] = []

    def note(request: Request) -> None:
        if request.method != "GET":
            sent.append(f"{request.method} {request.url.removeprefix(page.url.split('#')[0].rstrip('/'))}")

    await expect(control).to_have_attribute("aria-disabled", "false")
    await page.clock.pause_at(time() + 1)
    page.on("request", note)
    await page.evaluate("window.dispatchEvent(new Event('focus'))")
    await page.clock.run_for(499)
    await expect(control).to_have_attribute("aria-disabled", "true")
    await control.click(force=True)
    await page.evaluate("fetch('/healthz').then(({ status }) => status)")
    assert sent == []
    await page.clock.run_for(1)
    await expect(control).to_have_attribute("aria-disabled", "false")
    await page.clock.resume()
    await control.click()
    return sent


async def test_accepting_the_selection_is_guarded(scene: BrowserHarness) -> None:
    """Finding S-M1: what is accepted models may use; a review is an address, which a site can open."""
    page = await scene.open_page()
    (server,) = (await scene.bridge.components.registry.view_of_user(scene.bridge.local_user.id)).servers
    await go_to(page, "servers", server.record.id, "review")
    sent = await expect_guard(page, page.get_by_role("button", name="Accept the selection"))
    await expect(page.get_by_test_id("accepted")).to_be_visible()
    assert sent.count(f"PUT /api/servers/{server.record.id}/acceptance") == 1


async def test_sharing_a_server_is_guarded(scene: BrowserHarness) -> None:
    """Finding S-M1: every user is offered it from then on."""
    page = await scene.open_page()
    echo = document_text("Echo", paths={"/echo": operation("echoOnce")}, server=scene.samples_url)
    registry = scene.bridge.components.registry
    added = await registry.add_server(scene.bridge.local_user.id, echo, source_url=None)
    await go_to(page, "servers", added.record.id)
    sent = await expect_guard(page, page.get_by_label("Offer it to every user of this bridge."))
    await expect(page.get_by_text("You offer it to every user.")).to_be_visible()
    assert sent.count(f"PUT /api/servers/{added.record.id}/sharing") == 1


async def test_confirming_another_browser_is_guarded(scene: BrowserHarness) -> None:
    """Finding S-M1: it is the user's own from then on."""
    page = await scene.open_page()
    other = await (await scene.new_context()).new_page()
    await other.goto(scene.bridge.base_url)
    await go_to(page, "devices")
    await page.get_by_label("Code", exact=True).fill(await other.get_by_test_id("pairing-code").inner_text())
    await page.get_by_role("button", name="Look it up").click()
    sent = await expect_guard(page, page.get_by_role("button", name="Confirm this device"))
    await expect(page.locator("#announcements")).to_contain_text("The device is added.")
    assert len(sent) == 1


async def test_switching_to_the_user_of_a_link_is_guarded(scene: BrowserHarness) -> None:
    """Finding S-M1: whoever sends the link has this browser's calls from then on."""
    page = await scene.open_page()
    second = await page.context.new_page()
    await second.goto(await scene.link_of("bob"))
    sent = await expect_guard(second, second.get_by_role("button", name="Switch to bob"))
    await expect(second.get_by_test_id("connection")).to_contain_text("bob")
    assert sent.count("POST /api/devices") == 1


async def test_asking_about_no_call_any_more_is_guarded(scene: BrowserHarness) -> None:
    """Finding S-M1: one press ends all questions, for all callers."""
    page = await scene.open_page()
    await go_to(page, "approval")
    await page.get_by_label("Every call").check()
    sent = await expect_guard(page, page.get_by_label("No call"))
    await expect(page.locator("#announcements")).to_have_text("From now on: No call.")
    assert sent == ["PUT /api/approval"]


async def test_running_what_can_change_something_is_guarded(scene: BrowserHarness) -> None:
    """Finding S-M1: a form that no link filled can be opened by one all the same."""
    page = await scene.open_page()
    await go_to(page, "tools", "mirrorDelete")
    sent = await expect_guard(page, page.get_by_test_id("run"))
    await expect(page.get_by_role("region", name="Answer", exact=True)).to_be_visible()
    assert sent.count("POST /api/calls") == 1


async def test_reading_is_not_guarded(scene: BrowserHarness) -> None:
    """Who looks something up need not wait."""
    page = await (await scene.new_context()).new_page()
    await open_page(page, await scene.bridge.page_url())
    await go_to(page, "tools", "mirrorQuery")
    await expect(page.get_by_test_id("run")).not_to_have_attribute("aria-disabled", "true")
