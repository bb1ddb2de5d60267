"""The sample MCP server: Streamable HTTP at `/mcp`, in both eras of the protocol, without any package of MCP.

Gives `create_mcp_server` to tests and `start_mcp_server` to `tool-bridge demo`. It shows what a server needs
so that a page may call it: a browser's question (`OPTIONS`) is answered before anything else, every header of
the protocol is allowed, and the session's is exposed. Pages of this machine may call it, and no others.
"""

import secrets
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from aiohttp import web
from aiohttp.typedefs import Handler

from .document_files import JsonObject, JsonValue
from .notes import Notes, NoteTool, ToolFailed, note_tools

MODERN = "2026-07-28"
LEGACY = ("2025-11-25", "2025-06-18", "2025-03-26")
SESSION_HEADER = "Mcp-Session-Id"
CORS_HEADERS = {
    "Access-Control-Allow-Methods": "POST, GET, DELETE, OPTIONS",
    "Access-Control-Allow-Headers": (
        "content-type, authorization, mcp-protocol-version, mcp-method, mcp-name, mcp-session-id"
    ),
    "Access-Control-Expose-Headers": f"{SESSION_HEADER}, WWW-Authenticate",
    "Access-Control-Max-Age": "600",
}

_INFO: JsonObject = {"name": "notes", "title": "Notes (MCP)", "version": "1.0.0"}
_INSTRUCTIONS = "Notes that are kept until the server ends."
_META = "io.modelcontextprotocol/"
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_SHUTDOWN_S = 1.0
_MOST_SESSIONS = 1000

_METHOD_NOT_FOUND = -32601
_INVALID_PARAMS = -32602
_HEADER_MISMATCH = -32020
_UNSUPPORTED_VERSION = -32022


@dataclass(slots=True)
class NoteServer:
    """The state of one server: its tools may change while it runs."""

    notes: Notes = field(default_factory=Notes)
    tools: dict[str, NoteTool] = field(
        default_factory=lambda: {str(tool.definition["name"]): tool for tool in note_tools()}
    )
    sessions: set[str] = field(default_factory=set[str])
    """Ids of the sessions of the older era."""
    token: str | None = None
    """The bearer token that every request must have; None: none."""
    page_hosts: set[str] = field(default_factory=lambda: set(_LOOPBACK))
    """Whose pages may call it."""


NOTE_SERVER = web.AppKey("note_server", NoteServer)


class RpcError(Exception):
    """An error of the protocol, with the HTTP status that it is answered by."""

    def __init__(self, code: int, message: str, status: int = 200, data: JsonObject | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.status = status
        self.data = data


@web.middleware
async def allow_pages(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Let pages of known hosts call and read; refuse those of others, whose user asked for nothing."""
    origin = request.headers.get("Origin")
    if origin is not None and urlsplit(origin).hostname not in request.app[NOTE_SERVER].page_hosts:
        return web.Response(status=403, text="Pages of this origin may not call this server.")
    asks = request.method == "OPTIONS" and "Access-Control-Request-Method" in request.headers
    response = web.Response(status=204) if asks else await _answered(request, handler)
    if origin is not None:
        response.headers.update({**CORS_HEADERS, "Access-Control-Allow-Origin": origin, "Vary": "Origin"})
    return response


async def _answered(request: web.Request, handler: Handler) -> web.StreamResponse:
    try:
        return await handler(request)
    except web.HTTPException as error:  # an answer like any other: a page must be able to read it
        return web.Response(status=error.status, text=error.text)


async def post_message(request: web.Request) -> web.Response:
    """One message: a request is answered in JSON, a notification by 202."""
    server = request.app[NOTE_SERVER]
    if server.token is not None and request.headers.get("Authorization") != f"Bearer {server.token}":
        return web.Response(status=401, headers={"WWW-Authenticate": "Bearer"})
    message = await request.json()
    if "id" not in message:
        return web.Response(status=202)
    reply: JsonObject = {"jsonrpc": "2.0", "id": message["id"]}
    params: JsonObject = message.get("params") or {}
    headers: dict[str, str] = {}
    try:
        meta = params.get("_meta")
        if isinstance(meta, dict) and f"{_META}protocolVersion" in meta:
            version = meta[f"{_META}protocolVersion"]
            reply["result"] = _answer_modern(server, request, message["method"], params, version)
        else:
            reply["result"] = _answer_legacy(server, request, message["method"], params, headers)
    except RpcError as error:
        facts: JsonObject = {"code": error.code, "message": str(error)}
        reply["error"] = facts if error.data is None else {**facts, "data": error.data}
        return web.json_response(reply, status=error.status)
    return web.json_response(reply, headers=headers)


def _answer_modern(
    server: NoteServer, request: web.Request, method: str, params: JsonObject, version: JsonValue
) -> JsonObject:
    """Every request stands alone; its headers must say what its body says."""
    if version != MODERN:
        supported: list[JsonValue] = [MODERN, *LEGACY]
        raise RpcError(_UNSUPPORTED_VERSION, "Unsupported version", 400, {"supported": supported})
    named = params.get("name") if method == "tools/call" else None
    sent = [request.headers.get(name) for name in ("MCP-Protocol-Version", "Mcp-Method", "Mcp-Name")]
    if sent != [version, method, named]:
        raise RpcError(_HEADER_MISMATCH, "The headers do not say what the body says", 400)
    stamp: JsonObject = {"resultType": "complete", "_meta": {f"{_META}serverInfo": _INFO}}
    if method == "server/discover":
        capabilities: JsonObject = {"tools": {}}
        return {
            "supportedVersions": [MODERN],
            "capabilities": capabilities,
            "instructions": _INSTRUCTIONS,
            "ttlMs": 0,
            "cacheScope": "private",
            **stamp,
        }
    if method == "tools/list":
        return {**_listed(server), "ttlMs": 0, "cacheScope": "private", **stamp}
    return {**_called(server, method, params), **stamp}


def _answer_legacy(
    server: NoteServer, request: web.Request, method: str, params: JsonObject, headers: dict[str, str]
) -> JsonObject:
    """A session begins with `initialize`; one that is unknown is 404."""
    if method == "initialize":
        if len(server.sessions) >= _MOST_SESSIONS:
            server.sessions.clear()
        headers[SESSION_HEADER] = secrets.token_urlsafe(16)
        server.sessions.add(headers[SESSION_HEADER])
        wanted = params.get("protocolVersion")
        return {
            "protocolVersion": wanted if wanted in LEGACY else LEGACY[0],
            "capabilities": {"tools": {}},
            "serverInfo": _INFO,
            "instructions": _INSTRUCTIONS,
        }
    session = request.headers.get(SESSION_HEADER)
    if session is None:
        raise RpcError(-32600, "Missing session id", 400)
    if session not in server.sessions:
        raise RpcError(-32001, "Session not found", 404)
    return _listed(server) if method == "tools/list" else _called(server, method, params)


def _listed(server: NoteServer) -> JsonObject:
    return {"tools": [tool.definition for tool in server.tools.values()]}


def _called(server: NoteServer, method: str, params: JsonObject) -> JsonObject:
    if method != "tools/call":
        raise RpcError(_METHOD_NOT_FOUND, f"There is no method {method}", 404)
    name = str(params.get("name"))
    arguments = params.get("arguments")
    tool = server.tools.get(name)
    if tool is None:
        raise RpcError(_INVALID_PARAMS, f"There is no tool {name}", 400)
    server.notes.calls.append(name)
    try:
        return tool.run(server.notes, arguments if isinstance(arguments, dict) else {})
    except ToolFailed as error:
        return {"content": [{"type": "text", "text": str(error)}], "isError": True}


def create_mcp_server(*, token: str | None = None) -> web.Application:
    """A fresh server without notes. `token`: the bearer token it asks for."""
    app = web.Application(middlewares=[allow_pages])
    app[NOTE_SERVER] = NoteServer(token=token)
    app.add_routes([web.post("/mcp", post_message)])
    return app


async def start_mcp_server(host: str = "127.0.0.1", port: int = 0) -> tuple[web.AppRunner, str]:
    """Listen on one host and port (0: any free one) and give the runner and the endpoint's address.

    The caller stops it by `await runner.cleanup()`.

    Raises:
        OSError: the port is taken.
    """
    runner = web.AppRunner(create_mcp_server(), shutdown_timeout=_SHUTDOWN_S)
    await runner.setup()
    try:
        await web.TCPSite(runner, host, port).start()
    except OSError:
        await runner.cleanup()
        raise
    bound_port: int = runner.addresses[0][1]
    return runner, f"http://{host}:{bound_port}/mcp"
