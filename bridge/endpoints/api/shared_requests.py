"""`/api/servers/{id}/requests`: the saved requests that all who have a server share."""

from __future__ import annotations

from aiohttp import web
from pydantic import Field, TypeAdapter

from bridge.audit import AuditKind
from bridge.calls.argument_redaction import redact_arguments
from bridge.catalog.registry import Registry
from bridge.catalog.server_rights import check_change
from bridge.errors import BridgeError, ErrorCode
from bridge.http.access import caller_of
from bridge.http.audit import set_audit_detail
from bridge.http.body import read_body
from bridge.http.declared_routes import DeclaredApiRoutes, api_route, ok
from bridge.http.routing import ApiModel, json_answer
from bridge.saved_requests.request_file import SharedRequest
from bridge.storage.catalog.shared_requests import SharedRequestsText, SharedRequestTables
from toolserver.json_types import dump_json, load_json

MAX_SHARED_REQUESTS = 200
"""Maximum number of shared requests of a server; chosen."""

SHARED_REQUEST_BYTES = 512 * 1024
"""Maximum bytes of all shared requests of a server; chosen."""

_REQUESTS = "/api/servers/{id}/requests"

_STORED = TypeAdapter(list[SharedRequest])


class SharedRequests(ApiModel):
    """The shared requests of a server."""

    requests: list[SharedRequest]
    version: str
    """Another one after every change of them."""


class NewSharedRequests(ApiModel):
    """The requests that replace the shared ones of a server."""

    requests: list[SharedRequest] = Field(max_length=MAX_SHARED_REQUESTS)
    version: str | None = None
    """That of the requests that they replace; another one is refused. Absent: whatever is there."""


class SharedRequestRoutes(DeclaredApiRoutes):
    """Handlers of shared requests."""

    def __init__(self, registry: Registry, tables: SharedRequestTables) -> None:
        self._registry = registry
        self._tables = tables

    @api_route(f"GET {_REQUESTS}", ok("Shared requests.", SharedRequests), errors=(ErrorCode.NOT_FOUND,))
    async def show_requests(self, request: web.Request) -> web.Response:
        """Show the requests that are shared with all who have the server."""
        server_id = request.match_info["id"]
        (await self._registry.view_of_user(caller_of(request).user.id)).find_server(server_id)
        return _answer(await self._tables.load_requests(server_id))

    @api_route(
        f"PUT {_REQUESTS}",
        ok("These are shared from now on.", SharedRequests),
        body=NewSharedRequests,
        access="page",
        errors=(
            ErrorCode.NOT_FOUND,
            ErrorCode.OPERATOR_ONLY,
            ErrorCode.INVALID_REQUEST,
            ErrorCode.DOCUMENT_CHANGED,
            ErrorCode.TOO_LARGE,
        ),
        audited=AuditKind.SETTINGS,
    )
    async def replace_requests(self, request: web.Request) -> web.Response:
        """Replace the shared requests of a server; its owner may, and operators.

        Secrets among the arguments are not stored, as in the history of calls.
        """
        user = caller_of(request).user
        record = (await self._registry.view_of_user(user.id)).find_server(request.match_info["id"]).record
        check_change(record, user.id, is_operator=user.is_operator)
        wanted = await read_body(request, NewSharedRequests, max_bytes=SHARED_REQUEST_BYTES)
        kept = [_without_secrets(each) for each in wanted.requests]
        text = SharedRequestsText(_STORED.dump_json(kept, exclude_defaults=True).decode() if kept else "")
        if not await self._tables.replace_requests(record.id, text.text, version=wanted.version):
            message = "The shared requests of this server have changed since you read them. Read them again."
            raise BridgeError(ErrorCode.DOCUMENT_CHANGED, message, detail={"server": record.id})
        set_audit_detail(request, shared_requests=len(kept))
        return _answer(text)


def _without_secrets(shared: SharedRequest) -> SharedRequest:
    """Return the request as it may be stored.

    Raises:
        BridgeError: `invalid_request`: its arguments are longer than those that the history stores.
    """
    text = redact_arguments(dump_json(shared.arguments).decode())
    if text is None:
        message = f"The arguments of {shared.name!r} are too long to be shared; 64 KiB are allowed."
        raise BridgeError(ErrorCode.INVALID_REQUEST, message, detail={"field": "requests"})
    return shared.model_copy(update={"arguments": load_json(text)})


def _answer(stored: SharedRequestsText) -> web.Response:
    requests = _STORED.validate_python(load_json(stored.text)) if stored.text else []
    return json_answer(SharedRequests(requests=requests, version=stored.version))
