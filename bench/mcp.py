"""What a call through `/mcp` costs beside the same call through `/tools`, and what a list of 500 tools costs.

The server is this process, caller and page are the other one; the endpoints take turns.
"""

import json
import statistics
import time
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

import orjson

from bench.bridge_variants import RunningBridge, start_measured
from bench.payloads import ARGUMENTS, ARGUMENTS_TEXT
from bench.peer import LoadOrder
from bench.peer_link import PeerLink
from bench.report import print_table
from bridge.catalog.server_view import UserSelection
from bridge.heap import freeze_heap
from toolserver.json_types import JsonObject

IN_FLIGHT = 16
ROUNDS, QUICK_ROUNDS = 5, 2
SECONDS, QUICK_SECONDS = 2.0, 0.5
LONG_BYTES = 100_000
TOOLS = 500

_TOOL = "listProducts"
_VERSION = "2026-07-28"


@dataclass(frozen=True, slots=True)
class _Request:
    """What is sent again and again."""

    name: str
    path: str
    body: str
    headers: Mapping[str, str]


def _modern(method: str, params: JsonObject, name: str) -> _Request:
    prefix = "io.modelcontextprotocol"
    meta: JsonObject = {f"{prefix}/protocolVersion": _VERSION, f"{prefix}/clientCapabilities": {}}
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": meta}}
    headers = {"MCP-Protocol-Version": _VERSION, "Mcp-Method": method}
    if "name" in params:
        headers["Mcp-Name"] = str(params["name"])
    return _Request(name, "/mcp", json.dumps(body), headers)


def _legacy(method: str, params: JsonObject, name: str) -> _Request:
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    return _Request(name, "/mcp", json.dumps(body), {"MCP-Protocol-Version": "2025-11-25"})


async def measure_mcp(*, quick: bool) -> dict[str, object]:
    """Processor time of the server process per request, and its ratio to the tool route."""
    rounds, seconds = (QUICK_ROUNDS, QUICK_SECONDS) if quick else (ROUNDS, SECONDS)
    peer = await PeerLink.start()
    found: dict[str, object] = {}
    try:
        for size, title in ((0, "1 KB"), (LONG_BYTES, "100 KB")):
            running = await start_measured(peer, answer_bytes=size)
            freeze_heap()
            try:
                found[title] = await _compare(running, peer, title, rounds, seconds)
            finally:
                await running.stop()
        found["list"] = await _measure_list(peer, rounds, seconds)
    finally:
        await peer.close()
    return found


async def _compare(
    running: RunningBridge, peer: PeerLink, title: str, rounds: int, seconds: float
) -> dict[str, float]:
    call: JsonObject = {"name": _TOOL, "arguments": orjson.loads(orjson.dumps(ARGUMENTS))}
    requests = (
        _Request("/tools", f"/tools/{_TOOL}", ARGUMENTS_TEXT, {}),
        _modern("tools/call", call, "/mcp, modern"),
        _legacy("tools/call", call, "/mcp, legacy"),
    )
    spent: dict[str, list[float]] = {request.name: [] for request in requests}
    for request in requests:
        await _spend(running, peer, request, QUICK_SECONDS)
    for _ in range(rounds):
        for request in requests:
            spent[request.name].append(await _spend(running, peer, request, seconds))
    medians = {name: statistics.median(each) for name, each in spent.items()}
    rows = [(name, us, us / medians["/tools"]) for name, us in medians.items()]
    head = ("by", "processor us per call", "to /tools")
    print_table(f"A call with {title} of JSON, {IN_FLIGHT} in flight", head, rows)
    return medians


async def _measure_list(peer: PeerLink, rounds: int, seconds: float) -> dict[str, float]:
    running = await start_measured(peer)
    try:
        registry, user = running.bridge.components.registry, running.bridge.local_user
        await registry.share_document("many.json", _large_document(), source_url=None)
        await registry.save_selection(user.id, UserSelection(max_tools=2 * TOOLS))
        freeze_heap()
        request = _modern("tools/list", {}, "tools/list")
        await _spend(running, peer, request, QUICK_SECONDS)
        us = statistics.median([await _spend(running, peer, request, seconds) for _ in range(rounds)])
    finally:
        await running.stop()
    print_table(f"tools/list of {TOOLS} tools", ("by", "processor us per list"), [("/mcp, modern", us)])
    return {"us": us}


async def _spend(running: RunningBridge, peer: PeerLink, request: _Request, seconds: float) -> float:
    """Return the microseconds of this process for each request."""
    address = urlsplit(running.bridge.base_url)
    order = LoadOrder(
        str(address.hostname),
        int(address.port or 80),
        request.path,
        running.bridge.key,
        request.body,
        IN_FLIGHT,
        seconds,
        request.headers,
    )
    before = time.process_time()
    sample = await peer.load(order)
    await running.settle()
    return (time.process_time() - before) / sample.calls * 1e6


def _large_document() -> str:
    """A document of many operations, each with a few parameters."""
    parameters = [
        {"name": name, "in": "query", "description": f"Only those of this {name}.", "schema": {"type": kind}}
        for name, kind in (("search", "string"), ("limit", "integer"), ("page", "integer"))
    ]
    paths = {
        f"/things{index}": {
            "get": {
                "operationId": f"listThings{index}",
                "summary": f"List the things of kind {index}",
                "parameters": parameters,
                "responses": {"200": {"description": "ok"}},
            }
        }
        for index in range(TOOLS)
    }
    info = {"title": "Many", "version": "1"}
    servers = [{"url": "http://127.0.0.1:9"}]
    return json.dumps({"openapi": "3.1.0", "info": info, "servers": servers, "paths": paths})
