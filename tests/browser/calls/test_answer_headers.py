"""What an API says beside a body of how to go on, from the API through a real page to the caller."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from aiohttp import hdrs, web

from tests.browser.browser_harness import BrowserHarness
from tests.support.chromium import accept_selection, save_credential
from tests.support.web_servers import for_every_page, serving

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

SECRET = "s3cret/token+with=signs"
EXPOSED = ("list", "object")


async def answer(request: web.Request) -> web.Response:
    """A list, or an object, with its next page; the key that it was asked with stands in the links."""
    if request.method == hdrs.METH_OPTIONS:
        return web.Response()
    key = request.headers.get("X-Key", "")
    headers = {
        "Link": f'<https://api.example/?page=2&key={key}>; rel="next"',
        "Location": f"/jobs/{key}",
        "X-Total-Count": "57",
        "Set-Cookie": "sid=1",
    }
    return web.json_response([1, 2] if request.path == "/list" else {"id": 1}, headers=headers)


@asynccontextmanager
async def paging_api() -> AsyncGenerator[str]:
    """Exposes its headers to pages, but for those of `/hidden`."""
    app = for_every_page(web.Application())

    async def hide(request: web.Request, response: web.StreamResponse) -> None:
        if request.path == "/hidden":
            response.headers.pop(hdrs.ACCESS_CONTROL_EXPOSE_HEADERS, None)

    app.on_response_prepare.append(hide)
    app.router.add_route("*", "/{rest:.*}", answer)
    async with serving(app) as url:
        yield url


def document_of(url: str) -> str:
    paths = {f"/{name}": {"get": {"operationId": f"{name}Things"}} for name in (*EXPOSED, "hidden")}
    scheme = {"type": "apiKey", "in": "header", "name": "X-Key"}
    about = {"openapi": "3.1.0", "info": {"title": "Pages", "version": "1"}, "servers": [{"url": url}]}
    components = {"securitySchemes": {"key": scheme}}
    return json.dumps({**about, "paths": paths, "security": [{"key": []}], "components": components})


async def test_headers_that_tell_how_to_go_on_arrive_without_the_users_secret(
    scene: BrowserHarness, tmp_path: Path
) -> None:
    """Finding O-8, W-27: links repeat the key that they were asked with; only what CORS exposes is known."""
    page = await scene.open_page()
    async with paging_api() as url:
        document = tmp_path / "pages.json"
        document.write_text(document_of(url))
        server = await scene.bridge.share_document(str(document), named="pages")
        await accept_selection(page, server.record.id)
        await save_credential(page, server.record.id, "key: API key in the header X-Key", value=SECRET)
        told = {
            "location": "/jobs/[secret]",
            "link": '<https://api.example/?page=2&key=[secret]>; rel="next"',
            "x-total-count": "57",
        }
        headers = {"Authorization": f"Bearer {scene.bridge.key}"}
        seen: dict[str, tuple[object, object]] = {}
        for name in (*EXPOSED, "hidden"):
            tool = f"{scene.bridge.base_url}/tools/{name}Things"
            async with scene.http.post(tool, json={}, headers=headers) as response:
                line = response.headers.get("X-Tool-Bridge-Answer-Headers")
                seen[name] = await response.json(), None if line is None else json.loads(line)
    assert seen == {
        "list": ({"result": [1, 2], "headers": told}, None),
        "object": ({"id": 1}, told),
        "hidden": ({"id": 1}, None),
    }
