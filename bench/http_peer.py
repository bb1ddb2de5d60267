"""A lean HTTP/1.1 client: keep-alive connections, ready-made requests, no allocation it can avoid.

It understands exactly what the tool route sends: a status line, headers with Content-Length, a body.
"""

import asyncio
from collections.abc import Mapping
from typing import cast

_END_OF_HEAD = b"\r\n\r\n"
_LENGTH = b"content-length:"


class _Connection(asyncio.Protocol):
    """One request at a time; the answer ends at its Content-Length."""

    def __init__(self) -> None:
        self._transport: asyncio.Transport | None = None
        self._received = bytearray()
        self._answer: asyncio.Future[bytes] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport to write on."""
        self._transport = cast(asyncio.Transport, transport)

    def connection_lost(self, exc: Exception | None) -> None:
        """Fail the request that waits."""
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(exc or ConnectionResetError("The server closed the connection."))

    def data_received(self, data: bytes) -> None:
        """Collect until the answer is whole."""
        self._received += data
        end = self._received.find(_END_OF_HEAD)
        if end < 0 or self._answer is None or self._answer.done():
            return
        head = bytes(self._received[:end]).lower()
        at = head.find(_LENGTH)
        if at < 0:
            self._answer.set_exception(ValueError(f"The answer has no Content-Length: {head!r}"))
            return
        line_end = head.find(b"\r\n", at)
        length = int(head[at + len(_LENGTH) : line_end if line_end >= 0 else len(head)])
        whole = end + len(_END_OF_HEAD) + length
        if len(self._received) >= whole:
            answer = bytes(self._received[:whole])
            del self._received[:whole]
            self._answer.set_result(answer)

    async def send(self, request: bytes) -> bytes:
        """Write the request and wait for its whole answer, head included."""
        assert self._transport is not None
        self._answer = asyncio.get_running_loop().create_future()
        self._transport.write(request)
        return await self._answer

    def close(self) -> None:
        """Close the connection."""
        if self._transport is not None:
            self._transport.close()


class HttpCaller:
    """A fixed number of connections to one server."""

    def __init__(self, host: str, port: int, connections: int) -> None:
        self._host = host
        self._port = port
        self._count = connections
        self._all: list[_Connection] = []
        self._idle: list[_Connection] = []

    async def __aenter__(self) -> "HttpCaller":
        loop = asyncio.get_running_loop()
        for _ in range(self._count):
            _, connection = await loop.create_connection(_Connection, self._host, self._port)
            self._all.append(connection)
        self._idle = list(self._all)
        return self

    async def __aexit__(self, *_error: object) -> None:
        for connection in self._all:
            connection.close()

    def compose(self, path: str, key: str, body: str, headers: Mapping[str, str]) -> bytes:
        """The bytes of a POST with a JSON body, a bearer key and further headers."""
        content = body.encode()
        further = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        head = (
            f"POST {path} HTTP/1.1\r\nHost: {self._host}:{self._port}\r\nAuthorization: Bearer {key}\r\n"
            f"Content-Type: application/json\r\nAccept: */*\r\n{further}"
            f"Content-Length: {len(content)}\r\n\r\n"
        )
        return head.encode() + content

    async def post(self, request: bytes) -> bytes:
        """Send on an idle connection; never more at once than there are connections.

        Raises:
            ValueError: the status is not 200.
        """
        connection = self._idle.pop()
        answer = await connection.send(request)
        self._idle.append(connection)
        if not answer.startswith(b"HTTP/1.1 200 "):
            raise ValueError(answer[:500].decode("utf-8", "replace"))
        return answer
