"""Requests to other replicas: signed, sent once, streamed in both directions.

Nothing is repeated or decompressed on the way. A body follows only when the other replica has admitted its
request (`Expect: 100-continue`), so that a refused request can still go elsewhere, whole. A short body that
is kept goes with its request: to wait took a seventh of what such a call costs more than a local one.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

from aiohttp import (
    ClientConnectorError,
    ClientError,
    ClientResponse,
    ClientSession,
    ClientTimeout,
    ClientWebSocketResponse,
    ConnectionTimeoutError,
    DummyCookieJar,
    InvalidURL,
    TCPConnector,
    WSServerHandshakeError,
    hdrs,
    web,
)
from multidict import CIMultiDict, CIMultiDictProxy
from yarl import URL

from bridge.auth.identity import Caller
from bridge.cluster.ports import LiveReplica
from bridge.cluster.relay_listener import REFUSED_HEADER, TOKEN_HEADER
from bridge.cluster.relay_token import KEPT_EPOCH, TOKEN_S, RelayedRequest, RelayPass, RelayTokens
from bridge.homes import Home
from bridge.http.routing import address_of
from bridge.tracing.context import TRACEPARENT
from bridge.tracing.tracer import current_context

CONNECT_S = 2.0
"""Seconds for a connection to another replica; in one network it takes a millisecond."""

IDLE_S = 15.0
"""Seconds for which an idle connection is kept: much less than the other side keeps it."""

PIECE_BYTES = 256 * 1024
"""Bytes of a response that are read ahead of a slow caller."""

ANSWER_S = 10.0
"""Seconds for the next bytes of an answer that another replica keeps: it reads them from its disk."""

SOCKET_CLOSE_S = 1.0
"""Seconds for the other side to confirm that a WebSocket is closed."""

_HOP_BY_HOP = frozenset(
    {
        "connection",
        "keep-alive",
        "proxy-authenticate",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)
"""Headers of one connection (RFC 9110, 7.6.1)."""

_NEVER_OF_ONE_CONNECTION = frozenset({"host", "content-length"})
"""Headers that a client cannot remove by naming them in `Connection`: they say where a request ends."""

_NOT_SENT = _HOP_BY_HOP | {"authorization", "expect", TOKEN_HEADER.lower(), REFUSED_HEADER.lower()}
_NOT_RETURNED = _HOP_BY_HOP | {"date", "server"}
_UNREACHABLE = (ClientConnectorError, ConnectionTimeoutError, InvalidURL, UnicodeError)
"""What is raised before anything is sent; the last ones of an address that is none."""

_OF_HANDSHAKE = frozenset(
    {"sec-websocket-key", "sec-websocket-version", "sec-websocket-extensions", "sec-websocket-protocol"}
)


class ReplicaRefused(Exception):
    """The other replica did not admit a request, and read nothing of it."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class ReplicaUnreachable(Exception):
    """There is no connection to the other replica; nothing was sent."""


class ReplicaGone(Exception):
    """The other replica was lost before its response began."""

    def __init__(self, *, may_be_done: bool) -> None:
        """`may_be_done`: the request was complete, so that it may have been worked on."""
        super().__init__()
        self.may_be_done = may_be_done


@dataclass(frozen=True, slots=True)
class PassedRequest:
    """A request on its way to another replica."""

    request: web.Request
    user_id: str
    caller: Caller | None
    request_id: str
    body: bytes | None = None
    """The whole body, if it is kept; it is sent at once, so that a replica that is lost may have it."""


@dataclass(slots=True)
class _Body:
    """The body of a request, read from the client as the other replica takes it."""

    request: web.Request
    has_begun: bool = False

    async def read_pieces(self) -> AsyncIterator[bytes]:
        self.has_begun = True
        async for piece in self.request.content.iter_any():
            yield piece


class RemoteResponse:
    """The context of a request to another replica; its response is closed when the context is left."""

    __slots__ = ("_may_be_done", "_response", "_sending")

    def __init__(self, sending: Awaitable[ClientResponse], may_be_done: Callable[[], bool]) -> None:
        """`may_be_done`: whether the replica may act on the request; asked if it is lost before."""
        self._sending = sending
        self._may_be_done = may_be_done

    async def __aenter__(self) -> ClientResponse:
        """Wait for the head of the response.

        Raises:
            ReplicaRefused, ReplicaUnreachable, ReplicaGone: instead of a response.
        """
        try:
            response = self._response = await self._sending
        except _UNREACHABLE:
            raise ReplicaUnreachable from None
        except (ClientError, OSError):
            raise ReplicaGone(may_be_done=self._may_be_done()) from None
        if (refused := response.headers.get(REFUSED_HEADER)) is not None:
            response.close()
            raise ReplicaRefused(refused)
        return response

    async def __aexit__(self, *_: object) -> None:
        """End."""
        self._response.close()


class RelayClient:
    """Connections to all other replicas. Made on the running event loop; `close` ends it."""

    def __init__(
        self,
        tokens: RelayTokens,
        *,
        connect_s: float = CONNECT_S,
        idle_s: float = IDLE_S,
    ) -> None:
        self._tokens = tokens
        self._connect_s = connect_s
        self._sockets: set[ClientWebSocketResponse] = set()
        self._opens_sockets = True
        self._session = ClientSession(
            connector=TCPConnector(limit=0, keepalive_timeout=idle_s, use_dns_cache=True),
            timeout=ClientTimeout(total=None, sock_connect=connect_s),
            cookie_jar=DummyCookieJar(),
            auto_decompress=False,
            trust_env=False,
            read_bufsize=PIECE_BYTES,
            skip_auto_headers=(hdrs.ACCEPT, hdrs.ACCEPT_ENCODING, hdrs.CONTENT_TYPE, hdrs.USER_AGENT),
        )

    def send_request(self, passed: PassedRequest, home: Home, url: str) -> RemoteResponse:
        """Return the context in which a home at `url` answers; leaving it ends the request there."""
        headers = self._headers(passed, home)
        body, has_body = _Body(passed.request), passed.request.can_read_body
        pieces = body.read_pieces() if has_body else None
        is_kept = passed.body is not None
        if is_kept:
            headers.popall(hdrs.CONTENT_LENGTH, None)  # whatever the client said: it is that of the body
        sending = self._session.request(
            passed.request.method,
            _url(url, passed.request),
            headers=headers,
            data=passed.body if is_kept else pieces,
            expect100=has_body and not is_kept,
            allow_redirects=False,
        )
        return RemoteResponse(sending, lambda: is_kept or body.has_begun or not has_body)

    def get_answer(self, path: str, user_id: str, keeper: LiveReplica) -> RemoteResponse:
        """Follow a signed link to an answer at the replica that keeps it, wherever its user is at home."""
        until = time.time() + TOKEN_S
        request_id = secrets.token_hex(16)
        vouched = RelayPass(user_id, None, "", keeper.id, KEPT_EPOCH, request_id, until)
        token = self._tokens.sign_pass(vouched, RelayedRequest(hdrs.METH_GET, path))
        asking = self._session.get(
            URL(keeper.url + path, encoded=True),
            headers={TOKEN_HEADER: token},
            allow_redirects=False,
            timeout=ClientTimeout(sock_connect=self._connect_s, sock_read=ANSWER_S),
        )
        return RemoteResponse(asking, lambda: False)

    @asynccontextmanager
    async def open_socket(
        self, passed: PassedRequest, home: Home, url: str
    ) -> AsyncGenerator[ClientWebSocketResponse]:
        """Open a WebSocket at a home, as the client asked for it here.

        Raises:
            ReplicaRefused, ReplicaUnreachable, ReplicaGone: instead of a socket.
        """
        headers = self._headers(passed, home)
        for name in _OF_HANDSHAKE:
            headers.popall(name, None)
        try:
            socket = await self._session.ws_connect(
                _url(url, passed.request),
                headers=headers,
                autoping=False,
                compress=0,
                max_msg_size=0,
            )
        except WSServerHandshakeError as error:
            refused = error.headers.get(REFUSED_HEADER) if error.headers else None
            raise ReplicaRefused(refused or f"status {error.status}") from None
        except _UNREACHABLE:
            raise ReplicaUnreachable from None
        except (ClientError, OSError):
            raise ReplicaGone(may_be_done=False) from None
        self._sockets.add(socket)
        try:
            if not self._opens_sockets:
                raise ReplicaGone(may_be_done=False)
            yield socket
        finally:
            self._sockets.discard(socket)
            await _close_socket(socket)

    async def hang_up(self) -> None:
        """Close every socket that is passed on, and open no more: their pages connect again elsewhere."""
        self._opens_sockets = False
        async with asyncio.TaskGroup() as group:
            for socket in self._sockets:
                group.create_task(_close_socket(socket), name="hang up a socket passed on")

    async def close(self) -> None:
        """Close all connections."""
        await self._session.close()

    def _headers(self, passed: PassedRequest, home: Home) -> CIMultiDict[str]:
        request = passed.request
        vouched = RelayPass(
            passed.user_id,
            passed.caller,
            address_of(request),
            home.replica,
            home.epoch,
            passed.request_id,
            time.time() + TOKEN_S,
        )
        headers = _without(request.headers, _NOT_SENT)
        bound = RelayedRequest(request.method, request.rel_url.raw_path_qs)
        headers[TOKEN_HEADER] = self._tokens.sign_pass(vouched, bound)
        if (trace := current_context()) is not None:  # the home's span is a part of the one here
            headers[TRACEPARENT] = trace.traceparent
        return headers


def returned_headers(response: ClientResponse) -> CIMultiDict[str]:
    """Return the headers of a response as they go on to the client."""
    return _without(response.headers, _NOT_RETURNED)


def _without(headers: CIMultiDictProxy[str], dropped: frozenset[str]) -> CIMultiDict[str]:
    """Return headers without `dropped` ones, and without those that `Connection` names."""
    named = {name.strip().lower() for line in headers.getall(hdrs.CONNECTION, ()) for name in line.split(",")}
    left_out = dropped | (named - _NEVER_OF_ONE_CONNECTION) if named else dropped
    return CIMultiDict(
        [(name, _as_text(value)) for name, value in headers.items() if name.lower() not in left_out]
    )


def _as_text(value: str) -> str:
    """Return the value of a header in characters that can be sent: bytes that are no UTF-8 are Latin-1."""
    if value.isascii():
        return value
    sent = value.encode("utf-8", "surrogateescape")  # as aiohttp has read it
    try:
        return sent.decode()
    except UnicodeDecodeError:
        return sent.decode("latin-1")


def _url(base: str, request: web.Request) -> URL:
    return URL(base + request.rel_url.raw_path_qs, encoded=True)


async def _close_socket(socket: ClientWebSocketResponse) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(SOCKET_CLOSE_S):
            await socket.close()
