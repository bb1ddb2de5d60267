"""An API that closes a connection it has used before without a word, as when keep-alive runs out."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from tests.support.tcp_servers import serving_connections

OPERATION = {
    "operationId": "sendMail",
    "requestBody": {
        "content": {
            "application/json": {"schema": {"type": "object", "properties": {"to": {"type": "string"}}}}
        }
    },
}
DOCUMENT = {
    "openapi": "3.1.0",
    "info": {"title": "Hasty", "version": "1"},
    "servers": [{"url": "/"}],
    "paths": {"/mails": {"post": OPERATION}, "/warm": {"get": {"operationId": "warm"}}},
}
CORS = (
    "Access-Control-Allow-Origin: *\r\nAccess-Control-Allow-Headers: content-type, idempotency-key\r\n"
    "Access-Control-Allow-Methods: GET, POST\r\n"
)


@dataclass
class DroppingApi:
    """What arrived."""

    url: str = ""
    arrived: list[tuple[str, str | None]] = field(default_factory=list[tuple[str, str | None]])
    """Each POST that may have been performed: its body, and its `Idempotency-Key`."""
    preflights: list[str] = field(default_factory=list[str])
    """The headers that browsers asked for."""

    dropped: str = ""
    """The body of the POST that got no reply."""

    @property
    def doubled(self) -> list[str | None]:
        """The keys of the arrivals of that POST."""
        return [key for body, key in self.arrived if body == self.dropped]

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        served = 0
        try:
            while head := (await reader.readuntil(b"\r\n\r\n")).decode():
                first, *lines = head.strip().split("\r\n")
                headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
                body = (await reader.readexactly(int(headers.get("content-length", "0")))).decode()
                method, path = first.split()[:2]
                if method == "OPTIONS":
                    self.preflights.append(headers.get("access-control-request-headers", ""))
                if method == "POST":
                    self.arrived.append((body, headers.get("idempotency-key")))
                    if served and not self.dropped:
                        self.dropped = body
                        break
                writer.write(_answer(path) if method != "OPTIONS" else _allowed())
                served += 1
        except (asyncio.IncompleteReadError, OSError):
            return
        finally:
            writer.close()


def _allowed() -> bytes:
    return f"HTTP/1.1 204 No Content\r\n{CORS}Access-Control-Max-Age: 600\r\n\r\n".encode()


def _answer(path: str) -> bytes:
    body = json.dumps(DOCUMENT if path == "/openapi.json" else {"ok": True})
    about = f"Content-Type: application/json\r\nContent-Length: {len(body)}"
    return f"HTTP/1.1 200 OK\r\n{CORS}{about}\r\n\r\n{body}".encode()


@asynccontextmanager
async def dropping_api() -> AsyncGenerator[DroppingApi]:
    """Listen on a free port; the document is at `/openapi.json`."""
    api = DroppingApi()
    async with serving_connections(api.serve) as port:
        api.url = f"http://127.0.0.1:{port}"
        yield api
