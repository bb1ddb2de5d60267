"""Answers that take long: told of while they come, stopped by their user, and where the time went."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest
from aiohttp import web
from playwright.async_api import Page, expect

from tests.browser.browser_harness import BrowserHarness
from tests.browser.chat_harness import barriers
from tests.support.chromium import go_to, run_tool
from tests.support.documents.compiled import document_text, operation
from tests.support.waiting import eventually
from tests.support.web_servers import for_every_page, serving
from toolserver.json_types import JsonObject

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

TYPES = {"/events": "text/event-stream", "/lines": "application/x-ndjson", "/film": "video/mp4"}
PATHS: JsonObject = {path: operation(f"get{path.removeprefix('/').title()}") for path in (*TYPES, "/timed")}


@dataclass
class SlowApi:
    """Sends what a test puts into `pieces`, for as long as it is read."""

    url: str = ""
    pieces: asyncio.Queue[bytes] = field(default_factory=asyncio.Queue[bytes])
    left: list[str] = field(default_factory=list[str])
    """Paths whose reader went away."""


@asynccontextmanager
async def slow_api() -> AsyncGenerator[SlowApi]:
    """Listen on a free port of this machine."""
    api = SlowApi()

    async def send_pieces(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": TYPES[request.path]})
        await response.prepare(request)
        try:
            while True:
                await response.write(await api.pieces.get())
        finally:
            api.left.append(request.path)

    async def answer_timed(_: web.Request) -> web.Response:
        return web.json_response({"ok": True}, headers={"Timing-Allow-Origin": "*"})

    app = web.Application()
    app.router.add_get("/timed", answer_timed)
    for path in TYPES:
        app.router.add_get(path, send_pieces)
    async with serving(for_every_page(app), notices_hang_up=True) as api.url:
        yield api


async def open_tool(scene: BrowserHarness, api: SlowApi, tool: str) -> Page:
    """The form of one of its tools."""
    text = document_text(paths=PATHS, server=api.url)
    await scene.bridge.components.registry.share_document("slow", text, source_url=None)
    page = await scene.open_page(viewport={"width": 1280, "height": 800})
    await go_to(page, "tools", tool)
    await expect(page.get_by_test_id("run")).to_be_visible()
    return page


async def test_events_show_as_they_come_and_stop_keeps_them(scene: BrowserHarness) -> None:
    """An endless stream was "Running…" until its deadline, and *Cancel* lost all that had come."""
    async with slow_api() as api:
        page = await open_tool(scene, api, "getEvents")
        await page.get_by_test_id("run").click()
        coming = page.get_by_test_id("coming")
        for number in (1, 2):
            api.pieces.put_nowait(f"data: event {number}\n\n".encode())
            await expect(coming).to_contain_text(f"event {number}")
        await expect(coming).to_contain_text("2 events")
        assert await barriers(page) == []
        await page.get_by_role("button", name="Stop", exact=True).click()
        answer = page.get_by_test_id("outcome")
        await expect(answer).to_contain_text("Succeeded")
        await expect(answer).to_contain_text("event 2")
        await expect(answer.get_by_test_id("cut")).to_contain_text("It was stopped on the bridge page")
        await eventually(lambda: api.left == ["/events"])
        await expect(page.get_by_test_id("run")).to_be_enabled()


async def test_a_download_shows_its_bytes_and_stop_ends_it(scene: BrowserHarness) -> None:
    """Half a file is of no use: the call is cancelled, and says so."""
    async with slow_api() as api:
        page = await open_tool(scene, api, "getFilm")
        await page.get_by_test_id("run").click()
        api.pieces.put_nowait(bytes(300 * 1024))
        await expect(page.get_by_test_id("coming")).to_contain_text("300.0 KiB received")
        await page.get_by_role("button", name="Stop", exact=True).press("Enter")
        answer = page.get_by_test_id("outcome")
        await expect(answer).to_have_attribute("data-state", "cancelled")
        await eventually(lambda: api.left == ["/film"])


async def test_the_time_is_told_by_phase_and_what_a_page_cannot_see_is_not_made_up(
    scene: BrowserHarness,
) -> None:
    """A page sees preflight and connection apart only where the API sends Timing-Allow-Origin."""
    async with slow_api() as api:
        page = await open_tool(scene, api, "getTimed")
        phases = (await run_tool(page)).get_by_role("list", name="Time by phase")
        await expect(phases.get_by_role("listitem").filter(has_text="Download")).to_be_visible()
        await expect(phases).not_to_contain_text("Server, with preflight")
        await go_to(page, "tools", "mirrorQuery")
        phases = (await run_tool(page)).get_by_role("list", name="Time by phase")
        await expect(phases).to_contain_text("Server, with preflight and connection")
