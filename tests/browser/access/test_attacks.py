"""Scripts in an API's document and answers: seen as text everywhere, run nowhere."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from playwright.async_api import Page, expect

from tests.browser.browser_harness import BrowserHarness
from tests.support.chromium import accept_selection, go_to, run_tool
from tests.support.web_servers import serving

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

SCRIPT = "<img src=x onerror='window.ran=1'><script>window.ran=1</script><svg onload='window.ran=1'>"


@asynccontextmanager
async def hostile_api() -> AsyncGenerator[str]:
    """Answers with markup of every kind, in the type that the path names."""

    async def answer(request: web.Request) -> web.Response:
        kind = request.path.strip("/").replace("_", "/", 1).replace("svg", "svg+xml")
        body = (
            json.dumps({"said": SCRIPT, SCRIPT: 1})
            if kind == "application/json"
            else f"<html>{SCRIPT}</html>"
        )
        return web.Response(
            body=body.encode(), headers={"Content-Type": kind, "Access-Control-Allow-Origin": "*"}
        )

    app = web.Application()
    app.router.add_get("/{rest:.*}", answer)
    async with serving(app) as url:
        yield url


KINDS = ("text_html", "application_json", "image_svg", "application_zip")


def document_of(url: str) -> str:
    """Every text that a document may hold holds markup."""
    paths: dict[str, Any] = {
        f"/{kind}": {"get": {"operationId": kind, "summary": SCRIPT, "description": SCRIPT, "tags": [SCRIPT]}}
        for kind in KINDS
    }
    about = {"title": f"Shop {SCRIPT}", "version": SCRIPT, "description": SCRIPT}
    return json.dumps({"openapi": "3.1.0", "info": about, "servers": [{"url": url}], "paths": paths})


async def ran(page: Page) -> bool:
    """Whether any of the scripts ran in the page or one of its frames."""
    return any([await frame.evaluate("window.ran === 1") for frame in page.frames])


async def test_markup_of_an_api_is_text_in_every_view_and_a_download_elsewhere(
    scene: BrowserHarness, tmp_path: Path
) -> None:
    """W-37: the page holds the user's credentials: nothing that came from outside may run in its origin."""
    page = await scene.open_page()
    assert await page.evaluate("window.ran === undefined"), "the probe itself works"
    async with hostile_api() as url:
        document = tmp_path / "hostile.json"
        document.write_text(document_of(url))
        server = await scene.bridge.share_document(str(document), named="hostile")
        await accept_selection(page, server.record.id)
        for kind in KINDS:
            await go_to(page, "tools", kind)
            await run_tool(page)
            assert not await ran(page), kind
        await go_to(page, "calls")
        for kind in KINDS:
            await page.get_by_role("button", name=kind, exact=True).first.click()
            await expect(page.get_by_role("region", name="Call", exact=True)).to_contain_text(kind)
            await expect(page.get_by_role("region", name="Response", exact=True)).to_be_visible()
            assert not await ran(page), kind
        for place in (
            ["servers"],
            ["servers", server.record.id],
            ["servers", server.record.id, "review"],
            ["tools"],
        ):
            await go_to(page, *place)
            assert not await ran(page), place
        replies = {kind: await scene.caller.call(kind) for kind in KINDS}
        assert replies["application_json"].headers["Content-Type"].startswith("application/json")
        assert replies["text_html"].headers["Content-Type"].startswith("application/json")
        link = replies["application_zip"].json()["file"]["url"]
        for address in (link, link + "?mime=text/html"):
            async with scene.http.get(address) as response:
                assert response.headers["Content-Disposition"].startswith("attachment")
                assert response.headers["X-Content-Type-Options"] == "nosniff"
                assert "sandbox" in response.headers["Content-Security-Policy"]
