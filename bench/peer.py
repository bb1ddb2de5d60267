"""The second process: plays the page for every variant, and the HTTP caller for the tool route.

Talks to the first process by JSON lines on standard input and output. The page is a raw Socket.IO peer with
ready-made answers, so that it is never what limits a variant; its share of a processor is reported with every
measurement.
"""

import asyncio
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from itertools import cycle

import aiohttp
import orjson

from bench.event_loop import run
from bench.http_peer import HttpCaller
from bench.measure import drive, drive_paced
from bench.payloads import ANSWER_TEXTS, bridge_outcome, long_answer, plain_ack_arguments

_PLAIN_ACKS = cycle([plain_ack_arguments(text) for text in ANSWER_TEXTS])
_OUTCOMES = cycle([bridge_outcome(text) for text in ANSWER_TEXTS])
_CONNECT_S = 10


@dataclass(frozen=True, slots=True)
class PageOrder:
    """Connect a page: `token` makes it greet as a bridge page."""

    url: str
    token: str | None = None
    page_id: str = "bench"
    answer_bytes: int = 0
    """Bytes of a JSON answer; 0: about 1.1 KB, of different content."""


@dataclass(frozen=True, slots=True)
class LoadOrder:
    """Call a tool by HTTP."""

    host: str
    port: int
    path: str
    key: str
    body: str
    in_flight: int
    seconds: float
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    per_second: float = 0.0
    """Calls to begin in a second; 0: each as soon as one has ended."""


async def play_page(session: aiohttp.ClientSession, order: PageOrder) -> asyncio.Task[None]:
    """Connect, and answer calls until the socket closes; returns once calls may come."""
    socket = await connect_page(session, order)
    if order.token is None:
        return asyncio.create_task(_answer_plain(socket))
    outcomes = cycle([bridge_outcome(long_answer(order.answer_bytes))]) if order.answer_bytes else _OUTCOMES
    return asyncio.create_task(_answer_bridge(socket, outcomes))


async def connect_page(session: aiohttp.ClientSession, order: PageOrder) -> aiohttp.ClientWebSocketResponse:
    """Connect, and greet where asked; returns once calls may come.

    Raises:
        ConnectionError: the server refuses the page.
    """
    socket = await session.ws_connect(order.url, compress=15, max_msg_size=0)
    await socket.receive_str(timeout=_CONNECT_S)
    await socket.send_str(
        "40" + ("" if order.token is None else orjson.dumps({"token": order.token}).decode())
    )
    greeting = await socket.receive_str(timeout=_CONNECT_S)
    if not greeting.startswith("40"):
        raise ConnectionError(f"The server refused the page: {greeting}")
    if order.token is None:
        return socket
    hello = {"protocol": 2, "page_id": order.page_id, "visibility": "visible"}
    await socket.send_str("420" + orjson.dumps(["bridge:hello", hello]).decode())
    welcome = await socket.receive_str(timeout=_CONNECT_S)
    if not welcome.startswith("430") or '"error"' in welcome:
        raise ConnectionError(f"The bridge refused the page: {welcome}")
    return socket


async def _answer_plain(socket: aiohttp.ClientWebSocketResponse) -> None:
    async for message in socket:
        text: str = message.data
        if text == "2":
            await socket.send_str("3")
        elif text.startswith("42"):
            start = text.index("[")
            orjson.loads(text[start:])
            await socket.send_str(f"43{text[2:start]}{next(_PLAIN_ACKS)}")


async def _answer_bridge(socket: aiohttp.ClientWebSocketResponse, outcomes: Iterator[str]) -> None:
    async for message in socket:
        text: str = message.data
        if text == "2":
            await socket.send_str("3")
        elif text.startswith("42"):
            start = text.index("[")
            name, *arguments = orjson.loads(text[start:])
            if name != "events":
                continue
            call_id = arguments[0]["data"]["data"]["id"]
            await socket.send_str(f'43{text[2:start]}[{{"call_id":"{call_id}"}}]')
            result = f'{{"call_id":"{call_id}","outcome":{next(outcomes)}}}'
            await socket.send_str(f'42["bridge:result",{result}]')


async def call_tool(order: LoadOrder) -> dict[str, object]:
    """Drive the tool route over as many keep-alive connections as calls are in flight."""
    async with HttpCaller(order.host, order.port, order.in_flight) as caller:
        request = caller.compose(order.path, order.key, order.body, order.headers)

        async def call() -> None:
            await caller.post(request)

        most, seconds = order.in_flight, order.seconds
        sample = await (
            drive_paced(call, per_second=order.per_second, in_flight=most, seconds=seconds)
            if order.per_second
            else drive(call, in_flight=most, seconds=seconds)
        )
    return asdict(sample)


async def serve_orders() -> None:
    """Read orders until standard input ends; one line of answer for each."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    pages: list[asyncio.Task[None]] = []
    async with aiohttp.ClientSession() as session:
        while line := await reader.readline():
            order = orjson.loads(line)
            answer: dict[str, object] = {}
            if order["kind"] == "page":
                pages.append(await play_page(session, PageOrder(**order["order"])))
            elif order["kind"] == "load":
                answer = await call_tool(LoadOrder(**order["order"]))
            answer["cpu_s"] = time.process_time()
            print(orjson.dumps(answer).decode(), flush=True)
    for page in pages:
        page.cancel()


if __name__ == "__main__":
    run(serve_orders())
