"""Takes the pictures of the page that the documentation shows, in light and in dark: `make pictures`.

They show the samples of `make run`, so that a reader who follows the tutorial sees the same.
"""

import asyncio
import sys
import tempfile
from pathlib import Path
from typing import Literal

import aiohttp
from playwright.async_api import Browser, Page, ViewportSize, expect

from tests.browser.approval_cards import card_of, order_of
from tests.browser.companion.demo import started_demo
from tests.support.chromium import Caller, go_to, open_page, run_tool, running_chromium

BRIDGE_PORT = 8765
"""The usual one: addresses in the pictures are those of the text."""
TARGET = Path(__file__).parents[3] / "docs" / "pictures"
WINDOW: ViewportSize = {"width": 1080, "height": 760}
SCHEMES: tuple[tuple[Literal["light", "dark"], str], ...] = (("light", ""), ("dark", "-dark"))
SETTLED = """async () => {
  await new Promise((shown) => requestAnimationFrame(() => requestAnimationFrame(shown)));
  await Promise.allSettled(document.getAnimations().map(({ finished }) => finished));
}"""
"""Colours change gradually when the theme does."""
MAX_BYTES = 150_000
"""Of one picture: the repository keeps each for good."""


class Camera:
    """Takes what a page shows twice: in light as `page-NAME.png`, in dark as `page-NAME-dark.png`."""

    def __init__(self, page: Page, folder: Path) -> None:
        self._page = page
        self._folder = folder

    async def take(self, name: str) -> None:
        """Wait until the view is there, and take it.

        Raises:
            ValueError: the picture is larger than the repository should keep.
        """
        await expect(self._page.get_by_role("main")).not_to_contain_text("Loading…")
        await self._page.mouse.move(0, 0)
        for scheme, suffix in SCHEMES:
            await self._page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            await self._page.evaluate(SETTLED)
            path = self._folder / f"page-{name}{suffix}.png"
            await self._page.screenshot(path=path, animations="disabled")
            if path.stat().st_size > MAX_BYTES:
                raise ValueError(f"{path.name} has {path.stat().st_size} bytes")


async def take_pictures(page: Page, camera: Camera, caller: Caller) -> None:
    """Walk through the views as the tutorial does."""
    await camera.take("servers")
    await page.get_by_role("button", name="Dismiss").click()
    await go_to(page, "tools", "getProduct")
    await page.get_by_role("button", name="Fill with example").click()
    await expect(await run_tool(page)).to_contain_text("200")
    await camera.take("tool")
    await go_to(page, "chat")
    message = page.get_by_role("textbox", name="Message", exact=True)
    await message.fill('CALL getProduct {"product_id": 2}')
    await message.press("Enter")
    await expect(page.get_by_role("article", name="Answer", exact=True).last).to_contain_text("answered")
    await camera.take("chat")
    await go_to(page, "calls")
    ordering = asyncio.create_task(caller.call("placeOrder", order_of("Ada")))
    card = await card_of(page, "placeOrder")
    await expect(card.get_by_role("button", name="Allow once")).to_be_enabled()
    await camera.take("approval")
    await card.get_by_role("button", name="Allow once").click()
    await ordering
    await caller.call("getUnreadable", {})
    await expect(page.get_by_role("main")).to_contain_text("getUnreadable")
    await camera.take("calls")
    await go_to(page, "connect", "open-webui")
    await camera.take("connect")


async def main(folder: Path) -> None:
    """Take all of them."""
    with tempfile.TemporaryDirectory(prefix="pictures-") as scratch:
        async with started_demo(Path(scratch), BRIDGE_PORT) as facts, running_chromium(whole=True) as browser:
            page = await open_demo(browser, facts["page_url"])
            async with aiohttp.ClientSession() as http:
                caller = Caller(facts["base_url"], facts["key"], http)
                await take_pictures(page, Camera(page, folder), caller)


async def open_demo(browser: Browser, page_url: str) -> Page:
    """The printed link, once everything it offers is accepted."""
    page = await (await browser.new_context(viewport=WINDOW)).new_page()
    await open_page(page, page_url)
    await expect(page.get_by_text("because you named these documents")).to_be_visible()
    return page


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else TARGET
    target.mkdir(parents=True, exist_ok=True)
    asyncio.run(main(target))
