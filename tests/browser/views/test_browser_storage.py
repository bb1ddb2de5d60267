"""What the page stores in IndexedDB, where a test under Node has none."""

import pytest
from playwright.async_api import Page

from tests.browser.browser_harness import BrowserHarness

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

FAILING_CHANGE = """async () => {
  const app = document.querySelector("script[type=module]").src;
  const { openUserStore } = await import(new URL("base/browser_store.js", app));
  const store = await openUserStore("somebody");
  const failure = await store
    .changeRecords(["keys"], (of) => {
      of("keys").put("half", "environments");
      of("keys").put("whole", null); // no key
    })
    .then(() => "", ({ name }) => name);
  return [failure, (await store.readRecord("keys", "environments")) ?? null];
}"""


@pytest.mark.slow
@pytest.mark.usefixtures("page_sources")
async def test_a_change_that_fails_in_its_middle_leaves_nothing(scene: BrowserHarness) -> None:
    """A restored backup is there as a whole, or not at all."""
    page: Page = await scene.open_page()
    assert await page.evaluate(FAILING_CHANGE) == ["DataError", None]
