"""What another replica sees of the requests that are passed on to it, and what becomes of its answers."""

from __future__ import annotations

import asyncio
import secrets
import socket
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager

import pytest
from aiohttp import ClientError, ClientResponse, web
from aiohttp.test_utils import make_mocked_request
from multidict import CIMultiDict

from bridge.cluster import relay_client
from bridge.cluster.relay_client import (
    PassedRequest,
    RelayClient,
    ReplicaGone,
    ReplicaUnreachable,
)
from bridge.cluster.relay_token import RelayTokens
from bridge.homes import Home
from tests.support.raw_http import raw_answer
from tests.support.tcp_servers import free_port, serving_connections
from tests.support.web_servers import serving

pytestmark = pytest.mark.asyncio

TARGET = "/tools/listProducts?x=a%26b"
OK = b"HTTP/1.1 200 OK\r\nX-Kind: tea\r\nContent-Length: 5\r\n\r\nhello"
HOME = Home("ann", "b", 1)


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
        while head := await reader.read(2**16):
            self.requests.append(head)
            self.asked.set()
            if self.answers:
                writer.write(self.answers.pop(0))
                await writer.drain()
            if self.closes:
                return
        self.lost.set()


class Sender:
    """Passes requests on to one address."""

    def __init__(self, url: str, **times: float) -> None:
        self.url = url
        self.client = RelayClient(RelayTokens(secrets.token_bytes(32)), **times)

    def send(
        self, body: bytes = b"{}", headers: Mapping[str, str] | None = None, target: str = TARGET
    ) -> relay_client.RemoteResponse:
        request = make_mocked_request("POST", target, headers=CIMultiDict(headers or {"Host": "x.example"}))
        return self.client.send_request(PassedRequest(request, "ann", None, "1", body), HOME, self.url)

    async def read(self) -> bytes:
        async with self.send() as response:
            return await response.read()


@asynccontextmanager
async def sending_to(url: str, **times: float) -> AsyncGenerator[Sender]:
    sender = Sender(url, **times)
    try:
        yield sender
    finally:
        await sender.client.close()


@asynccontextmanager
async def sending(replica: Replica, **times: float) -> AsyncGenerator[Sender]:
    async with (
        serving_connections(replica.serve) as port,
        sending_to(f"http://127.0.0.1:{port}", **times) as sender,
    ):
        yield sender


async def test_a_request_arrives_as_it_is_and_its_connection_serves_the_next() -> None:
    """Finding house-H8: a connection for each call would cost more than the call."""
    missing = b"HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nnot\r\n0\r\n\r\n"
    replica = Replica(OK, missing, OK)
    async with sending(replica) as sender:
        async with sender.send(headers={"Host": "x.example", "X-Name": "Zoë"}) as first:
            assert (first.status, first.reason, first.headers["X-Kind"]) == (200, "OK", "tea")
            assert (first.content_length, await first.read()) == (5, b"hello")
        async with sender.send() as second:
            assert (second.status, second.content_length, await second.read()) == (404, None, b"not")
        assert await sender.read() == b"hello"

    assert (replica.opened, len(replica.requests)) == (1, 3)
    head, _, body = replica.requests[0].partition(b"\r\n\r\n")
    line, *headers = head.split(b"\r\n")
    assert (line, body) == (f"POST {TARGET} HTTP/1.1".encode(), b"{}")
    names = [header.partition(b":")[0].lower() for header in headers]
    assert sorted(names) == [b"content-length", b"host", b"x-name", b"x-tool-bridge-relay"]
    assert "X-Name: Zoë".encode() in headers


@pytest.mark.parametrize("body", [b"four", b""])
@pytest.mark.parametrize("said", ["0", "7", "2000", None])
async def test_the_length_of_a_body_is_its_own(said: str | None, body: bytes) -> None:
    """Finding house-H8: what another caller sends next must not be read as a part of it."""
    headers = {"Host": "x.example"} | ({} if said is None else {"Content-Length": said})
    replica = Replica(OK)
    async with sending(replica) as sender, sender.send(body, headers) as response:
        await response.read()

    assert replica.requests[0].lower().count(b"content-length: %d\r\n" % len(body)) == 1
    assert replica.requests[0].lower().count(b"content-length") == 1
    assert b"transfer-encoding" not in replica.requests[0].lower()


async def test_bytes_that_are_no_text_are_passed_on_as_the_characters_they_mean() -> None:
    """Finding house-H8: aiohttp's client leaves such bytes out, so that the home sees another name."""
    replica = Replica(OK)
    async with sending(replica) as sender:

        async def pass_on(request: web.Request) -> web.Response:
            passed = PassedRequest(request, "ann", None, "1", await request.read())
            async with sender.client.send_request(passed, HOME, sender.url) as response:
                return web.Response(body=await response.read())

        app = web.Application()
        app.router.add_post("/{path:.*}", pass_on)
        async with serving(app) as here:
            sent = b"POST / HTTP/1.1\r\nHost: x\r\nX-Name: Zo\xeb\r\nContent-Length: 2\r\n\r\n{}"
            assert await raw_answer(here, sent) == (200, b"hello")

    assert "X-Name: Zoë\r\n".encode() in replica.requests[0]


async def test_a_word_before_the_answer_is_not_the_answer() -> None:
    """Finding house-H8: else the next request would get this one's."""
    replica = Replica(b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + OK, OK.replace(b"hello", b"again"))
    async with sending(replica) as sender:
        assert [await sender.read() for _ in range(2)] == [b"hello", b"again"]


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
    async with sending(Replica(answer, closes=True)) as sender:
        assert await sender.read() == body


async def test_two_requests_at_once_have_a_connection_each() -> None:
    """A slow call must not hold up the next one."""
    replica = Replica(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello", OK)
    async with sending(replica) as sender, sender.send() as slow, sender.send() as second:
        assert await second.read() == b"hello"
        assert await slow.content.readexactly(5) == b"hello"

    assert replica.opened == 2


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello",
        OK + OK,
    ],
    ids=["read in part", "to be closed", "twice"],
)
async def test_a_connection_of_which_more_may_come_is_closed(answer: bytes) -> None:
    """The next request would get the rest of this response."""
    replica = Replica(answer)
    async with sending(replica) as sender:
        async with sender.send() as response:
            assert await response.content.readexactly(5) == b"hello"
        await asyncio.wait_for(replica.lost.wait(), 10)


async def test_who_gives_up_closes_the_connection() -> None:
    """The other replica ends the request, too."""
    replica = Replica()
    async with sending(replica) as sender:
        asking = asyncio.create_task(sender.read())
        await asyncio.wait_for(replica.asked.wait(), 10)
        asking.cancel()
        await asyncio.wait_for(replica.lost.wait(), 10)
        with pytest.raises(asyncio.CancelledError):
            await asking


@pytest.mark.parametrize("answer", [b"", b"HTTP/1.1 200 O", b"220 mail.example ESMTP\r\n\r\n"])
async def test_a_replica_that_is_lost_may_have_done_it(answer: bytes) -> None:
    """The caller hears that the call may have been made; it is sent to nobody else."""
    replica = Replica(answer, closes=True)
    async with sending(replica) as sender:
        with pytest.raises(ReplicaGone) as lost:
            await sender.read()
    assert (lost.value.may_be_done, len(replica.requests)) == (True, 1)


async def test_a_response_that_breaks_off_is_no_whole_one() -> None:
    """A caller must not take a part for an answer."""
    answer = b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello"
    async with sending(Replica(answer, closes=True)) as sender:
        with pytest.raises(ClientError):
            await sender.read()


@pytest.mark.parametrize("host", ["127.0.0.1", "replica.invalid", "a..b"])
async def test_nothing_was_sent_where_nobody_listens(host: str) -> None:
    """Only then may the request go to another home."""
    async with sending_to(f"http://{host}:{free_port()}") as sender:
        with pytest.raises(ReplicaUnreachable):
            await sender.read()


async def test_a_replica_that_takes_no_connection_is_given_up_soon() -> None:
    """Its machine may be frozen; the system would wait for minutes."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        taken = socket.create_connection(listener.getsockname())  # it accepts none, and has room for one
        with taken:
            url = f"http://127.0.0.1:{listener.getsockname()[1]}"
            async with sending_to(url, connect_s=0.05) as sender:
                with pytest.raises(ReplicaUnreachable):
                    await sender.read()


async def test_an_idle_connection_is_closed_after_a_while() -> None:
    """Otherwise the other side might close it just when it is used."""
    replica = Replica(OK)
    async with sending(replica, idle_s=0.05) as sender:
        await sender.read()
        await asyncio.wait_for(replica.lost.wait(), 10)


async def test_a_connection_that_the_other_side_closed_is_not_used_again() -> None:
    """A replica that was started anew at the same address would seem lost."""
    replica = Replica(OK, OK, closes=True)
    async with sending(replica) as sender, sending(Replica(OK)) as other:
        await sender.read()
        await other.read()  # meanwhile the close arrives
        assert await sender.read() == b"hello"

    assert replica.opened == 2


async def test_a_long_response_comes_whole_to_a_slow_reader() -> None:
    """An answer may have megabytes; the sender must not hold all of it."""
    body = bytes(range(256)) * 40_000
    replica = Replica(f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body, OK)
    async with sending(replica) as sender:
        async with sender.send() as response:
            received = await pieces_of(response)
        assert b"".join(received) == body
        assert max(len(piece) for piece in received) < len(body) / 4
        assert await sender.read() == b"hello"

    assert replica.opened == 1


async def pieces_of(response: ClientResponse) -> list[bytes]:
    pieces = list[bytes]()
    while piece := await response.content.readany():
        pieces.append(piece)
    return pieces
