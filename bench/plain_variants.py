"""What the bridge is compared with: bare `sio.call`, as the library comes and as fast as it can be set."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import orjson
import socketio
from aiohttp import web
from engineio.async_drivers import aiohttp as driver

from bench.measure import Sample, drive
from bench.payloads import open_webui_event
from bench.peer import PageOrder
from bench.peer_link import PeerLink

_CALL_S = 30


@dataclass(frozen=True, slots=True)
class Variant:
    """One thing to measure."""

    name: str
    title: str
    measure: Callable[[int, float], Awaitable[Sample]]
    """Takes how many calls are in flight and for how many seconds."""
    stop: Callable[[], Awaitable[None]]
    settle: Callable[[], Awaitable[None]]
    """Wait for work that was put off; it is counted."""


async def nothing() -> None:
    """Neither put off nor to be stopped: it is another variant's."""


class Json:
    """orjson as python-socketio wants it."""

    @staticmethod
    def dumps(value: Any, **_options: Any) -> str:
        """Compact JSON text."""
        return orjson.dumps(value).decode()

    @staticmethod
    def loads(text: str | bytes, **_options: Any) -> Any:
        """Parse JSON text."""
        return orjson.loads(text)


class UncompressedSocket(driver.WebSocket):
    """The library's WebSocket without per-message deflate."""

    server: Any

    async def __call__(self, environ: dict[str, Any]) -> web.WebSocketResponse:
        """Accept the socket and run its handler."""
        self._sock = web.WebSocketResponse(max_msg_size=self.server.max_http_buffer_size, compress=False)
        await self._sock.prepare(environ["aiohttp.request"])
        self.environ = environ
        await self.handler(self)
        return self._sock


async def listen(app: web.Application) -> tuple[web.AppRunner, str, int]:
    """Serve on a free port of the loopback interface."""
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    host, port = runner.addresses[0][:2]
    return runner, host, port


async def start_defaults(peer: PeerLink) -> Variant:
    """(a) `sio.call` exactly as the library comes: stdlib JSON, deflate as the browser negotiates it."""
    sio = socketio.AsyncServer(async_mode="aiohttp")
    return await _start("defaults", "sio.call, library defaults", sio, peer)


async def start_floor(peer: PeerLink) -> Variant:
    """(b) The tuned floor: orjson, deflate off, WebSocket only."""
    sio: Any = socketio.AsyncServer(async_mode="aiohttp", json=Json, transports=["websocket"])
    sio.eio._async = {**sio.eio._async, "websocket": UncompressedSocket}
    return await _start("floor", "sio.call, deflate off, orjson", sio, peer)


async def _start(name: str, title: str, sio: Any, peer: PeerLink) -> Variant:
    app = web.Application()
    sio.attach(app)
    sids: list[str] = []

    @sio.event
    async def connect(sid: str, _environ: object, _auth: object = None) -> None:
        sids.append(sid)

    runner, host, port = await listen(app)
    await peer.connect_page(PageOrder(f"ws://{host}:{port}/socket.io/?EIO=4&transport=websocket"))
    sid = sids[0]

    async def call() -> None:
        await sio.call("events", open_webui_event(str(uuid4()), sid), to=sid, timeout=_CALL_S)

    async def stop() -> None:
        await sio.shutdown()
        await runner.cleanup()

    async def measure(in_flight: int, seconds: float) -> Sample:
        return await drive(call, in_flight=in_flight, seconds=seconds)

    return Variant(name, title, measure, stop, nothing)
