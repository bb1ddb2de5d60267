"""Servers of others, unmodified but for the lines that the page shows, as sources of a page in Chromium."""

import asyncio
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from tests.browser.browser_harness import open_harness
from tests.clients.environments import HERE, MCP_1, MCP_2, ClientEnvironment
from tests.clients.running_client import loopback_environ
from tests.support.chromium import accept_selection, go_to, running_chromium
from tests.support.programs import needs

pytestmark = [pytest.mark.asyncio, pytest.mark.browser, pytest.mark.slow]


@asynccontextmanager
async def running_server(environment: ClientEnvironment, lines: str = "") -> AsyncGenerator[int]:
    """The port of the program in its environment; killed at the end."""
    needs.need_environment(environment)
    environ = {**loopback_environ(), "SERVER_LINES": lines}
    process = await asyncio.create_subprocess_exec(
        environment.interpreter,
        HERE / "programs" / "sdk_server.py",
        stdout=PIPE,
        stderr=sys.stderr,
        env=environ,
    )
    assert process.stdout
    try:
        yield int(await process.stdout.readline())
    finally:
        process.kill()
        await process.communicate()


async def fetch_address(page: Page, url: str) -> None:
    """Enter an address as for a document."""
    await go_to(page, "add")
    await page.get_by_label("Address of the document").fill(url)
    await page.get_by_role("button", name="Fetch", exact=True).click()


@pytest.mark.parametrize("environment", [MCP_1, MCP_2], ids=["legacy", "modern"])
async def test_the_lines_that_the_page_shows_let_it_in(
    tmp_path: Path, environment: ClientEnvironment
) -> None:
    """The SDK's server knows no CORS; with these lines and nothing else its tools can be called."""
    async with (
        running_chromium() as browser,
        open_harness(browser, tmp_path, ["mirror.yaml"], deadline_s=20) as scene,
    ):
        page = await scene.open_page()
        async with running_server(environment) as port:
            await fetch_address(page, f"http://127.0.0.1:{port}/mcp")
            shown = page.get_by_role("region", name="Lines for a Python server")
            await expect(shown).to_be_visible()
            lines = str(await shown.text_content())
        async with running_server(environment, lines) as port:
            await fetch_address(page, f"http://127.0.0.1:{port}/mcp")
            await expect(page.get_by_role("heading", name="Review sums")).to_be_visible()
            await accept_selection(page, page.url.partition("#/servers/")[2].partition("/")[0])
            added = await scene.caller.call("add_numbers", {"a": 2, "b": 3})
            assert (added.status, added.json()) == (200, {"sum": 5})
            failed = await scene.caller.call("fail_always")
            assert (failed.code, "Error executing tool" in failed.body.decode()) == ("tool_failed", True)
