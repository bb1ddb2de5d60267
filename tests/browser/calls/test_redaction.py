"""A secret that an API sends back does not reach the caller, in whatever part of an answer it stands."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from aiohttp import web

from bridge.browser_protocol import RESULT_BYTES
from tests.browser.browser_harness import BrowserHarness
from tests.support.chromium import accept_selection, save_credential
from tests.support.web_servers import for_every_page, serving

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

SECRET = "s3cret/token+with=signs"


def echoes(secret: str) -> dict[str, web.Response]:
    """Answers that hold the secret they were asked with, by path."""
    cut = "x" * (RESULT_BYTES - len(secret) + 1) + secret
    escaped = json.dumps({"said": secret}).replace("/", "\\/")
    return {
        "/file": web.Response(body=b"\0\xff" + secret.encode() + b"\xfe", content_type="application/zip"),
        "/cut": web.Response(text=cut),
        "/status": web.Response(status=418, reason=f"No {secret}"),
        "/type": web.Response(text="x", headers={"Content-Type": f"text/x-{secret}"}),
        "/escaped": web.Response(text=escaped, content_type="application/json"),
        "/lower": web.Response(text=secret.replace("/", "%2f").replace("+", "%2b").replace("=", "%3d")),
    }


@asynccontextmanager
async def echoing_api() -> AsyncGenerator[str]:
    """Sends the key back that it was asked with; every page may read it."""

    async def answer(request: web.Request) -> web.Response:
        if request.method == "OPTIONS":
            return web.Response()
        return echoes(request.headers.get("X-Key", ""))[request.path]

    app = web.Application()
    app.router.add_route("*", "/{rest:.*}", answer)
    async with serving(for_every_page(app)) as url:
        yield url


def document_of(url: str) -> str:
    """One operation for each echo, with a key in a header."""
    paths = {path: {"get": {"operationId": f"echo{path[1:].title()}"}} for path in echoes("")}
    scheme = {"type": "apiKey", "in": "header", "name": "X-Key"}
    about = {"openapi": "3.1.0", "info": {"title": "Echoes", "version": "1"}, "servers": [{"url": url}]}
    components = {"securitySchemes": {"key": scheme}}
    return json.dumps({**about, "paths": paths, "security": [{"key": []}], "components": components})


async def test_no_part_of_an_answer_gives_a_secret_away(scene: BrowserHarness, tmp_path: Path) -> None:
    """APIs echo requests in errors, headers and files; what the model reads may end up anywhere."""
    page = await scene.open_page()
    async with echoing_api() as url:
        document = tmp_path / "echoes.json"
        document.write_text(document_of(url))
        server = await scene.bridge.share_document(str(document), named="echoes")
        await accept_selection(page, server.record.id)
        kind = "key: API key in the header X-Key"
        await save_credential(page, server.record.id, kind, value=SECRET)
        names = ("Cut", "Type", "Escaped", "Lower")
        replies = {name: await scene.caller.call(f"echo{name}") for name in names}
        for name, reply in replies.items():
            assert reply.status == 200, name
            assert b"s3cret" not in reply.body, name
        async with scene.http.get(replies["Cut"].json()["file"]["url"]) as response:
            whole = await response.read()
        assert whole.endswith(b"[secret]")
        assert b"s3cret" not in whole
        assert replies["Escaped"].json() == {"said": "[secret]"}
        refused = await scene.caller.call("echoStatus")
        assert b"s3cret" not in refused.body
        assert refused.detail["status"] == 418
        file = await scene.caller.call("echoFile")
        async with scene.http.get(file.json()["file"]["url"]) as response:
            assert await response.read() == b"\0\xff" + b"*" * len(SECRET) + b"\xfe"
