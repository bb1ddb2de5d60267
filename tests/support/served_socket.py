"""A page's socket on a real connection, without the library around it: only its engine is played."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
from aiohttp import web

from bridge.browsers.page_socket import PageSocket
from bridge.browsers.socket_io import Outbox
from bridge.browsers.unread_messages import AllUnread
from bridge.limits.message_budget import MessageBudget


class Engine:
    """What python-engineio is to a page's socket: reads what is no report, and writes what waits."""

    sid = "engine"

    def __init__(self) -> None:
        self.server: Any = self
        self.max_http_buffer_size = 2**21
        self.sockets: dict[str, Any] = {}
        self.reason = self
        self.TRANSPORT_CLOSE = "closed"
        self.queue = Outbox()
        self.closed = False
        self.received: list[Any] = []
        self.may_receive = asyncio.Event()
        self.may_receive.set()

    async def receive(self, packet: Any) -> None:
        await self.may_receive.wait()
        self.received.append(packet.data.content)

    async def close(self, **_how: Any) -> None:
        self.closed = True

    async def serve(self, socket: PageSocket) -> None:
        writing = asyncio.create_task(self._write(socket))
        try:
            while True:
                await socket.wait()
        except OSError:
            pass
        finally:
            writing.cancel()

    async def _write(self, socket: PageSocket) -> None:
        """As the library: a batch at a time, taken by a task of its own."""
        while True:
            batch = [await asyncio.wait_for(self.queue.get(), 60)]
            while not self.queue.empty():
                batch.append(self.queue.get_nowait())
            for packet in batch:
                await socket.send(packet.encode())

    def take_ack(self, sid: str, call_id: str, arguments: list[Any]) -> None:
        self.received.append(("ack", call_id, arguments))

    def take_result(self, sid: str, payload: Any = None) -> None:
        if payload == "a bug":
            raise RuntimeError("A bug.")
        self.received.append(("result", payload))


@asynccontextmanager
async def served_socket() -> AsyncGenerator[tuple[PageSocket, Engine, aiohttp.ClientWebSocketResponse]]:
    """The socket of a page that is ready, its engine, and the page's own end."""
    engine = Engine()
    made: asyncio.Queue[PageSocket] = asyncio.Queue()

    async def answer(request: web.Request) -> Any:
        socket = PageSocket(engine.serve, engine, all_unread=AllUnread())
        socket.mark_authenticated("sid", "ann", MessageBudget(), engine)
        socket.mark_ready()
        made.put_nowait(socket)
        return await socket({"aiohttp.request": request})

    app = web.Application()
    app.router.add_get("/", answer)
    runner = web.AppRunner(app, shutdown_timeout=0)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        async with (
            aiohttp.ClientSession() as http,
            http.ws_connect(f"http://127.0.0.1:{runner.addresses[0][1]}/", max_msg_size=0) as page,
        ):
            yield await made.get(), engine, page
    finally:
        await runner.cleanup()
