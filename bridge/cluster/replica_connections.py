"""Connections to other replicas for requests that are at hand whole; each serves one at a time.

aiohttp's session works out for every request what is the same for all of these: cookies, redirects, proxies,
how to write the body. That took 44 of the 98 µs of a short request and its answer, so only the state of a
connection and its parser are aiohttp's here. ADR 42 has the figures, ADR 47 when a bridge does without.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Coroutine
from http import HTTPStatus
from http.client import HTTP_PORT
from typing import Any
from urllib.parse import urlsplit

from aiohttp import ClientPayloadError, StreamReader, hdrs
from aiohttp.client_proto import ResponseHandler
from aiohttp.http import HttpProcessingError, RawResponseMessage
from multidict import CIMultiDict, CIMultiDictProxy

from bridge.cluster.relay_limits import CONNECT_S, IDLE_S, PIECE_BYTES, NoConnection


class WholeRequest:
    """A request and its body, as the bytes that are sent."""

    __slots__ = ("content",)

    def __init__(self, method: str, target: str, headers: CIMultiDict[str], body: bytes) -> None:
        """`target`: path and query, as they are encoded; `headers`: with the host, they get the length."""
        headers[hdrs.CONTENT_LENGTH] = str(len(body))  # whatever the client said: the next request follows
        lines = "".join([f"{name}: {value}\r\n" for name, value in headers.items()])
        head = f"{method} {target} HTTP/1.1\r\n{lines}\r\n"
        self.content = head.encode("utf-8", "surrogateescape") + body  # as aiohttp has read the header


class ReplicaResponse:
    """A response whose head has arrived. Its connection is used again if it was read to its end."""

    __slots__ = ("_connection", "_connections", "_url", "content", "headers", "reason", "status")

    def __init__(
        self,
        connections: ReplicaConnections,
        url: str,
        connection: ResponseHandler,
        message: RawResponseMessage,
        content: StreamReader,
    ) -> None:
        self._connections = connections
        self._url = url
        self._connection: ResponseHandler | None = connection
        self.status = message.code
        self.reason = message.reason
        self.headers: CIMultiDictProxy[str] = message.headers
        self.content = content

    @property
    def content_length(self) -> int | None:
        """Bytes of the body; None: they are not known before its end."""
        length = self.headers.get(hdrs.CONTENT_LENGTH)
        return None if length is None else int(length)

    async def read(self) -> bytes:
        """Return the body.

        Raises:
            ClientError, OSError: the other replica was lost before its end.
        """
        return await self.content.read()

    def close(self) -> None:
        """Leave the connection to the next request, or close it if more of this response would come."""
        connection, self._connection = self._connection, None
        if connection is not None:
            self._connections.take_back(self._url, connection, is_read=self.content.at_eof())


class ReplicaConnections:
    """All connections to other replicas, by their addresses. Runs on one event loop."""

    def __init__(self, *, idle_s: float = IDLE_S, connect_s: float = CONNECT_S) -> None:
        self._idle_s = idle_s
        self._connect_s = connect_s
        self._idle: dict[str, deque[tuple[ResponseHandler, float]]] = {}
        """Connections that wait for a request, each with the loop's time since when, oldest first."""
        self._sweep: asyncio.TimerHandle | None = None
        self._is_closed = False

    def send_whole(
        self, url: str, method: str, target: str, headers: CIMultiDict[str], body: bytes
    ) -> Coroutine[Any, Any, ReplicaResponse]:
        """See `send_request`, and `WholeRequest` for what it is made of."""
        return self.send_request(url, WholeRequest(method, target, headers, body))

    async def send_request(self, url: str, request: WholeRequest) -> ReplicaResponse:
        """Send a request to the replica at `url` and wait for the head of its response.

        Cancelling it closes the connection, so that the other replica ends the request, too.

        Raises:
            NoConnection: nothing was sent.
            ClientError, OSError: the connection was lost; the request may be done.
        """
        if (connection := self._take_idle(url)) is None:
            connection = await self._connect(url)
        if (transport := connection.transport) is None:  # lost while it was made
            raise NoConnection
        try:
            transport.write(request.content)
            message, content = await connection.read()
            while message.code < HTTPStatus.OK:  # it says only that it works on the request
                message, content = await connection.read()
        except HttpProcessingError as error:
            connection.close()
            raise ClientPayloadError(f"The response of {url} is not HTTP: {error.message}") from None
        except BaseException:
            connection.close()
            raise
        return ReplicaResponse(self, url, connection, message, content)

    def take_back(self, url: str, connection: ResponseHandler, *, is_read: bool) -> None:
        """Keep a connection for the next request; `is_read`: the response was read to its end."""
        if not is_read or connection.should_close or self._is_closed:
            connection.close()
            return
        loop = asyncio.get_running_loop()
        self._idle.setdefault(url, deque()).append((connection, loop.time()))
        if self._sweep is None:
            self._sweep = loop.call_later(self._idle_s, self._close_old)

    def close(self) -> None:
        """Close all connections; those whose response is read are closed after it."""
        self._is_closed = True
        if self._sweep is not None:
            self._sweep.cancel()
        for idle in self._idle.values():
            for connection, _ in idle:
                connection.close()
        self._idle.clear()

    def _take_idle(self, url: str) -> ResponseHandler | None:
        idle = self._idle.get(url)
        while idle:
            connection, _ = idle.pop()
            if connection.is_connected() and not connection.should_close:  # nothing has come unasked
                return connection
            connection.close()
        return None

    def _close_old(self) -> None:
        loop = asyncio.get_running_loop()
        kept_since = loop.time() - self._idle_s
        for url, idle in list(self._idle.items()):
            while idle and idle[0][1] <= kept_since:
                idle.popleft()[0].close()
            if not idle:
                del self._idle[url]
        oldest = min((idle[0][1] for idle in self._idle.values()), default=None)
        self._sweep = None if oldest is None else loop.call_at(oldest + self._idle_s, self._close_old)

    async def _connect(self, url: str) -> ResponseHandler:
        loop = asyncio.get_running_loop()
        parts = urlsplit(url)
        try:
            async with asyncio.timeout(self._connect_s):
                _, connection = await loop.create_connection(
                    lambda: ResponseHandler(loop), parts.hostname or "", parts.port or HTTP_PORT
                )
        except (OSError, ValueError):  # also of a name that is none, or has no address, and when time is up
            raise NoConnection from None
        connection.set_response_params(read_until_eof=True, auto_decompress=False, read_bufsize=PIECE_BYTES)
        return connection
