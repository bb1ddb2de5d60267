"""Two bridges below two paths of one origin, behind real proxies with the lines of our instructions."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import aiohttp
import pytest
from playwright.async_api import Browser, Page, expect

from tests.browser.browser_harness import BrowserHarness, open_harness
from tests.support.chromium import expect_connection, go_to
from tests.support.programs.proxies import PROXIES, STRIPPING, running_proxy
from tests.support.tcp_servers import free_port
from tests.support.waiting import eventually

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session"), pytest.mark.slow]

PATHS = ("one", "two")
ISSUER = "http://127.0.0.1:9"
STORED = """async () => [
  ...Object.keys(localStorage),
  ...(await indexedDB.databases()).map(({ name }) => name),
]"""


@dataclass
class Neighbours:
    """Both bridges, and one browser profile with a page of each."""

    scenes: dict[str, BrowserHarness]
    pages: dict[str, Page]


@asynccontextmanager
async def neighbours(chromium: Browser, folder: Path, proxy: str) -> AsyncGenerator[Neighbours]:
    """The pages are connected, the second one opened after the first."""
    port, targets = free_port(), {path: free_port() for path in PATHS}
    async with AsyncExitStack() as stack:
        stack.enter_context(running_proxy(proxy, folder / "proxy", port, targets))
        scenes: dict[str, BrowserHarness] = {}
        for path, target in targets.items():
            (folder / path).mkdir()
            scenes[path] = await stack.enter_async_context(
                open_harness(
                    chromium,
                    folder / path,
                    ["mirror.yaml", "answers.yaml"],
                    port=target,
                    public_url=f"http://127.0.0.1:{port}/{path}",
                    oauth_issuer=ISSUER,
                )
            )
        await eventually(lambda: _answers(f"http://127.0.0.1:{port}/one/healthz"), what=proxy)
        context = await scenes["one"].new_context()
        pages: dict[str, Page] = {}
        for path, scene in scenes.items():
            pages[path] = await context.new_page()
            await pages[path].goto(await scene.bridge.page_url())
            await expect_connection(pages[path], "connected")
            await expect(pages[path].get_by_text("because you named these documents")).to_be_visible()
        yield Neighbours(scenes, pages)


async def _answers(url: str) -> bool:
    try:
        async with aiohttp.ClientSession() as http, http.get(url) as answer:
            return answer.status == 200
    except aiohttp.ClientError:
        return False


@pytest.mark.parametrize("proxy", list(PROXIES))
async def test_two_bridges_below_two_paths_work_and_do_not_see_each_other(
    chromium: Browser, tmp_path: Path, proxy: str
) -> None:
    """Finding W-47: pages, sockets, calls, files, streams, metadata, and what the browser stores of each."""
    async with neighbours(chromium, tmp_path, proxy) as both:
        for path, scene in both.scenes.items():
            await expect_connection(both.pages[path], "connected")
            reply = await scene.caller.call("mirrorQuery", {"text": path})
            assert (reply.status, reply.json()["query"]) == (200, f"text={path}")
            await _expect_file(scene)
            await _expect_stream(scene)
            if proxy != STRIPPING:
                await _expect_metadata(scene)
        for path in PATHS:
            await both.pages[path].reload()
            await expect_connection(both.pages[path], "connected")
        one, two = (both.pages[path] for path in PATHS)
        await _choose_dark(one)
        await two.reload()
        await expect(two.locator("html")).not_to_have_attribute("data-theme", "dark")
        await _choose_dark(two)
        names = {name.partition(":")[0] for name in await two.evaluate(STORED)}
        assert names == {"/one", "/two"}
        await go_to(one, "devices")
        await expect(one.get_by_role("article")).to_have_count(1)


async def _choose_dark(page: Page) -> None:
    """Have one page store something of each kind."""
    await go_to(page, "settings")
    await page.get_by_label("Theme").select_option(label="Dark")
    await expect(page.locator("html")).to_have_attribute("data-theme", "dark")


async def _expect_file(scene: BrowserHarness) -> None:
    """A file is kept by the bridge; its link leads there, below the path."""
    reply = await scene.caller.call("getDownload")
    url = str(reply.json()["file"]["url"])
    assert url.startswith(f"{scene.bridge.base_url}/files/")
    async with scene.http.get(url) as answer:
        assert (answer.status, answer.content_type) == (200, "application/octet-stream")


async def _expect_stream(scene: BrowserHarness) -> None:
    """An answer of the model comes as events."""
    body = {"model": "demo", "stream": True, "messages": [{"role": "user", "content": "hello"}]}
    headers = {"Authorization": f"Bearer {scene.bridge.key}"}
    url = f"{scene.bridge.base_url}/v1/chat/completions"
    async with scene.http.post(url, json=body, headers=headers) as answer:
        text = await answer.text()
    assert (answer.status, answer.content_type) == (200, "text/event-stream")
    assert text.rstrip().endswith("data: [DONE]")


async def _expect_metadata(scene: BrowserHarness) -> None:
    """RFC 9728: the challenge names the place before the path, and the proxy passes it."""
    base_url = scene.bridge.base_url
    async with scene.http.post(f"{base_url}/mcp", json={}) as refused:
        challenge = refused.headers["WWW-Authenticate"]
    place = challenge.partition('resource_metadata="')[2].partition('"')[0]
    async with scene.http.get(place) as answer:
        metadata = await answer.json()
    assert (metadata["resource"], metadata["authorization_servers"]) == (f"{base_url}/mcp", [ISSUER])
