"""Connections that say nothing, and how many of those without a caller are kept."""

import asyncio
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any

import pytest
from aiohttp import web

from bridge.auth.identity import Caller
from bridge.errors import BridgeError
from bridge.http.connections import Connections, enter_caller, mark_authenticated
from bridge.http.user_connections import UserConnections
from bridge.storage.users import User
from tests.support.sockets.library_paths import connection_class
from tests.support.waiting import eventually

pytestmark = [pytest.mark.asyncio, pytest.mark.both_event_loops]

HEADER_S = 0.5
"""Instead of 15 s, where a test waits for its end."""

NEVER_S = 600.0
"""Where it must not end."""

REQUEST = b"GET /%s HTTP/1.1\r\nHost: x\r\n\r\n"


@dataclass
class Line:
    """A client's connection."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def ask(self, path: bytes) -> bytes:
        """The status line and headers of the answer; the body is empty."""
        await self.send(REQUEST % path)
        async with asyncio.timeout(20):
            return await self.reader.readuntil(b"\r\n\r\n")

    async def is_ended(self, within_s: float = 20) -> bool:
        """Whether the server ends it by then."""
        try:
            async with asyncio.timeout(within_s):
                return await self.reader.read(1) == b""
        except ConnectionError:
            return True
        except TimeoutError:
            return False


class Served:
    """A server whose route `known` knows its caller, and whose route `slow` answers when it is told to."""

    def __init__(self) -> None:
        self.port = 0
        self.go = asyncio.Event()
        self.asked = 0
        self.cancelled = 0
        self.lines: list[Line] = []

    async def answer(self, request: web.Request) -> web.Response:
        self.asked += 1
        if request.path == "/known":
            mark_authenticated(request)
        if user := request.query.get("user"):
            try:
                enter_caller(request, Caller(User(user, user), request.query.get("browser")))
            except BridgeError as error:
                return web.Response(status=error.error.code.facts.http_status)
        if request.path == "/slow":
            try:
                await self.go.wait()
            except asyncio.CancelledError:
                self.cancelled += 1
                raise
        return web.Response()

    async def connect(self) -> Line:
        line = Line(*await asyncio.open_connection("127.0.0.1", self.port))
        self.lines.append(line)
        return line

    async def hang_up(self) -> None:
        for line in self.lines:
            line.writer.close()
            with suppress(ConnectionError):
                await line.writer.wait_closed()


@asynccontextmanager
async def serving(
    max_unknown: int = 100,
    header_s: float = NEVER_S,
    users: UserConnections | None = None,
    **options: Any,
) -> AsyncGenerator[Served]:
    served, connections = Served(), Connections(max_unknown, header_s, connection_class(), users=users)
    app = web.Application()
    app.router.add_get("/{path}", served.answer)
    runner = web.AppRunner(app)
    await runner.setup()
    listener = socket.create_server(("127.0.0.1", 0))
    served.port = listener.getsockname()[1]
    assert runner.server is not None
    server = await connections.listen_on(runner.server, listener, **options)
    sweeping = asyncio.create_task(connections.watch_headers(every_s=0.05))
    try:
        yield served
    finally:
        await served.hang_up()
        sweeping.cancel()
        server.close()
        await runner.cleanup()


@pytest.mark.parametrize("is_relay", [False, True])
@pytest.mark.parametrize("begun", [b"", b"GET / HTTP/1.1\r\nHost: x\r\n"])
async def test_a_connection_whose_header_does_not_come_is_ended(begun: bytes, is_relay: bool) -> None:
    """Half a header lived for more than 100 s, and each takes a descriptor, on either listener."""
    async with serving(header_s=HEADER_S, is_relay=is_relay) as served:
        line = await served.connect()
        await line.send(begun)
        assert await line.is_ended()


async def test_a_header_that_trickles_is_not_waited_for_any_longer() -> None:
    """A byte from time to time does not start the time anew."""
    async with serving(header_s=HEADER_S) as served:
        line = await served.connect()

        async def ended_meanwhile() -> bool:
            await line.send(b"x")
            return await line.is_ended(within_s=0.05)

        await line.send(b"GET / HTTP/1.1\r\nHost: ")
        assert await eventually(ended_meanwhile)


async def test_half_a_second_header_is_ended_too_and_silence_between_two_requests_is_not() -> None:
    """A client that keeps its connection may use it a minute later; proxies do."""
    async with serving(header_s=HEADER_S) as served:
        silent = await served.connect()
        await silent.ask(b"a")
        half = await served.connect()
        await half.ask(b"a")
        await half.send(b"GET /b HTTP/1.1\r\nHo")
        assert await half.is_ended()
        assert not await silent.is_ended(within_s=2 * HEADER_S)
        assert b"200 OK" in await silent.ask(b"b")


async def test_an_answer_that_takes_long_is_not_ended() -> None:
    """The time is for the header alone: calls wait for browsers, people and APIs."""
    async with serving(header_s=HEADER_S) as served:
        line = await served.connect()
        await line.send(REQUEST % b"slow")
        assert not await line.is_ended(within_s=3 * HEADER_S)
        served.go.set()
        async with asyncio.timeout(20):
            assert b"200 OK" in await line.reader.readuntil(b"\r\n\r\n")


@pytest.mark.parametrize("has_spoken", [True, False])
async def test_the_oldest_connection_without_a_caller_goes_for_the_newest(has_spoken: bool) -> None:
    """Who has something to say says it at once, so that it is not the one that goes."""
    async with serving(max_unknown=10) as served:
        lines = [await served.connect() for _ in range(10)]
        if has_spoken:
            for line in lines:
                await line.ask(b"a")
        newest = await served.connect()
        assert b"200 OK" in await newest.ask(b"a")
        assert await lines[0].is_ended()
        assert not await lines[1].is_ended(within_s=0.1)


async def test_a_connection_with_a_caller_stays_whoever_comes() -> None:
    """A flood of strangers ends no call."""
    async with serving(max_unknown=10) as served:
        known = await served.connect()
        assert b"200 OK" in await known.ask(b"known")
        await known.send(REQUEST % b"slow")
        for _ in range(50):
            await served.connect()
        served.go.set()
        async with asyncio.timeout(20):
            assert b"200 OK" in await known.reader.readuntil(b"\r\n\r\n")
        assert b"200 OK" in await known.ask(b"a")


async def test_a_body_that_comes_after_the_answer_is_no_header() -> None:
    """Proxies send header and body apart, and use the connection again after a quick refusal."""
    async with serving(header_s=HEADER_S) as served:
        line = await served.connect()
        await line.send(b"POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n")
        async with asyncio.timeout(20):
            assert b"405" in await line.reader.readuntil(b"\r\n\r\n")
            await line.reader.readexactly(len("405: Method Not Allowed"))
        await line.send(b"body")
        assert not await line.is_ended(within_s=3 * HEADER_S)
        assert b"200 OK" in await line.ask(b"a")


async def test_a_connection_that_says_nothing_goes_before_one_that_is_being_answered() -> None:
    """When very many pages come at once, those that wait for their answer are the oldest."""
    async with serving(max_unknown=10) as served:
        first, silent = await served.connect(), await served.connect()
        await first.send(REQUEST % b"slow")
        await eventually(lambda: served.asked)
        for _ in range(9):
            await (await served.connect()).send(REQUEST % b"slow")
        assert await silent.is_ended()
        served.go.set()
        async with asyncio.timeout(20):
            assert b"200 OK" in await first.reader.readuntil(b"\r\n\r\n")


async def test_connections_that_have_ended_count_no_more() -> None:
    """Else a day of short visits would be a flood."""
    async with serving(max_unknown=10) as served:
        first = await served.connect()
        for _ in range(50):
            line = await served.connect()
            await line.ask(b"a")
            line.writer.close()
            await line.writer.wait_closed()
        assert b"200 OK" in await first.ask(b"a")


async def test_a_handler_is_cancelled_when_its_connection_is_lost() -> None:
    """Finding house-H1: the connection does that itself, in place of aiohttp's server."""
    async with serving() as served:
        line = await served.connect()
        await line.send(REQUEST % b"slow")
        await eventually(lambda: served.asked == 1)
        line.writer.transport.abort()
        await eventually(lambda: served.cancelled == 1)


async def test_the_oldest_idle_connection_of_a_user_goes_for_the_newest() -> None:
    """Finding S-M4: one that was used since has more to say than one that was not."""
    async with serving(users=UserConnections(max_of_user=3)) as served:
        other = await served.connect()
        assert b"200 OK" in await other.ask(b"a?user=bob")
        lines = [await served.connect() for _ in range(3)]
        for line in [*lines, lines[0]]:
            assert b"200 OK" in await line.ask(b"a?user=eve")
        assert b"200 OK" in await (await served.connect()).ask(b"a?user=eve")
        assert await lines[1].is_ended()
        for line in (lines[0], lines[2], other):
            assert not await line.is_ended(within_s=0.05)


async def test_who_has_too_many_requests_open_is_told_and_nobody_else() -> None:
    """Finding S-M4: what is being answered is not ended for what comes; bob has a share of his own."""
    async with serving(users=UserConnections(max_of_user=3)) as served:
        lines = [await served.connect() for _ in range(3)]
        for line in lines:
            await line.send(REQUEST % b"slow?user=eve")
        await eventually(lambda: served.asked == 3)
        refused = await served.connect()
        assert b" 429 " in await refused.ask(b"a?user=eve")
        assert b"200 OK" in await (await served.connect()).ask(b"a?user=bob")
        served.go.set()
        async with asyncio.timeout(20):
            for line in lines:
                assert b"200 OK" in await line.reader.readuntil(b"\r\n\r\n")
        assert b"200 OK" in await refused.ask(b"a?user=eve")


async def test_a_key_does_not_keep_the_pages_of_its_user_out() -> None:
    """Finding S-M4: a stolen key is revoked in a page, which has a share of its own."""
    async with serving(users=UserConnections(max_of_user=2)) as served:
        page = await served.connect()
        assert b"200 OK" in await page.ask(b"a?user=eve&browser=b1")
        lines = [await served.connect() for _ in range(2)]
        for line in lines:
            await line.send(REQUEST % b"slow?user=eve")
        await eventually(lambda: served.asked == 3)
        assert b" 429 " in await (await served.connect()).ask(b"a?user=eve")
        assert b"200 OK" in await page.ask(b"a?user=eve&browser=b1")
        assert b"200 OK" in await (await served.connect()).ask(b"a?user=eve&browser=b2")


async def test_when_all_connections_are_taken_the_user_with_most_gives_way() -> None:
    """Finding S-M4: several users together take no more than one could."""
    async with serving(users=UserConnections(max_of_user=3, max_in_all=4)) as served:
        lines = [await served.connect() for _ in range(4)]
        for line, user in zip(lines, (b"eve", b"bob", b"eve", b"eve"), strict=True):
            assert b"200 OK" in await line.ask(b"a?user=" + user)
        assert b"200 OK" in await (await served.connect()).ask(b"a?user=ada")
        assert await lines[0].is_ended()
        assert not await lines[1].is_ended(within_s=0.05)
        for line in (lines[1], lines[2], lines[3]):
            await line.send(REQUEST % b"slow?user=bob")
        await eventually(lambda: served.asked == 8)


async def test_a_proxys_connection_counts_for_whoever_came_through_it_last() -> None:
    """Finding S-M4: behind a proxy, or by a forwarder's key, one connection has many users in turn."""
    async with serving(users=UserConnections(max_of_user=1)) as served:
        line = await served.connect()
        for number in range(20):
            assert b"200 OK" in await line.ask(b"a?user=%d" % number)
        assert b"200 OK" in await (await served.connect()).ask(b"a?user=0")
        assert not await line.is_ended(within_s=0.05)


async def test_a_connection_on_which_nothing_is_asked_is_ended_after_a_while() -> None:
    """Finding S-M4: a client that has forgotten one keeps it for an hour otherwise."""
    async with serving(keepalive_timeout=HEADER_S) as served:
        line = await served.connect()
        assert b"200 OK" in await line.ask(b"known")
        assert await line.is_ended()
