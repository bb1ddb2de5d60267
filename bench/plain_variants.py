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
from bench.payloads import ARGUMENTS, ARGUMENTS_TEXT, open_webui_event
from bench.peer import LoadOrder, PageOrder
from bench.peer_link import PeerLink

_CALL_S = 30
CALL = "/call"
SOCKET = "/socket.io/?EIO=4&transport=websocket"


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
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=1)
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
    return await _start("floor", "sio.call, deflate off, orjson", tuned_server(), peer)


async def start_route_floor(peer: PeerLink) -> Variant:
    """(c) A plain `POST` of aiohttp with that floor behind it."""
    sio, app = build_route_floor()
    runner, host, port = await listen(app)
    await peer.connect_page(PageOrder(f"ws://{host}:{port}{SOCKET}"))

    async def stop() -> None:
        await sio.shutdown()
        await runner.cleanup()

    async def measure(in_flight: int, seconds: float) -> Sample:
        return await peer.load(LoadOrder(host, port, CALL, "none", ARGUMENTS_TEXT, in_flight, seconds))

    return Variant("route_floor", "aiohttp POST, tuned sio.call behind it", measure, stop, nothing)


def build_route_floor() -> tuple[Any, web.Application]:
    """The least that a `POST` to a page can be: no key, no lookup, no checks, no deadline.

    The application answers `CALL` once its page has connected to `SOCKET`.
    """
    sio = tuned_server()
    app = web.Application()
    sids = list_connections(sio, app)

    async def answer(request: web.Request) -> web.Response:
        arguments = orjson.loads(await request.read())
        event = open_webui_event(str(uuid4()), sids[0], arguments)
        body, _headers = await sio.call("events", event, to=sids[0], timeout=_CALL_S)
        return web.Response(body=orjson.dumps(body), content_type="application/json")

    app.router.add_post(CALL, answer)
    return sio, app


def tuned_server() -> Any:
    """A server of python-socketio with orjson, without deflate, for WebSockets only."""
    sio: Any = socketio.AsyncServer(async_mode="aiohttp", json=Json, transports=["websocket"])
    sio.eio._async = {**sio.eio._async, "websocket": UncompressedSocket}
    return sio


def list_connections(sio: Any, app: web.Application) -> list[str]:
    """Serve it in an application; returns the list in which the ids of its sockets appear."""
    sio.attach(app)
    sids: list[str] = []

    @sio.event
    async def connect(sid: str, _environ: object, _auth: object = None) -> None:
        sids.append(sid)

    return sids


async def _start(name: str, title: str, sio: Any, peer: PeerLink) -> Variant:
    app = web.Application()
    sids = list_connections(sio, app)
    runner, host, port = await listen(app)
    await peer.connect_page(PageOrder(f"ws://{host}:{port}{SOCKET}"))
    sid = sids[0]

    async def call() -> None:
        await sio.call("events", open_webui_event(str(uuid4()), sid, ARGUMENTS), to=sid, timeout=_CALL_S)

    async def stop() -> None:
        await sio.shutdown()
        await runner.cleanup()

    async def measure(in_flight: int, seconds: float) -> Sample:
        return await drive(call, in_flight=in_flight, seconds=seconds)

    return Variant(name, title, measure, stop, nothing)
