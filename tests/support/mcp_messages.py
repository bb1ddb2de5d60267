"""Messages to the bridge's MCP endpoint as clients of both eras send them, by plain HTTP."""

import asyncio
import io
from collections.abc import Mapping
from typing import Any

import aiohttp
import orjson
from mcp_types.jsonrpc import JSONRPCError
from mcp_types.methods import SERVER_RESULTS, parse_server_notification, validate_server_result

from bridge.app.server import Bridge

MODERN, LEGACY = "2026-07-28", "2025-11-25"
BOTH_TYPES = "application/json, text/event-stream"


def modern_request(
    method: str, params: Mapping[str, Any] | None = None, *, request_id: Any = 1, **meta: Any
) -> tuple[dict[str, Any], dict[str, str]]:
    """Body and headers of a modern request."""
    params = dict(params or {})
    own = {
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    }
    body = {
        "jsonrpc": "2.0",
        "id": request_id,
        "method": method,
        "params": {**params, "_meta": {**own, **meta}},
    }
    headers = {"MCP-Protocol-Version": MODERN, "Mcp-Method": method, "Accept": BOTH_TYPES}
    name = params.get("name", params.get("taskId"))
    return body, headers | ({"Mcp-Name": name} if isinstance(name, str) else {})


def legacy_request(
    method: str, params: Mapping[str, Any] | None = None, *, request_id: Any = 1, **meta: Any
) -> tuple[dict[str, Any], dict[str, str]]:
    """Body and headers of a legacy request."""
    told = {**(params or {}), **({"_meta": meta} if meta else {})}
    body = {"jsonrpc": "2.0", "id": request_id, "method": method, "params": told}
    return body, {"MCP-Protocol-Version": LEGACY, "Accept": BOTH_TYPES}


REQUESTS = {"modern": modern_request, "legacy": legacy_request}


async def post_message(
    bridge: Bridge,
    http: aiohttp.ClientSession,
    body: Any,
    headers: Mapping[str, str],
    *,
    path: str = "/mcp",
    key: str | None = None,
) -> tuple[int, Any]:
    """The status and the JSON of the answer; the last message of a stream.

    Each message is held to the official types of its version.
    """
    sent = {"Authorization": f"Bearer {key or bridge.key}", "Content-Type": "application/json", **headers}
    data = io.BytesIO(body if isinstance(body, bytes) else orjson.dumps(body))
    async with http.post(f"{bridge.base_url}{path}", data=data, headers=sent) as response:
        content = await response.read()
        if response.content_type == "text/event-stream":
            *told, answer = read_events(content)
        else:
            told, answer = [], orjson.loads(content) if content else None
    version = headers.get("MCP-Protocol-Version", LEGACY)
    for message in told:
        parse_server_notification(message["method"], version, message["params"])
    if answer is not None and "result" in answer:
        method = body_of(body)["method"]
        if (method, version) in SERVER_RESULTS:  # which the methods of extensions are not
            validate_server_result(method, version, answer["result"])
    elif answer is not None:
        JSONRPCError.model_validate(answer)
    return response.status, answer


async def begin_session(
    bridge: Bridge, http: aiohttp.ClientSession, client: Any, *, key: str | None = None, path: str = "/mcp"
) -> dict[str, str]:
    """The headers that a legacy client of that `clientInfo` sends with each request after `initialize`."""
    start: dict[str, Any] = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": client}
    body, headers = legacy_request("initialize", start)
    sent = {"Authorization": f"Bearer {key or bridge.key}", **headers}
    async with http.post(f"{bridge.base_url}{path}", json=body, headers=sent) as response:
        validate_server_result("initialize", LEGACY, (await response.json())["result"])
        session = response.headers.get("Mcp-Session-Id")
    return {} if session is None else {"Mcp-Session-Id": session}


def body_of(body: Any) -> Any:
    """The message in a body that may be bytes already."""
    return orjson.loads(body) if isinstance(body, bytes) else body


def read_events(content: bytes) -> list[Any]:
    """The messages of an event stream; comments are left out."""
    lines = content.split(b"\n")
    return [orjson.loads(line.removeprefix(b"data: ")) for line in lines if line.startswith(b"data: ")]


async def next_message(response: aiohttp.ClientResponse) -> Any:
    """The next message of an open stream."""
    async with asyncio.timeout(5):
        while not (line := await response.content.readline()).startswith(b"data: "):
            assert line, "the stream has ended"
    return orjson.loads(line.removeprefix(b"data: "))
