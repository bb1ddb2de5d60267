"""How much an MCP client takes: text of an answer that its model reads, and characters of a tool's name.

What is longer a client refuses, cuts in the middle or puts aside, so its model sees nothing of it, or not how
to go on. What the bridge cuts names `read_result`.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping

from aiohttp import web
from multidict import istr

from bridge.answer_queries.outline_header import outlines_of
from bridge.auth.identity import Caller
from bridge.calls.reading import Reading
from bridge.endpoints.mcp.protocol import RpcMessage
from bridge.endpoints.name_room import read_room
from toolserver.json_types import object_at, text_at

USUAL_BYTES = 60_000
"""Maximum bytes of an answer's text. As JSON in JSON it has a fifth more; at three characters a token that is
below the 25,000 tokens of Claude Code, which is the least that many clients are made for."""

CLIENT_BYTES: Mapping[str, int] = {"codex-mcp-client": 24_000}
"""Less, by names that clients call themselves: Codex keeps 10,000 tokens."""

CLIENT_ROOMS: Mapping[str, int] = {
    "claude-code": 46,  # mcp__tool-bridge__
    "codex-mcp-client": 46,
    "cursor-vscode": 48,  # together with the server's name at most 60
    "Visual Studio Code": 51,  # mcp_, 8 characters, _
    "Visual Studio Code - Insiders": 51,
}
"""Maximum characters of a tool's name, by names that clients call themselves: what they put before it counts
within the 64 that models' providers take. The server is called tool-bridge there, as *Connect* writes it."""

CLIENT_INFO_KEY = "io.modelcontextprotocol/clientInfo"
"""Key in a modern request's `_meta` with the client's name and version."""

SESSION_HEADER = istr("Mcp-Session-Id")
"""Header that a legacy client repeats in each request, with what `initialize` was answered."""

_SESSION_NAMES = {name.replace(" ", "-"): name for name in (*CLIENT_BYTES, *CLIENT_ROOMS)}
"""Names of known clients, by what ids of sessions begin with: there are no spaces in them."""


def session_of(message: RpcMessage) -> str | None:
    """Return an id for the session that a legacy client begins; None: it has no limit of its own.

    The id says which client it is, and names nothing that is kept. So each replica shows a session the same
    names, also after a restart, and whatever other client has the same key.
    """
    name = _known_name(text_at(object_at(message.params, "clientInfo"), "name"))
    return f"{name.replace(' ', '-')}.{uuid.uuid4().hex}" if name else None


def client_of(request: web.Request, message: RpcMessage) -> str:
    """Return the name of the client that asks, if it has a limit of its own; empty if not."""
    told = _known_name(text_at(object_at(message.meta, CLIENT_INFO_KEY), "name"))
    return told or _SESSION_NAMES.get(request.headers.get(SESSION_HEADER, "").partition(".")[0], "")


class McpReaders:
    """The limits of clients. What one says of itself can only shorten its own answers and names."""

    def __init__(self, max_answer_bytes: int | None) -> None:
        """`max_answer_bytes`: for all clients; 0: as everywhere; None: by client."""
        self._of_all = max_answer_bytes

    def limit_of(self, request: web.Request, message: RpcMessage) -> int | None:
        """Return the maximum bytes of an answer's text; None: as everywhere."""
        if self._of_all is not None:
            return self._of_all or None
        return CLIENT_BYTES.get(client_of(request, message), USUAL_BYTES)

    def room_of(self, request: web.Request, message: RpcMessage) -> int | None:
        """Return the maximum characters of a tool's name: of the address, or of the client; None: neither.

        Raises:
            BridgeError: `invalid_request`: the address has no such number.
        """
        return read_room(request) or CLIENT_ROOMS.get(client_of(request, message))

    def reading_of(self, request: web.Request, caller: Caller, message: RpcMessage) -> Reading:
        """Return what the caller's model reads of an answer."""
        return Reading(self.limit_of(request, message), outlines_of(request, caller))


def _known_name(name: str) -> str:
    """The name, if it has a limit of its own; a proxy adds its own in brackets."""
    first = name.partition(" (")[0]
    return first if first in CLIENT_BYTES or first in CLIENT_ROOMS else ""
