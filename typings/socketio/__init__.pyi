"""Types of what we use of python-socketio 5, which publishes none."""

from asyncio import Task
from collections.abc import Callable, Coroutine, Mapping, Sequence
from logging import Logger
from typing import Any, Protocol

from aiohttp import ClientSession
from aiohttp.web import Application

from . import exceptions as exceptions
from . import packet as packet

_Handler = Callable[..., Any]

class _Json(Protocol):
    @staticmethod
    def dumps(obj: Any, /, *args: Any, **kwargs: Any) -> str: ...
    @staticmethod
    def loads(text: Any, /, *args: Any, **kwargs: Any) -> Any: ...

class _EngineServer(Protocol):
    sockets: dict[str, object]
    async def send(self, sid: str, data: str | list[str]) -> None: ...

class AsyncServer:
    eio: _EngineServer
    def __init__(
        self,
        *,
        async_mode: str = ...,
        json: type[_Json] | _Json | None = None,
        async_handlers: bool = True,
        always_connect: bool = False,
        cors_allowed_origins: str | Sequence[str] | None = None,
        transports: Sequence[str] | None = None,
        max_http_buffer_size: int = 1_000_000,
        ping_interval: float | tuple[float, float] = 25,
        ping_timeout: float = 20,
        http_compression: bool = True,
        monitor_clients: bool = True,
        logger: bool | Logger = False,
        engineio_logger: bool | Logger = False,
        serializer: str | type[packet.Packet] = "default",
        client_manager: AsyncManager | None = None,
    ) -> None: ...
    packet_class: type[packet.Packet]
    def attach(self, app: Application, socketio_path: str = "socket.io") -> None: ...
    def on(self, event: str, handler: _Handler) -> None: ...
    def event(self, handler: _Handler) -> _Handler: ...
    async def emit(
        self,
        event: str,
        data: Any = None,
        *,
        to: str | None = None,
        namespace: str | None = None,
        callback: _Handler | None = None,
    ) -> None: ...
    async def call(self, event: str, data: Any = None, *, to: str, timeout: float = 60) -> Any: ...
    async def disconnect(self, sid: str, namespace: str | None = None) -> None: ...
    async def shutdown(self) -> None: ...

class AsyncManager:
    server: AsyncServer
    callbacks: dict[str, dict[int, _Handler]]
    def eio_sid_from_sid(self, sid: str, namespace: str) -> str | None: ...

class _EngineClient(Protocol):
    handlers: dict[str, Callable[..., Coroutine[Any, Any, None]]]
    def on(self, event: str, handler: _Handler) -> None: ...

class AsyncClient:
    eio: _EngineClient
    sid: str | None
    connected: bool
    def __init__(
        self,
        *,
        json: type[_Json] | _Json | None = None,
        reconnection: bool = True,
        logger: bool = False,
        http_session: ClientSession | None = None,
    ) -> None: ...
    def on(self, event: str, handler: _Handler) -> None: ...
    def event(self, handler: _Handler) -> _Handler: ...
    async def connect(
        self,
        url: str,
        *,
        headers: Mapping[str, str] = ...,
        auth: Mapping[str, Any] | None = None,
        transports: Sequence[str] | None = None,
        socketio_path: str = "socket.io",
        wait: bool = True,
        wait_timeout: float = 1,
    ) -> None: ...
    async def emit(self, event: str, data: Any = None, *, callback: _Handler | None = None) -> None: ...
    async def call(self, event: str, data: Any = None, *, timeout: float = 60) -> Any: ...
    async def disconnect(self) -> None: ...
    async def wait(self) -> None: ...
    def start_background_task(
        self, target: Callable[..., Coroutine[Any, Any, Any]], *args: Any
    ) -> Task[Any]: ...
