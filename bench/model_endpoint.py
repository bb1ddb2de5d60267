"""What the bridge adds to a stream, and how many it holds: beside the provider alone and a plain proxy."""

import asyncio
import statistics
import sys
import time
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import aiohttp
import orjson

from bench.model_servers import PIECES
from bench.report import print_table

ROUNDS, QUICK_ROUNDS = 200, 40
STREAMS = 500
_DELTA = b"output_text.delta"


@dataclass(frozen=True, slots=True)
class Server:
    """A server in a process of its own."""

    name: str
    url: str
    key: str
    pid: int

    @property
    def memory_mib(self) -> float:
        """What it has in memory now; 0 where the system does not tell."""
        try:
            lines = Path(f"/proc/{self.pid}/status").read_text(encoding="utf-8").splitlines()
        except OSError:
            return 0.0
        return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS:"))


@dataclass(frozen=True, slots=True)
class OpenStreams:
    """Many streams at once."""

    errors: int
    first_delta_p50_ms: float
    seconds: float
    memory_mib: float
    """More than before, at its most."""


async def measure_model_endpoint(*, quick: bool) -> dict[str, object]:
    """First deltas in turn, then many streams at once; prints two tables."""
    async with AsyncExitStack() as stack:
        provider = await stack.enter_async_context(run_server("provider"))
        proxy = await stack.enter_async_context(run_server("proxy", provider.url))
        bridge = await stack.enter_async_context(run_server("bridge", provider.url))
        session = await stack.enter_async_context(
            aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0))
        )
        servers = (provider, proxy, bridge)
        first = await _first_deltas(session, servers, QUICK_ROUNDS if quick else ROUNDS)
        held = {server.name: await _hold(session, server) for server in servers}
    medians = {name: statistics.median(taken) for name, taken in first.items()}
    print_table(
        "First delta of a stream, ms",
        ("to", "p50", "p95", "over the provider, p50"),
        [
            (name, medians[name], _p95(taken), medians[name] - medians["provider"])
            for name, taken in first.items()
        ],
    )
    print_table(
        f"{STREAMS} streams of {PIECES} pieces at once",
        ("to", "errors", "first delta p50 ms", "seconds", "MiB more"),
        [(name, h.errors, h.first_delta_p50_ms, h.seconds, h.memory_mib) for name, h in held.items()],
    )
    return {
        "first_delta_p50_ms": {name: round(median, 3) for name, median in medians.items()},
        "streams": {
            name: {"errors": h.errors, "seconds": round(h.seconds, 2), "mib": round(h.memory_mib, 1)}
            for name, h in held.items()
        },
    }


async def _first_deltas(
    session: aiohttp.ClientSession, servers: tuple[Server, ...], rounds: int
) -> dict[str, list[float]]:
    """In turn, so that a busy moment of the machine meets all of them."""
    taken: dict[str, list[float]] = {server.name: [] for server in servers}
    for number in range(rounds + 10):
        for server in servers:
            first_ms, _ = await _stream(session, server, "fast")
            if number >= 10:
                taken[server.name].append(first_ms)
    return taken


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
        *(_stream(session, server, "paced") for _ in range(STREAMS)), return_exceptions=True
    )
    watching.cancel()
    good = [each for each in ended if not isinstance(each, BaseException)]
    firsts = [first_ms for first_ms, pieces in good if pieces == PIECES]
    return OpenStreams(
        STREAMS - len(firsts),
        statistics.median(firsts) if firsts else 0.0,
        time.perf_counter() - begin,
        most - before,
    )


async def _stream(session: aiohttp.ClientSession, server: Server, model: str) -> tuple[float, int]:
    """Milliseconds to the first delta, and how many came."""
    body = orjson.dumps({"model": model, "input": "Hello", "stream": True})
    headers = {"Authorization": f"Bearer {server.key}", "Content-Type": "application/json"}
    begin = time.perf_counter()
    first_ms, pieces = 0.0, 0
    async with session.post(f"{server.url}/responses", data=body, headers=headers) as response:
        response.raise_for_status()
        async for line in response.content:
            if line.startswith(b"event: ") and _DELTA in line:
                if not pieces:
                    first_ms = (time.perf_counter() - begin) * 1000
                pieces += 1
    return first_ms, pieces


@asynccontextmanager
async def run_server(role: str, *arguments: str) -> AsyncGenerator[Server]:
    """A server of `bench.model_servers`, ready to be asked; ends with the context."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "bench.model_servers",
        role,
        *arguments,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        told = orjson.loads(await asyncio.wait_for(process.stdout.readline(), 30))
        yield Server(role, told["url"], told["key"], process.pid)
    finally:
        process.stdin.close()
        await process.wait()


def _p95(taken: list[float]) -> float:
    return sorted(taken)[int(len(taken) * 0.95)]
