"""A server of plain connections, for tests that need more than HTTP: it breaks, forwards, or says nothing."""

import asyncio
import ssl
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any, TypeAlias

Serve: TypeAlias = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Coroutine[Any, Any, None]]


@asynccontextmanager
async def serving_connections(serve: Serve, *, tls: ssl.SSLContext | None = None) -> AsyncGenerator[int]:
    """The number of a free port, where `serve` has each connection; every one of them ends with it."""
    open_connections: set[asyncio.Task[Any]] = set()

    def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(serve(reader, writer))
        open_connections.add(task)
        task.add_done_callback(open_connections.discard)
        task.add_done_callback(lambda _: writer.close())  # it may be cancelled before it begins

    server = await asyncio.start_server(connected, "127.0.0.1", 0, ssl=tls)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        await asyncio.sleep(0)  # a connection that was accepted just now gets its task
        for task in open_connections:
            task.cancel()
        await asyncio.gather(*open_connections, return_exceptions=True)
