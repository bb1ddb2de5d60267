"""Passing on: a request that arrives at another replica than its user's home is answered by the home.

It is passed on whole and once. Only a refused connection, or the answer that the user is not at home there
any more, is tried again, once; after that nothing is repeated.
"""

from __future__ import annotations

import logging
import secrets

from aiohttp import ClientError, ClientResponse, hdrs, web

from bridge.auth.identity import Caller
from bridge.catalog.registry import NOBODY
from bridge.cluster.counters import ReplicaCounters
from bridge.cluster.homes import Homes, Located
from bridge.cluster.lost_requests import CALLING_PATHS, SAFE_METHODS, LostRequest, LostRequests, explain_stop
from bridge.cluster.open_exchanges import ExchangeCut, HeldExchange, OpenExchanges
from bridge.cluster.relay_client import (
    PassedRequest,
    RelayClient,
    ReplicaGone,
    ReplicaRefused,
    ReplicaUnreachable,
    returned_headers,
)
from bridge.cluster.relayed_sockets import pump_frames
from bridge.cluster.residents import Residents, ServedUser
from bridge.errors import BridgeError, ErrorCode
from bridge.http.body import take_arrived
from bridge.http.connections import mark_authenticated, note_passed_on
from bridge.http.relayed import relayed_of
from bridge.log_lines import OncePerMinute, naming_request

SHORT_BYTES = 64 * 1024
"""Maximum bytes of a response that is taken whole before the caller gets any of it: if the home is lost
meanwhile, the caller gets an error instead of a part. Also of a body that is sent with its request."""

SOCKET_ROUTE = "/ws/socket.io/"
"""Pattern of the only path at which sockets are opened. A header says nothing: any request may have one."""

_log = logging.getLogger(__name__)
_log.addFilter(OncePerMinute(by_arguments=True))


class _HomeLost(Exception):
    """The home was lost before anything of its response went to the caller."""

    def __init__(self, *, may_be_done: bool) -> None:
        """`may_be_done`: the home had the whole request."""
        super().__init__()
        self.may_be_done = may_be_done


class PassingOn:
    """Sends requests to the homes of their users. Implements `Router`."""

    def __init__(
        self,
        homes: Homes,
        hosting: Residents,
        lost: LostRequests,
        client: RelayClient,
        counters: ReplicaCounters,
    ) -> None:
        self._homes = homes
        self._counters = counters
        self._lost = lost
        self._hosting = hosting
        self._client = client
        self._exchanges = OpenExchanges()
        self._is_stopping = False

    def cut_replica(self, replica: str) -> None:
        """End everything that is open with a replica: it is dead, or not believed any more."""
        self._exchanges.cut_replica(replica)

    async def end_exchanges(self, within_s: float) -> None:
        """Give requests that are passed on time to be answered, then end all: this replica stops.

        Those that only read are not waited for: streams of events have no end of their own.
        """
        await self._exchanges.wait_until_idle(within_s)
        self._is_stopping = True
        self._exchanges.cut_all()

    async def pass_on(self, request: web.Request, caller: Caller) -> web.StreamResponse | None:
        """Have the caller's home answer, and return its response; None: the home is here.

        Cancelling it cancels the request at the home.

        Raises:
            BridgeError: `cluster_unavailable`, `replica_lost`, `database_unavailable`.
            ConnectionResetError: the home was lost amid its response; the caller is cut off, too.
        """
        return await self._pass(request, caller.user.id, caller)

    def serve_user(self, user_id: str) -> ServedUser:
        """Run a block that serves a request of a user who is at home here."""
        return self._hosting.serve_user(user_id)

    async def pass_for_user(self, request: web.Request, user_id: str) -> web.StreamResponse | None:
        """As `pass_on`, for a request of which only the user is known; the home finds out who asks.

        A WebSocket is passed on, too.
        """
        return await self._pass(request, user_id, None)

    async def _pass(
        self, request: web.Request, user_id: str, caller: Caller | None
    ) -> web.StreamResponse | None:
        if relayed_of(request) is not None or user_id == NOBODY or self._is_home(user_id):
            return None
        found = await self._homes.locate(user_id)
        if not found.url:
            return None
        mark_authenticated(request)
        note_passed_on(request)
        self._counters.count("passed_on")
        passed = PassedRequest(request, user_id, caller, secrets.token_hex(16), _kept_body(request, caller))
        with naming_request(passed.request_id):
            return await self._answer_elsewhere(passed, found)

    async def _answer_elsewhere(self, passed: PassedRequest, found: Located) -> web.StreamResponse | None:
        """Return the response of the home, or of the next one if the first had nothing; None: it is here."""
        try:
            return await self._answer_from(passed, found)
        except (ReplicaRefused, ReplicaUnreachable) as failure:
            _log.info("A request is sent to another home: %s.", str(failure) or "no connection")
            is_unreached = isinstance(failure, ReplicaUnreachable)
        found = await self._homes.locate(passed.user_id, refused=found.home, is_unreached=is_unreached)
        if not found.url:
            return None
        try:
            return await self._answer_from(passed, found)
        except (ReplicaRefused, ReplicaUnreachable):
            raise _unreachable() from None

    def _is_home(self, user_id: str) -> bool:
        return self._homes.takes_work(user_id)

    async def _answer_from(self, passed: PassedRequest, found: Located) -> web.StreamResponse:
        if pattern_of(passed.request) == SOCKET_ROUTE:
            try:
                return await self._pass_socket(passed, found)
            except _HomeLost:
                raise _unreachable() from None
        try:
            return await self._pass_response(passed, found)
        except _HomeLost as failure:
            lost = LostRequest(
                passed.request.method,
                pattern_of(passed.request),
                passed.user_id,
                found.home,
                passed.request_id,
                failure.may_be_done,
            )
            raise await self._lost.explain_loss(lost) from None

    async def _pass_socket(self, passed: PassedRequest, found: Located) -> web.StreamResponse:
        try:
            async with (
                self._hold_exchange(passed, found),
                self._client.open_socket(passed, found.home, found.url) as upstream,
            ):
                return await pump_frames(passed.request, upstream)
        except ReplicaGone:
            raise _unreachable() from None
        except ExchangeCut:
            raise self._explain_cut(passed.request) from None

    async def _pass_response(self, passed: PassedRequest, found: Located) -> web.StreamResponse:
        try:
            async with (
                self._hold_exchange(passed, found),
                self._client.send_request(passed, found.home, found.url) as response,
            ):
                return await _copy_response(passed.request, response)
        except ReplicaGone as lost:
            raise _HomeLost(may_be_done=lost.may_be_done) from None
        except ExchangeCut:
            raise self._explain_cut(passed.request) from None

    def _hold_exchange(self, passed: PassedRequest, found: Located) -> HeldExchange:
        is_awaited = passed.request.method not in SAFE_METHODS
        return self._exchanges.hold_exchange(found.home.replica, is_awaited=is_awaited)

    def _explain_cut(self, request: web.Request) -> Exception:
        """Return why a request ends whose home is lost; a caller whose response has begun is cut off."""
        if request.writer.output_size:
            return cut_caller(request)
        return explain_stop(request.method) if self._is_stopping else _HomeLost(may_be_done=True)


async def _copy_response(request: web.Request, source: ClientResponse) -> web.StreamResponse:
    """Return the response of the home to the caller, piece by piece as it comes.

    Raises:
        _HomeLost: the home was lost before anything was sent to the caller.
        ConnectionResetError: it was lost later, and the caller is cut off, too.
    """
    headers = returned_headers(source)
    if request.method != hdrs.METH_HEAD and 0 <= (source.content_length or -1) <= SHORT_BYTES:
        try:
            body = await source.read()
        except (ClientError, OSError):
            raise _HomeLost(may_be_done=True) from None
        headers.popall(hdrs.CONTENT_LENGTH)
        return web.Response(body=body, status=source.status, reason=source.reason, headers=headers)
    response = web.StreamResponse(status=source.status, reason=source.reason, headers=headers)
    await response.prepare(request)
    while True:
        try:
            piece = await source.content.readany()
        except (ClientError, OSError):
            raise cut_caller(request) from None
        if not piece:
            break
        await response.write(piece)
    await response.write_eof()
    return response


def _kept_body(request: web.Request, caller: Caller | None) -> bytes | None:
    """Return the body that is kept until the request is answered; None: there is none, or it is read later.

    Only of requests that do nothing but call tools: the journal tells whether a lost home had the body.
    """
    is_call = caller is not None and request.method == hdrs.METH_POST and pattern_of(request) in CALLING_PATHS
    return take_arrived(request, SHORT_BYTES) if is_call else None


def cut_caller(request: web.Request) -> ConnectionResetError:
    """Close a caller's connection, after what was written to it: what follows is lost. Returns the reason."""
    if request.transport is not None:
        request.transport.close()
    return ConnectionResetError("the replica that answered is lost")


def _unreachable() -> BridgeError:
    message = "The replica of this user cannot be reached; nothing was sent. Try again in a moment."
    return BridgeError(ErrorCode.CLUSTER_UNAVAILABLE, message, retryable=True)


def pattern_of(request: web.Request) -> str:
    """Return the pattern of the path that a request matched."""
    resource = request.match_info.route.resource
    return "" if resource is None else resource.canonical
