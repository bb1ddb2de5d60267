"""The other process of `python -m bench hostile`: one kind of attack, as fast as it can, until killed.

`python -m bench.attacker KIND HOST:PORT TOKEN`. It prints a line once the attack has begun.
"""

import asyncio
import os
import sys
import zlib
from collections.abc import Callable, Coroutine
from contextlib import suppress

import orjson

SOCKETS = 2
"""Of the user who floods; what they may say is counted by user, so that more of them change nothing."""

HALF_OPEN = 20_000
"""Connections with half a header."""

BOMBS, BOMB_BYTES = 4, 2_000_000
"""At once, and bytes of each on the wire; unpacked it is a thousand times as long."""

LISTED_CALLS = 1_000

Attack = Callable[[str, str], Coroutine[None, None, None]]


async def _bombs(host: str, _token: str) -> None:
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    first, again = (packer.compress(bytes(1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH) for _ in range(2))
    body = first + again * (BOMB_BYTES // len(again))
    head = f"POST /api/sessions HTTP/1.1\r\nHost: {host}\r\nContent-Encoding: gzip\r\n"
    head += f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"

    async def one() -> None:
        while True:
            with suppress(ConnectionError):
                reader, writer = await asyncio.open_connection(*host.split(":"))
                writer.write(head.encode() + body)
                while await reader.read(1 << 16):
                    pass

    async with asyncio.TaskGroup() as group:
        for _ in range(BOMBS):
            group.create_task(one())


async def _half_open(host: str, _token: str) -> None:
    """Half a header on each of very many connections, which then only wait."""
    began = f"GET / HTTP/1.1\r\nHost: {host}\r\n".encode()
    lines: list[asyncio.StreamWriter] = []
    for _ in range(HALF_OPEN // int(os.environ.get("ATTACKERS", "1"))):
        _, writer = await asyncio.open_connection(*host.split(":"))
        writer.write(began)
        lines.append(writer)
    _report_start()
    await asyncio.Event().wait()


async def _connects(host: str, _token: str) -> None:
    """The same, over and over: as many new connections as there can be."""
    began = f"GET / HTTP/1.1\r\nHost: {host}\r\n".encode()
    while True:
        with suppress(OSError):
            _, writer = await asyncio.open_connection(*host.split(":"))
            writer.write(began)
            writer.close()


def _says(*messages: str) -> Attack:
    """Pages of one user that say this over and over."""
    flood = b"".join(_masked(message.encode()) for message in messages) * (1 + 200 // len(messages))

    async def attack(host: str, token: str) -> None:
        async with asyncio.TaskGroup() as group:
            for _ in range(SOCKETS):
                group.create_task(_flood(host, token, flood))

    return attack


async def _flood(host: str, token: str, flood: bytes) -> None:
    hello = '420["bridge:hello",{"protocol": 2,"page_id":"flood"}]'
    opening = f"40{orjson.dumps({'token': token}).decode()}"
    while True:
        with suppress(OSError):
            reader, writer = await asyncio.open_connection(*host.split(":"))
            writer.write(_handshake(host) + _masked(opening.encode()) + _masked(hello.encode()))
            reading = asyncio.create_task(reader.read())
            while not reading.done():
                writer.write(flood)
                await writer.drain()


async def _nonsense(host: str, _token: str) -> None:
    """Strangers whose first frame is no frame, one after the other."""

    async def one() -> None:
        while True:
            with suppress(OSError):
                reader, writer = await asyncio.open_connection(*host.split(":"))
                writer.write(_handshake(host) + _masked(b"42[") * 100)
                await reader.read()
                writer.close()

    async with asyncio.TaskGroup() as group:
        for _ in range(SOCKETS):
            group.create_task(one())


def _handshake(host: str) -> bytes:
    return (
        f"GET /ws/socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\n"
        "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    ).encode()


def _masked(payload: bytes) -> bytes:
    """A text frame under the mask of zeros (RFC 6455, 5.2)."""
    size = len(payload)
    length = bytes([0x80 | size]) if size < 126 else b"\xfe" + size.to_bytes(2) if size < 1 << 16 else b""
    return b"\x81" + (length or b"\xff" + size.to_bytes(8)) + bytes(4) + payload


def _hello_with_calls() -> str:
    calls = [{"call_id": f"call_{number:032x}", "state": "done"} for number in range(LISTED_CALLS)]
    hello = {"protocol": 2, "page_id": "flood", "instance": "w", "epoch": "e", "calls": calls}
    return f"42{orjson.dumps(['bridge:hello', hello]).decode()}"


_REPORT = (
    '42["bridge:result",{"call_id":"call_nope","outcome":'
    '{"status":"answered","http_status":200,"body":{"kind":"empty"}}}]'
)
ATTACKS: dict[str, Attack] = {
    "bombs": _bombs,
    "half-open": _half_open,
    "connects": _connects,
    "nonsense": _nonsense,
    "reports": _says(_REPORT),
    "handshakes": _says(_hello_with_calls()),
    "visibility": _says(
        *(f'42["bridge:visibility",{{"visibility":"{each}"}}]' for each in ("hidden", "visible"))
    ),
    "pongs": _says("3"),
}


def _report_start() -> None:
    print("begun", flush=True)


async def _attack(kind: str, host: str, token: str) -> None:
    if kind != "half-open":  # which has begun when all are open
        _report_start()
    await ATTACKS[kind](host, token)


if __name__ == "__main__":
    asyncio.run(_attack(*sys.argv[1:4]))
