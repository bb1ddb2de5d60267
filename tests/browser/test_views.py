"""The page as a page: nothing blocked, nothing thrown, usable by keyboard, in the dark and on a phone."""

import pytest
from playwright.async_api import Page, expect

from tests.browser.scene import Scene
from tests.support.chromium import expect_connection, go_to

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

VIEWS = (
    ("servers",),
    ("servers", "corner-shop"),
    ("servers", "corner-shop", "review"),
    ("servers", "no-such-server"),
    ("add",),
    ("tools",),
    ("tools", "addProduct"),
    ("tools", "no-such-tool"),
    ("calls",),
    ("connect",),
    ("doctor",),
)

REPORT_VIOLATIONS = """
addEventListener("securitypolicyviolation", (event) =>
  console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`));
"""


def complaints_of(page: Page) -> list[str]:
    """Everything the browser complains about from now on."""
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(f"uncaught: {error}"))
    page.on(
        "console",
        lambda message: complaints.append(message.text) if message.type in ("error", "warning") else None,
    )
    return complaints


async def test_no_view_violates_the_policy_or_throws(demo: Scene) -> None:
    """The strict policy is worth nothing if the page itself needs an exception from it."""
    context = await demo.new_context()
    await context.add_init_script(REPORT_VIOLATIONS)
    page = await context.new_page()
    complaints = complaints_of(page)
    await page.goto(await demo.bridge.page_url())
    await expect(page.get_by_text("because you named these documents")).to_be_visible()
    assert (await demo.caller.call("getPicture")).status == 200
    for view in VIEWS:
        await go_to(page, *view)
        await expect(page.get_by_role("main")).not_to_contain_text("Loading…")
        await expect(page.get_by_role("main")).not_to_be_empty()
    await go_to(page, "tools", "getPicture")
    await page.get_by_test_id("run").click()
    picture = page.get_by_role("img", name="The image the API answered with")
    await expect(picture).to_be_visible()
    assert await picture.evaluate("image => image.decode().then(() => image.naturalWidth)") > 0
    unexpected = [text for text in complaints if "404" not in text]
    assert unexpected == []


async def test_a_tool_is_found_filled_in_and_run_by_keyboard_alone(scene: Scene) -> None:
    """Not everybody uses a pointer."""
    page = await scene.open_page()
    await page.reload()
    await expect_connection(page, "connected")
    await page.keyboard.press("Tab")
    await expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    await tab_to(page, "Tools")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("main")).to_be_focused()
    await tab_to(page, "mirrorClash")
    await page.keyboard.press("Enter")
    form = page.get_by_role("form", name="Try mirrorClash")
    await expect(form).to_be_visible()
    await form.get_by_role("textbox", name="name__path").focus()
    await page.keyboard.type("here")
    await tab_to(page, "Run (POST)", before=lambda: page.keyboard.type("there"))
    await page.keyboard.press("Enter")
    await expect(page.get_by_test_id("outcome")).to_contain_text("/echo/clash/here")


async def tab_to(page: Page, name: str, before: object = None) -> None:
    """Press Tab until something of that text has the focus; every stop on the way is visible."""
