"""A document that takes long: how far it is, ending it, and a page that stays quick meanwhile."""

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from aiohttp import web
from playwright.async_api import Browser, Page, expect

from tests.browser.browser_harness import BrowserHarness, open_harness
from tests.browser.file_site import file_site
from tests.support.chromium import go_to
from tests.support.documents.compiled import document_text, operation
from tests.support.documents.inline_reader import InlineReader
from tests.support.web_servers import serving
from toolserver.json_types import JsonObject
from toolserver.openapi.bundle import Bundle

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

MANY, LONG = 400, 4_000_000
NOTE_LONGEST = """() => {
    window.longest = 0;
    for (const name of ["parse", "stringify"]) {
        const original = JSON[name];
        JSON[name] = (...given) => {
            const made = original(...given);
            window.longest = Math.max(window.longest, String(name === "parse" ? given[0] : made).length);
            return made;
        };
    }
}"""
"""Notes the longest text that this page parses or writes itself."""


def long_text(server: str = "") -> str:
    """A document with a description longer than everything else that a page parses."""
    paths: JsonObject = {f"/things/{number}": operation(f"do{number}") for number in range(MANY)}
    return json.dumps({**json.loads(document_text("Long", paths=paths, server=server)), "x-long": "x" * LONG})


class WaitingReader(InlineReader):
    """Never ends reading what a long document refers to."""

    def __init__(self) -> None:
        super().__init__()
        self.is_asked = asyncio.Event()
        self.is_ended = asyncio.Event()

    async def bundle_document(
        self, text: str, *, source_url: str | None, texts: Mapping[str, str], left_out: Mapping[str, str]
    ) -> Bundle:
        if len(text) > LONG:
            self.is_asked.set()
            try:
                await asyncio.Event().wait()
            finally:
                self.is_ended.set()
        return await super().bundle_document(text, source_url=source_url, texts=texts, left_out=left_out)


async def fetch(page: Page, address: str) -> None:
    await go_to(page, "add")
    await page.get_by_label("Address of the document").fill(address)
    await page.get_by_role("button", name="Fetch", exact=True).click()


async def test_fetching_shows_how_much_has_come_and_is_ended_by_cancel(scene: BrowserHarness) -> None:
    """Finding page-F13: "Fetching" stood there for 15 s, without a number and without a way out."""
    gone = asyncio.Event()

    async def begin_only(request: web.Request) -> web.StreamResponse:
        answer = web.StreamResponse(headers={"Access-Control-Allow-Origin": "*"})
        answer.content_type = "application/json"
        await answer.prepare(request)
        try:
            await answer.write(b" " * 65_536)
            await asyncio.Event().wait()
        finally:
            gone.set()
        return answer

    app = web.Application()
    app.router.add_get("/openapi.json", begin_only)
    page = await scene.open_page()
    async with serving(app) as url:
        await fetch(page, f"{url}/openapi.json")
        work = page.locator(".work")
        await expect(work).to_contain_text("KiB")
        await work.get_by_role("button", name="Cancel").click()
        await expect(page.get_by_text("Cancelled. Nothing was added.")).to_be_focused()
        await expect(page.locator("iframe")).to_have_count(0)


async def test_a_document_that_the_bridge_reads_is_ended_there_too(chromium: Browser, tmp_path: Path) -> None:
    """Finding page-F13: "Reading the document" could not be left; what is cancelled adds nothing later."""
    reader = WaitingReader()
    async with open_harness(chromium, tmp_path, ["mirror.yaml"], reader=reader) as scene, file_site() as site:
        site.texts["/openapi.json"] = long_text(site.url)
        page = await scene.open_page()
        await fetch(page, f"{site.url}/openapi.json")
        work = page.locator(".work")
        await expect(work).to_contain_text(f"Reading {MANY} operations of the document")
        async with asyncio.timeout(30):
            await reader.is_asked.wait()
        await work.get_by_role("button", name="Cancel").click()
        await expect(page.get_by_text("Cancelled. Nothing was added.")).to_be_focused()
        async with asyncio.timeout(30):
            await reader.is_ended.wait()
        view = await scene.bridge.components.registry.view_of_user(scene.bridge.local_user.id)
        assert [server.record.title for server in view.servers] == ["Mirror"]


async def test_the_page_parses_no_document_itself(scene: BrowserHarness) -> None:
    """Finding page-F13: it parsed and wrote the whole text three times, and stood still for 5.9 s."""
    async with file_site() as site:
        site.texts["/openapi.json"] = long_text(site.url)
        page = await scene.open_page()
        await page.evaluate(NOTE_LONGEST)
        await fetch(page, f"{site.url}/openapi.json")
        await expect(page.get_by_role("heading", name="Review Long")).to_be_visible()
        assert await page.evaluate("window.longest") < LONG
