"""Takes the pictures of the companion that the documentation shows: `make pictures`.

They show the samples of `make run`, so that a reader who follows the text sees the same.
"""

import asyncio
import sys
import tempfile
from pathlib import Path

from playwright.async_api import Locator, Page, ViewportSize, expect

from tests.browser.companion.demo import Demo, running_demo
from tests.browser.extension.companion import extension_id
from tests.support.chromium import go_to

BRIDGE_PORT = 8765
"""The usual one: addresses in the pictures are those of the text."""
TARGET = Path(__file__).parents[3] / "docs" / "pictures"
WIDE: ViewportSize = {"width": 1280, "height": 720}
NARROW: ViewportSize = {"width": 390, "height": 780}
POPUP: ViewportSize = {"width": 440, "height": 520}
OWN_TAB: ViewportSize = {"width": 720, "height": 600}
ON_BRIDGE = "url => { chrome.tabs.query = async () => [{ url }]; }"
"""A popup that is opened in a tab does not lie over the bridge's page; it is told that it does."""


async def take_pictures(demo: Demo, folder: Path) -> None:
    """Walk through installing, granting and calling, and take a picture of each window."""
    await demo.page.set_viewport_size(WIDE)
    await _show_popup(demo, folder / "companion-connect.png")
    await demo.connect_bridge()
    await demo.choose_companion("Printer")
    await demo.log_in_as("ada")
    panel = await demo.choose_companion("Staff", login=True)
    question = await demo.ask(panel, "Ask for reading and changing, as me")
    await question.set_viewport_size(OWN_TAB)
    await question.get_by_label("Reading and changing").check()
    await question.get_by_label("With your login:").check()
    await question.bring_to_front()
    await question.screenshot(path=folder / "companion-grant.png")
    await demo.grant_all(panel, question, login=True)
    await demo.page.bring_to_front()
    await panel.screenshot(path=folder / "companion-panel.png")
    await go_to(demo.page, "chat")
    answer = await demo.say('CALL showPrinter\nCALL showMe\nCALL askForLeave {"day": "2026-12-24"}')
    card = demo.page.get_by_role("article", name="Call of askForLeave")
    await expect(card.get_by_role("button", name="Allow once")).to_be_enabled()
    await _show_both(demo.page, card, folder / "companion-approval.png")
    await card.get_by_role("button", name="Allow once").click()
    await expect(answer).to_contain_text('"2026-12-24"')
    await _show_popup(demo, folder / "companion-popup.png")


async def _show_both(page: Page, part: Locator, path: Path) -> None:
    """The whole window on a desk, and on a telephone."""
    await page.bring_to_front()
    for size, name in ((WIDE, path), (NARROW, path.with_stem(f"{path.stem}-390"))):
        await page.set_viewport_size(size)
        await part.evaluate("part => part.scrollIntoView({ block: 'center' })")
        await page.screenshot(path=name)
    await page.set_viewport_size(WIDE)


async def _show_popup(demo: Demo, path: Path) -> None:
    popup = await demo.companion.context.new_page()
    await popup.add_init_script(f"({ON_BRIDGE})({demo.base_url!r})")
    await popup.set_viewport_size(POPUP)
    await popup.goto(f"chrome-extension://{extension_id()}/popup.html")
    await expect(popup.get_by_role("status")).to_contain_text(demo.base_url)
    await popup.bring_to_front()
    await popup.screenshot(path=path, full_page=True)
    await popup.close()


async def main(folder: Path) -> None:
    """Take all of them."""
    with tempfile.TemporaryDirectory(prefix="pictures-") as scratch:
        async with running_demo(Path(scratch), BRIDGE_PORT) as demo:
            await take_pictures(demo, folder)


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else TARGET
    target.mkdir(parents=True, exist_ok=True)
    asyncio.run(main(target))
