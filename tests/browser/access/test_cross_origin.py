"""What other web pages can do to the bridge: nothing, unless their origin was allowed for the tools."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from aiohttp import web
from playwright.async_api import Browser, Page, expect

from bridge.http.static_page import STATIC
from tests.browser.browser_harness import BrowserHarness, open_harness
from tests.browser.file_site import file_site
from tests.support.chromium import go_to
from tests.support.web_servers import serving

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

FETCH = """async ([url, options]) => {
  try {
    const answer = await fetch(url, options);
    return { status: answer.status, body: await answer.text() };
  } catch (error) {
    return { status: 0, body: String(error) };
  }
}"""

SOCKET = """async ([script, url]) => {
  const { io } = await import(script);
  const how = { path: "/ws/socket.io", transports: ["websocket"], reconnection: false };
  const socket = io(url, { ...how, auth: { token: "x" } });
  return new Promise((resolve) => {
    socket.on("connect", () => resolve("connected"));
    socket.on("connect_error", (error) => resolve(error.data?.code ?? error.message));
  });
}"""


@asynccontextmanager
async def foreign_site() -> AsyncGenerator[str]:
    """A web site on another port of this machine, which is another origin; with a Socket.IO client."""
    app = web.Application()

    async def index(_request: web.Request) -> web.Response:
        return web.Response(text="<!doctype html><title>Elsewhere</title>", content_type="text/html")

    app.router.add_get("/", index)
    app.router.add_static("/vendor", STATIC / "vendor")
    async with serving(app) as url:
        yield url


async def fetched(page: Page, url: str, **options: Any) -> dict[str, Any]:
    return await page.evaluate(FETCH, [url, options])


async def test_a_page_of_another_origin_gets_nothing(scene: BrowserHarness) -> None:
    """Any site the user visits could otherwise use his tools with his logins."""
    page = await scene.open_page()
    async with foreign_site() as site:
        evil = await page.context.new_page()
        await evil.goto(site)
        headers = {"authorization": f"Bearer {scene.bridge.key}"}
        for path in ("/api/servers", "/api/me", "/openapi.json", "/"):
            assert (await fetched(evil, scene.bridge.base_url + path, headers=headers))["status"] == 0
        call = {"method": "POST", "body": "{}"}
        simple = await fetched(evil, f"{scene.bridge.base_url}/tools/mirrorDelete", **call)
        assert simple["status"] == 0
        key = await evil.evaluate("Object.keys(localStorage).length + document.cookie.length")
        assert key == 0
        script = next(path.name for path in (STATIC / "vendor").glob("socket.io*.js"))
        refused = await evil.evaluate(SOCKET, [f"{site}/vendor/{script}", scene.bridge.base_url])
        assert refused == "websocket error"


async def test_a_page_of_another_origin_cannot_frame_the_bridge(scene: BrowserHarness) -> None:
    """A framed page can be clicked by somebody who does not see it."""
    page = await scene.open_page()
    async with foreign_site() as site:
        evil = await page.context.new_page()
        await evil.goto(site)
        await evil.evaluate(
            """url => new Promise((resolve) => {
                 const frame = document.createElement("iframe");
                 frame.onload = resolve;
                 frame.src = url;
                 document.body.append(frame);
               })""",
            scene.bridge.base_url + "/",
        )
        framed = evil.frames[-1]
        assert framed.url.startswith("chrome-error://")
        assert await evil.evaluate("frames[0].length") == 0


async def test_an_allowed_origin_uses_the_tools_and_nothing_else(chromium: Browser, tmp_path: Path) -> None:
    """Open WebUI's direct tool servers call from its page; they need the tools, not the user's account."""
    async with (
        foreign_site() as site,
        open_harness(chromium, tmp_path, ["mirror.yaml"], allowed_origins=(site,)) as scene,
    ):
        page = await scene.open_page()
        chat = await page.context.new_page()
        await chat.goto(site)
        bearer = {"authorization": f"Bearer {scene.bridge.key}", "content-type": "application/json"}
        document = await fetched(chat, f"{scene.bridge.base_url}/openapi.json", headers=bearer)
        assert document["status"] == 200
        answer = await fetched(
            chat, f"{scene.bridge.base_url}/tools/mirrorDelete", method="POST", headers=bearer, body="{}"
        )
        assert answer["status"] == 200
        assert '"DELETE"' in answer["body"]
        refused = await fetched(
            chat, f"{scene.bridge.base_url}/tools/nothing", method="POST", headers=bearer, body="{}"
        )
        assert refused["status"] == 404, "errors are readable too"
        assert (await fetched(chat, f"{scene.bridge.base_url}/api/me", headers=bearer))["status"] == 0


@pytest.mark.usefixtures("page_sources")
async def test_the_bridges_own_page_is_answered_where_others_are_not(scene: BrowserHarness) -> None:
    """The refusals above would mean nothing if everybody were refused."""
    page = await scene.open_page()
    bearer = {"authorization": f"Bearer {scene.bridge.key}"}
    assert (await fetched(page, "/api/me", headers=bearer))["status"] == 200
    script = next(path.name for path in (STATIC / "vendor").glob("socket.io*.js"))
    address = await page.evaluate("new URL(document.querySelector('script[type=module]').src).pathname")
    client = address.replace("app.js", f"vendor/{script}")
    refused = await page.evaluate(SOCKET, [client, scene.bridge.base_url])
    assert refused == "unauthorized", "the door is open, the token is wrong"


@pytest.mark.slow
@pytest.mark.parametrize("view", ["add", "doctor"])
async def test_a_link_fills_a_field_and_fetches_nothing(scene: BrowserHarness, view: str) -> None:
    """A link of any site would have the user's browser ask what only that browser reaches."""
    page = await scene.open_page()
    async with file_site(api="openapi: 3.1.0") as inner:
        address = f"{inner.url}/api.yaml"
        await go_to(page, f"{view}?url={quote(address, safe='')}")
        await expect(page.locator("#main input[inputmode=url]").first).to_have_value(address)
        await go_to(page, "tools")
        await expect(page.get_by_label("Search")).to_be_visible()
        assert inner.asked == []
