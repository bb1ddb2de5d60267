"""The headers of MCP requests: what a modern request repeats from its body must be the same there. Pure.

Proxies route and limit by these headers, so a request whose header and body differ could do one thing where
another was allowed.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping

from multidict import CIMultiDictProxy, istr

from bridge.endpoints.mcp.protocol import (
    CAPABILITIES_KEY,
    HEADER_MISMATCH,
    INVALID_PARAMS,
    LEGACY_VERSIONS,
    MODERN_VERSION,
    UNSUPPORTED_VERSION,
    UNTOLD_VERSION,
    VERSION_KEY,
    RpcError,
    RpcMessage,
)
from toolserver.errors import quote_text
from toolserver.json_types import JsonObject

VERSION_HEADER = istr("MCP-Protocol-Version")
METHOD_HEADER = istr("Mcp-Method")
NAME_HEADER = istr("Mcp-Name")

_NAME_OF: Mapping[str, str] = {
    "tools/call": "name",
    "tasks/get": "taskId",
    "tasks/update": "taskId",
    "tasks/cancel": "taskId",
}
"""Methods whose `Mcp-Name` repeats a parameter, and which."""

_ENCODED_START, _ENCODED_END = "=?base64?", "?="
_NONE: list[str] = []


def is_modern_request(message: RpcMessage, headers: CIMultiDictProxy[str]) -> bool:
    """Whether a request is of the modern era: by its body, or else by its header."""
    if message.is_modern:
        return True
    told = headers.get(VERSION_HEADER, UNTOLD_VERSION)
    return told not in LEGACY_VERSIONS and message.method != "initialize"


def check_modern(message: RpcMessage, headers: CIMultiDictProxy[str]) -> None:
    """Check version, capabilities and headers of a modern request or notification.

    Raises:
        RpcError: `INVALID_PARAMS`, `HEADER_MISMATCH` or `UNSUPPORTED_VERSION`.
    """
    if message.request_id is not None:
        _check_request(message, headers)
    version = message.meta[VERSION_KEY] if message.is_modern else headers.get(VERSION_HEADER)
    if version != MODERN_VERSION:
        data: JsonObject = {"supported": [MODERN_VERSION, *LEGACY_VERSIONS], "requested": version}
        text = "The bridge does not speak this version of MCP."
        raise RpcError(UNSUPPORTED_VERSION, text, data, request_id=message.request_id)


def _check_request(message: RpcMessage, headers: CIMultiDictProxy[str]) -> None:
    version = message.meta.get(VERSION_KEY)
    told = headers.getall(VERSION_HEADER, _NONE)
    if version is None and told and told[0] != MODERN_VERSION:
        return  # a version of neither era, which is all that is wrong so far
    capabilities = message.meta.get(CAPABILITIES_KEY)
    if not isinstance(version, str) or not isinstance(capabilities, dict):
        text = f"params._meta needs {VERSION_KEY} (a text) and {CAPABILITIES_KEY} (an object)."
        raise RpcError(INVALID_PARAMS, text, request_id=message.request_id)
    if told != [version]:
        raise _mismatch(message, VERSION_HEADER, told, version)
    if (told := headers.getall(METHOD_HEADER, _NONE)) != [message.method]:
        raise _mismatch(message, METHOD_HEADER, told, message.method)
    parameter = _NAME_OF.get(message.method)
    if parameter is not None:
        name = message.params.get(parameter)
        told = headers.getall(NAME_HEADER, _NONE)
        if told != [name] or told[0].startswith(_ENCODED_START):
            told = [_decoded(each) for each in told]
            if told != [name]:
                raise _mismatch(message, NAME_HEADER, told, name)


def _mismatch(message: RpcMessage, name: str, told: list[str], meant: object) -> RpcError:
    said = quote_text(told[0]) if len(told) == 1 else "missing" if not told else "given more than once"
    text = f"The header {name} is {said}; the body says {quote_text(str(meant))}."
    return RpcError(HEADER_MISMATCH, text, request_id=message.request_id)


def _decoded(value: str) -> str:
    """Return the value that a header stands for; one that is not well encoded stands for itself."""
    if not (value.startswith(_ENCODED_START) and value.endswith(_ENCODED_END)):
        return value
    encoded = value[len(_ENCODED_START) : -len(_ENCODED_END)]
    try:
        decoded = base64.b64decode(encoded, validate=True)
        is_canonical = base64.b64encode(decoded).decode() == encoded
        return decoded.decode() if is_canonical else value
    except (binascii.Error, ValueError):
        return value
