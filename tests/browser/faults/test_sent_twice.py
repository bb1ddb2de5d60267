"""A fault of the browser's own: a POST is sent again when a reused connection closes without a reply."""

from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from tests.browser.browser_harness import BrowserHarness, open_harness
from tests.browser.dropping_api import DroppingApi, dropping_api
from tests.support.chromium import go_to

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def mail_until_dropped(scene: BrowserHarness, api: DroppingApi, *, with_key: bool) -> None:
    """Calls that change something, until one meets a connection that was used before."""
    await scene.bridge.share_document(f"{api.url}/openapi.json", named="hasty")
    page = await scene.open_page()
    server = scene.bridge.components.registry
    (dropping,) = (await server.view_of_user(scene.bridge.local_user.id)).servers
    if with_key:
        await go_to(page, "servers", dropping.record.id)
        await page.get_by_label("Send an Idempotency-Key").check()
        await expect(page.get_by_text("Saved")).to_be_visible()
    for number in range(5):
        if not api.dropped:
            assert (await scene.caller.call("sendMail", {"to": f"ada{number}"})).status == 200
    assert api.dropped, "Chromium reused no connection"


async def test_without_a_key_the_browser_doubles_what_one_call_changes(
    chromium: Browser, tmp_path: Path
) -> None:
    """Measured, and why ruling 1 promises one fetch rather than one request."""
    async with dropping_api() as api, open_harness(chromium, tmp_path, []) as scene:
        await mail_until_dropped(scene, api, with_key=False)
        assert api.doubled == [None, None]


async def test_with_a_key_both_requests_are_one(chromium: Browser, tmp_path: Path) -> None:
    """W-10: the key is the call's id, the same in both, so that an API that knows it performs one."""
    async with dropping_api() as api, open_harness(chromium, tmp_path, []) as scene:
        await mail_until_dropped(scene, api, with_key=True)
        (kept, *_) = await scene.bridge.components.journal.list_calls(
            scene.bridge.local_user.id, before=None, limit=9
        )
        assert api.doubled == [kept.call_id, kept.call_id]
        assert any("idempotency-key" in asked for asked in api.preflights)
