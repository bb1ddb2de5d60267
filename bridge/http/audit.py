"""Audited routes: every success becomes an entry with the caller and the handler's details."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from aiohttp import web

from bridge.audit import Audit
from bridge.auth.identity import Caller
from bridge.http.access import caller_of, has_caller
from bridge.http.routing import ApiRoute, Handler, Route, address_of

_FAILED = 400


@dataclass(frozen=True, slots=True)
class _AuditDetail:
    user_id: str | None
    server_id: str | None
    detail: dict[str, Any]


_AUDIT_DETAIL = web.RequestKey("told", _AuditDetail)


def set_audit_detail(
    request: web.Request, *, user_id: str | None = None, server_id: str | None = None, **detail: Any
) -> None:
    """Set the details of this request's audit entry; call it once, in the handler of an `audited` route.

    `user_id` is for public routes, where the request itself does not say who it is.
    """
    request[_AUDIT_DETAIL] = _AuditDetail(user_id, server_id, detail)


def audit_route(route: Route, audit: Audit) -> Handler:
    """Return the route's handler; for an audited route, one that adds an audit entry for every success."""
    kind = route.audited if isinstance(route, ApiRoute) else None
    if kind is None:
        return route.handler

    async def handler(request: web.Request) -> web.StreamResponse:
        response = await route.handler(request)
        if response.status < _FAILED:
            recorded = request.get(_AUDIT_DETAIL) or _AuditDetail(None, None, {})
            caller = caller_of(request) if has_caller(request) else None
            actor = actor_of(caller) if caller else f"address {address_of(request)}"
            user_id = caller.user.id if caller else recorded.user_id
            server_id = recorded.server_id or _server_in_path(request)
            audit.add_entry(kind, user_id, actor, server_id=server_id, detail=recorded.detail)
        return response

    return handler


def actor_of(caller: Caller) -> str:
    """Return the name of a caller in the audit log."""
    if caller.device_id is not None:
        return f"page {caller.device_id}"
    return "forwarder" if caller.is_forwarded else "key"


def _server_in_path(request: web.Request) -> str | None:
    return request.match_info.get("id") if request.path.startswith("/api/servers/") else None
