"""A removal by mistake is undone; access is gone meanwhile, everything else when the page goes."""

from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect

from tests.browser.browser_harness import BrowserHarness
from tests.browser.chat_harness import ChatHarness, barriers, open_chat_harness, open_menu
from tests.browser.second_browser import paired_by_code
from tests.support.chromium import Caller, expect_connection, go_to
from tests.support.models.model_answers import text
from tests.support.waiting import eventually

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def new_key(page: Page, name: str) -> str:
    await go_to(page, "connect")
    await page.get_by_label("Name of the program").fill(name)
    await page.get_by_role("button", name="Create a key").click()
    await expect(page.get_by_role("list", name="Keys")).to_contain_text(name)
    return await page.get_by_role("region", name="New key").inner_text()


async def test_a_revoked_key_is_out_until_the_press_on_undo(scene: BrowserHarness) -> None:
    """Finding F20: one press revoked for good, and said nothing that can be seen."""
    page = await scene.open_page()
    program = Caller(scene.bridge.base_url, await new_key(page, "Cursor"), scene.http)
    keys = page.get_by_role("list", name="Keys")
    await page.get_by_role("button", name="Revoke the key Cursor").click()
    undo = page.get_by_role("group", name="Key Cursor revoked").get_by_role("button", name="Undo")
    await expect(undo).to_be_focused()
    await expect(keys).not_to_contain_text("Cursor")
    assert (await program.call("mirrorDelete")).status == 401
    assert await barriers(page) == []
    await page.keyboard.press("Enter")
    await expect(keys).to_contain_text("Cursor")
    await expect(page.get_by_role("group", name="Key Cursor revoked")).to_have_count(0)
    await expect(page.locator("#announcements")).to_contain_text("Key Cursor restored")
    assert (await program.call("mirrorDelete")).status == 200


async def test_undo_that_comes_too_late_says_so(scene: BrowserHarness) -> None:
    """Finding F20: no one may believe that a key is good again that is not."""
    page = await scene.open_page()
    await new_key(page, "Cursor")
    await page.route("**/restore", lambda route: route.fulfill(status=404, body="{}"))
    await page.get_by_role("button", name="Revoke the key Cursor").click()
    bar = page.get_by_role("group", name="Key Cursor revoked")
    await bar.get_by_role("button", name="Undo").click()
    await expect(bar.get_by_role("button")).to_have_count(0)
    await expect(bar).not_to_contain_text("revoked")
    await expect(page.get_by_role("list", name="Keys")).not_to_contain_text("Cursor")


async def begun(chat: ChatHarness, words: str) -> str:
    """A conversation; gives its id."""
    await chat.say(words, text("Said."))
    await chat.over()
    return chat.page.url.rpartition("/")[2]


async def is_kept(chat: ChatHarness, conversation: str) -> bool:
    headers = {"Authorization": f"Bearer {chat.scene.bridge.key}"}
    url = f"{chat.scene.bridge.base_url}/conversations/{conversation}"
    async with chat.scene.http.get(url, headers=headers) as response:
        assert response.status in (200, 404), response.status
        return response.status == 200


async def test_a_deleted_conversation_waits_for_its_undo(chromium: Browser, tmp_path: Path) -> None:
    """Finding F20: it gives no access, so that it may wait; it is hidden meanwhile."""
    async with open_chat_harness(chromium, tmp_path) as chat:
        conversation = await begun(chat, "About tea")
        await open_menu(chat.page)
        await chat.page.get_by_role("button", name="Delete", exact=True).click()
        await expect(chat.page.get_by_role("heading", name="New conversation")).to_be_visible()
        rows = chat.page.get_by_role("navigation", name="Conversations").get_by_role("listitem")
        await expect(rows).to_have_count(0)
        assert await barriers(chat.page) == []
        await chat.page.get_by_role("button", name="Undo").click()
        await expect(chat.answers).to_contain_text("Said.")
        await expect(rows).to_have_count(1)
        assert await is_kept(chat, conversation)


async def test_leaving_the_page_makes_a_deletion_final(chromium: Browser, tmp_path: Path) -> None:
    """Finding F20: who deletes and closes the tab has deleted."""
    async with open_chat_harness(chromium, tmp_path) as chat:
        conversation = await begun(chat, "About tea")
        await open_menu(chat.page)
        await chat.page.get_by_role("button", name="Delete", exact=True).click()
        await expect(chat.page.get_by_role("button", name="Undo")).to_be_visible()
        assert await is_kept(chat, conversation)
        await chat.page.goto("about:blank")

        async def is_gone() -> bool:
            return not await is_kept(chat, conversation)

        await eventually(is_gone, within_s=30)


async def test_a_removed_browser_is_paired_again_by_undo(scene: BrowserHarness) -> None:
    """Finding F20: the same browser comes back by its own key, without a code."""
    laptop = await scene.open_page()
    phone = await paired_by_code(scene, laptop, user_agent="Mozilla/5.0 (iPhone) Safari/605")
    row = laptop.get_by_role("article", name="Safari on iPhone")
    await row.get_by_role("button", name="Remove").click()
    await laptop.get_by_role("button", name="Remove this device").click()
    await expect_connection(phone, "signed_out")
    await laptop.get_by_role("button", name="Undo").click()
    await expect(row).to_be_visible()
    await phone.reload()
    await expect_connection(phone, "connected")
