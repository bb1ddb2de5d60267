"""`/api/servers/{id}/overlays`: how its owner edits a server's tools, in a page and never by an API key."""

from __future__ import annotations

from collections.abc import Sequence

from aiohttp import web

from bridge.audit import AuditKind
from bridge.catalog.registry import Registry
from bridge.catalog.server_rights import check_edit
from bridge.catalog.server_view import LoadedServer
from bridge.endpoints.api.server_schemas import NewOverlays, ServerOverlays
from bridge.errors import ErrorCode
from bridge.http.access import caller_of
from bridge.http.audit import set_audit_detail
from bridge.http.body import read_body
from bridge.http.declared_routes import DeclaredApiRoutes, api_route, ok
from bridge.http.routing import json_answer

OVERLAY_BODY_BYTES = 2 * 1024 * 1024
"""Maximum bytes of all overlays of a server, as JSON; chosen."""

_OVERLAYS = "/api/servers/{id}/overlays"
_OF_OWNER = (ErrorCode.NOT_FOUND, ErrorCode.OPERATOR_ONLY, ErrorCode.INVALID_REQUEST)
_CHANGING = (*_OF_OWNER, ErrorCode.INVALID_DOCUMENT, ErrorCode.QUOTA_EXCEEDED, ErrorCode.DOCUMENT_CHANGED)


class OverlayRoutes(DeclaredApiRoutes):
    """Handlers of the overlays of servers."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    @api_route(f"GET {_OVERLAYS}", ok("Overlays.", ServerOverlays), access="page", errors=_OF_OWNER)
    async def show_overlays(self, request: web.Request) -> web.Response:
        """Show the overlays of a server. Only its owner sees them."""
        return _answer(await find_own_server(self._registry, request))

    @api_route(
        f"PUT {_OVERLAYS}",
        ok("The server's document is edited by these from now on.", ServerOverlays),
        body=NewOverlays,
        access="page",
        errors=(*_CHANGING, ErrorCode.TOO_LARGE),
        audited=AuditKind.DOCUMENT_CHANGED,
    )
    async def replace_overlays(self, request: web.Request) -> web.Response:
        """Replace the overlays of a server.

        If one cannot be applied, or `version` is another one by now, everything stays as it was.
        """
        server_id = (await find_own_server(self._registry, request)).record.id
        wanted = await read_body(request, NewOverlays, max_bytes=OVERLAY_BODY_BYTES)
        return await self._edit(request, server_id, wanted.overlays, wanted.version)

    @api_route(
        f"DELETE {_OVERLAYS}",
        ok("The server's document is as it came.", ServerOverlays),
        access="page",
        errors=_CHANGING,
        audited=AuditKind.DOCUMENT_CHANGED,
    )
    async def remove_overlays(self, request: web.Request) -> web.Response:
        """Remove the overlays of a server."""
        return await self._edit(request, (await find_own_server(self._registry, request)).record.id, ())

    async def _edit(
        self, request: web.Request, server_id: str, overlays: Sequence[str], replaced: str | None = None
    ) -> web.Response:
        server = await self._registry.change_server(
            caller_of(request).user.id, server_id, overlays=tuple(overlays), replaced_overlays=replaced
        )
        set_audit_detail(request, overlays=len(overlays), digest=server.compiled.digest)
        return _answer(server)


async def find_own_server(registry: Registry, request: web.Request) -> LoadedServer:
    """Return the server of an address, which only its owner edits.

    Raises:
        BridgeError: `not_found`, or as `check_edit`.
    """
    user = caller_of(request).user
    server = (await registry.view_of_user(user.id)).find_server(request.match_info["id"])
    check_edit(server.record, user.id)
    return server


def _answer(server: LoadedServer) -> web.Response:
    record = server.record
    return json_answer(ServerOverlays(overlays=list(record.overlays), version=record.overlays_version))
