"""Names and numbers of the Model Context Protocol are those of the official package."""

import mcp_types
from mcp_types import jsonrpc
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, LATEST_MODERN_VERSION

from bridge.endpoints.mcp import protocol


def test_versions_are_the_released_ones() -> None:
    """The newest first, as a client reads the list."""
    assert protocol.MODERN_VERSION == LATEST_MODERN_VERSION
    assert tuple(reversed(protocol.LEGACY_VERSIONS)) == HANDSHAKE_PROTOCOL_VERSIONS


def test_codes_are_those_of_the_specification() -> None:
    """Each with the name that the package gives it."""
    ours = {
        "PARSE_ERROR": protocol.PARSE_ERROR,
        "INVALID_REQUEST": protocol.INVALID_REQUEST,
        "METHOD_NOT_FOUND": protocol.METHOD_NOT_FOUND,
        "INVALID_PARAMS": protocol.INVALID_PARAMS,
        "HEADER_MISMATCH": protocol.HEADER_MISMATCH,
        "UNSUPPORTED_PROTOCOL_VERSION": protocol.UNSUPPORTED_VERSION,
    }
    assert {name: getattr(jsonrpc, name) for name in ours} == ours
    assert -32019 <= protocol.REFUSED <= -32000, "own codes are outside of what the specification reserves"


def test_keys_of_meta_are_those_of_the_specification() -> None:
    """Under which a modern request says what it speaks, and the server who it is."""
    assert protocol.VERSION_KEY == mcp_types.PROTOCOL_VERSION_META_KEY
    assert protocol.CAPABILITIES_KEY == mcp_types.CLIENT_CAPABILITIES_META_KEY
    assert protocol.SERVER_INFO_KEY == mcp_types.SERVER_INFO_META_KEY
