"""A bridge below a path of its origin, in a real browser."""

from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, Page, expect

from tests.browser.browser_harness import BrowserHarness, open_harness
from tests.browser.upgrade_proxy import proxy_without_upgrades
from tests.support.chromium import complaints_of, expect_connection, go_to, run_tool
from tests.support.tcp_servers import free_port

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

STORED = """async () => [
  ...Object.keys(localStorage),
  ...(await indexedDB.databases()).map(({ name }) => name),
  ...(await navigator.locks.query()).held.map(({ name }) => name),
]"""
"""Everything that the browser has for an origin under a name that the page chose."""


async def stored_names(page: Page) -> list[str]:
    """Those names, with something chosen and a call made."""
    await go_to(page, "settings")
    await page.get_by_label("Theme").select_option(label="Dark")
    return await page.evaluate(STORED)


@pytest.mark.parametrize("files", ["built", pytest.param("sources", marks=pytest.mark.slow)])
async def test_a_page_below_a_path_performs_calls_and_names_what_it_stores_by_the_path(
    chromium: Browser, tmp_path: Path, files: str, request: pytest.FixtureRequest
) -> None:
    """Finding W-47: other programs of the origin have the root; what is asked for there is not answered."""
    if files == "sources":
        request.getfixturevalue("page_sources")
    port = free_port()
    base = f"http://127.0.0.1:{port}/team/bridge"
    async with open_harness(chromium, tmp_path, ["mirror.yaml"], port=port, public_url=base) as scene:
        page = await (await scene.new_context()).new_page()
        complaints, asked = complaints_of(page), list[str]()
        page.on("request", lambda sent: asked.append(sent.url))
        page.on("websocket", lambda socket: asked.append(socket.url))
        await page.goto(await scene.bridge.page_url())
        await expect_connection(page, "connected")
        reply = await scene.caller.call("mirrorQuery", {"text": "a"})
        assert reply.status == 200, reply.body
        await go_to(page, "tools", "mirrorQuery")
        await run_tool(page)
        names = await stored_names(page)
        assert names
        assert [name for name in names if not name.startswith("/team/bridge:tool-bridge")] == []
        own = [url for url in asked if f"127.0.0.1:{port}" in url]
        assert [url for url in own if not url.partition("//")[2].startswith(base.partition("//")[2])] == []
        await page.reload()
        await expect(page.locator("html")).to_have_attribute("data-theme", "dark")
        await expect_connection(page, "connected")
        assert complaints == []


async def test_a_page_without_a_path_stores_everything_under_its_old_names(scene: BrowserHarness) -> None:
    """Names in the browser never change: people would have to pair and accept again."""
    names = await stored_names(await scene.open_page())
    users = scene.bridge.local_user.id
    assert {"tool-bridge", f"tool-bridge:{users}", f"tool-bridge-executor:{users}"} <= set(names)
    assert [name for name in names if not name.startswith("tool-bridge")] == []


async def test_a_socket_that_does_not_pass_below_a_path_is_named_with_the_path(
    chromium: Browser, tmp_path: Path
) -> None:
    """Findings W-21, W-47: its operator looks for the very path in the rules of the proxy."""
    async with proxy_without_upgrades() as proxy:
        settings: dict[str, Any] = {"public_url": f"{proxy.url}/bridge"}
        async with open_harness(chromium, tmp_path, ["mirror.yaml"], **settings) as scene:
            proxy.target_port = scene.bridge.server.sockets[0].getsockname()[1]
            page = await (await scene.new_context()).new_page()
            await page.goto(await scene.bridge.page_url())
            hint = page.locator("#connection-hint")
            await expect(hint).to_contain_text("upgrades for /bridge/ws/socket.io/ must be passed on")
