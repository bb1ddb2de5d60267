"""A bridge, an office API without CORS, and a browser that has the companion extension."""

import itertools
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Locator, Page, expect

from bridge.settings.network import origin_of
from tests.browser.browser_harness import BrowserHarness, open_harness
from tests.browser.companion.office_api import OfficeApi
from tests.browser.extension.companion import Companion, running_companion
from tests.support.chromium import go_to, open_page
from tests.support.models.model_bridge import models_file
from tests.support.models.scripted_provider import KEY, ScriptedProvider, scripted_provider
from tests.support.tcp_servers import free_port
from tests.support.web_servers import serving


@dataclass
class Office:
    """All of it, with the bridge page open in the companion's browser."""

    scene: BrowserHarness
    api: OfficeApi
    origin: str
    companion: Companion
    page: Page
    server_id: str
    provider: ScriptedProvider
    """Of the page's chat."""

    async def pair(self) -> None:
        """What the toolbar's button does."""
        bridge = origin_of(self.scene.bridge.base_url)
        assert await self.companion.request(type="pair", bridge=bridge) is True

    async def panel(self) -> Locator:
        """How the server is called, in its view."""
        await go_to(self.page, "servers", self.server_id)
        return self.page.get_by_role("region", name="How it is called")

    async def choose_companion(self, *, login: bool = False) -> Locator:
        """In this browser, for the office API."""
        panel = await self.panel()
        await panel.get_by_label("The companion extension").check()
        if login:
            await panel.get_by_label("With my login").check()
        return panel

    async def ask(self, panel: Locator, label: str, *, login: bool = False, changing: bool = False) -> None:
        """Press a button of the panel, and allow all of it in the extension's own tab."""
        async with self.companion.context.expect_page() as opened:
            await panel.get_by_role("button", name=label, exact=True).click()
        question = await opened.value
        if changing:
            await question.get_by_label("Reading and changing").check()
        if login:
            await question.get_by_label("With your login:").check()
        if login and changing:
            await question.get_by_label("It may change things").check()
        await question.get_by_role("button", name="Allow", exact=True).click()
        await expect(panel.get_by_text("Granted.", exact=True)).to_be_visible()


@pytest.fixture
def prefix() -> str:
    """The path of the bridge."""
    return ""


@pytest_asyncio.fixture(loop_scope="session")
async def office(chromium: Browser, tmp_path: Path, prefix: str) -> AsyncGenerator[Office]:
    """The user has accepted its operations and allowed all hosts to the extension; nothing is granted."""
    api = OfficeApi()
    port = free_port()
    async with (
        serving(api.application()) as api_url,
        scripted_provider() as provider,
        open_harness(
            chromium,
            tmp_path,
            [],
            deadline_s=20,
            port=port,
            public_url=f"http://127.0.0.1:{port}{prefix}",
            models=models_file(provider),
            environ={"SCRIPTED_KEY": KEY},
        ) as scene,
    ):
        await scene.bridge.share_document(f"{api_url}/openapi.json", named="office")
        origin = f"http://office.test:{api_url.rpartition(':')[2]}"
        hosts = [
            f"{origin_of(scene.bridge.base_url)}/*",
            f"{origin}/*",
            f"{origin.replace('office', 'payroll')}/*",
        ]
        async with running_companion(tmp_path / "profile", 1, hosts) as companion:
            companion.names = itertools.count(1)
            page = await companion.context.new_page()
            await open_page(page, await scene.bridge.page_url())
            await expect(page.get_by_text("because you named these documents")).to_be_visible()
            [server] = (
                await scene.bridge.components.registry.view_of_user(scene.bridge.local_user.id)
            ).servers
            yield Office(scene, api, origin, companion, page, server.record.id, provider)
