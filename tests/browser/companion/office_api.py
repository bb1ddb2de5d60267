"""An API as offices have them: no CORS, and users known by a cookie that only their own site may send."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

SESSION = "office_session"

LOGIN_PAGE = "<!doctype html><title>Sign in</title><form>…</form>"


@dataclass
class OfficeApi:
    """`arrivals`: method, path and whether the session came along; of every request but logins.

    `hosts`: by which name each came. `notes`: what `listNotes` tells. `fetches`: method and path of each
    request for the document of the desks, and the names of its headers.
    """

    arrivals: list[tuple[str, str, bool]] = field(default_factory=list[tuple[str, str, bool]])
    hosts: list[str] = field(default_factory=list[str])
    fetches: list[tuple[str, str, set[str]]] = field(default_factory=list[tuple[str, str, set[str]]])
    notes: list[str] = field(default_factory=lambda: ["milk"])
    release: asyncio.Event = field(default_factory=asyncio.Event)
    refuses_strangers: bool = False
    """Whether a note of somebody who is not signed in is refused."""

    def application(self) -> web.Application:
        """The API, its login and its document."""
        app = web.Application()
        app.router.add_get("/", self._sign_in)
        app.router.add_get("/login", self._sign_in)
        app.router.add_get("/openapi.json", _document)
        app.router.add_get("/payroll.json", _payroll_document)
        app.router.add_get("/desks.json", self._desks_document)
        app.router.add_get("/parts.json", self._parts)
        app.router.add_get("/notes", self._list_notes)
        app.router.add_get("/me", self._me)
        app.router.add_post("/notes", self._add_note)
        app.router.add_route("*", "/slow", self._work_slowly)
        return app

    def at(self, method: str, path: str) -> list[bool]:
        """Of each arrival there: whether its user was signed in."""
        return [signed_in for *place, signed_in in self.arrivals if place == [method, path]]

    def _note(self, request: web.Request) -> bool:
        is_signed_in = SESSION in request.cookies
        self.arrivals.append((request.method, request.path, is_signed_in))
        self.hosts.append(request.url.host or "")
        return is_signed_in

    async def _sign_in(self, _request: web.Request) -> web.Response:
        response = web.Response(text="Signed in.", content_type="text/html")
        response.set_cookie(SESSION, "s3cret", httponly=True, samesite="Strict")
        return response

    async def _desks_document(self, request: web.Request) -> web.Response:
        self.fetches.append((request.method, request.path, {name.lower() for name in request.headers}))
        return web.json_response(desks_document(f"http://office.test:{request.url.port}"))

    async def _parts(self, request: web.Request) -> web.Response:
        self.fetches.append((request.method, request.path, {name.lower() for name in request.headers}))
        return web.json_response({"Notes": {"type": "object"}})

    async def _list_notes(self, request: web.Request) -> web.Response:
        self._note(request)
        agent = request.headers.get("User-Agent", "")
        facts = {"notes": self.notes, "agent": agent, "query": request.query_string}
        return web.json_response(facts, headers={"Retry-After": "7"})

    async def _me(self, request: web.Request) -> web.Response:
        if self._note(request):
            return web.json_response({"user": "ada"})
        return web.Response(status=401, text=LOGIN_PAGE, content_type="text/html")

    async def _add_note(self, request: web.Request) -> web.Response:
        is_signed_in = self._note(request)
        if self.refuses_strangers and not is_signed_in:
            return web.Response(status=401, text=LOGIN_PAGE, content_type="text/html")
        return web.json_response({"signed_in": is_signed_in}, status=201)

    async def _work_slowly(self, request: web.Request) -> web.Response:
        self._note(request)
        await self.release.wait()
        return web.json_response({})


async def _document(request: web.Request) -> web.Response:
    return web.json_response(office_document(f"http://office.test:{request.url.port}"))


async def _payroll_document(request: web.Request) -> web.Response:
    """It says that it is the office's, and names another origin for what it pays."""
    document = office_document(f"http://office.test:{request.url.port}")
    elsewhere: dict[str, Any] = {
        "servers": [{"url": f"http://payroll.test:{request.url.port}"}],
        "responses": {},
    }
    document["paths"] = {
        "/notes": {
            "get": {"operationId": "listDesks", "responses": {}},
            "post": {"operationId": "payWages", **elsewhere},
        },
        "/me": {"get": {"operationId": "listWages", **elsewhere}},
    }
    return web.json_response(document)


def office_document(base_url: str) -> dict[str, Any]:
    """Its OpenAPI document."""
    answers = {"200": {"description": "Done."}}

    def operation(name: str, **more: Any) -> dict[str, Any]:
        return {"operationId": name, "summary": name, "responses": answers, **more}

    agent = {"name": "User-Agent", "in": "header", "schema": {"type": "string"}}
    room = {"name": "room", "in": "query", "schema": {"type": "string"}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Office", "version": "1"},
        "servers": [{"url": base_url}],
        "paths": {
            "/notes": {"get": operation("listNotes", parameters=[agent, room]), "post": operation("addNote")},
            "/me": {"get": operation("whoAmI", security=[{"session": []}])},
            "/slow": {"post": operation("workSlowly"), "get": operation("readSlowly")},
        },
        "components": {"securitySchemes": {"session": {"type": "apiKey", "in": "cookie", "name": SESSION}}},
    }


def desks_document(base_url: str) -> dict[str, Any]:
    """An API with a key of its own, whose document has a second file."""
    content = {"application/json": {"schema": {"$ref": "parts.json#/Notes"}}}
    notes = {"content": content, "description": "All."}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Desks", "version": "1"},
        "servers": [{"url": base_url}],
        "security": [{"key": []}],
        "paths": {
            "/notes": {
                "get": {"operationId": "listDesks", "responses": {"200": notes}},
                "post": {"operationId": "addDesk", "responses": {"201": {"description": "Added."}}},
            },
        },
        "components": {"securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Desk-Key"}}},
    }
