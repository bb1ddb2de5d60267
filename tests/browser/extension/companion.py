"""A Chromium with the shipped extension, permissions given before, and a page that speaks its protocol."""

import base64
import hashlib
import itertools
import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.async_api import BrowserContext, Frame, Page, async_playwright

from tests.support.chromium import ARGUMENTS, chromium_path

MOST_BRIDGES = 200
"""Of all tests together; each has one or two of its own."""
EXTENSION = Path(__file__).parents[3] / "extension"


def extension_id() -> str:
    """The one that Chromium derives from the key in the manifest."""
    key = base64.b64decode(json.loads((EXTENSION / "manifest.json").read_text())["key"])
    return "".join(chr(ord("a") + int(digit, 16)) for digit in hashlib.sha256(key).hexdigest()[:32])


def seed_profile(folder: Path, hosts: Sequence[str]) -> None:
    """A fresh profile in which the user has allowed these patterns; the browser then asks about nothing."""
    permissions = {"api": [], "explicit_host": [*hosts], "manifest_permissions": [], "scriptable_host": []}
    settings = {
        "location": 4,
        "path": str(EXTENSION),
        "granted_permissions": permissions,
        "active_permissions": permissions,
        "runtime_granted_permissions": permissions,
    }
    preferences = {
        "extensions": {"settings": {extension_id(): settings}, "ui": {"developer_mode": True}},
    }
    (folder / "Default").mkdir(parents=True)
    (folder / "Default" / "Preferences").write_text(json.dumps(preferences))


def extension_arguments(*others: Path) -> list[str]:
    """Load the extension as its developer does, `others` beside it; hosts below `.test` are this machine."""
    folders = ",".join(str(folder) for folder in (EXTENSION, *others))
    return [
        f"--disable-extensions-except={folders}",
        f"--load-extension={folders}",
        "--host-resolver-rules=MAP *.test 127.0.0.1",
    ]


@dataclass
class BridgePage:
    """A page of a bridge of the test's own, with a port to the companion."""

    page: Page
    origin: str
    ids: Any = field(default_factory=itertools.count)

    async def connect(self) -> dict[str, Any]:
        """Open a port and greet; gives `ready`, or what came in its place."""
        return await self.page.evaluate("connectCompanion()")

    async def call(self, url: str, method: str = "GET", **more: Any) -> dict[str, Any]:
        """Perform a request; gives its messages put together."""
        call: dict[str, Any] = {
            "url": url,
            "method": method,
            "headers": [],
            "body": None,
            "login": False,
            **more,
        }
        return await self.page.evaluate("call => performCall(call)", call)

    async def add_frame(self, url: str) -> Frame:
        """Put a frame into the page and wait until it is loaded."""
        element = await self.page.evaluate_handle(
            """url => new Promise((resolve) => {
                const frame = document.createElement("iframe");
                frame.onload = () => resolve(frame);
                frame.src = url;
                document.body.append(frame);
            })""",
            url,
        )
        shown = element.as_element()
        frame = shown and await shown.content_frame()
        assert frame
        return frame

    async def exchange(self, message: dict[str, Any]) -> dict[str, Any]:
        """Post one message and give the next that comes."""
        return await self.page.evaluate("message => exchangeMessage(message)", message)


@dataclass
class Companion:
    """The browser."""

    context: BrowserContext
    bridge_port: int
    names: Any = field(default_factory=lambda: itertools.count(1))

    async def own_page(self, path: str = "popup.html") -> Page:
        """A page of the extension in a tab."""
        page = await self.context.new_page()
        await page.goto(f"chrome-extension://{extension_id()}/{path}")
        return page

    async def request(self, **message: Any) -> Any:
        """Ask the service worker what its own pages may ask."""
        page = await self.own_page()
        answer = await page.evaluate("message => chrome.runtime.sendMessage(message)", message)
        await page.close()
        return answer

    async def sign_in(self, api: str) -> None:
        """The user signs in at an API in a tab."""
        page = await self.context.new_page()
        await page.goto(f"{api}/login")
        await page.close()

    async def update(self, bridge: BridgePage) -> dict[str, Any]:
        """Replace the extension by itself, as an update does; gives the `ready` that this page then hears."""
        await bridge.page.evaluate("""
            window.relayCame = new Promise((resolve) => window.addEventListener("message", ({ data }) => {
                if (data?.type === "tool-bridge-companion-here") resolve(true);
            }));
            null
        """)
        own = await self.own_page()
        await own.evaluate("void setTimeout(() => chrome.runtime.reload(), 100)")
        await bridge.page.evaluate("nextMessage(({ type }) => type === 'gone')")
        assert await bridge.page.evaluate("relayCame") is True
        return await bridge.connect()

    async def open_bridge(self, *grants: dict[str, Any], is_paired: bool = True) -> BridgePage:
        """A page of a bridge that no other test has, connected and with these grants."""
        origin = f"http://b{next(self.names)}.localhost:{self.bridge_port}"
        if is_paired:
            assert await self.request(type="pair", bridge=origin) is True
        page = await self.context.new_page()
        await page.goto(origin)
        bridge = BridgePage(page, origin)
        if is_paired:
            assert (await bridge.connect())["type"] == "ready"
        for grant in grants:
            await self.grant(bridge, **grant)
        return bridge

    async def grant(self, bridge: BridgePage, api: str, login: bool = False, methods: str = "safe") -> None:
        """The page asks and the user allows all of it, in the extension's own tab."""
        async with self.context.expect_page() as opened:
            await bridge.page.evaluate(
                "ask => askCompanion(ask)", {"api": api, "login": login, "methods": methods}
            )
        question = await opened.value
        if methods == "all":
            await question.get_by_label("Reading and changing").check()
        if login:
            await question.get_by_label("With your login:").check()
        if login and methods == "all":
            await question.get_by_label("It may change things").check()
        await question.get_by_role("button", name="Allow", exact=True).click()
        assert (await bridge.page.evaluate("askedAnswer"))["grant"] == {
            "api": api,
            "login": login,
            "methods": methods,
        }


@asynccontextmanager
async def running_companion(
    folder: Path, bridge_port: int, hosts: Sequence[str], *arguments: str, beside: Sequence[Path] = ()
) -> AsyncGenerator[Companion]:
    """A browser with a profile in `folder`; `hosts`: patterns that the user has allowed.

    `beside`: folders of other extensions.
    """
    bridges = [f"http://b{number}.localhost:{bridge_port}/*" for number in range(1, MOST_BRIDGES)]
    seed_profile(folder, [*bridges, *hosts])
    path = chromium_path()  # before the driver, which needs a library that comes with it
    async with async_playwright() as playwright:
        context = await playwright.chromium.launch_persistent_context(
            folder,
            executable_path=path,
            args=[*ARGUMENTS, *extension_arguments(*beside), *arguments],
        )
        try:
            yield Companion(context, bridge_port)
        finally:
            await context.close()
