"""What calls add up to, as a picture."""

import pytest
from playwright.async_api import expect

from tests.browser.browser_harness import BrowserHarness
from tests.support.chromium import go_to

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


@pytest.mark.slow
async def test_charts_follow_the_calls_that_end(scene: BrowserHarness) -> None:
    """Without a reload: whoever watches a model work sees it as it happens."""
    page = await scene.open_page()
    await go_to(page, "charts")
    await expect(page.get_by_text("No call has ended in this time.")).to_be_visible()
    await scene.caller.call("mirrorQuery")
    by_tool = page.get_by_role("table", name="By tool")
    await expect(by_tool.get_by_role("row", name="mirrorQuery")).to_contain_text("none")
    await scene.caller.call("mirrorQuery")
    await expect(page.get_by_role("listitem").filter(has_text="2 calls")).to_be_visible()
    await expect(page.get_by_role("img", name="2 calls, 0 failed")).to_be_visible()
    by_server = page.get_by_role("table", name="By server")
    await expect(by_server.get_by_role("link", name="Mirror")).to_be_visible()
