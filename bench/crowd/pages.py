"""`python -m bench.crowd.pages HOST PORT PATH FILE AT_ONCE`: many idle pages, which need little here.

`FILE` has one session token a line. Prints one line of JSON when all are connected and greeted, and holds
them until standard input ends. The pages answer pings; their users make no calls.
"""

import asyncio
import os
import statistics
import sys
import time
from pathlib import Path
from typing import cast

import orjson

from bench.event_loop import run
from bridge.operating_system import raise_descriptor_limit

_GREETED_S = 60
_SHORT = 126
_PONG = b"\x81\x81\x00\x00\x00\x003"
_NICENESS = 10
"""Connecting many pages must not delay what measures the calls meanwhile, on the same core."""


def masked(text: bytes) -> bytes:
    """A text frame of a client; a mask of zeros masks nothing, and is valid."""
    if len(text) < _SHORT:
        return bytes((0x81, 0x80 | len(text))) + bytes(4) + text
    return bytes((0x81, 0x80 | _SHORT)) + len(text).to_bytes(2, "big") + bytes(4) + text


class _Page(asyncio.Protocol):
    """From the upgrade to the welcome, and pongs after that."""

    def __init__(self, greeting: bytes) -> None:
        self._greeting = greeting
        self._received = b""
        self._is_upgraded = False
        self.greeted: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport to write on."""
        self._transport = cast(asyncio.Transport, transport)

    def connection_lost(self, exc: Exception | None) -> None:
        """Fail, unless the page was greeted."""
        if not self.greeted.done():
            self.greeted.set_exception(exc or ConnectionResetError("The bridge closed a page's socket."))

    def data_received(self, data: bytes) -> None:
        """Handle what has arrived whole."""
        self._received += data
        if not self._is_upgraded:
            head, end, rest = self._received.partition(b"\r\n\r\n")
            if not end:
                return
            if not head.startswith(b"HTTP/1.1 101 "):
                self.greeted.set_exception(ConnectionError(head[:200].decode("utf-8", "replace")))
                return
            self._is_upgraded, self._received = True, rest
        while (text := self._next_text()) is not None:
            self._take(text)

    def _next_text(self) -> bytes | None:
        received = self._received
        if len(received) < 2:
            return None
        length, start = received[1], 2
        if length >= _SHORT:
            start = 4 if length == _SHORT else 10
            length = int.from_bytes(received[2:start], "big")
        if len(received) < start + length:
            return None
        self._received = received[start + length :]
        return received[start : start + length]

    def _take(self, text: bytes) -> None:
        if text == b"2":
            self._transport.write(_PONG)
        elif text.startswith(b"0"):
            self._transport.write(self._greeting)
        elif text.startswith((b"44", b"41")):
            self.greeted.set_exception(ConnectionError(text[:200].decode()))
        elif text.startswith(b'42["bridge:welcome"') and not self.greeted.done():
            self.greeted.set_result(None)


async def connect_crowd(host: str, port: int, path: str, tokens: list[str], at_once: int) -> list[float]:
    """Connect a page for each token, so many at a time; returns the seconds that each took."""
    loop = asyncio.get_running_loop()
    upgrade = (
        f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    ).encode()
    places = asyncio.Semaphore(at_once)
    taken: list[float] = []

    async def connect(number: int, token: str) -> None:
        hello = {"protocol": 2, "page_id": f"page-{number}", "visibility": "hidden"}
        greeting = masked(b"40" + orjson.dumps({"token": token, "hello": hello}))
        async with places:
            began = loop.time()
            transport, page = await loop.create_connection(lambda: _Page(greeting), host, port)
            transport.write(upgrade)
            await asyncio.wait_for(page.greeted, _GREETED_S)
            taken.append(loop.time() - began)

    async with asyncio.TaskGroup() as group:
        for number, token in enumerate(tokens):
            group.create_task(connect(number, token))
    return taken


async def _main(host: str, port: str, path: str, tokens: list[str], at_once: str) -> None:
    began = time.perf_counter()
    taken = sorted(await connect_crowd(host, int(port), path, tokens, int(at_once)))
    told = {
        "seconds": time.perf_counter() - began,
        "p50_ms": statistics.median(taken) * 1000,
        "longest_ms": taken[-1] * 1000,
        "cpu_s": time.process_time(),
    }
    print(orjson.dumps(told).decode(), flush=True)
    await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    os.nice(_NICENESS)
    raise_descriptor_limit()
    _host, _port, _path, _file, _at_once = sys.argv[1:]
    run(_main(_host, _port, _path, Path(_file).read_text(encoding="utf-8").split(), _at_once))
