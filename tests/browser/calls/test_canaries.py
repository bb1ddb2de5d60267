"""A distinct secret as every kind of credential, through every ending: none is found anywhere."""

import asyncio
import json
import logging
from base64 import b64decode
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from aiohttp import web
from aiohttp.typedefs import Handler
from playwright.async_api import Browser

from bridge.__main__ import main
from bridge.storage.audit_log import AuditQuery
from tests.browser.browser_harness import BrowserHarness, open_harness
from tests.support.canaries import contains_secret, files_with
from tests.support.chromium import accept_selection, go_to, save_credential
from tests.support.waiting import eventually
from tests.support.web_servers import for_every_page, serving

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session"), pytest.mark.slow]

CANARIES = {
    "headerKey": "c4nary/header+key=7f3a91",
    "queryKey": "c4nary query&key 8b2c40",
    "basic": "c4nary:pass-wörd 5d1e77",
    "bearer": "c4nary.bearer~token_6a9f02",
    "oauth": "c4nary.oauth-token.3c8d15",
}
KINDS = {
    "headerKey": "headerKey: API key in the header X-Key",
    "queryKey": "queryKey: API key in the query parameter api_key",
    "basic": "basic: name and password",
    "bearer": "bearer: bearer token",
    "oauth": "oauth: access token",
}
SCHEMES: dict[str, dict[str, Any]] = {
    "headerKey": {"type": "apiKey", "in": "header", "name": "X-Key"},
    "queryKey": {"type": "apiKey", "in": "query", "name": "api_key"},
    "basic": {"type": "http", "scheme": "basic"},
    "bearer": {"type": "http", "scheme": "bearer"},
    "oauth": {
        "type": "oauth2",
        "flows": {"clientCredentials": {"tokenUrl": "http://127.0.0.1/token", "scopes": {}}},
    },
}
CASES = {
    "good": "get",
    "made": "post",
    "broken": "get",
    "home": "get",
    "away": "get",
    "file": "get",
    "slow": "get",
}
"""An answer, a change, a failure, redirects at home and abroad, a file; then none in time, after
which the breaker of the host is open."""


class Api:
    """Knows what it was sent and says it wherever it can; slow calls end with the API."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        self.elsewhere: list[str] = []
        self.url = ""
        self.other = ""

    async def answer(self, request: web.Request) -> web.StreamResponse:
        if request.method == "OPTIONS":
            return web.Response()
        said = self._secrets_of(request)
        self.seen += said
        case = request.path.split("/")[1]
        if case == "slow":
            raise TimeoutError if request.transport is None else await _never()
        if case in ("home", "away"):
            target = self.url + "/good/landed" if case == "home" else self.other
            return web.Response(status=302, headers={"Location": f"{target}?was={quote(said[0])}"})
        if case == "file":
            return web.Response(body=b"\0" + "|".join(said).encode() + b"\0", content_type="application/zip")
        text = json.dumps({"said": said, "quoted": [quote(each) for each in said]})
        status = {"broken": 500, "made": 201}.get(case, 200)
        headers = {"X-Echo": quote(said[0])} if said else {}
        return web.Response(status=status, text=text, content_type="application/json", headers=headers)

    async def note(self, request: web.Request) -> web.Response:
        """What must not get here with a secret."""
        self.elsewhere.append(f"{request.raw_path} {dict(request.headers)}")
        return web.Response(text="elsewhere")

    def _secrets_of(self, request: web.Request) -> list[str]:
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        if scheme == "Basic":
            token = b64decode(token).decode().partition(":")[2]
        told = (request.headers.get("X-Key"), request.query.get("api_key"), token)
        return [each for each in told if each]


async def _never() -> Exception:
    await eventually(lambda: False, within_s=4)
    return TimeoutError()


@asynccontextmanager
async def served(api: Api) -> AsyncGenerator[Api]:
    """The API, and another origin that notes what reaches it."""

    def listening(handler: Handler) -> AbstractAsyncContextManager[str]:
        app = for_every_page(web.Application())
        app.router.add_route("*", "/{rest:.*}", handler)
        return serving(app, notices_hang_up=True, shutdown_s=0.1)

    async with listening(api.answer) as api.url, listening(api.note) as api.other:
        yield api


def document_of(url: str) -> str:
    """One operation for each case and scheme."""
    paths: dict[str, Any] = {
        f"/{case}/{scheme}": {method: {"operationId": f"{case}_{scheme}", "security": [{scheme: []}]}}
        for case, method in CASES.items()
        for scheme in SCHEMES
    }
    about = {"openapi": "3.1.0", "info": {"title": "Canaries", "version": "1"}, "servers": [{"url": url}]}
    return json.dumps({**about, "paths": paths, "components": {"securitySchemes": SCHEMES}})


async def call_everything(scene: BrowserHarness) -> dict[str, bytes]:
    """What callers read, by tool; kept files with it."""
    read: dict[str, bytes] = {}
    for case in CASES:
        for scheme in SCHEMES:
            deadline = {"X-Tool-Deadline": "2"} if case == "slow" else {}
            reply = await scene.caller.call(f"{case}_{scheme}", **deadline)
            read[f"{case}_{scheme}"] = repr(reply.headers).encode() + reply.body
            if case == "file":
                async with scene.http.get(reply.json()["file"]["url"]) as response:
                    read[f"kept_{scheme}"] = await response.read()
    return read


async def test_no_canary_is_found_anywhere_but_at_its_api(
    chromium: Browser, tmp_path: Path, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    """Database with its WAL, files, the bridge's log with all frames, audit, answers, the page's own view."""
    for name in ("engineio.server", "socketio.server", "aiohttp", "bridge"):
        caplog.set_level(logging.DEBUG, name)
    async with served(Api()) as api, open_harness(chromium, tmp_path, [], deadline_s=20) as scene:
        page = await scene._opened(await scene.bridge.page_url(), {})  # pyright: ignore[reportPrivateUsage] - nothing is named that would be accepted
        document = tmp_path / "canaries.json"
        document.write_text(document_of(api.url))
        server = await scene.bridge.share_document(str(document), named="canaries")
        await accept_selection(page, server.record.id)
        for scheme, canary in CANARIES.items():
            values = {"username": "ann", "password": canary} if scheme == "basic" else {"value": canary}
            await save_credential(page, server.record.id, KINDS[scheme], **values)
        read = await call_everything(scene)
        assert set(api.seen) == set(CANARIES.values()), "every canary did reach its API"
        await go_to(page, "calls")
        shown = await page.content()
        await scene.bridge.components.journal.list_calls(scene.bridge.local_user.id, before=None, limit=1)
        entries = await scene.bridge.components.ground.audit.read_entries(AuditQuery(limit=1000))
        alive = files_with(tmp_path, CANARIES.values())
    assert await asyncio.to_thread(main, ["audit", "--json", "--data", str(tmp_path)]) == 0
    places = {
        "a caller": b"".join(read.values()),
        "the log and the frames of the socket": caplog.text.encode(),
        "the page": shown.encode(),
        "the audit log": repr(entries).encode() + capsys.readouterr().out.encode(),
        "another origin": repr(api.elsewhere).encode(),
    }
    found = [
        f"{where}: {name}"
        for where, content in places.items()
        for name, canary in CANARIES.items()
        if contains_secret(content, canary)
    ]
    assert found + alive + files_with(tmp_path, CANARIES.values()) == []
    assert len([entry for entry in entries if entry.entry.kind == "call"]) == len(CASES) * len(SCHEMES)
    assert b"[secret]" in places["a caller"]
    assert "Received packet MESSAGE" in caplog.text, "the log does show what the library sees of the socket"
