"""The sample intranet: an API without CORS, and one behind a login by cookie, as company systems have them.

Gives `create_intranet` to tests and `start_intranet` to `tool-bridge demo`. No page of another origin can
read it, and its cookie is `SameSite=Strict`. Both documents are served beside what they describe, at
`/printer/openapi.json` and `/staff/openapi.json`.
"""

import secrets
from dataclasses import dataclass, field
from typing import cast

from aiohttp import web

from .document_files import JsonObject

COOKIE = "staff_session"
PASSWORD = "demo-password"
_SHUTDOWN_S = 1.0
_MAX_SESSIONS = 1000


@dataclass(slots=True)
class Intranet:
    """Its state; a login is a name and the one password."""

    paper: int = 40
    jobs: list[str] = field(default_factory=list[str])
    sessions: dict[str, str] = field(default_factory=dict[str, str])
    """Cookies to names."""
    leave: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """Days of leave that were asked for, by name."""


INTRANET = web.AppKey("intranet", Intranet)


async def show_printer(request: web.Request) -> web.Response:
    """Anybody in the network may ask a printer how it is."""
    printer = request.app[INTRANET]
    return web.json_response({"paper": printer.paper, "jobs": printer.jobs})


async def print_text(request: web.Request) -> web.Response:
    """One sheet for each job."""
    printer = request.app[INTRANET]
    job = await _read_object(request)
    if printer.paper == 0:
        return web.json_response({"title": "The printer is out of paper."}, status=409)
    printer.paper -= 1
    printer.jobs.append(str(job.get("text", ""))[:100])
    return web.json_response({"job": len(printer.jobs)}, status=201)


async def show_person(request: web.Request) -> web.Response:
    """Who is logged in."""
    name = _name_of(request)
    return _login_page(401) if name is None else web.json_response({"name": name})


async def list_leave(request: web.Request) -> web.Response:
    """The caller's own days."""
    name = _name_of(request)
    if name is None:
        return _login_page(401)
    return web.json_response({"days": request.app[INTRANET].leave.get(name, [])})


async def ask_for_leave(request: web.Request) -> web.Response:
    """One more day."""
    name = _name_of(request)
    if name is None:
        return _login_page(401)
    days = request.app[INTRANET].leave.setdefault(name, [])
    days.append(str((await _read_object(request)).get("day", ""))[:10])
    return web.json_response({"days": days}, status=201)


async def show_start(_request: web.Request) -> web.Response:
    """Where the page's *Sign in at* leads: an intranet's front page."""
    links = '<p><a href="/staff/login">Staff login</a></p><p><a href="/printer/status">Printer</a></p>'
    page = f'<!doctype html><html lang="en"><title>Sample intranet</title><h1>Sample intranet</h1>{links}'
    return web.Response(text=page, content_type="text/html")


async def show_login(_request: web.Request) -> web.Response:
    """A page to log in at."""
    return _login_page(200)


async def log_in(request: web.Request) -> web.Response:
    """Begin a session; its cookie goes with nothing that another site's page asks for."""
    form = await request.post()
    if form.get("password") != PASSWORD:
        return _login_page(403)
    sessions = request.app[INTRANET].sessions
    if len(sessions) >= _MAX_SESSIONS:
        sessions.clear()
    session = secrets.token_urlsafe(16)
    sessions[session] = str(form.get("name", ""))[:40]
    response = web.Response(status=303, headers={"Location": "/staff/me"})
    response.set_cookie(COOKIE, session, httponly=True, samesite="Strict", path="/staff")
    return response


async def log_out(request: web.Request) -> web.Response:
    """End the session, here and in the browser."""
    request.app[INTRANET].sessions.pop(request.cookies.get(COOKIE, ""), None)
    response = web.Response(status=303, headers={"Location": "/staff/login"})
    response.del_cookie(COOKIE, path="/staff")
    return response


def _name_of(request: web.Request) -> str | None:
    return request.app[INTRANET].sessions.get(request.cookies.get(COOKIE, ""))


async def _read_object(request: web.Request) -> JsonObject:
    try:
        value: object = await request.json()
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise web.HTTPBadRequest(text="Send a JSON object.")
    return cast(JsonObject, value)


def _login_page(status: int) -> web.Response:
    form = (
        '<!doctype html><html lang="en"><title>Staff login</title><h1>Staff login</h1>'
        f"<p>Any name; the password is {PASSWORD}.</p>"
        '<form method="post" action="/staff/login"><label>Name <input name="name" value="ann"></label>'
        '<label>Password <input name="password" type="password"></label><button>Log in</button></form>'
    )
    return web.Response(status=status, text=form, content_type="text/html")


def _operation(name: str, summary: str, status: str = "200", member: str = "") -> JsonObject:
    described: JsonObject = {
        "operationId": name,
        "summary": summary,
        "responses": {status: {"description": "Done"}},
    }
    if member:
        schema: JsonObject = {
            "type": "object",
            "required": [member],
            "properties": {member: {"type": "string"}},
        }
        described["requestBody"] = {"required": True, "content": {"application/json": {"schema": schema}}}
    return described


_PRINTER: JsonObject = {
    "openapi": "3.1.0",
    "info": {"title": "Printer", "version": "1.0.0", "description": "It allows no CORS, like most devices."},
    "servers": [{"url": "/printer"}],
    "paths": {
        "/status": {"get": _operation("showPrinter", "How the printer is")},
        "/jobs": {"post": _operation("printText", "Print a text", "201", "text")},
    },
}
_STAFF: JsonObject = {
    "openapi": "3.1.0",
    "info": {
        "title": "Staff",
        "version": "1.0.0",
        "description": "Log in at /staff/login. It allows no CORS.",
    },
    "servers": [{"url": "/staff"}],
    "security": [{"session": []}],
    "paths": {
        "/me": {"get": _operation("showMe", "Who is logged in")},
        "/leave": {
            "get": _operation("listLeave", "My days of leave"),
            "post": _operation("askForLeave", "Ask for a day of leave", "201", "day"),
        },
    },
    "components": {"securitySchemes": {"session": {"type": "apiKey", "in": "cookie", "name": COOKIE}}},
}


async def _printer_document(_request: web.Request) -> web.Response:
    return web.json_response(_PRINTER)


async def _staff_document(_request: web.Request) -> web.Response:
    return web.json_response(_STAFF)


def create_intranet() -> web.Application:
    """A fresh intranet, where nobody is logged in."""
    app = web.Application()
    app[INTRANET] = Intranet()
    app.add_routes(
        [
            web.get("/", show_start),
            web.get("/printer/openapi.json", _printer_document),
            web.get("/printer/status", show_printer),
            web.post("/printer/jobs", print_text),
            web.get("/staff/openapi.json", _staff_document),
            web.get("/staff/login", show_login),
            web.post("/staff/login", log_in),
            web.post("/staff/logout", log_out),
            web.get("/staff/me", show_person),
            web.get("/staff/leave", list_leave),
            web.post("/staff/leave", ask_for_leave),
        ]
    )
    return app


async def start_intranet(host: str = "127.0.0.1", port: int = 0) -> tuple[web.AppRunner, str]:
    """Listen on one host and port (0: any free one) and give the runner and the base URL.

    The caller stops it by `await runner.cleanup()`.

    Raises:
        OSError: the port is taken.
    """
    runner = web.AppRunner(create_intranet(), shutdown_timeout=_SHUTDOWN_S)
    await runner.setup()
    try:
        await web.TCPSite(runner, host, port).start()
    except OSError:
        await runner.cleanup()
        raise
    bound_port: int = runner.addresses[0][1]
    return runner, f"http://{host}:{bound_port}"
