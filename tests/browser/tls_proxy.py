"""The bridge behind https, as behind a proxy: a certificate of its own and a forwarder of bytes."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.support.tcp_servers import serving_connections, tls_of, write_certificate

HOST = "bridge.test"


@dataclass
class TlsProxy:
    """Listens for https; forwards to a port of this machine that may become known later."""

    port: int
    target_port: int = 0

    @property
    def url(self) -> str:
        """The canonical address of what is behind it."""
        return f"https://{HOST}:{self.port}"


@asynccontextmanager
async def tls_proxy(folder: Path) -> AsyncGenerator[TlsProxy]:
    """An https port with a certificate that nobody signed; every connection ends with it."""
    front = TlsProxy(0)

    async def forward(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection("127.0.0.1", front.target_port)
        async with asyncio.TaskGroup() as group:
            group.create_task(_pump(reader, back))
            group.create_task(_pump(there, writer))

    write_certificate(folder / "front.pem", HOST)
    async with serving_connections(forward, tls=tls_of(folder / "front.pem")) as front.port:
        yield front


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while part := await reader.read(65536):
            writer.write(part)
            await writer.drain()
    except OSError:
        return
    finally:
        writer.close()
