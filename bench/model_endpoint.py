"""What the bridge adds to a stream, and how many it holds: beside the provider alone and a plain proxy."""

import asyncio
import statistics
import time
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass

import aiohttp

from bench.model_servers import MODELS
from bench.report import print_table
from bench.streams import (
    QUICK_ROUNDS,
    ROUNDS,
    Variant,
    print_streams,
    read_stream,
    run_models,
    stream_in_turn,
)

AT_ONCE = {"paced": 500, "long": 100}
"""How many streams of each model are read at once."""

_FLOOR = "proxy"


@dataclass(frozen=True, slots=True)
class OpenStreams:
    """Many streams at once."""

    errors: int
    first_delta_p50_ms: float
    seconds: float
    processor_s: float
    """Of the server's process."""
    memory_mib: float
    """More than before, at its most."""


async def measure_model_endpoint(*, quick: bool) -> dict[str, object]:
    """Streams in turn, then many at once; prints a table for each."""
    async with AsyncExitStack() as stack:
        variants = await run_models(stack)
        session = await stack.enter_async_context(
            aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0))
        )
        in_turn = await stream_in_turn(session, variants, QUICK_ROUNDS if quick else ROUNDS)
        held = {model: await _hold_all(session, variants, model) for model in AT_ONCE}
    figures = {name: streams.summary() for name, streams in in_turn.items()}
    print_streams(figures)
    for model, open_streams in held.items():
        _print_open(model, open_streams)
    return {
        "in_turn": figures,
        **{
            model: {
                name: {"errors": h.errors, "seconds": round(h.seconds, 2), "mib": round(h.memory_mib, 1)}
                for name, h in open_streams.items()
            }
            for model, open_streams in held.items()
        },
    }


def _print_open(model: str, held: Mapping[str, OpenStreams]) -> None:
    pieces, pace_s = MODELS[model]
    floor = held[_FLOOR]
    print_table(
        f"{AT_ONCE[model]} streams of {pieces} pieces at once, one every {pace_s * 1000:.0f} ms",
        ("to", "errors", "first delta p50 ms", "seconds", "of the proxy's", "processor s", "MiB more"),
        [
            (
                name,
                h.errors,
                h.first_delta_p50_ms,
                h.seconds,
                h.seconds / floor.seconds,
                h.processor_s,
                h.memory_mib,
            )
            for name, h in held.items()
        ],
    )


async def _hold_all(
    session: aiohttp.ClientSession, variants: Sequence[Variant], model: str
) -> dict[str, OpenStreams]:
    return {variant.name: await _hold(session, variant, model) for variant in variants}


async def _hold(session: aiohttp.ClientSession, variant: Variant, model: str) -> OpenStreams:
    server = variant.server
    before, spent_before = server.memory_mib, server.processor_s
    most = before

    async def watch() -> None:
        nonlocal most
        while True:
            most = max(most, server.memory_mib)
            await asyncio.sleep(0.05)

    begin = time.perf_counter()
    watching = asyncio.create_task(watch())
    streams = AT_ONCE[model]
    ended = await asyncio.gather(
        *(read_stream(session, variant, model) for _ in range(streams)), return_exceptions=True
    )
    watching.cancel()
    firsts = [each[0] for each in ended if not isinstance(each, BaseException)]
    return OpenStreams(
        streams - len(firsts),
        statistics.median(firsts) if firsts else 0.0,
        time.perf_counter() - begin,
        server.processor_s - spent_before,
        most - before,
    )
