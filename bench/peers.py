"""What other projects' servers cost for the same work, each in a process of its own."""

import asyncio
import statistics
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass

import aiohttp
import orjson

from bench.model_endpoint import Server, run_server
from bench.model_servers import PIECES
from bench.peer_environments import LITELLM, prepare_environment
from bench.peer_servers import processor_s, run_litellm
from bench.report import print_table

ROUNDS, QUICK_ROUNDS = 200, 40
_BATCH = 10
"""Streams of one server before the next one's turn: processor time is told in hundredths of a second."""
_DELTA = b'"response.output_text.delta"'


@dataclass(frozen=True, slots=True)
class Streams:
    """All streams of one server."""

    first_ms: Sequence[float]
    whole_ms: Sequence[float]
    processor_ms: float
    """Of the server's process, per stream."""


async def measure_peers(*, quick: bool) -> dict[str, object]:
    """LiteLLM beside provider, plain proxy and bridge; what cannot be installed is left out."""
    return {"model": await _measure_models(QUICK_ROUNDS if quick else ROUNDS)}


async def _measure_models(rounds: int) -> dict[str, object]:
    has_litellm = await asyncio.to_thread(prepare_environment, LITELLM)
    async with AsyncExitStack() as stack:
        provider = await stack.enter_async_context(run_server("provider"))
        servers = [provider]
        servers += [
            await stack.enter_async_context(run_server(role, provider.url)) for role in ("proxy", "bridge")
        ]
        if has_litellm:
            servers.append(await stack.enter_async_context(run_litellm(provider)))
        session = await stack.enter_async_context(aiohttp.ClientSession())
        found = await _stream_in_turn(session, servers, rounds)
    figures = {
        name: (statistics.median(each.first_ms), statistics.median(each.whole_ms), each.processor_ms)
        for name, each in found.items()
    }
    head = ("to", "first delta p50 ms", "whole p50 ms", "processor ms")
    print_table(f"Streams of {PIECES} pieces, one after another", head, [(k, *v) for k, v in figures.items()])
    keys = ("first_delta_p50_ms", "whole_p50_ms", "processor_ms")
    return {name: dict(zip(keys, each, strict=True)) for name, each in figures.items()}


async def _stream_in_turn(
    session: aiohttp.ClientSession, servers: Sequence[Server], rounds: int
) -> dict[str, Streams]:
    """Batches in turn, so that a busy moment of the machine meets all servers; the first batch warms up."""
    times: dict[str, list[tuple[float, float]]] = {server.name: [] for server in servers}
    spent = dict.fromkeys(times, 0.0)
    for batch in range(rounds // _BATCH + 1):
        for server in servers:
            before = processor_s(server.pid)
            taken = [await _stream(session, server) for _ in range(_BATCH)]
            if batch:
                times[server.name] += taken
                spent[server.name] += processor_s(server.pid) - before
    return {
        name: Streams(
            [first for first, _ in each], [whole for _, whole in each], spent[name] / len(each) * 1000
        )
        for name, each in times.items()
    }


async def _stream(session: aiohttp.ClientSession, server: Server) -> tuple[float, float]:
    """Milliseconds to the first delta and to the end.

    Raises:
        RuntimeError: not all pieces came.
    """
    body = orjson.dumps({"model": "fast", "input": "Hello", "stream": True})
    headers = {"Authorization": f"Bearer {server.key}", "Content-Type": "application/json"}
    begin = time.perf_counter()
    first_ms, pieces = 0.0, 0
    async with session.post(f"{server.url}/responses", data=body, headers=headers) as response:
        response.raise_for_status()
        async for line in response.content:
            if line.startswith(b"data: ") and _DELTA in line:
                if not pieces:
                    first_ms = (time.perf_counter() - begin) * 1000
                pieces += 1
    if pieces != PIECES:
        raise RuntimeError(f"{server.name} sent {pieces} of {PIECES} pieces.")
    return first_ms, (time.perf_counter() - begin) * 1000
