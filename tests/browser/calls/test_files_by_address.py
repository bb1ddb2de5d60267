"""Files that arguments name by address: read only as an operation does that was accepted, and said before."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from playwright.async_api import Browser, Page, expect

from tests.browser.approval_cards import answer, card_of, cards
from tests.browser.browser_harness import BrowserHarness, open_harness
from tests.support.chromium import Reply, accept_selection, go_to
from tests.support.web_servers import for_every_page, serving
from toolserver.json_types import JsonObject

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session"), pytest.mark.slow]


@dataclass
class Ledger:
    """What one API was asked for, and the bodies that it was sent."""

    url: str = ""
    asked: list[str] = field(default_factory=list[str])
    bodies: list[bytes] = field(default_factory=list[bytes])

    async def answer(self, request: web.Request) -> web.Response:
        if request.method != "OPTIONS":
            self.asked.append(f"{request.method} {request.path}")
            self.bodies.append(await request.read())
        if request.path == "/public/moved":
            return web.Response(status=302, headers={"Location": "/admin/secret"})
        return web.Response(body=f"of {request.path}".encode(), content_type="application/octet-stream")


@asynccontextmanager
async def ledger() -> AsyncGenerator[Ledger]:
    made = Ledger()
    app = for_every_page(web.Application())
    app.router.add_route("*", "/{rest:.*}", made.answer)
    async with serving(app) as made.url:
        yield made


NAME: JsonObject = {"name": "name", "in": "path", "required": True, "schema": {"type": "string"}}
UPLOAD: JsonObject = {"required": True, "content": {"application/octet-stream": {}}}


def document_of(url: str, title: str) -> str:
    """A file to read, and one to send."""
    paths: JsonObject = {
        "/public/{name}": {"get": {"operationId": f"{title}Read", "parameters": [NAME]}},
        "/up": {"post": {"operationId": f"{title}Upload", "requestBody": UPLOAD}},
    }
    about = {"title": title, "version": "1"}
    return json.dumps({"openapi": "3.1.0", "info": about, "servers": [{"url": url}], "paths": paths})


@dataclass
class Scene:
    harness: BrowserHarness
    page: Page
    source: Ledger
    """Of the API `source`."""
    target: Ledger

    def upload(self, file: str, tool: str = "targetUpload") -> "asyncio.Task[Reply]":
        return asyncio.create_task(self.harness.caller.call(tool, {"body": {"url": file}}))


@asynccontextmanager
async def two_apis(browser: Browser, folder: Path, **settings: Any) -> AsyncGenerator[Scene]:
    async with (
        ledger() as source,
        ledger() as target,
        open_harness(browser, folder, ["shop.json"], approve="safe", **settings) as harness,
    ):
        page = await harness.open_page()
        for title, of in (("source", source), ("target", target)):
            document = folder / f"{title}.json"
            document.write_text(document_of(of.url, title))
            server = await harness.bridge.share_document(str(document), named=title)
            await accept_selection(page, server.record.id)
        yield Scene(harness, page, source, target)


async def test_no_path_is_read_that_nobody_accepted(chromium: Browser, tmp_path: Path) -> None:
    """Finding S-M5: `GET /public/{name}` was accepted, and nothing else of its host, by whatever road."""
    async with two_apis(chromium, tmp_path) as scene:
        for path in (
            "/admin/secret",
            "/public/..%2Fadmin",
            "/public/a?all=true",
            "/public/a/../../admin/secret",
        ):
            refused = await scene.upload(f"{scene.source.url}{path}")
            assert (refused.status, refused.code) == (403, "not_accepted"), path
            assert "Accept a GET operation that reads it" in refused.json()["error"]["message"]
        redirected = scene.upload(f"{scene.source.url}/public/moved")
        await answer(await card_of(scene.page, "targetUpload"), "Allow once")
        assert "it redirects" in (await redirected).json()["error"]["message"]
        assert (scene.source.asked, scene.target.asked) == (["GET /public/moved"], [])


async def test_a_file_of_another_api_is_said_on_the_card_and_asked_about_each_time(
    chromium: Browser, tmp_path: Path
) -> None:
    """Finding S-M5: whoever always allowed the upload said nothing of what would be uploaded."""
    async with two_apis(chromium, tmp_path) as scene:
        own = scene.upload(f"{scene.target.url}/public/own")
        await answer(await card_of(scene.page, "targetUpload"), "Always allow this operation")
        assert (await own).status == 200
        assert (await scene.upload(f"{scene.target.url}/public/own")).status == 200, "its own files go on"
        for mode in ("safe", "all"):
            await scene.harness.bridge.components.approvals.choose_mode(
                scene.harness.bridge.local_user.id, mode
            )
            moving = scene.upload(f"{scene.source.url}/public/report")
            card = await card_of(scene.page, "targetUpload")
            first = card.get_by_test_id("first-reads")
            await expect(first).to_have_text(f"First reads GET {scene.source.url}/public/report (at source)")
            await expect(card).to_contain_text("It first reads a file of which no permission")
            await expect(card.get_by_role("button", name="Always allow")).to_have_count(0)
            assert scene.source.asked == (["GET /public/report"] if mode == "all" else [])
            await answer(card, "Allow once")
            assert (await moving).status == 200
        assert scene.target.bodies[-1] == b"of /public/report"
        await expect(cards(scene.page)).to_have_count(0)
        await go_to(scene.page, "calls")
        await scene.page.get_by_role("button", name="targetUpload").first.click()
        request = scene.page.get_by_role("region", name="Request", exact=True).first
        await expect(request.get_by_test_id("first-reads")).to_contain_text("/public/report")


async def test_the_link_of_a_kept_answer_is_a_file_as_before(chromium: Browser, tmp_path: Path) -> None:
    """The bridge gave that answer to whoever has the link; it is read there, and asks nothing more."""
    async with two_apis(chromium, tmp_path) as scene:
        kept = (await scene.harness.caller.call("sourceRead", {"name": "a"})).json()["file"]["url"]
        sending = scene.upload(kept)
        card = await card_of(scene.page, "targetUpload")
        await expect(card.get_by_test_id("first-reads")).to_contain_text("kept by the bridge")
        await answer(card, "Always allow this operation")
        assert (await sending).status == 200
        assert (await scene.upload(kept)).status == 200
        assert scene.target.bodies == [b"of /public/a"] * 2
        assert scene.source.asked == ["GET /public/a"]


async def test_the_form_says_what_is_read_first_and_its_press_is_no_approval_of_that(
    chromium: Browser, tmp_path: Path
) -> None:
    """Finding S-M5: a form may have been filled by a link; the card names whose file it is."""
    async with two_apis(chromium, tmp_path) as scene:
        await go_to(scene.page, "tools", "targetUpload")
        await scene.page.get_by_text("Give its text or its address instead").click()
        await scene.page.get_by_label("url").fill(f"{scene.source.url}/public/report")
        await scene.page.get_by_role("button", name="Show the request", exact=True).click()
        lines = scene.page.get_by_test_id("first-reads").last
        await expect(lines).to_contain_text(f"{scene.source.url}/public/report (at source)")
        await scene.page.get_by_test_id("run").click()
        await answer(await card_of(scene.page, "targetUpload"), "Deny")
        assert (scene.source.asked, scene.target.asked) == ([], [])
