"""Two browsers of one user: paired by code, listed, chosen, and taken away."""

import pytest
from playwright.async_api import expect

from bridge.storage.users import UserTables
from tests.browser.browser_harness import BrowserHarness
from tests.browser.second_browser import paired_by_code, shown_code, type_code
from tests.support.chromium import accept_selection, expect_connection, go_to, open_page

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session"), pytest.mark.slow]


async def test_a_second_browser_is_paired_by_the_code_it_shows(scene: BrowserHarness) -> None:
    """At home on the tablet, with no terminal in sight."""
    laptop = await scene.open_page()
    tablet = await (await scene.new_context(user_agent="Mozilla/5.0 (iPad) Safari/605")).new_page()
    await tablet.goto(scene.bridge.base_url)
    await expect(tablet.get_by_role("alert")).to_contain_text("This browser is not connected yet")
    await type_code(laptop, (await shown_code(tablet)).lower())
    adding = laptop.get_by_role("region", name="Add a device")
    await expect(adding).to_contain_text("Safari on iPad")
    await expect(adding).to_contain_text("127.0.0.1")
    await expect_connection(tablet, "signed_out")
    await laptop.get_by_role("button", name="Confirm this device").click()
    await expect_connection(tablet, "connected")
    await expect(tablet.get_by_test_id("connection")).to_contain_text("local")
    await expect(tablet.get_by_text("This browser now belongs to local.")).to_be_visible()
    await expect(laptop.get_by_role("article", name="Safari on iPad")).to_contain_text("connected")


async def test_a_refused_browser_is_told_and_gets_nothing(scene: BrowserHarness) -> None:
    """The code came by mail from somebody."""
    laptop = await scene.open_page()
    unpaired = await (await scene.new_context()).new_page()
    await unpaired.goto(scene.bridge.base_url)
    await type_code(laptop, await shown_code(unpaired))
    await laptop.get_by_role("button", name="Refuse").click()
    await expect(unpaired.get_by_text("This browser was refused.")).to_be_visible()
    await expect_connection(unpaired, "signed_out")
    await expect(laptop.get_by_role("article")).to_have_count(1)


async def test_a_link_of_an_answer_waits_for_the_paired_browser(scene: BrowserHarness) -> None:
    """Ruling 24: what a model may have seen opens nothing by itself."""
    laptop = await scene.open_page()
    store = scene.bridge.components.store
    ticket = await UserTables(store).add_ticket(scene.bridge.local_user.id, printed=False)
    other = await (await scene.new_context()).new_page()
    await other.goto(f"{scene.bridge.base_url}/#ticket={ticket}")
    await expect(other.get_by_role("alert")).to_contain_text("Confirm this browser on another one")
    await expect_connection(other, "signed_out")
    await type_code(laptop, await shown_code(other))
    await laptop.get_by_role("button", name="Confirm this device").click()
    await expect_connection(other, "connected")


async def test_the_chosen_device_runs_a_server_and_another_one_while_it_is_away(
    scene: BrowserHarness,
) -> None:
    """Only one of them is in the VPN; the page says who answers."""
    laptop = await scene.open_page(user_agent="Mozilla/5.0 (Windows NT 10.0) Chrome/150.0")
    phone = await paired_by_code(scene, laptop, user_agent="Mozilla/5.0 (iPhone) Safari/605")
    await accept_selection(phone, "mirror")
    seen = (await scene.caller.call("mirrorDelete")).json()["headers"]["user-agent"]
    assert "iPhone" in seen, "it was active last"
    await go_to(phone, "devices")
    await expect(phone.get_by_test_id("runner")).to_have_text("This tab runs calls.")
    await go_to(laptop, "devices")
    await expect(laptop.get_by_test_id("runner")).to_have_text("Safari on iPhone runs calls.")
    await laptop.get_by_label("Device for Mirror").select_option("Chrome on Windows")
    await expect(laptop.locator("#announcements")).to_have_text("Chosen")
    seen = (await scene.caller.call("mirrorDelete")).json()["headers"]["user-agent"]
    assert "Windows" in seen
    await laptop.close()
    await expect(phone.get_by_text("Safari on iPhone runs its calls meanwhile.")).to_be_visible()
    seen = (await scene.caller.call("mirrorDelete")).json()["headers"]["user-agent"]
    assert "iPhone" in seen


async def test_a_removed_device_says_so_and_can_be_paired_again(scene: BrowserHarness) -> None:
    """A phone was lost, and found."""
    laptop = await scene.open_page()
    phone = await paired_by_code(scene, laptop, user_agent="Mozilla/5.0 (iPhone) Safari/605")
    row = laptop.get_by_role("article", name="Safari on iPhone")
    await row.get_by_role("button", name="Remove").click()
    await laptop.get_by_role("button", name="Remove this device").click()
    await expect(row).to_have_count(0)
    await expect(phone.get_by_role("alert")).to_contain_text("The bridge does not know this browser any more")
    await expect_connection(phone, "signed_out")
    await type_code(laptop, await shown_code(phone))
    await laptop.get_by_role("button", name="Confirm this device").click()
    await expect_connection(phone, "connected")


async def test_this_browser_is_disconnected_and_keeps_nothing(scene: BrowserHarness) -> None:
    """A borrowed computer: after the question, key, acceptances and credentials are gone."""
    page = await scene.open_page()
    await go_to(page, "devices")
    await page.get_by_role("button", name="Disconnect this browser").click()
    await page.get_by_role("button", name="Disconnect and delete").click()
    await expect(page.get_by_role("alert")).to_contain_text("This browser is not connected yet")
    names = await page.evaluate("indexedDB.databases().then(all => all.map(({name}) => name))")
    assert names == ["tool-bridge"]
    assert (await scene.caller.call("mirrorDelete")).code == "no_browser"


async def test_a_device_is_renamed(scene: BrowserHarness) -> None:
    """Three of them are called alike."""
    page = await (await scene.new_context()).new_page()
    await open_page(page, await scene.bridge.page_url())
    await go_to(page, "devices")
    await page.get_by_role("button", name="Rename").click()
    await page.get_by_label("Name", exact=True).fill("Desk")
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_role("article", name="Desk")).to_be_visible()
