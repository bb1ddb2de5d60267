"""A real Chromium, and the bridge page in it as its user handles it: by roles and accessible names."""

import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import aiohttp
from playwright.async_api import Browser, Locator, Page, async_playwright, expect

from tests.support.programs import needs

ARGUMENTS = (
    "--no-sandbox",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
"""Chromium runs as root in containers, and asks nobody on the network for anything."""


def chromium_path() -> str:
    """The Chromium of `make/chromium`."""
    return needs.find(needs.CHROMIUM)


@asynccontextmanager
async def running_chromium(
    *arguments: str, without: Sequence[str] = (), whole: bool = False
) -> AsyncGenerator[Browser]:
    """A browser with these further arguments, `without` some of Playwright's; closed at the end.

    It has the engine of a `whole` one without its windows, extensions, own pages and cache of left pages,
    and takes a third of the processor time.
    """
    path = (
        chromium_path() if whole else needs.find(needs.HEADLESS_SHELL)
    )  # before the driver, which needs a library that comes with it
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=path, args=[*ARGUMENTS, *arguments], ignore_default_args=[*without]
        )
        try:
            yield browser
        finally:
            await browser.close()


async def open_page(page: Page, url: str) -> None:
    """Open the bridge page and wait until it performs calls."""
    await page.goto(url)
    await expect_connection(page, "connected")


async def expect_connection(page: Page, standing: str) -> None:
    """Wait for the word in the page's header."""
    await expect(page.get_by_test_id("connection")).to_have_attribute("data-state", standing)


async def go_to(page: Page, *parts: str) -> None:
    """Show another view without loading the page anew."""
    await page.evaluate("address => { location.hash = address }", "#/" + "/".join(parts))


async def accept_selection(page: Page, server_id: str, choice: str = "All") -> None:
    """Accept operations in the review of a server; `choice` is a button of its toolbar."""
    await go_to(page, "servers", server_id, "review")
    await page.get_by_role("button", name=choice, exact=True).click()
    await page.get_by_role("button", name="Accept the selection").click()
    await expect(page.get_by_test_id("accepted")).to_be_visible()
    await go_to(page, "servers", server_id)
    await expect(page.get_by_role("region", name="Tools of this server")).to_be_visible()


async def save_credential(page: Page, server_id: str, kind: str, **values: str) -> None:
    """Fill the form of a server; `kind` is the label of the choice, or how it begins."""
    await go_to(page, "servers", server_id)
    form = page.get_by_role("form", name="Credentials")
    await form.get_by_label("Kind").select_option(label=kind)
    labels = {
        "value": "Token or key",
        "username": "User name",
        "password": "Password",
        "name": "Name of the header or parameter",
    }
    for name, value in values.items():
        await form.get_by_label(labels[name]).fill(value)
    await form.get_by_role("button", name="Save in this browser").click()
    for name in values:
        await expect(form.get_by_label(labels[name])).to_have_value("")
    await expect(form.get_by_text("Saved in this browser.")).to_be_visible()


async def run_tool(page: Page) -> Locator:
    """Press Run in the form that is open; gives the answer's place once it is there."""
    await page.get_by_test_id("run").click()
    answer = page.get_by_role("region", name="Answer", exact=True)
    await expect(answer).to_be_visible()
    return answer


def complaints_of(page: Page) -> list[str]:
    """Everything the browser complains about from now on."""
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(f"uncaught: {error}"))
    page.on(
        "console",
        lambda message: complaints.append(message.text) if message.type in ("error", "warning") else None,
    )
    return complaints


async def tab_to(page: Page, target: Locator, within: int = 60) -> None:
    """Press Tab until it has the focus; every stop on the way can be seen."""
    for _ in range(within):
        await page.keyboard.press("Tab")
        assert await page.evaluate("document.activeElement.getClientRects().length > 0")
        if await target.evaluate("element => element === document.activeElement"):
            return
    raise AssertionError(f"{target} is not reached by {within} times Tab")


@dataclass(frozen=True)
class Reply:
    """What a caller of the tool server reads."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)

    @property
    def code(self) -> str:
        """Error code, or "" for an answer."""
        return str(self.json()["error"]["code"]) if self.body.startswith(b'{"error":{"code"') else ""

    @property
    def detail(self) -> dict[str, Any]:
        """The error's facts."""
        return self.json()["error"]["detail"]


@dataclass(frozen=True)
class Caller:
    """A program with a key, as a chat is: knows the tool server and nothing of the page."""

    base_url: str
    key: str
    http: aiohttp.ClientSession

    async def call(self, tool: str, arguments: Mapping[str, Any] | str = "{}", **headers: str) -> Reply:
        """Call a tool; text is sent as it is."""
        text = arguments if isinstance(arguments, str) else json.dumps(arguments)
        sent = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json", **headers}
        url = f"{self.base_url}/tools/{tool}"
        async with self.http.post(url, data=text.encode(), headers=sent) as response:
            return Reply(response.status, response.headers, await response.read())

    async def document(self) -> Any:
        """The advertised OpenAPI document."""
        headers = {"Authorization": f"Bearer {self.key}"}
        async with self.http.get(f"{self.base_url}/openapi.json", headers=headers) as response:
            return await response.json()

    async def tools(self) -> list[Any]:
        """The operations of the advertised document."""
        return [item["post"] for item in (await self.document())["paths"].values()]
