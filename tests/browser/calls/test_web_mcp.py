"""WebMCP in a Chromium that has it: agents of the browser get the tools once their user says so."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, expect

from tests.browser.approval_cards import answer, card_of, cards, customers, order_of, shop
from tests.support.chromium import expect_connection, go_to, running_chromium

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session"), pytest.mark.slow]

NAMES = "async () => (await document.modelContext.getTools()).map(({ name }) => name).sort()"
CALL = """async ([name, input]) => {
  const tool = (await document.modelContext.getTools()).find((each) => each.name === name);
  return document.modelContext.executeTool(tool, input);
}"""
"""What an agent of the browser does."""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def agentic() -> AsyncIterator[Browser]:
    """Chromium with WebMCP; each test has a profile of its own in it."""
    async with running_chromium("--enable-features=WebMCP", whole=True) as browser:
        page = await browser.new_page()
        await page.goto("chrome://version")
        has_it = await page.evaluate("'modelContext' in document")
        await page.close()
        if not has_it:
            pytest.skip("this Chromium has no WebMCP")
        yield browser


async def switch(page: Page, *, on: bool) -> None:
    """Set the switch in the page's Settings."""
    await go_to(page, "settings")
    await page.get_by_label("Offer my tools to them (WebMCP)").set_checked(on)


async def call(page: Page, name: str, arguments: dict[str, Any]) -> Any:
    """What the agent reads."""
    return json.loads(await page.evaluate(CALL, [name, arguments]))


async def test_the_tools_are_offered_while_the_switch_is_on(agentic: Browser, tmp_path: Path) -> None:
    """Off by default, in this browser; on, it stays so over a reload."""
    async with shop(agentic, tmp_path) as (scene, page):
        assert await page.evaluate(NAMES) == []
        await switch(page, on=True)
        view = await scene.bridge.components.registry.view_of_user(scene.bridge.local_user.id)
        names = sorted(tool.name for tool in view.catalog.tools)
        await expect(page.get_by_text(f"{len(names)} tools offered.")).to_be_visible()
        assert await page.evaluate(NAMES) == names
        await page.reload()
        await expect_connection(page, "connected")
        await expect(page.get_by_text(f"{len(names)} tools offered.")).to_be_visible()
        await switch(page, on=False)
        await expect(page.get_by_text("0 tools offered.")).to_be_visible()
        assert await page.evaluate(NAMES) == []


async def test_a_tool_that_is_declined_is_offered_no_more(agentic: Browser, tmp_path: Path) -> None:
    """As everywhere else."""
    async with shop(agentic, tmp_path) as (scene, page):
        await switch(page, on=True)
        registry, user = scene.bridge.components.registry, scene.bridge.local_user.id
        [server] = (await registry.view_of_user(user)).servers
        kept = server.by_key["GET /products"]
        await registry.accept_operations(user, server.record.id, {kept.key: kept.digest})
        await expect(page.get_by_text("1 tool offered.")).to_be_visible()
        assert await page.evaluate(NAMES) == ["listProducts"]


async def test_an_agent_s_call_asks_as_any_other_does(agentic: Browser, tmp_path: Path) -> None:
    """It is not its user who has pressed a button; the card says who asks."""
    async with shop(agentic, tmp_path) as (scene, page):
        await switch(page, on=True)
        await expect(page.get_by_text("tools offered.")).not_to_have_text("0 tools offered.")
        read = await call(page, "listProducts", {})
        assert read["http_status"] == 200
        await expect(cards(page)).to_have_count(0)
        ordering = asyncio.create_task(call(page, "placeOrder", order_of("Ada")))
        card = await card_of(page, "placeOrder")
        await expect(card).to_contain_text("Bridge page, agent of the browser")
        assert "Ada" not in await customers(scene)
        await answer(card, "Deny")
        assert (await ordering)["error"]["code"] == "denied"
        wrong = await call(page, "getProduct", {"product_id": "x"})
        assert wrong["error"]["code"] == "invalid_arguments"
        assert "Ada" not in await customers(scene)


async def test_a_browser_without_webmcp_says_so(chromium: Browser, tmp_path: Path) -> None:
    """A switch that does nothing is worse than none."""
    async with shop(chromium, tmp_path) as (_scene, page):
        await go_to(page, "settings")
        await expect(page.get_by_label("Offer my tools to them (WebMCP)")).to_be_disabled()
        await expect(page.get_by_text("This browser does not have it")).to_be_visible()
