"""Requests between replicas: what `RelayClient` and `RelayGate` do, over the played network.

`PassingOn`, `LostRequests`, `OpenExchanges` and the tokens are real.
"""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol, cast

from aiohttp import ClientResponse, hdrs, web
from multidict import CIMultiDict, CIMultiDictProxy

from bridge.cluster.homes import Homes
from bridge.cluster.passing_on import PassingOn
from bridge.cluster.relay_client import PassedRequest, RelayClient, ReplicaGone, ReplicaRefused
from bridge.cluster.relay_token import TOKEN_S, RelayedRequest, RelayPass, RelayTokenRefused, RelayTokens
from bridge.errors import BridgeError
from bridge.homes import Home
from tests.faults.link import Link
from tests.faults.replicas.network import Cable, End

CALL_PATH, RESPONSES_PATH, CHAT_PATH = "/tools/{tool}", "/v1/responses", "/conversations/{id}/chat"
_ASKED = RelayedRequest("POST", "/tools/t")


@dataclass
class Dialled:
    """A connection to another replica, at the end that opened it."""

    link: Link
    cable: Cable
    end: End
    hang_up: Callable[[], None]


class Dialler(Protocol):
    """Connects one replica with others."""

    tokens: RelayTokens

    def wall(self) -> float: ...
    async def dial(self, url: str) -> Dialled:
        """Raises `ReplicaUnreachable`."""
        ...


@dataclass
class PlayedRequest:
    """As much of an aiohttp request as passing on looks at."""

    number: int
    """Of what is asked."""
    method: str = hdrs.METH_POST
    headers: CIMultiDict[str] = field(default_factory=CIMultiDict[str])
    output_size: int = 0
    protocol: None = None
    transport: None = None
    canonical: str = CALL_PATH
    writer: "PlayedRequest" = field(init=False)
    match_info: "PlayedRequest" = field(init=False)
    route: "PlayedRequest" = field(init=False)
    resource: "PlayedRequest" = field(init=False)

    def get(self, key: object) -> None: ...

    def __post_init__(self) -> None:
        self.writer = self.match_info = self.route = self.resource = self


class PlayedResponse:
    """As much of an aiohttp response as passing on looks at; its text is the number of what was answered."""

    status, reason, content_length = 200, "OK", 1

    def __init__(self, number: int) -> None:
        self._number = number
        self.headers = CIMultiDictProxy(CIMultiDict({hdrs.CONTENT_LENGTH: "1"}))

    async def read(self) -> bytes:
        return str(self._number).encode()


def vouch(dialler: Dialler, user_id: str, home: Home, request_id: str) -> str:
    """Return the token of something that is passed on."""
    until = dialler.wall() + TOKEN_S
    vouched = RelayPass(user_id, None, "", home.replica, home.epoch, request_id, until)
    return dialler.tokens.sign_pass(vouched, _ASKED)


class PlayedClient:
    """Follows `RelayClient.send_request`."""

    def __init__(self, dialler: Dialler) -> None:
        self._dialler = dialler

    @asynccontextmanager
    async def send_request(
        self, passed: PassedRequest, home: Home, url: str
    ) -> AsyncGenerator[ClientResponse]:
        dialled = await self._dialler.dial(url)
        try:
            request = cast("Any", passed.request)
            token = vouch(self._dialler, passed.user_id, home, passed.request_id)
            dialled.link.send("bridge", "request", token, f"request {request.number}")
            admitted = await dialled.end.answer()
            if admitted is None:
                raise ReplicaGone(may_be_done=False)
            if admitted[0] == "refused":
                raise ReplicaRefused(str(admitted[1]))
            dialled.link.send("bridge", "body", request.number, f"request {request.number}")
            answered = await dialled.end.answer()
            if answered is None:
                raise ReplicaGone(may_be_done=True)
            yield cast("ClientResponse", PlayedResponse(answered[1]))
        finally:
            dialled.hang_up()


class Gate:
    """Follows `RelayGate._admit`."""

    def __init__(self, homes: Homes, dialler: Dialler) -> None:
        self._homes, self._dialler = homes, dialler
        self._served: set[str] = set()

    async def admit(self, token: str) -> RelayPass | str:
        """What another replica vouches for, or why it is not admitted."""
        try:
            vouched = self._dialler.tokens.read_token(token, _ASKED, self._dialler.wall())
        except RelayTokenRefused as error:
            return error.reason
        if vouched.target != self._homes.replica:
            return "wrong_replica"
        try:
            if not await self._homes.admits(vouched.user_id, vouched.epoch):
                return "wrong_replica"
        except BridgeError:
            return "unavailable"
        if vouched.request_id in self._served:
            return "repeated"
        self._served.add(vouched.request_id)
        return vouched


async def pass_on(router: PassingOn, asked: PlayedRequest, user_id: str) -> int | None:
    """Pass a request on; returns the number of what was answered, None when it is to be done here.

    Raises what the real one raises.
    """
    response = await router.pass_for_user(cast("web.Request", asked), user_id)
    if response is None:
        return None
    body = cast("web.Response", response).body
    return int(cast("bytes", body))


def played_client(client: PlayedClient) -> RelayClient:
    """A client that knows requests only; the replica itself passes sockets on."""
    return cast("RelayClient", client)
