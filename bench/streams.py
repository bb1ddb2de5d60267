"""Streams of a model as a client reads them, from several servers in turn."""

import statistics
import time
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass

import aiohttp
import orjson

from bench.measure import percentile
from bench.model_servers import MODELS, PIECES
from bench.report import print_table
from bench.servers import Server, run_server

ROUNDS, QUICK_ROUNDS = 200, 40
_BATCH = 10
"""Streams of one server before the next one's turn: processor time is told in hundredths of a second."""
_DELTA = b'"response.output_text.delta"'


@dataclass(frozen=True, slots=True)
class Variant:
    """A server, and how it is asked."""

    name: str
    server: Server
    stores: bool = True
    """`store` of each request; only the bridge keeps answers."""


@dataclass(frozen=True, slots=True)
class Streams:
    """All streams of one server, which were read one after another."""

    first_ms: Sequence[float]
    whole_ms: Sequence[float]
    processor_ms: float
    """Of the server's process, per stream."""

    def summary(self) -> dict[str, float]:
        """Medians, and of the first deltas also the one that 19 of 20 do not exceed."""
        return {
            "first_delta_p50_ms": statistics.median(self.first_ms),
            "first_delta_p95_ms": percentile(sorted(self.first_ms), 0.95),
            "whole_p50_ms": statistics.median(self.whole_ms),
            "processor_ms": self.processor_ms,
        }


async def run_models(stack: AsyncExitStack) -> list[Variant]:
    """A provider, and what is compared in front of it: a plain proxy, a bridge that stores or does not."""
    provider = await stack.enter_async_context(run_server("bench.model_servers", "provider"))
    between = [run_server("bench.model_servers", role, provider.url) for role in ("proxy", "bridge")]
    proxy, bridge = [await stack.enter_async_context(each) for each in between]
    plain = [Variant(server.name, server) for server in (provider, proxy)]
    return [*plain, Variant("bridge, store off", bridge, stores=False), Variant("bridge", bridge)]


def print_streams(figures: Mapping[str, Mapping[str, float]]) -> None:
    """A table of summaries."""
    head = ("to", "first delta p50 ms", "p95", "whole p50 ms", "processor ms")
    rows = [(name, *summary.values()) for name, summary in figures.items()]
    print_table(f"Streams of {PIECES} pieces, one after another", head, rows)


async def stream_in_turn(
    session: aiohttp.ClientSession, variants: Sequence[Variant], rounds: int
) -> dict[str, Streams]:
    """Batches in turn, so that a busy moment of the machine meets all servers; the first batch warms up."""
    times: dict[str, list[tuple[float, float]]] = {variant.name: [] for variant in variants}
    spent = dict.fromkeys(times, 0.0)
    for batch in range(rounds // _BATCH + 1):
        for variant in variants:
            before = variant.server.processor_s
            taken = [await read_stream(session, variant, "fast") for _ in range(_BATCH)]
            if batch:
                times[variant.name] += taken
                spent[variant.name] += variant.server.processor_s - before
    return {
        name: Streams(
            [first for first, _ in each], [whole for _, whole in each], spent[name] / len(each) * 1000
        )
        for name, each in times.items()
    }


async def read_stream(session: aiohttp.ClientSession, variant: Variant, model: str) -> tuple[float, float]:
    """Milliseconds to the first delta and to the end.

    Raises:
        RuntimeError: not all pieces came.
    """
    server = variant.server
    body = orjson.dumps({"model": model, "input": "Hello", "stream": True, "store": variant.stores})
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
    if pieces != MODELS[model][0]:
        raise RuntimeError(f"{variant.name} sent {pieces} of {MODELS[model][0]} pieces.")
    return first_ms, (time.perf_counter() - begin) * 1000
