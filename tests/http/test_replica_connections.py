"""Connections on which replicas send each other requests that are at hand whole."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager

import pytest
from aiohttp import ClientError
from multidict import CIMultiDict

from bridge.cluster.replica_connections import (
    PIECE_BYTES,
    NoConnection,
    ReplicaConnections,
    ReplicaResponse,
    WholeRequest,
)
from tests.support.tcp_servers import free_port, serving_connections
from tests.support.waiting import eventually

pytestmark = pytest.mark.asyncio

HEADERS: CIMultiDict[str] = CIMultiDict([("Host", "bridge.example"), ("X-Name", "Zo\udceb")])
REQUEST = WholeRequest("POST", "/tools/listProducts?x=%2F", HEADERS, b"{}")
SENT = (
    b"POST /tools/listProducts?x=%2F HTTP/1.1\r\n"
    b"Host: bridge.example\r\nX-Name: Zo\xeb\r\nContent-Length: 2\r\n\r\n{}"
)
OK = b"HTTP/1.1 200 OK\r\nX-Kind: tea\r\nContent-Length: 5\r\n\r\nhello"


class Replica:
    """What another replica sees of its connections; it sends one of the answers for each request."""

    def __init__(self, *answers: bytes, closes: bool = False) -> None:
        self.answers = list(answers)
        self.closes = closes
        self.opened = 0
        self.lost = asyncio.Event()
        self.asked = asyncio.Event()
        self.requests: list[bytes] = []
        self.writers: list[asyncio.StreamWriter] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.opened += 1
        self.writers.append(writer)
        while head := await reader.read(PIECE_BYTES):
            self.requests.append(head)
            self.asked.set()
            if self.answers:
                writer.write(self.answers.pop(0))
                await writer.drain()
            if self.closes:
                return
        self.lost.set()


@asynccontextmanager
async def connections_to(
    replica: Replica, *, idle_s: float = 60.0
) -> AsyncGenerator[tuple[ReplicaConnections, str]]:
    async with serving_connections(replica.serve) as port:
        connections = ReplicaConnections(idle_s=idle_s)
        try:
            yield connections, f"http://127.0.0.1:{port}"
        finally:
            connections.close()


async def read_whole(response: ReplicaResponse) -> bytes:
    body = await response.read()
    response.close()
    return body


async def pieces_of(response: ReplicaResponse) -> AsyncIterator[bytes]:
    while piece := await response.content.readany():
        yield piece


async def test_a_request_arrives_as_it_is_and_its_connection_serves_the_next() -> None:
    """A connection for each call would cost more than the call."""
    replica = Replica(
        OK, b"HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nnot\r\n0\r\n\r\n", OK
    )
    async with connections_to(replica) as (connections, url):
        first = await connections.send_request(url, REQUEST)
        assert (first.status, first.reason, first.headers["X-Kind"]) == (200, "OK", "tea")
        assert (first.content_length, await read_whole(first)) == (5, b"hello")
        second = await connections.send_request(url, REQUEST)
        assert (second.status, second.content_length, await read_whole(second)) == (404, None, b"not")
        assert await read_whole(await connections.send_request(url, REQUEST)) == b"hello"

    assert (replica.opened, replica.requests) == (1, [SENT] * 3)


@pytest.mark.parametrize("said", ["0", "7", "2000"])
async def test_the_length_of_a_body_is_its_own(said: str) -> None:
    """What another caller sends next on the connection must not be read as a part of it."""
    headers = HEADERS.copy()
    headers["Content-Length"] = said
    replica = Replica(OK)
    async with connections_to(replica) as (connections, url):
        await read_whole(
            await connections.send_request(url, WholeRequest("POST", "/tools/a", headers, b"four"))
        )

    assert replica.requests[0].count(b"Content-Length: 4\r\n") == 1
    assert replica.requests[0].count(b"Content-Length") == 1


async def test_a_word_before_the_answer_is_not_the_answer() -> None:
    """Else the next request would get this one's."""
    replica = Replica(b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + OK, OK.replace(b"hello", b"again"))
    async with connections_to(replica) as (connections, url):
        bodies = [await read_whole(await connections.send_request(url, REQUEST)) for _ in range(2)]

    assert bodies == [b"hello", b"again"]


async def test_what_comes_unasked_is_no_answer() -> None:
    """A server tells that it will close, or answers twice: that belongs to no request."""
    replica = Replica(OK, OK)
    unasked = b"HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n"
    async with connections_to(replica) as (connections, url), connections_to(Replica(OK)) as (others, other):
        await read_whole(await connections.send_request(url, REQUEST))
        replica.writers[0].write(unasked)
        await read_whole(await others.send_request(other, REQUEST))  # meanwhile it arrives
        assert (await connections.send_request(url, REQUEST)).status == 200

    assert replica.opened == 2


@pytest.mark.parametrize(
    ("answer", "body"),
    [
        (
            b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\n\x1f\x8b\x00",
            b"\x1f\x8b\x00",
        ),
        (b"HTTP/1.1 200 OK\r\n\r\nto the end", b"to the end"),
    ],
    ids=["compressed", "of no length"],
)
async def test_a_body_is_returned_as_it_came(answer: bytes, body: bytes) -> None:
    """It goes on to the caller, who has asked for that form."""
    async with connections_to(Replica(answer, closes=True)) as (connections, url):
        assert await read_whole(await connections.send_request(url, REQUEST)) == body


async def test_two_requests_at_once_have_a_connection_each() -> None:
    """A slow call must not hold up the next one."""
    replica = Replica(OK, OK)
    async with connections_to(replica) as (connections, url):
        both = [await connections.send_request(url, REQUEST) for _ in range(2)]
        assert [await read_whole(response) for response in both] == [b"hello"] * 2

    assert replica.opened == 2


async def test_a_long_response_comes_whole_to_a_slow_reader() -> None:
    """An answer may have megabytes; the sender must not hold all of it."""
    body = bytes(range(256)) * 40_000
    head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    replica = Replica(head + body, OK)
    async with connections_to(replica) as (connections, url):
        response = await connections.send_request(url, REQUEST)
        received = [piece async for piece in pieces_of(response)]
        response.close()
        assert b"".join(received) == body
        assert max(len(piece) for piece in received) < len(body) / 4
        assert await read_whole(await connections.send_request(url, REQUEST)) == b"hello"

    assert replica.opened == 1


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello",
    ],
    ids=["read in part", "to be closed"],
)
async def test_a_connection_of_which_more_may_come_is_closed(answer: bytes) -> None:
    """The next request would get the rest of this response."""
    replica = Replica(answer)
    async with connections_to(replica) as (connections, url):
        response = await connections.send_request(url, REQUEST)
        await response.content.readexactly(5)
        response.close()
        await asyncio.wait_for(replica.lost.wait(), 10)


async def test_a_response_that_nobody_reads_closes_its_connection() -> None:
    """What has arrived of it may have paused the reading, and would still be there for the next one."""
    body = bytes(300_000)
    replica = Replica(f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
    async with connections_to(replica) as (connections, url):
        response = await connections.send_request(url, REQUEST)
        await eventually(response.content.is_eof)
        response.close()
        response.close()  # as ClientResponse, it may be closed twice
        await asyncio.wait_for(replica.lost.wait(), 10)


@pytest.mark.parametrize("is_open", [False, True])
async def test_connections_end_with_their_owner(is_open: bool) -> None:
    """Idle ones at once, the others after their response."""
    replica = Replica(OK)
    async with connections_to(replica) as (connections, url):
        response = await connections.send_request(url, REQUEST)
        if is_open:
            connections.close()
            assert await read_whole(response) == b"hello"
        else:
            await read_whole(response)
            connections.close()
        await asyncio.wait_for(replica.lost.wait(), 10)


async def test_who_gives_up_closes_the_connection() -> None:
    """The other replica ends the request, too."""
    replica = Replica()
    async with connections_to(replica) as (connections, url):
        asking = asyncio.create_task(connections.send_request(url, REQUEST))
        await asyncio.wait_for(replica.asked.wait(), 10)
        asking.cancel()
        await asyncio.wait_for(replica.lost.wait(), 10)
        with pytest.raises(asyncio.CancelledError):
            await asking


@pytest.mark.parametrize("answer", [b"", b"HTTP/1.1 200 O", b"220 mail.example ESMTP\r\n\r\n"])
async def test_a_replica_that_is_lost_or_something_else_is_told_from_one_that_answers(answer: bytes) -> None:
    """The caller hears that the call may have been made."""
    async with connections_to(Replica(answer, closes=True)) as (connections, url):
        with pytest.raises(ClientError):
            await connections.send_request(url, REQUEST)


async def test_a_response_that_breaks_off_is_no_whole_one() -> None:
    """A caller must not take a part for an answer."""
    answer = b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello"
    async with connections_to(Replica(answer, closes=True)) as (connections, url):
        response = await connections.send_request(url, REQUEST)
        with pytest.raises(ClientError):
            await response.read()
        response.close()


@pytest.mark.parametrize("host", ["127.0.0.1", "replica.invalid", "a..b"])
async def test_nothing_was_sent_where_nobody_listens(host: str) -> None:
    """Only then may the request go to another home."""
    with pytest.raises(NoConnection):
        await ReplicaConnections().send_request(f"http://{host}:{free_port()}", REQUEST)


async def test_a_replica_that_takes_no_connection_is_given_up_soon() -> None:
    """Its machine may be frozen; the system would wait for minutes."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        taken = socket.create_connection(
            listener.getsockname()
        )  # which it does not accept, and no further one
        with taken, pytest.raises(NoConnection):
            await ReplicaConnections(connect_s=0.05).send_request(url, REQUEST)


async def test_an_idle_connection_is_closed_after_a_while() -> None:
    """Otherwise the other side might close it just when it is used."""
    replica = Replica(OK)
    async with connections_to(replica, idle_s=0.05) as (connections, url):
        await read_whole(await connections.send_request(url, REQUEST))
        await asyncio.wait_for(replica.lost.wait(), 10)


async def test_a_connection_that_the_other_side_closed_is_not_used_again() -> None:
    """A replica that was started anew at the same address would seem lost."""
    replica = Replica(OK, OK, closes=True)
    async with connections_to(replica) as (connections, url), connections_to(Replica(OK)) as (others, other):
        await read_whole(await connections.send_request(url, REQUEST))
        await read_whole(await others.send_request(other, REQUEST))  # meanwhile the close arrives
        assert await read_whole(await connections.send_request(url, REQUEST)) == b"hello"

    assert replica.opened == 2
