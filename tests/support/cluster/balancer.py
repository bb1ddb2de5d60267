"""A load balancer by TCP in the test process: round robin, and another server where one refuses."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, suppress
from http import HTTPStatus

import aiohttp

PIECE_BYTES = 64 * 1024
LOOKS_EVERY_S = 0.2
LOOK_S = 1.0


class Balancer:
    """Passes bytes between those who connect and the servers behind it, which it knows by their ports.

    Unless `watch_readiness` runs, it looks at no health: a server that accepts connections and answers
    nothing keeps its share of them.
    """

    def __init__(self, ports: Sequence[int]) -> None:
        """All on 127.0.0.1."""
        self._ports = list(ports)
        self._unready: set[int] = set()
        self._next = 0
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.StreamWriter] = set()

    @property
    def port(self) -> int:
        """Where it listens."""
        assert self._server is not None
        return int(self._server.sockets[0].getsockname()[1])

    async def start(self) -> None:
        """Listen on a port that is free."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, backlog=1024)

    async def close(self) -> None:
        """End every connection."""
        assert self._server is not None
        self._server.close()
        for writer in self._open:
            writer.close()
        await self._server.wait_closed()

    async def watch_readiness(self, *, every_s: float = LOOKS_EVERY_S) -> None:
        """Send nobody to a server whose `/readyz` does not say 200, unless none does; until cancelled."""
        try:
            await self._look_at_readiness(every_s)
        finally:
            self._unready = set()

    async def _look_at_readiness(self, every_s: float) -> None:
        async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=LOOK_S)) as http:
            while True:
                self._unready = {port for port in self._ports if not await _is_ready(http, port)}
                await asyncio.sleep(every_s)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            upstream = await self._connect()
            if upstream is None:
                writer.close()
                return
            self._open |= {writer, upstream[1]}
            try:
                await asyncio.gather(_pump(reader, upstream[1]), _pump(upstream[0], writer))
            finally:
                self._open -= {writer, upstream[1]}

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter] | None:
        """The next server that does not refuse; None: all do."""
        self._next += 1
        turned = [
            *self._ports[self._next % len(self._ports) :],
            *self._ports[: self._next % len(self._ports)],
        ]
        for port in sorted(turned, key=self._unready.__contains__):
            with suppress(OSError):
                return await asyncio.open_connection("127.0.0.1", port)
        return None


async def _is_ready(http: aiohttp.ClientSession, port: int) -> bool:
    try:
        async with http.get(f"http://127.0.0.1:{port}/readyz") as answer:
            return answer.status == HTTPStatus.OK
    except (aiohttp.ClientError, OSError, TimeoutError):
        return False


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Until one side ends; then the other side is told."""
    try:
        while piece := await reader.read(PIECE_BYTES):
            writer.write(piece)
            await writer.drain()
    except OSError:
        writer.transport.abort()
    finally:
        writer.close()


@asynccontextmanager
async def running_balancer(ports: Sequence[int]) -> AsyncGenerator[Balancer]:
    """A balancer in front of servers that need not run yet."""
    balancer = Balancer(ports)
    await balancer.start()
    try:
        yield balancer
    finally:
        await balancer.close()


@asynccontextmanager
async def watched_balancer(balancer: Balancer, *, every_s: float = LOOKS_EVERY_S) -> AsyncGenerator[None]:
    """A balancer that sees which servers are ready."""
    looking = asyncio.create_task(balancer.watch_readiness(every_s=every_s))
    try:
        yield
    finally:
        looking.cancel()
        await asyncio.gather(looking, return_exceptions=True)
