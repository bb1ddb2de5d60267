"""A Firefox driven by WebDriver BiDi through puppeteer-core, and what a user does in its pages."""

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any

from tests.support.programs import needs

ROOT = Path(__file__).parents[3]
NODE = ROOT / ".venv" / "bin" / "node"
DRIVER = Path(__file__).parent / "driver.mjs"
TAKES_CLICKS = """label => [...document.querySelectorAll("button")].some((button) =>
    (button.ariaLabel ?? button.textContent) === label && button.ariaDisabled !== "true")"""
MAX_LINE = 16 * 1024 * 1024
"""Bytes of one answer of the driver."""


class CommandFailed(Exception):
    """What puppeteer or the browser says."""


def firefox_path() -> str:
    """The Firefox of `make/firefox`; sees that its driver is there, too."""
    needs.find(needs.PAGE_TOOLS)
    return needs.find(needs.FIREFOX)


class Firefox:
    """One browser; commands one after the other."""

    def __init__(self, driver: asyncio.subprocess.Process) -> None:
        self._driver = driver
        self._turn = asyncio.Lock()

    async def command(self, name: str, **parameters: Any) -> Any:
        """Have the driver do one thing.

        Raises:
            CommandFailed: it could not, or not within 20 s.
        """
        assert self._driver.stdin is not None
        assert self._driver.stdout is not None
        async with self._turn:
            self._driver.stdin.write(json.dumps({"do": name, **parameters}).encode() + b"\n")
            line = await self._driver.stdout.readline()
        assert line, "the driver has ended; its complaint is above"
        answer = json.loads(line)
        if "error" in answer:
            raise CommandFailed(answer["error"])
        return answer["result"]

    async def open_page(self, url: str) -> "FirefoxPage":
        """A new tab with this address."""
        page = FirefoxPage(self, await self.command("new"))
        await page.goto(url)
        return page

    async def open_extension_page(self, url: str) -> "FirefoxPage":
        """A new tab with a page of an extension; needs `--remote-allow-system-access`."""
        page = FirefoxPage(self, await self.command("new"))
        await self.command("show", page=page.number, url=url)
        return page

    async def wait_for_page(self, condition: str) -> "FirefoxPage":
        """The tab in which this expression is true, once there is one."""
        return FirefoxPage(self, await self.command("find", condition=condition))


class FirefoxPage:
    """One tab."""

    def __init__(self, browser: Firefox, number: int) -> None:
        self.browser = browser
        self.number = number

    async def _command(self, name: str, **parameters: Any) -> Any:
        return await self.browser.command(name, page=self.number, **parameters)

    async def goto(self, url: str) -> None:
        """Load an address."""
        await self._command("goto", url=url)

    async def reload(self) -> None:
        """Press the browser's own button."""
        await self._command("reload")

    async def close(self) -> None:
        """Close the tab."""
        await self._command("close")

    async def resize(self, width: int, height: int) -> None:
        """Set the size of the window's inside, in pixels."""
        await self._command("resize", width=width, height=height)

    async def evaluate(self, script: str, argument: Any = None) -> Any:
        """What an expression or a function of one argument gives in the page."""
        return await self._command("evaluate", script=script, argument=argument)

    async def wait_for(self, script: str, argument: Any = None) -> None:
        """Wait until an expression or a function is true in the page."""
        await self._command("wait", script=script, argument=argument)

    async def wait_for_text(self, text: str, within: str = "body") -> None:
        """Wait until the page shows this text."""
        found = "({text, within}) => document.querySelector(within)?.innerText.includes(text)"
        await self.wait_for(found, {"text": text, "within": within})

    async def wait_for_connection(self, standing: str = "connected") -> None:
        """Wait for the word in the bridge page's header."""
        where = f"[data-testid=connection][data-state={standing}]"
        await self.wait_for("where => document.querySelector(where) !== null", where)

    async def press(self, label: str) -> None:
        """Click the button with this accessible name, once it is there and takes clicks."""
        await self.wait_for(TAKES_CLICKS, label)
        await self.click(f'aria/{label}[role="button"]')

    async def click(self, selector: str) -> None:
        """Click what a selector of puppeteer finds."""
        await self._command("click", selector=selector)

    async def fill(self, label: str, text: str) -> None:
        """Type into the field with this accessible name."""
        await self._command("fill", selector=f"aria/{label}", text=text)

    async def screenshot(self, path: Path) -> None:
        """Write a picture of what is seen."""
        await self._command("screenshot", path=str(path))


@asynccontextmanager
async def running_firefox(
    preferences: Mapping[str, Any] = MappingProxyType({}), *arguments: str
) -> AsyncGenerator[Firefox]:
    """A browser with a fresh profile and these preferences, trusting every certificate; closed at the end."""
    path = firefox_path()
    driver = await asyncio.create_subprocess_exec(
        NODE, DRIVER, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=MAX_LINE, cwd=ROOT
    )
    firefox = Firefox(driver)
    try:
        await firefox.command("launch", path=path, preferences=dict(preferences), args=arguments)
        yield firefox
    finally:
        assert driver.stdin is not None
        driver.stdin.close()
        await driver.wait()
