"""The listener for other replicas: what they pass on is admitted here, before anything of it is read.

It serves the same application as the public listener. What differs is who is believed: a request without a
valid token is answered by nobody, and one with a token has the caller that the token names.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Literal, TypeAlias

from aiohttp import hdrs, web

from bridge.cluster.counters import ReplicaCounters
from bridge.cluster.homes import Homes
from bridge.cluster.relay_token import (
    KEPT_EPOCH,
    MEMORY_S,
    RelayedRequest,
    RelayPass,
    RelayTokenRefused,
    RelayTokens,
)
from bridge.errors import BridgeError, ErrorCode, WireError
from bridge.http.connections import AnyHandler, is_relay_request, mark_authenticated
from bridge.http.file_links import FILES_PREFIX
from bridge.http.relayed import Relayed, mark_relayed, relayed_id_of
from bridge.http.routing import error_answer
from bridge.log_lines import OncePerMinute, naming_request

TOKEN_HEADER = "X-Tool-Bridge-Relay"
"""Name of the header with the token; the public listener ignores it."""

REFUSED_HEADER = "X-Tool-Bridge-Refused"
"""Name of the header of an answer that says why a request was not admitted; no other answer has it."""

MAX_TOKEN_BYTES = 32 * 1024
"""Maximum bytes of a header on this listener: the names in a token are as long as on the public one, twice
encoded."""

Refused: TypeAlias = Literal["wrong_replica", "repeated", "protocol", "forged", "expired", "unavailable"]

_log = logging.getLogger(__name__)
_log.addFilter(OncePerMinute(by_arguments=True))


class RelayGate:
    """Admits what other replicas pass on."""

    def __init__(
        self,
        homes: Homes,
        tokens: RelayTokens,
        counters: ReplicaCounters,
        *,
        unix_time: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._homes = homes
        self._tokens = tokens
        self._counters = counters
        self._unix_time = unix_time
        self._monotonic = monotonic
        self._served: dict[str, float] = {}
        """Ids of requests to the time from which their tokens count no more, oldest first."""

    def guard_listener(self, handler: AnyHandler) -> AnyHandler:
        """Return a handler that serves admitted requests only, on the listener for replicas.

        Nothing of a body is read, and no `100 Continue` sent, before the request is admitted.
        """

        async def serve(request: web.BaseRequest) -> web.StreamResponse:
            if is_relay_request(request):
                refused = await self._admit(request)
                if refused is not None:
                    self._counters.count("refused_421")
                    return _refusal(refused)
            with naming_request(relayed_id_of(request) or ""):
                return await handler(request)

        return serve

    async def _admit(self, request: web.BaseRequest) -> Refused | None:
        """Mark a request as relayed, or return why it is not admitted."""
        asked = RelayedRequest(request.method, request.rel_url.raw_path_qs)
        try:
            vouched = self._tokens.read_token(request.headers.get(TOKEN_HEADER, ""), asked, self._unix_time())
        except RelayTokenRefused as error:
            _log.error("A request on the listener for replicas is refused: %s.", _REASONS[error.reason])
            return error.reason
        mark_authenticated(request)
        if vouched.target != self._homes.replica:
            return "wrong_replica"
        try:
            if not await self._may_serve(request, vouched):
                return "wrong_replica"
        except BridgeError:
            return "unavailable"
        if self._is_repeated(vouched.request_id):
            return "repeated"
        mark_relayed(request, Relayed(vouched.caller, vouched.address, vouched.request_id))
        return None

    async def _may_serve(self, request: web.BaseRequest, vouched: RelayPass) -> bool:
        """Return whether the user is at home here, or a signed link to what is kept here is followed."""
        if vouched.epoch == KEPT_EPOCH:
            return request.method == hdrs.METH_GET and request.rel_url.raw_path.startswith(FILES_PREFIX)
        return await self._homes.admits(vouched.user_id, vouched.epoch)

    def _is_repeated(self, request_id: str) -> bool:
        now = self._monotonic()
        while self._served and next(iter(self._served.values())) <= now:
            del self._served[next(iter(self._served))]
        if request_id in self._served:
            return True
        self._served[request_id] = now + MEMORY_S
        return False


_REASONS = {
    "protocol": "the other replica has a version that this one does not understand; update both",
    "forged": "its token is of another secret, or for another request; all replicas need the same "
    "TOOL_BRIDGE_SECRET_KEY, and nothing between them may change a request",
    "expired": "its token has expired; the clocks of the replicas differ by more than a minute",
}


def _refusal(refused: Refused) -> web.Response:
    message = f"This replica does not serve the request: {refused}. Nothing of it was read."
    response = error_answer(WireError(code=ErrorCode.WRONG_REPLICA, message=message, retryable=True))
    response.headers[REFUSED_HEADER] = refused
    return response
