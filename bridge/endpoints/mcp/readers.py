"""How much an MCP client takes: text of an answer that its model reads, and characters of a tool's name.

What is longer a client refuses, cuts in the middle or puts aside, so its model sees nothing of it, or not how
to go on. What the bridge cuts names `read_result`.
"""

from __future__ import annotations

from collections.abc import Mapping

from aiohttp import web

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

MAX_REMEMBERED = 1000
"""Maximum number of callers whose client is remembered; the one that came first is forgotten first."""


class McpReaders:
    """The limits of clients. A legacy client says its name once, which can only shorten answers and names."""

    def __init__(self, max_answer_bytes: int | None) -> None:
        """`max_answer_bytes`: for all clients; 0: as everywhere; None: by client."""
        self._of_all = max_answer_bytes
        self._names: dict[tuple[str, str], str] = {}

    def note_client(self, caller: Caller, message: RpcMessage) -> None:
        """Remember the client that a legacy `initialize` introduces; of several with one key, the last."""
        name = _known_name(text_at(object_at(message.params, "clientInfo"), "name"))
        key = caller.user.id, caller.id
        self._names.pop(key, None)
        if name:
            self._names[key] = name
            if len(self._names) > MAX_REMEMBERED:
                del self._names[next(iter(self._names))]

    def limit_of(self, caller: Caller, message: RpcMessage) -> int | None:
        """Return the maximum bytes of an answer's text; None: as everywhere."""
        if self._of_all is not None:
            return self._of_all or None
        return CLIENT_BYTES.get(self._name_of(caller, message), USUAL_BYTES)

    def room_of(self, request: web.Request, caller: Caller, message: RpcMessage) -> int | None:
        """Return the maximum characters of a tool's name: of the address, or of the client; None: neither.

        Raises:
            BridgeError: `invalid_request`: the address has no such number.
        """
        return read_room(request) or CLIENT_ROOMS.get(self._name_of(caller, message))

    def _name_of(self, caller: Caller, message: RpcMessage) -> str:
        told = _known_name(text_at(object_at(message.meta, CLIENT_INFO_KEY), "name"))
        return told or self._names.get((caller.user.id, caller.id), "")

    def reading_of(self, request: web.Request, caller: Caller, message: RpcMessage) -> Reading:
        """Return what the caller's model reads of an answer."""
        return Reading(self.limit_of(caller, message), outlines_of(request, caller))


def _known_name(name: str) -> str:
    """The name, if it has a limit of its own; a proxy adds its own in brackets."""
    first = name.partition(" (")[0]
    return first if first in CLIENT_BYTES or first in CLIENT_ROOMS else ""
