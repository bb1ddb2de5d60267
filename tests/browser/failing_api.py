"""An API that fails as frameworks and gateways do: only its good answers let a page read them (CORS)."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from aiohttp import hdrs, web

from tests.support.documents.compiled import document_text, operation
from tests.support.web_servers import serving
from toolserver.json_types import JsonObject

READABLE = {hdrs.ACCESS_CONTROL_ALLOW_ORIGIN: "*"}
CONSENT = {**READABLE, hdrs.ACCESS_CONTROL_ALLOW_HEADERS: "content-type, x-key"}

_BODY: JsonObject = {"content": {"application/json": {"schema": {"type": "object"}}}}
_ANSWERS: JsonObject = {"200": {"description": "ok"}}


def _writing(operation_id: str) -> JsonObject:
    return {"operationId": operation_id, "requestBody": _BODY, "responses": _ANSWERS}


def _demanding(operation_id: str) -> JsonObject:
    return {"operationId": operation_id, "responses": _ANSWERS, "security": [{"key": []}]}


PATHS: JsonObject = {
    "/ok": {**operation("readFine"), "post": _writing("writeFine"), "put": _writing("replaceFine")},
    "/crash": {**operation("crash"), "post": _writing("crashWriting")},
    "/circle": operation("circle"),
    "/items": {"post": _writing("addItem")},
    "/words/": {"post": _writing("addWord")},
    "/elsewhere": {"post": _writing("addElsewhere")},
    "/hidden-login": operation("behindLogin"),
    "/private": {"get": _demanding("readPrivate"), "post": _demanding("changePrivate")},
}


def failing_document(url: str) -> str:
    """Its OpenAPI document; `key` is an API key in the header `x-key`."""
    schemes = '"securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "x-key"}}'
    text = document_text("Failing", paths=PATHS, server=url)
    return text[:-1] + ', "components": {' + schemes + "}}"


MOVED = {
    "GET /circle": ("/circle", 302),
    "GET /abroad": ("http://127.0.0.1:9/", 302),
    "POST /items": ("/items/", 307),
    "POST /words/": ("/words", 308),
    "POST /elsewhere": ("/nowhere", 302),
    "GET /hidden-login": ("/login", 302),
    "POST /private": ("/login", 302),
}
READABLE_STATUS = {"/ok": 200, "/items/": 405, "/words": 405, "/elsewhere/": 404}
"""Of paths whose every answer a page may read."""


@dataclass
class FailingApi:
    """It allows pages two headers, and no method that has to be allowed."""

    url: str = ""
    seen: list[str] = field(default_factory=list[str])
    """Method and path of every request but the browser's own questions (preflights)."""

    async def answer(self, request: web.Request) -> web.Response:
        """As its paths say; what is left is an error that no page may read."""
        if request.method == "OPTIONS":
            return web.Response(status=204, headers=CONSENT)
        asked = f"{request.method} {request.path}"
        self.seen.append(asked)
        if asked in MOVED:
            location, status = MOVED[asked]
            return web.Response(status=status, headers={hdrs.LOCATION: location, **READABLE})
        if request.path in READABLE_STATUS:
            return web.json_response({"ok": True}, status=READABLE_STATUS[request.path], headers=READABLE)
        return web.Response(status=401 if request.path == "/private" else 500)


@asynccontextmanager
async def failing_api(share: Callable[[str], Awaitable[object]]) -> AsyncGenerator[FailingApi]:
    """Listens, and its document is shared."""
    api = FailingApi()
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", api.answer)
    async with serving(app) as api.url:
        await share(failing_document(api.url))
        yield api
