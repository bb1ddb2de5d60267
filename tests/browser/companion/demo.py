"""`tool-bridge demo` in a process of its own, and a browser with the shipped extension, as newcomers have."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.async_api import Locator, Page, expect

from examples.intranet import PASSWORD
from tests.browser.extension.companion import Companion, running_companion
from tests.support.chromium import go_to, open_page


@dataclass
class Demo:
    """The page has accepted the samples; the extension is installed and knows no bridge."""

    base_url: str
    intranet_url: str
    companion: Companion
    page: Page

    async def connect_bridge(self) -> None:
        """What *Connect this bridge* of the popup does."""
        assert await self.companion.request(type="pair", bridge=self.base_url) is True

    async def choose_companion(self, server: str, *, login: bool = False) -> Locator:
        """In the view of the server with this title; gives the panel."""
        await go_to(self.page, "servers")
        card = self.page.locator("article", has=self.page.get_by_role("heading", name=server))
        await card.locator("summary").click()
        await card.get_by_role("link", name="Details").click()
        panel = self.page.get_by_role("region", name="How it is called")
        await panel.get_by_label("The companion extension").check()
        if login:
            await panel.get_by_label("With my login").check()
        return panel

    async def ask(self, panel: Locator, label: str) -> Page:
        """Press a button of the panel; gives the window of the extension."""
        async with self.companion.context.expect_page() as opened:
            await panel.get_by_role("button", name=label, exact=True).click()
        question = await opened.value
        await expect(question.get_by_role("button", name="Allow", exact=True)).to_be_visible()
        return question

    async def grant_all(self, panel: Locator, question: Page, *, login: bool = False) -> None:
        """Reading and changing, and the login where it is asked for."""
        await question.get_by_label("Reading and changing").check()
        if login:
            await question.get_by_label("With your login:").check()
            await question.get_by_label("It may change things").check()
        await question.get_by_role("button", name="Allow", exact=True).click()
        await expect(panel.get_by_text("Granted.", exact=True)).to_be_visible()

    async def revoke_grant(self) -> None:
        """In the popup, which has one."""
        popup = await self.companion.own_page()
        await popup.get_by_role("button", name="Revoke").click()
        await expect(popup.get_by_role("list", name="APIs")).to_have_text("None.")
        await popup.close()

    async def log_in_as(self, name: str) -> None:
        """In a tab of this browser, from the intranet's front page."""
        tab = await self.companion.context.new_page()
        await tab.goto(self.intranet_url)
        await tab.get_by_role("link", name="Staff login").click()
        await tab.get_by_label("Name").fill(name)
        await tab.get_by_label("Password").fill(PASSWORD)
        await tab.get_by_role("button", name="Log in").click()
        await expect(tab.get_by_text(name)).to_be_visible()
        await tab.close()

    async def say(self, text: str) -> Locator:
        """Send a message to the demo model; gives the place of its answer."""
        message = self.page.get_by_role("textbox", name="Message", exact=True)
        await message.fill(text)
        await message.press("Enter")
        return self.page.get_by_role("article", name="Answer", exact=True).last


@asynccontextmanager
async def running_demo(folder: Path, port: int = 0) -> AsyncGenerator[Demo]:
    """The demo on this port, or on any free one.

    The browser's own permissions are given beforehand: nobody can press *Allow* in a headless one.
    """
    async with started_demo(folder, port) as facts:
        base_url, intranet_url = facts["base_url"], facts["sample_intranet_url"]
        hosts = [f"{base_url}/*", f"{intranet_url}/*"]
        async with running_companion(folder / "profile", 1, hosts) as companion:
            page = await companion.context.new_page()
            await open_page(page, facts["page_url"])
            await expect(page.get_by_text("because you named these documents")).to_be_visible()
            yield Demo(base_url, intranet_url, companion, page)


@asynccontextmanager
async def started_demo(folder: Path, port: int = 0) -> AsyncGenerator[dict[str, Any]]:
    """The demo without a browser; gives the line that it prints for programs."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bridge", "demo", "--json"),
        *("--port", str(port), "--data", str(folder / "data")),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env={**os.environ, "TOOL_BRIDGE_DATA": str(folder / "data")},
    )
    assert process.stdout is not None
    try:
        yield json.loads(await process.stdout.readline())
    finally:
        process.terminate()
        await process.wait()
