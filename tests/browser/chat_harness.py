"""A page with its chat, a model that says what a test scripts, and an API whose mood a test decides."""

import asyncio
import base64
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aiohttp import web
from playwright.async_api import Browser, Locator, Page, expect
from yarl import URL

from tests.browser.browser_harness import BrowserHarness, open_harness, start_offering
from tests.support.chromium import accept_selection, go_to
from tests.support.documents.compiled import document_text, operation
from tests.support.models.model_answers import Answer
from tests.support.models.model_bridge import models_file
from tests.support.models.scripted_provider import KEY, Script, ScriptedProvider, scripted_provider
from tests.support.programs import needs
from tests.support.tcp_servers import free_port
from tests.support.web_servers import for_every_page, serving

AXE = Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"

PICTURE = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M/wHwAEBgIApD5fRAAAAABJRU5ErkJggg=="
)

JUDGE = """async () => {
  const levels = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
  let hasChanged = false;
  const changes = new MutationObserver(() => { hasChanged = true; });
  changes.observe(document, { subtree: true, childList: true, characterData: true });
  const { violations } = await axe.run(document, { runOnly: { type: "tag", values: levels } });
  changes.disconnect();
  const places = (nodes) => nodes.map(({ html }) => html.slice(0, 200)).join(" | ");
  return [hasChanged, violations.map(({ id, nodes }) => `${id}: ${places(nodes)}`)];
}"""
JUDGEMENTS = 5
"""How often a page is judged at most that changed meanwhile: axe measures some things before others."""


@dataclass
class ScriptedApi:
    """`getMood` says "good" or fails, `getName` what it is told, `getLater` waits, `getPicture` is one."""

    url: str = ""
    fails: bool = True
    name: str = "Ada"
    later: asyncio.Event = field(default_factory=asyncio.Event)
    waiting: int = 0
    """Requests for `getLater` that arrived."""
    abandoned: int = 0
    """Requests for `getLater` whose sender went away."""

    @property
    def document(self) -> str:
        """As a server of the bridge."""
        paths = {f"/{name.lower()}": operation(f"get{name}") for name in ("Mood", "Name", "Later", "Picture")}
        return document_text("Moody", paths={**paths}, server=self.url)

    async def answer(self, request: web.Request) -> web.Response:
        """All four."""
        if request.path == "/later":
            self.waiting += 1
            try:
                await self.later.wait()
            except asyncio.CancelledError:
                self.abandoned += 1
                raise
        if request.path == "/picture":
            return web.Response(body=PICTURE, content_type="image/png")
        if request.path == "/mood" and self.fails:
            return web.json_response({"reason": "It rains."}, status=500)
        said = self.name if request.path == "/name" else "good"
        return web.json_response({"said": said})


@dataclass
class ChatHarness:
    """Everything that runs, and the page as its user handles it."""

    scene: BrowserHarness
    page: Page
    provider: ScriptedProvider
    api: ScriptedApi

    @property
    def message(self) -> Locator:
        """The field for the next message."""
        return self.page.get_by_role("textbox", name="Message", exact=True)

    @property
    def answers(self) -> Locator:
        """What was answered, oldest first."""
        return self.page.get_by_role("article", name="Answer", exact=True)

    @property
    def asked(self) -> Locator:
        """What the user said, oldest first."""
        return self.page.get_by_role("article", name="You", exact=True)

    def call(self, name: str) -> Locator:
        """The cards of calls of a tool, oldest first."""
        return self.page.get_by_role("article", name=f"Call of {name}", exact=True)

    async def say(self, text: str, *answers: Answer | Script) -> None:
        """Send a message; the model answers it so, round by round."""
        self.provider.play(*answers)
        await self.message.fill(text)
        await self.message.press("Enter")

    async def over(self) -> None:
        """Wait until nothing is answered any more; what was said last must have begun to be."""
        await expect(self.page.get_by_role("button", name="Stop", exact=True)).to_be_hidden()
        await expect(self.answers.last.get_by_role("button", name="Regenerate")).to_be_visible()

    async def restart(self, folder: Path) -> None:
        """The bridge, after it was closed, at the same address and with what it had kept."""
        port = URL(self.scene.bridge.base_url).port
        assert port is not None
        self.scene.bridge = await start_offering(
            folder, self.scene.samples_url, ["shop.json"], port=port, approve="safe", **_models(self.provider)
        )

    async def expect_state(self, name: str, state: str) -> Locator:
        """Wait for the state of the one call of a tool."""
        card = self.call(name).last
        await expect(card).to_have_attribute("data-state", state)
        return card


@asynccontextmanager
async def open_chat_harness(
    browser: Browser, folder: Path, options: dict[str, Any] | None = None, **settings: Any
) -> AsyncGenerator[ChatHarness]:
    """The shop and the moody API, accepted in a page with a new conversation. `options`: of the page."""
    api = ScriptedApi()
    app = web.Application()
    app.router.add_route("*", "/{rest:.*}", api.answer)
    async with scripted_provider() as provider, serving(for_every_page(app), notices_hang_up=True) as api.url:
        chosen = {"approve": "safe", "port": free_port(), **_models(provider), **settings}
        async with open_harness(browser, folder, ["shop.json"], **chosen) as scene:
            server = await scene.bridge.components.registry.share_document(
                "moody", api.document, source_url=None
            )
            page = await scene.open_page(**(options or {}))
            await accept_selection(page, server.record.id)
            await go_to(page, "chat")
            await expect(page.get_by_role("heading", name="New conversation")).to_be_visible()
            yield ChatHarness(scene, page, provider, api)


def _models(provider: ScriptedProvider) -> dict[str, Any]:
    return {"models": models_file(provider), "environ": {"SCRIPTED_KEY": KEY}}


async def open_menu(page: Page) -> None:
    """Show what is done with the open conversation as a whole."""
    await page.get_by_label("More about this conversation").click()


async def barriers(page: Page) -> list[str]:
    """What keeps people out of the page as it is now: violations of WCAG 2.2, levels A and AA.

    A page that changed meanwhile is judged again before its faults count.
    """
    needs.find(needs.PAGE_TOOLS)
    await page.evaluate(AXE.read_text(encoding="utf-8"))
    for _ in range(JUDGEMENTS - 1):
        has_changed, found = await _judge_in_tall_window(page)
        if not (has_changed and found):
            return found
    return (await _judge_in_tall_window(page))[1]


async def _judge_in_tall_window(page: Page) -> tuple[bool, list[str]]:
    """Whether the page changed while it was judged, and what is wrong.

    The window is as tall as the page meanwhile: nothing lies below what stays in its place while one scrolls.
    """
    size = page.viewport_size or {"width": 1280, "height": 720}
    whole = await page.evaluate("document.documentElement.scrollHeight")
    await page.set_viewport_size({"width": size["width"], "height": max(whole, size["height"])})
    try:
        has_changed, found = await page.evaluate(JUDGE)
        return has_changed, found
    finally:
        await page.set_viewport_size({"width": size["width"], "height": size["height"]})
