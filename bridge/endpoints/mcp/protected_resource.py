"""The MCP endpoints as OAuth protected resources: their metadata, and the challenge on what is refused."""

from __future__ import annotations

from aiohttp import hdrs, web

from bridge.auth.identity import bearer_token
from bridge.auth.resource_server import METADATA_PATH, ResourceServer, endpoint_path
from bridge.errors import BridgeError, ErrorCode, WireError
from bridge.http.declared_routes import DeclaredRoutes, route
from bridge.http.routing import json_response

METADATA_SECONDS = 300
"""Seconds for which clients may use metadata again."""


class ProtectedResource(DeclaredRoutes):
    """Says which authorization server issues tokens for an endpoint; None: keys are the only way in."""

    def __init__(self, resource: ResourceServer | None) -> None:
        self._resource = resource

    @route(f"GET {METADATA_PATH}", access="public")  # for clients that know the host alone
    @route(f"GET {METADATA_PATH}{endpoint_path(None)}", access="public")
    @route(f"GET {METADATA_PATH}/servers/{{server}}/mcp", access="public")
    async def read_metadata(self, request: web.Request) -> web.Response:
        """`GET /.well-known/oauth-protected-resource…`: the same whether or not there is such a server."""
        if self._resource is None:
            message = "This bridge is opened by API keys only: no authorization server is set."
            raise BridgeError(ErrorCode.NOT_FOUND, message)
        response = json_response(self._resource.metadata(request.match_info.get("server")))
        response.headers[hdrs.CACHE_CONTROL] = f"max-age={METADATA_SECONDS}"
        return response

    def add_challenge(self, response: web.Response, request: web.Request, error: WireError) -> web.Response:
        """Return the response to a refused request, which says where to get a token that would do."""
        if self._resource is not None:
            challenge = self._resource.challenge(
                error.code, request.match_info.get("server"), had_token=bool(bearer_token(request.headers))
            )
            if challenge is not None:
                response.headers[hdrs.WWW_AUTHENTICATE] = challenge
        return response
