"""What one replica needs to pass requests on, and to serve those that others pass on to it."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from typing import TypeAlias

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from bridge.cluster.counters import ReplicaCounters
from bridge.cluster.homes import Homes
from bridge.cluster.kept_answers import KeptAnswers
from bridge.cluster.lost_requests import LostRequests, RequestRecords
from bridge.cluster.membership import Membership
from bridge.cluster.passing_on import SOCKET_ROUTE, PassingOn, pattern_of
from bridge.cluster.relay_client import RelayClient
from bridge.cluster.relay_listener import MAX_TOKEN_BYTES, RelayGate
from bridge.cluster.relay_token import RelayTokens
from bridge.cluster.residents import Residents
from bridge.cluster.routing_value import ROUTE_PARAMETER, RoutingValues
from bridge.http.connections import Connections
from bridge.http.file_links import FILES_PREFIX

ROUTED_PATHS = frozenset({SOCKET_ROUTE, "/api/calls/{id}/result", "/executor/{token}.js"})
"""Patterns of paths that a page asks for without its session token: a routing value leads them."""

FILE_PATH = f"{FILES_PREFIX}{{token}}"
"""Pattern of the links to stored answers, which name their user."""

UserOfLink: TypeAlias = Callable[[str], str]
"""Returns the id of the user of a link to a stored answer. Raises `BridgeError`, `unauthorized`."""


class Relay:
    """Both ends of passing on, of one replica. Made on the running event loop."""

    def __init__(
        self,
        homes: Homes,
        hosting: Residents,
        records: RequestRecords,
        *,
        secret: bytes,
        listener: socket.socket,
        counters: ReplicaCounters,
    ) -> None:
        """`secret`: the same in all replicas; `listener`: bound to the address that they know."""
        self._listener = listener
        tokens = RelayTokens(secret)
        self._homes = homes
        self._client = RelayClient(tokens)
        self._routes = RoutingValues(secret)
        self.router = PassingOn(homes, hosting, LostRequests(homes, records), self._client, counters)
        self._listening: asyncio.Server | None = None
        self._gate = RelayGate(homes, tokens, counters)

    def find_answers(self, members: Membership) -> KeptAnswers:
        """Return what asks the others for answers that they keep."""
        return KeptAnswers(self._homes.replica, members, self._client)

    def is_home(self, user_id: str) -> bool:
        """Return whether a user is at home here, as far as is known without a question."""
        return self._homes.takes_work(user_id)

    def make_route(self, user_id: str) -> str:
        """Return the routing value of a user."""
        return self._routes.make_value(user_id)

    async def find_route(self, user_id: str) -> str | None:
        """Return the routing value of a user who is at home elsewhere; None: the home is here.

        Raises:
            BridgeError: `cluster_unavailable`, `database_unavailable`.
        """
        found = await self._homes.locate_for_page(user_id)
        return self.make_route(user_id) if found.url else None

    def route_unauthenticated(self, user_of_link: UserOfLink) -> Middleware:
        """Return a middleware that passes on what names its user without a key or session.

        These are sockets, uploads of results and scripts of executors with a routing value, and links to
        stored answers.
        """

        @web.middleware
        async def route(request: web.Request, handler: Handler) -> web.StreamResponse:
            user_id = self._user_of(request, user_of_link)
            if user_id is not None:
                response = await self.router.pass_for_user(request, user_id)
                if response is not None:
                    return response
            return await handler(request)

        return route

    def _user_of(self, request: web.Request, user_of_link: UserOfLink) -> str | None:
        pattern = pattern_of(request)
        if pattern == FILE_PATH:
            return user_of_link(request.match_info["token"])
        if pattern not in ROUTED_PATHS:
            return None
        return self._routes.read_value(request.query.get(ROUTE_PARAMETER, ""))

    async def serve_replicas(self, server: web.Server, connections: Connections) -> None:
        """Serve other replicas with the application that answers everybody else."""
        server.request_handler = self._gate.guard_listener(server.request_handler)
        self._listening = await connections.listen_on(
            server,
            self._listener,
            is_relay=True,
            access_log=None,
            auto_decompress=False,
            max_field_size=MAX_TOKEN_BYTES,
        )

    def stop_listening(self) -> None:
        """Take no new connections of other replicas."""
        if self._listening is not None:
            self._listening.close()

    async def hang_up(self) -> None:
        """Close the sockets that this replica passes on; their pages connect again through another one."""
        await self._client.hang_up()

    async def end_exchanges(self, within_s: float) -> None:
        """Give requests that this replica passed on time to be answered, then end them."""
        await self.router.end_exchanges(within_s)

    async def close(self) -> None:
        """Close the connections to other replicas."""
        await self._client.close()
