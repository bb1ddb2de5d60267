"""A front between page and bridge that breaks the socket as networks do; plain HTTP passes unharmed."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Literal

from tests.support.tcp_servers import serving_connections

SOCKET = b"GET /ws/socket.io"

Way = Literal["up", "down"]
"""up: from the page to the bridge."""


@dataclass(eq=False)
class Pipe:
    """One connection, to the page and to the bridge."""

    page: asyncio.StreamWriter
    bridge: asyncio.StreamWriter
    address: str = ""
    """Path and query of a socket; empty: it is none."""

    @property
    def is_socket(self) -> bool:
        return bool(self.address)


@dataclass
class BreakingProxy:
    """Forwards to a port that may become known later. What it breaks are the sockets that are open then."""

    port: int = 0
    target_port: int = 0
    pipes: list[Pipe] = field(default_factory=list[Pipe])
    held: dict[Way, set[Pipe]] = field(default_factory=lambda: {"up": set(), "down": set()})
    """What passes here goes nowhere, and neither side is told."""

    lost_bytes: int = 0

    @property
    def url(self) -> str:
        """The canonical address of what is behind it."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def sockets(self) -> list[Pipe]:
        """The sockets that are open."""
        return [pipe for pipe in self.pipes if pipe.is_socket]

    def hold(self, *ways: Way) -> None:
        """Let nothing through any more in these directions; the connection looks alive."""
        for way in ways:
            self.held[way].update(self.sockets)

    def cut(self) -> None:
        """Break every open socket; both sides see it at once."""
        for pipe in self.sockets:
            for writer in (pipe.page, pipe.bridge):
                writer.transport.abort()

    async def forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            there, back = await asyncio.open_connection("127.0.0.1", self.target_port)
        except OSError:  # the bridge is down
            writer.transport.abort()
            return
        pipe = Pipe(writer, back)
        self.pipes.append(pipe)
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._pump(pipe, "up", reader, back))
                group.create_task(self._pump(pipe, "down", there, writer))
        finally:
            self.pipes.remove(pipe)

    async def _pump(
        self, pipe: Pipe, way: Way, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        try:
            while part := await reader.read(65536):
                if way == "up" and part.startswith(SOCKET):
                    pipe.address = part.split(b" ", 2)[1].decode()
                if pipe in self.held[way]:
                    self.lost_bytes += len(part)
                else:
                    writer.write(part)
                    await writer.drain()
        except OSError:
            return
        finally:
            writer.close()


@asynccontextmanager
async def breaking_proxy() -> AsyncGenerator[BreakingProxy]:
    """A front on a free port; every connection ends with it."""
    front = BreakingProxy()
    async with serving_connections(front.forward) as front.port:
        yield front
