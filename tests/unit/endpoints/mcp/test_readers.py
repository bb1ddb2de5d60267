"""Which limit an MCP client's answers have, by what it says of itself."""

from __future__ import annotations

from bridge.auth.identity import Caller
from bridge.endpoints.mcp.protocol import RpcMessage
from bridge.endpoints.mcp.readers import (
    CLIENT_BYTES,
    CLIENT_INFO_KEY,
    MAX_REMEMBERED,
    USUAL_BYTES,
    McpReaders,
)
from bridge.storage.user_mapping import User
from toolserver.json_types import JsonObject

CODEX = "codex-mcp-client"


def caller(user: str = "ann", key: str = "k1") -> Caller:
    return Caller(User(user, user), None, key_id=key)


def message(params: JsonObject | None = None, meta: JsonObject | None = None) -> RpcMessage:
    return RpcMessage("initialize", params or {}, meta or {}, 1, b"", is_modern=False)


def introduction(name: str) -> RpcMessage:
    return message({"clientInfo": {"name": name}})


def test_a_name_holds_for_the_key_that_said_it() -> None:
    """Finding W-41: answers of another program, or of another user of one forwarder, stay as they were."""
    readers = McpReaders(None)
    readers.note_client(caller(), introduction(CODEX))
    limits = [readers.limit_of(each, message()) for each in (caller(), caller(key="k2"), caller("bob"))]
    assert limits == [CLIENT_BYTES[CODEX], USUAL_BYTES, USUAL_BYTES]
    readers.note_client(caller(), introduction("claude-code"))
    assert readers.limit_of(caller(), message()) == USUAL_BYTES


def test_what_a_modern_client_says_in_its_call_goes_before_what_was_remembered() -> None:
    """Finding W-41: sibling. It introduces itself with each request, and never by itself."""
    readers = McpReaders(None)
    own: JsonObject = {CLIENT_INFO_KEY: {"name": CODEX}}
    assert readers.limit_of(caller(), message(meta=own)) == CLIENT_BYTES[CODEX]
    assert readers.limit_of(caller(), message()) == USUAL_BYTES


def test_no_more_callers_are_remembered_than_fit() -> None:
    """Each user has as many keys as the quotas allow; the one that came first is forgotten first."""
    readers = McpReaders(None)
    for number in range(MAX_REMEMBERED + 1):
        readers.note_client(caller(key=f"k{number}"), introduction(CODEX))
    first, second = (readers.limit_of(caller(key=key), message()) for key in ("k0", "k1"))
    assert (first, second) == (USUAL_BYTES, CLIENT_BYTES[CODEX])


def test_the_operators_number_goes_before_all() -> None:
    """Finding W-41: 0 means that the endpoint has no limit of its own."""
    for number, limit in ((2000, 2000), (0, None)):
        readers = McpReaders(number)
        readers.note_client(caller(), introduction(CODEX))
        assert readers.limit_of(caller(), message()) == limit
