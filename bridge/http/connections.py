"""Client connections: how long one may take to send its header, how many are kept, and who asks on each.

Whoever can reach the port can open connections and say nothing on them. A header that does not come is not
waited for, and of connections on which nobody has shown a valid key, only so many are kept: the oldest goes
for the newest, because who has something to say says it at once. Those of users are counted for each user.

A connection knows the caller of the request that it is answering, who loses what is open together with the
right to get in: `end_work`.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

from aiohttp import StreamReader, web

from bridge.auth.access_watch import LOOK_S
from bridge.auth.identity import Caller
from bridge.errors import BridgeError, WireError
from bridge.http.user_connections import UserConnections
from bridge.log_lines import OncePerMinute
from bridge.operating_system import descriptor_limit, has_descriptors
from bridge.tasks import Tasks, sleep_safely

HEADER_S = 15.0
"""Seconds for the header of a request to arrive, from the connection on or from its first byte."""

MAX_UNKNOWN = 2_000
"""Maximum number of connections without a caller (chosen), or a quarter of the descriptors if less."""

IDLE_S = 75.0
"""Seconds for which a connection is kept on which nothing is asked: nginx and balancers keep theirs for 60 s,
and should be the ones who close."""

WORD_OF_HOME_S = LOOK_S + 1
"""Seconds for which a request that another replica answers may end by the word of that replica, whose look
may come so much later."""

LAST_BYTES_S = 1.0
"""Seconds in which the last bytes of an answer that was ended must have gone to its caller."""

SWEEP_S = 1.0

ACCEPT_BATCH = 16
"""Connections to accept before other tasks run."""

BACKLOG = 1_024
"""Connections that the operating system queues meanwhile; it may allow fewer."""

_log = logging.getLogger(__name__)
_log.addFilter(OncePerMinute())


class Connection(web.RequestHandler):
    """A watched client connection, as aiohttp serves it, which cancels its handler when it is lost."""

    uses_insides = False
    """Whether the version of aiohttp is one whose insides were read, so that answers may go past it."""

    def __init__(
        self, watch: Connections, server: web.Server, *, is_relay: bool = False, **options: Any
    ) -> None:
        """`is_relay`: of another replica; `options`: of aiohttp's handler of requests."""
        super().__init__(server, **options)
        self._watch = watch
        self.is_relay = is_relay
        self.is_awaited = False
        """Whether a header is awaited whose time is limited."""
        self.is_serving = False
        """Whether a request is being answered."""
        self._serving: asyncio.Task[None] | None = None
        """What answers the requests, one after the other."""
        self._unread: StreamReader | None = None
        """The body of the last request, if more of it may arrive after its answer."""
        self.is_admitted = False
        """Whether an authenticated caller has used it."""
        self.user_id: str | None = None
        """User for whom it counts."""
        self.idle_since = 0
        self.caller: Caller | None = None
        """Who asks, by the request that is being answered; None: nobody, or not known yet."""
        self.is_passed_on = False
        """Whether another replica answers that request."""
        self.is_listening = False
        """Whether its answer is an event stream without an end of its own."""
        self.ended: WireError | None = None
        """Why the answer was ended, if it was."""
        self.lasting: LastingWork | None = None
        """What goes on if the connection breaks now."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Start waiting for the header of a new client."""
        super().connection_made(transport)
        self._watch.connection_opened(self)

    def connection_lost(self, exc: BaseException | None) -> None:
        """Forget the connection of a client that disconnected, and cancel its handler."""
        self._watch.connection_closed(self)
        super().connection_lost(exc)
        serving, self._unread = self._serving, None
        if serving is None:
            return
        if self.lasting is None:
            self._serving = None
            serving.cancel()
        else:
            self._watch.work_goes_on(self)
            self.lasting.take_over(serving)

    def data_received(self, data: bytes) -> None:
        """Handle received bytes; they begin a header unless they can belong to the body before it."""
        is_idle = not self.is_serving and (self._unread is None or self._unread.is_eof())
        if is_idle and data and not self.is_awaited:
            self._watch.header_begun(self)
        super().data_received(data)

    def begin_request(self, request: web.BaseRequest) -> None:
        """Note that the header of a request is complete, and that its handler begins."""
        self._serving = request.task
        self.is_serving = True
        self.caller = self.ended = None
        self.is_passed_on = False
        if self.is_awaited:
            self._watch.header_read(self)

    def end_request(self, request: web.BaseRequest) -> None:
        """Note that the handler of a request has ended."""
        self.is_serving = False
        self.idle_since = self._watch.answered = self._watch.answered + 1
        self._unread = None if request.content.is_eof() else request.content
        if self.transport is None:
            self._serving = None
            self._watch.work_ended(self)

    def mark_authenticated(self) -> None:
        """Mark the connection as that of somebody who has shown a right to be here."""
        if not self.is_admitted:
            self.is_admitted = True
            self._watch.connection_admitted(self)

    def enter_caller(self, caller: Caller) -> None:
        """Note who asks by the request that is being answered.

        Raises:
            BridgeError: `rate_limited`, `server_busy`: there are too many connections.
        """
        share = _share_of(caller)
        if self.user_id != share or not self.is_admitted:
            self.admit_user(share)
        self.caller = caller

    def admit_user(self, user_id: str) -> None:
        """Mark the connection as that of a user, for whom it counts unless another replica has it.

        Raises:
            BridgeError: `rate_limited`, `server_busy`: there are too many connections.
        """
        if self.user_id != user_id and not self.is_relay:
            self._watch.users.count_for(user_id, self)
        self.mark_authenticated()

    def enter_stream(self) -> None:
        """Note that the answer is an event stream that has no end of its own.

        Raises:
            BridgeError: `rate_limited`: the user has too many of them.
        """
        if self.caller is not None:
            self._watch.users.enter_stream(_share_of(self.caller))
            self.is_listening = True

    def leave_stream(self) -> None:
        """Note that the stream has ended."""
        if self.is_listening and self.caller is not None:
            self.is_listening = False
            self._watch.users.leave_stream(_share_of(self.caller))

    def end_work(self, why: WireError) -> None:
        """End the request that is being answered, as far as it can be with an error in its answer.

        One that another replica answers is given time to be ended by that.
        """
        if self.is_passed_on and self.ended is None:
            self.ended = why
            asyncio.get_running_loop().call_later(WORD_OF_HOME_S, self._end_unless_other, self.caller)
        elif not self.is_passed_on:
            self._end(why)

    def _end_unless_other(self, caller: Caller | None) -> None:
        if self.ended is not None and self.caller is caller:
            self._end(self.ended)

    def _end(self, why: WireError) -> None:
        if self.is_serving and self._serving is not None:
            self.ended = why
            self._serving.cancel()

    def close_after_answer(self) -> None:
        """Close the connection once what was written has gone, or after `LAST_BYTES_S`."""
        if (transport := self.transport) is not None:
            transport.close()
            asyncio.get_running_loop().call_later(LAST_BYTES_S, transport.abort)

    def cut_connection(self) -> None:
        """Close the connection at once; nothing more is sent."""
        if self.transport is not None:
            self.transport.abort()


def _share_of(caller: Caller) -> str:
    """Return for whom connections count: a key must not keep its user's pages out, where it is revoked."""
    return caller.user.id if caller.device_id is None else share_of_pages(caller.user.id)


def share_of_pages(user_id: str) -> str:
    """Return for whom the connections of a user's pages count."""
    return f"{user_id} in pages"


class StraightConnection(Connection):
    """A connection that uses the insides of aiohttp."""

    uses_insides = True

    def resume_reading(self, resume_parser: bool = True) -> None:
        """Go on reading where reading was paused; after nearly every body it was not.

        aiohttp would have its parser look for more each time.
        """
        if self._reading_paused or self._buffer_paused:
            super().resume_reading(resume_parser)


AnyHandler = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]
"""Answers any request of a server."""


def _announce_requests(handler: AnyHandler) -> AnyHandler:
    """Return a handler that tells each `Connection` while it is answering a request."""

    async def handle(request: web.BaseRequest) -> web.StreamResponse:
        connection = request.protocol
        assert isinstance(connection, Connection)
        connection.begin_request(request)
        try:
            return await handler(request)
        finally:
            connection.end_request(request)

    return handle


class LastingWork:
    """What a request does within this context goes on if its connection breaks; cancelling ends it as ever.

    The context is left by a cancellation then, as other requests end whose connection breaks.
    """

    __slots__ = ("_connection", "_is_alone", "_tasks")

    def __init__(self, request: web.BaseRequest, tasks: Tasks) -> None:
        """`tasks` own the work once its connection is lost."""
        assert isinstance(request.protocol, Connection)
        self._connection = request.protocol
        self._tasks = tasks
        self._is_alone = False

    def __enter__(self) -> None:
        """Begin."""
        self._connection.lasting = self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """End."""
        self._connection.lasting = None
        if self._is_alone and (kind is None or issubclass(kind, ConnectionError)):
            raise asyncio.CancelledError from None

    def take_over(self, serving: asyncio.Task[None]) -> None:
        """Go on without the connection, whose task runs the work."""
        self._is_alone = True
        self._tasks.adopt_task(serving)


class Connections:
    """All connections of one bridge. Methods run on one event loop and never wait."""

    def __init__(
        self,
        max_unknown: int | None = None,
        header_s: float = HEADER_S,
        kind: type[Connection] = StraightConnection,
        *,
        users: UserConnections | None = None,
    ) -> None:
        """`max_unknown`: None for `MAX_UNKNOWN`, or less where there are few descriptors.

        `users`: None for the usual limits.
        """
        self._kind = kind
        self._handler: AnyHandler | None = None
        self._max_unknown = max_unknown or min(MAX_UNKNOWN, descriptor_limit() // 4)
        self._header_s = header_s
        self._awaited: dict[Connection, float] = {}
        """Connections whose header is awaited, and since when, oldest first."""
        self._unknown: dict[Connection, None] = {}
        """Connections without a caller, oldest first."""
        self._admitted: dict[Connection, None] = {}
        self._alone: dict[Connection, None] = {}
        """Connections that are lost, and whose last request is still worked on."""
        self.users = users or UserConnections()
        self.answered = 0
        """Number of requests that were answered on all connections."""

    async def listen_on(
        self, server: web.Server, listener: socket.socket, *, is_relay: bool = False, **options: Any
    ) -> asyncio.Server:
        """Serve on a bound socket, for other replicas if `is_relay`; `options` of aiohttp's handler.

        `server` must leave it to the connections to cancel handlers.
        """
        loop = asyncio.get_running_loop()
        if server.request_handler is not self._handler:  # that of the server's other listener
            self._handler = server.request_handler = _announce_requests(server.request_handler)
        started = await loop.create_server(
            lambda: self._kind(self, server, is_relay=is_relay, loop=loop, **options),
            sock=listener,
            backlog=ACCEPT_BATCH,
        )
        listener.listen(BACKLOG)  # asyncio accepts as many in a row as it has the system hold ready
        return started

    async def watch_headers(self, *, every_s: float = SWEEP_S) -> None:
        """Close connections whose header takes too long, until cancelled."""
        while True:
            await sleep_safely(every_s)
            self._sweep(asyncio.get_running_loop().time())

    def connection_opened(self, connection: Connection) -> None:
        """Register a new connection."""
        self.header_begun(connection)
        if len(self._unknown) >= self._max_unknown:
            _log.warning("%d connections without a caller: the oldest are closed.", self._max_unknown)
            silent = next((each for each in self._awaited if each in self._unknown), None)
            oldest = silent or next(iter(self._unknown))
            self.connection_closed(oldest)
            oldest.cut_connection()
        self._unknown[connection] = None

    def connection_closed(self, connection: Connection) -> None:
        """Forget a connection that has ended or is about to."""
        self._awaited.pop(connection, None)
        self._unknown.pop(connection, None)
        self._admitted.pop(connection, None)
        self.users.forget(connection)

    def header_begun(self, connection: Connection) -> None:
        """Start waiting for a header, unless it is already awaited."""
        self._awaited.setdefault(connection, asyncio.get_running_loop().time())
        connection.is_awaited = True

    def header_read(self, connection: Connection) -> None:
        """Stop waiting for a header that has arrived."""
        self._awaited.pop(connection, None)
        connection.is_awaited = False

    def connection_admitted(self, connection: Connection) -> None:
        """Mark a connection as having a caller."""
        self._unknown.pop(connection, None)
        self._admitted[connection] = None

    def work_goes_on(self, connection: Connection) -> None:
        """Note that a connection is lost, and its last request is still worked on."""
        self._alone[connection] = None

    def work_ended(self, connection: Connection) -> None:
        """Note that the last request of a lost connection has ended."""
        self._alone.pop(connection, None)

    def list_work(self) -> Iterator[Connection]:
        """Yield the connections on which a request is being answered, or was when they broke."""
        for connections in (self._admitted, self._alone):
            yield from [each for each in connections if each.is_serving and each.ended is None]

    def _sweep(self, now: float) -> None:
        if not has_descriptors():
            _log.warning("No file descriptor is left: new connections are refused until some are closed.")
        overdue: list[Connection] = []
        for connection, since in self._awaited.items():
            if now - since < self._header_s:
                break
            overdue.append(connection)
        for connection in overdue:
            self.connection_closed(connection)
            connection.cut_connection()
        if overdue:
            _log.info("%d connections without a header after %g s are closed.", len(overdue), self._header_s)


def is_relay_request(request: web.BaseRequest) -> bool:
    """Return whether a request came to the listener for other replicas."""
    protocol = request.protocol
    return isinstance(protocol, Connection) and protocol.is_relay


def may_answer_straight(request: web.BaseRequest) -> bool:
    """Return whether what answers a request may go past what aiohttp documents."""
    protocol = request.protocol
    return isinstance(protocol, Connection) and protocol.uses_insides


def mark_authenticated(request: web.BaseRequest) -> None:
    """Mark the connection of somebody with a right to be here, so that it is not closed for strangers."""
    protocol = request.protocol
    if isinstance(protocol, Connection):
        protocol.mark_authenticated()


def admit_user(request: web.BaseRequest, user_id: str) -> None:
    """Count the connection of a request that has shown a right of this user's.

    Raises:
        BridgeError: `rate_limited`, `server_busy`: there are too many connections.
    """
    protocol = request.protocol
    if isinstance(protocol, Connection):
        protocol.admit_user(user_id)


def enter_caller(request: web.BaseRequest, caller: Caller) -> None:
    """Note who asks, until the request is answered.

    Raises:
        BridgeError: `rate_limited`, `server_busy`: there are too many connections.
    """
    protocol = request.protocol
    if isinstance(protocol, Connection):
        protocol.enter_caller(caller)


def note_passed_on(request: web.BaseRequest) -> None:
    """Note that another replica answers a request, which ends it, too, where its caller loses access."""
    protocol = request.protocol
    if isinstance(protocol, Connection):
        protocol.is_passed_on = True


def ending_of(request: web.BaseRequest) -> WireError | None:
    """Return why a request whose task is being cancelled was ended; None: for another reason."""
    protocol = request.protocol
    return protocol.ended if isinstance(protocol, Connection) else None


def raise_ending(request: web.BaseRequest) -> None:
    """Raise why a request was ended, in place of the cancellation of its task; nothing if it was not.

    Raises:
        BridgeError: nothing was answered so far.
        ConnectionResetError: the answer had begun; its connection is closed once that has gone.
    """
    protocol, task = request.protocol, asyncio.current_task()
    if not isinstance(protocol, Connection) or (why := protocol.ended) is None:
        return
    if protocol.transport is None or task is None:
        return
    task.uncancel()
    if request.writer.output_size:
        protocol.close_after_answer()
        raise ConnectionResetError(why.message) from None
    raise BridgeError(why.code, why.message, detail=why.detail) from None
