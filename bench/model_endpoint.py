"""What the bridge adds to a stream, and how many it holds: beside the provider alone and a plain proxy."""

import asyncio
import statistics
import time
from contextlib import AsyncExitStack
from dataclasses import dataclass

import aiohttp

from bench.model_servers import PIECES
from bench.report import print_table
from bench.servers import Server
from bench.streams import QUICK_ROUNDS, ROUNDS, print_streams, read_stream, run_models, stream_in_turn

STREAMS = 500


@dataclass(frozen=True, slots=True)
class OpenStreams:
    """Many streams at once."""

    errors: int
    first_delta_p50_ms: float
    seconds: float
    memory_mib: float
    """More than before, at its most."""


async def measure_model_endpoint(*, quick: bool) -> dict[str, object]:
    """Streams in turn, then many at once; prints two tables."""
    async with AsyncExitStack() as stack:
        servers = await run_models(stack)
        session = await stack.enter_async_context(
            aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0))
        )
        in_turn = await stream_in_turn(session, servers, QUICK_ROUNDS if quick else ROUNDS)
        held = {server.name: await _hold(session, server) for server in servers}
    figures = {name: streams.summary() for name, streams in in_turn.items()}
    print_streams(figures)
    print_table(
        f"{STREAMS} streams of {PIECES} pieces at once",
        ("to", "errors", "first delta p50 ms", "seconds", "MiB more"),
        [(name, h.errors, h.first_delta_p50_ms, h.seconds, h.memory_mib) for name, h in held.items()],
    )
    return {
        "in_turn": figures,
        "streams": {
            name: {"errors": h.errors, "seconds": round(h.seconds, 2), "mib": round(h.memory_mib, 1)}
            for name, h in held.items()
        },
    }


async def _hold(session: aiohttp.ClientSession, server: Server) -> OpenStreams:
    before = server.memory_mib
    most = before

    async def watch() -> None:
        nonlocal most
        while True:
            most = max(most, server.memory_mib)
            await asyncio.sleep(0.05)

    begin = time.perf_counter()
    watching = asyncio.create_task(watch())
    ended = await asyncio.gather(
        *(read_stream(session, server, "paced") for _ in range(STREAMS)), return_exceptions=True
    )
    watching.cancel()
    firsts = [each[0] for each in ended if not isinstance(each, BaseException)]
    return OpenStreams(
        STREAMS - len(firsts),
        statistics.median(firsts) if firsts else 0.0,
        time.perf_counter() - begin,
        most - before,
    )
