"""Messages to the MCP endpoint that no client sends: answered in the protocol's own form."""

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any, cast
from urllib.parse import urlsplit

import aiohttp

from bridge.app.server import Bridge
from bridge.endpoints.mcp.protocol import INTERNAL_ERROR
from tests.fuzz.hostile_http import scrambled
from tests.fuzz.hunt import MANY, Area, Attempt, ErrorsLogged, errors_logged
from tests.support.documents.compiled import document_text
from tests.support.documents.mutation import mutated
from tests.support.mcp_messages import legacy_request, modern_request
from tests.support.raw_http import raw_answer
from tests.support.running_bridge import json_answer, page_of, running_bridge
from toolserver.json_types import JsonValue, object_at, text_at

ANSWER_S = 5.0
"""More than any answer takes that does not stay open."""

STREAM_S = 0.05
"""How long a stream is read that stays open."""

CALL: dict[str, Any] = {"name": "listProducts", "arguments": {"limit": 2}}
WANTED: tuple[tuple[str, dict[str, Any]], ...] = (
    ("server/discover", {}),
    (
        "initialize",
        {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}},
    ),
    ("ping", {}),
    ("tools/list", {}),
    ("tools/list", {"cursor": "0"}),
    ("tools/call", CALL),
    ("tools/call", {**CALL, "task": {"ttl": 1000}}),
    ("tools/call", {"name": "addProduct", "arguments": {"name": "tea"}}),
    ("tasks/get", {"taskId": f"call_{'0' * 32}"}),
    ("tasks/cancel", {"taskId": "call_1"}),
    ("tasks/update", {"taskId": "call_1"}),
    ("subscriptions/listen", {"notifications": {"toolsListChanged": True}}),
    ("notifications/cancelled", {"requestId": 1}),
    ("notifications/initialized", {}),
)
HEADERS = ("MCP-Protocol-Version", "Mcp-Method", "Mcp-Name", "Accept", "Content-Type")
VALUES = (
    "",
    "x",
    "2026-07-28",
    "2025-11-25",
    "9999-99-99",
    "tools/call",
    "text/event-stream",
    "é",
    "=?utf-8?B?eA==?=",
    "\xff",
    "2025-11-25\xa0",
    "\xed\xa0\x80",
)
"""Those beyond ASCII are sent byte by byte: a client library would write them as UTF-8."""


def make_message(source: Random) -> JsonValue:
    """A message of either era, broken in a few places, and its headers."""
    method, params = source.choice(WANTED)
    request = source.choice([modern_request, legacy_request])
    body, headers = request(method, params, request_id=source.choice([1, "a", 0, -1, 2**60, ""]))
    text = mutated(json.dumps(body), source, count=source.choice([0, 1, 1, 2, 5]))
    if source.random() < 0.1:
        text = scrambled(text.encode(), source).decode("latin-1")
    for _ in range(source.choice([0, 0, 0, 1, 2])):
        headers[source.choice(HEADERS)] = source.choice(VALUES)
    path = source.choice(["/mcp", "/mcp", "/servers/shop-json/mcp", "/servers/none/mcp"])
    return {"path": path, "headers": {**headers}, "body": text}


@asynccontextmanager
async def open_endpoint(folder: Path) -> AsyncGenerator[Attempt]:
    async def answer(_call: dict[str, Any]) -> dict[str, Any]:
        return json_answer({"products": ["tea"]})

    limits = {"CALLS_PER_MINUTE_PER_USER": MANY}
    async with errors_logged() as log, running_bridge(folder, limits=limits) as bridge:
        await bridge.components.registry.share_document("shop.json", document_text(), source_url=None)
        async with page_of(bridge, bridge.local_user.id, answer), aiohttp.ClientSession() as http:

            async def attempt(case: JsonValue) -> str:
                return await _send(bridge, http, log, case)

            yield attempt


async def _send(bridge: Bridge, http: aiohttp.ClientSession, log: ErrorsLogged, case: JsonValue) -> str:
    if not isinstance(case, dict) or not text_at(case, "path").startswith("/"):
        return ""  # a smaller case that is none
    path, body = text_at(case, "path"), text_at(case, "body").encode("latin-1", "replace")
    headers = {name: str(value) for name, value in object_at(case, "headers").items()}
    headers["Authorization"] = f"Bearer {bridge.key}"
    try:
        async with asyncio.timeout(ANSWER_S):
            if not "".join(headers.values()).isascii():
                problem = await _problem_of_bytes(bridge, path, headers, body)
                return log.take() or problem
            async with http.post(f"{bridge.base_url}{path}", data=body, headers=headers) as response:
                content = await _content_of(response)
                problem = _problem_of(response, content)
    except TimeoutError:
        problem = f"no answer within {ANSWER_S} s"
    except (aiohttp.ClientError, ValueError):  # the client refuses to send it, or the line was cut
        problem = ""
    return log.take() or problem


async def _problem_of_bytes(bridge: Bridge, path: str, headers: Mapping[str, str], body: bytes) -> str:
    lines = [
        f"POST {path} HTTP/1.1",
        f"Host: {urlsplit(bridge.base_url).netloc}",
        *(f"{name}: {value}" for name, value in headers.items()),
        f"Content-Length: {len(body)}",
        "Connection: close",
    ]
    head = "\r\n".join([*lines, "", ""]).encode("latin-1", "replace")
    status, content = await raw_answer(bridge.base_url, head + body)
    if status >= 500:
        return f"status {status}: {content[:500]!r}"
    return _problem_of_message(content) if content else ""


async def _content_of(response: aiohttp.ClientResponse) -> bytes:
    if response.content_type != "text/event-stream":
        return await response.read()
    content = b""
    try:
        async with asyncio.timeout(STREAM_S):
            async for chunk in response.content.iter_any():
                content += chunk
    except TimeoutError:
        pass  # it stays open
    return content


def _problem_of(response: aiohttp.ClientResponse, content: bytes) -> str:
    if response.status >= 500:
        return f"status {response.status}: {content[:500]!r}"
    if response.content_type == "text/event-stream":
        lines = content.split(b"\n\n")[:-1]
        messages = [line.partition(b"data: ")[2] for line in lines if b"data: " in line]
    else:
        messages = [content] if content else []
    problems = [_problem_of_message(bytes(message)) for message in messages]
    return next((problem for problem in problems if problem), "")


def _problem_of_message(content: bytes) -> str:
    try:
        said = cast(JsonValue, json.loads(content))
    except ValueError:
        return f"no JSON: {content[:200]!r}"
    if not isinstance(said, dict):
        return f"no message: {content[:200]!r}"
    if "error" in said and "jsonrpc" not in said:
        return ""  # the bridge's own form, before the endpoint is reached
    if said.get("jsonrpc") != "2.0":
        return f"no JSON-RPC: {content[:200]!r}"
    is_answer = ("result" in said) != ("error" in said)
    if not is_answer and "method" not in said:
        return f"neither an answer nor a message: {content[:200]!r}"
    if object_at(said, "error").get("code") == INTERNAL_ERROR:
        return f"an internal error: {content[:300]!r}"
    return ""


AREA = Area("mcp", "messages to the MCP endpoint", make_message, open_endpoint)
