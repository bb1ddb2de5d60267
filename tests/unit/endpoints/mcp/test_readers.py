"""Which limit an MCP client's answers have, by what it says of itself."""

from __future__ import annotations

import re

import pytest
from aiohttp.test_utils import make_mocked_request
from aiohttp.web import Request

from bridge.endpoints.mcp.protocol import RpcMessage
from bridge.endpoints.mcp.readers import (
    CLIENT_BYTES,
    CLIENT_INFO_KEY,
    CLIENT_ROOMS,
    SESSION_HEADER,
    USUAL_BYTES,
    McpReaders,
    session_of,
)
from toolserver.json_types import JsonObject

CODEX = "codex-mcp-client"


def request(session: str | None = None, query: str = "") -> Request:
    headers = {} if session is None else {SESSION_HEADER: session}
    return make_mocked_request("POST", f"/mcp{query}", headers=headers)


def message(params: JsonObject | None = None, meta: JsonObject | None = None) -> RpcMessage:
    return RpcMessage("initialize", params or {}, meta or {}, 1, b"", is_modern=False)


def introduction(name: str) -> RpcMessage:
    return message({"clientInfo": {"name": name}})


@pytest.mark.parametrize("name", CLIENT_ROOMS)
def test_a_session_says_by_its_id_which_client_it_is(name: str) -> None:
    """Finding W-18: a replica that has never seen the client, and a restarted one, show the same names."""
    first, second = (session_of(introduction(name)) for _ in range(2))
    assert first is not None
    assert first != second
    assert re.fullmatch(r"[\x21-\x7e]+", first), "as the specification demands"
    assert McpReaders(None).room_of(request(first), message()) == CLIENT_ROOMS[name]
    assert McpReaders(None).limit_of(request(first), message()) == CLIENT_BYTES.get(name, USUAL_BYTES)


def test_a_client_like_most_has_no_session() -> None:
    """An id would have it ask for streams, and end what does not exist."""
    assert session_of(introduction("another")) is None
    assert session_of(message()) is None


@pytest.mark.parametrize("session", ["", ".", "another.1", "codex", f"x{CODEX}.1", "é" * 4000])
def test_an_id_that_the_bridge_did_not_give_says_nothing(session: str) -> None:
    """Whatever a client sends there, it changes no more than the length of its own answers and names."""
    assert McpReaders(None).room_of(request(session), message()) is None
    assert McpReaders(None).limit_of(request(session), message()) == USUAL_BYTES


def test_what_a_modern_client_says_in_its_call_goes_before_an_id() -> None:
    """Finding W-41: sibling. It introduces itself with each request, and has no session."""
    own: JsonObject = {CLIENT_INFO_KEY: {"name": CODEX}}
    session = session_of(introduction("claude-code"))
    assert McpReaders(None).limit_of(request(session), message(meta=own)) == CLIENT_BYTES[CODEX]
    assert McpReaders(None).limit_of(request(session), message()) == USUAL_BYTES


def test_the_address_goes_before_what_the_client_is() -> None:
    """Finding W-18: a limit that its user chose."""
    session = session_of(introduction(CODEX))
    assert McpReaders(None).room_of(request(session, "?names=60"), message()) == 60


def test_the_operators_number_goes_before_all() -> None:
    """Finding W-41: 0 means that the endpoint has no limit of its own."""
    session = session_of(introduction(CODEX))
    for number, limit in ((2000, 2000), (0, None)):
        assert McpReaders(number).limit_of(request(session), message()) == limit
