"""A tool tried in the page as other programs for trying APIs let one: files, examples, code, history."""

import pytest
from playwright.async_api import FilePayload, Page, expect

from tests.browser.browser_harness import BrowserHarness
from tests.support.chromium import go_to, run_tool

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

PICTURE = FilePayload(name="cat.png", mimeType="image/png", buffer=b"not really a cat")

DROP = """(zone, text) => {
  const transfer = new DataTransfer();
  transfer.items.add(new File([text], "dropped.txt", {type: "text/plain"}));
  for (const type of ["dragover", "drop"])
    zone.dispatchEvent(new DragEvent(type, {dataTransfer: transfer, bubbles: true, cancelable: true}));
}"""


async def show_tool(page: Page, name: str) -> None:
    """Open the form of a tool."""
    await go_to(page, "tools", name)
    await expect(page.get_by_role("form", name=f"Try {name}")).to_be_visible()


async def test_a_file_is_chosen_or_dropped_and_not_typed(scene: BrowserHarness) -> None:
    """D2: there was no file picker; Base64 had to be made elsewhere and pasted."""
    page = await scene.open_page()
    await show_tool(page, "mirrorMultipart")
    await page.get_by_label("title").fill("A cat")
    optional = page.get_by_role("group", name="file")
    await optional.get_by_label("Choose a file").set_input_files(PICTURE)
    await expect(optional).to_contain_text("cat.png")
    await expect(optional).to_contain_text("image/png · 16 B")
    answer = await run_tool(page)
    await expect(answer).to_contain_text('filename=\\"cat.png\\"')
    await optional.get_by_role("button", name="Remove the file cat.png").click()
    await optional.locator(".file-drop").evaluate(DROP, "dropped text")
    await expect(optional).to_contain_text("dropped.txt")

    await show_tool(page, "mirrorBytes")
    body = page.get_by_role("group", name="body")
    too_large = FilePayload(name="film.mov", mimeType="", buffer=bytes(800_000))
    await body.get_by_label("Choose a file").set_input_files(too_large)
    await expect(body).to_contain_text("film.mov has 781.3 KiB. A call takes files of at most 765.0 KiB")
    await body.get_by_text("Give its text or its address instead").click()
    await body.get_by_role("textbox", name="text").fill("typed")
    await expect(await run_tool(page)).to_contain_text("typed")


async def test_a_form_fills_itself_and_leads_to_all_that_is_wrong(scene: BrowserHarness) -> None:
    """Forms began empty, named one error at a time, and one of 93 fields was 12,000 px high."""
    page = await scene.open_page(viewport={"width": 390, "height": 800})
    await show_tool(page, "mirrorQuery")
    folded = page.get_by_text("4 more optional fields")
    await expect(folded).to_be_visible()
    await expect(page.get_by_role("group", name="json")).to_have_count(0)
    await folded.click()
    await expect(page.get_by_role("group", name="json")).to_be_visible()
    await page.get_by_role("button", name="Fill with example").click()
    await expect(page.get_by_role("textbox", name="text")).to_have_value("a b&c=d")

    await show_tool(page, "mirrorClash")
    await page.get_by_test_id("run").click()
    wrong = page.get_by_role("group", name="What is wrong")
    await expect(wrong).to_contain_text("2 arguments need attention")
    last = wrong.get_by_role("button").last
    name = await last.inner_text()
    await last.click()
    field = page.locator("[aria-invalid]").last
    await expect(field).to_be_focused()
    await field.fill(name)
    await expect(wrong).to_be_hidden()
    await page.get_by_role("button", name="Clear the form").click()
    await page.get_by_role("button", name="Fill with example").click()
    await expect(await run_tool(page)).to_contain_text("/echo/clash/text")
