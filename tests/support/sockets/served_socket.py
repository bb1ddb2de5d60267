"""A page's socket on a real connection, without the library around it: only its engine is played."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
from aiohttp import web

from bridge.browsers.message_budget import MessageBudget
from bridge.browsers.page_socket import PING_INTERVAL_S, PING_TIMEOUT_S, PageSocket, SharedBySockets
from bridge.browsers.page_writer import Records
from bridge.browsers.socket_io import Outbox
from bridge.browsers.unread_messages import AllUnread
from bridge.calls.clock import Alarms
from bridge.tasks import Tasks
from tests.support.sockets.library_paths import socket_class


class Engine:
    """What python-engineio is to a page's socket: it receives what is no report of a call."""

    def __init__(self) -> None:
        self.server: Any = self
        self.max_http_buffer_size = 2**21
        self.sockets: dict[str, Any] = {}
        self.reason = self
        self.TRANSPORT_CLOSE = "closed"
        self.queue = Outbox()
        self.sid = "engine"
        self.closed = False
        self.last_ping: float | None = None
        self.connected = self.upgraded = False
        self.received: list[Any] = []
        self.may_receive = asyncio.Event()
        self.may_receive.set()
        self.held: list[Any] = []
        """Payloads of results that were reported and are not written."""
        self.writes: list[list[Any]] = []
        self.on_opening: Callable[[], object] = lambda: None
        """Called when openings are to be written."""

    def write_openings(self) -> None:
        self.on_opening()

    def hold_endings(self) -> None:
        """As the journal."""

    def write_endings(self) -> None:
        self.writes.append(self.held)
        self.held = []

    async def handle(self, _socket: PageSocket) -> None:
        raise AssertionError("The socket serves itself.")

    async def receive(self, packet: Any) -> None:
        await self.may_receive.wait()
        self.received.append(packet.data.content)

    async def close(self, **_how: Any) -> None:
        self.closed = True

    def take_ack(self, sid: str, call_id: str, arguments: list[Any]) -> None:
        self.received.append(("ack", call_id, arguments))

    def take_result(self, sid: str, payload: Any = None) -> None:
        if payload == "a bug":
            raise RuntimeError("A bug.")
        self.held.append(payload)
        self.received.append(("result", payload))


@asynccontextmanager
async def served_socket(
    *, ping_interval_s: float = PING_INTERVAL_S, ping_timeout_s: float = PING_TIMEOUT_S
) -> AsyncGenerator[tuple[PageSocket, Engine, aiohttp.ClientWebSocketResponse]]:
    """The socket of a page that is ready, its engine, and the page's own end."""
    engine = Engine()
    records: Records = engine
    shared = SharedBySockets(AllUnread(), Alarms(), Tasks(), records, ping_interval_s, ping_timeout_s)
    made: asyncio.Queue[PageSocket] = asyncio.Queue()

    async def answer(request: web.Request) -> Any:
        socket = socket_class()(engine.handle, engine, shared=shared)
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
