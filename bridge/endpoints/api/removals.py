"""Removing keys and browsers, in force at once, and undoing that: `/api/keys/{id}`, `/api/devices/{id}`."""

from __future__ import annotations

from aiohttp import web

from bridge.audit import AuditKind
from bridge.auth.identity import Identity
from bridge.auth.removals import UNDO_S, Removals, nothing_to_undo
from bridge.browsers.device_routing import DeviceChoices
from bridge.browsers.gateway import BrowserGateway
from bridge.errors import BridgeError, ErrorCode
from bridge.http.access import caller_of
from bridge.http.audit import set_audit_detail
from bridge.http.declared_routes import DeclaredApiRoutes, api_route, ok
from bridge.http.routing import ApiModel, Confirmation, json_answer
from bridge.storage.accounts.removals import RemovalTables, StoredDevice, StoredKey
from bridge.storage.users import UserTables


class Removed(ApiModel):
    """Done, and in force; this browser may undo it once."""

    ok: bool = True
    undo_s: int
    """Seconds within which it can be undone."""


class RemovalRoutes(DeclaredApiRoutes):
    """Handlers of removals."""

    def __init__(
        self,
        identity: Identity,
        users: UserTables,
        tables: RemovalTables,
        gateway: BrowserGateway,
        choices: DeviceChoices,
    ) -> None:
        self._identity = identity
        self._users = users
        self._tables = tables
        self._gateway = gateway
        self._choices = choices
        self._keys = Removals[StoredKey]()
        self._devices = Removals[StoredDevice]()

    @api_route(
        "DELETE /api/keys/{id}",
        ok("Revoked.", Removed),
        access="page",
        errors=(ErrorCode.NOT_FOUND,),
        audited=AuditKind.KEY_REVOKED,
    )
    async def delete_key(self, request: web.Request) -> web.Response:
        """Revoke an API key. Calls with it are refused from now on."""
        caller = caller_of(request)
        key_id = request.match_info["id"]
        key = await self._tables.find_key(caller.user.id, key_id)
        if key is None or not await self._users.delete_key(caller.user.id, key_id):
            raise BridgeError(ErrorCode.NOT_FOUND, "There is no such key.")
        self._identity.forget_credentials()
        self._keys.note_removal(caller, key_id, key)
        set_audit_detail(request, key=key_id)
        return json_answer(Removed(undo_s=UNDO_S))

    @api_route(
        "POST /api/keys/{id}/restore",
        ok("The same key is good again.", Confirmation),
        access="page",
        errors=(ErrorCode.NOT_FOUND, ErrorCode.QUOTA_EXCEEDED),
        audited=AuditKind.KEY_RESTORED,
    )
    async def restore_key(self, request: web.Request) -> web.Response:
        """Undo that this browser has revoked a key a moment ago: once, with what the key was allowed."""
        key_id = request.match_info["id"]
        with self._keys.undo(caller_of(request), key_id) as key:
            is_restored = await self._tables.restore_key(key)
        if not is_restored:
            raise nothing_to_undo()
        set_audit_detail(request, key=key_id)
        return json_answer(Confirmation())

    @api_route(
        "DELETE /api/devices/{id}",
        ok("Its sessions and sockets have ended.", Removed),
        access="page",
        errors=(ErrorCode.NOT_FOUND,),
        audited=AuditKind.DEVICE_REMOVED,
    )
    async def remove_device(self, request: web.Request) -> web.Response:
        """Remove a browser. Its credentials are invalid from now on."""
        caller = caller_of(request)
        device_id = request.match_info["id"]
        device = await self._tables.find_device(caller.user.id, device_id)
        if device is None or not await self._users.delete_device(caller.user.id, device_id):
            raise BridgeError(ErrorCode.NOT_FOUND, "There is no such browser.")
        self._identity.forget_credentials()
        self._devices.note_removal(caller, device_id, device)
        self._choices.forget_choices(caller.user.id)
        set_audit_detail(request, device=device_id)
        await self._gateway.disconnect_device(device_id)
        await self._gateway.announcements.devices_changed(caller.user.id)
        return json_answer(Removed(undo_s=UNDO_S))

    @api_route(
        "POST /api/devices/{id}/restore",
        ok("The browser is paired again.", Confirmation),
        access="page",
        errors=(ErrorCode.NOT_FOUND, ErrorCode.QUOTA_EXCEEDED),
        audited=AuditKind.DEVICE_RESTORED,
    )
    async def restore_device(self, request: web.Request) -> web.Response:
        """Undo that this browser has removed another one a moment ago: once. What that one ran has ended."""
        caller = caller_of(request)
        device_id = request.match_info["id"]
        with self._devices.undo(caller, device_id) as device:
            is_restored = await self._tables.restore_device(device)
        if not is_restored:
            raise nothing_to_undo()
        self._choices.forget_choices(caller.user.id)
        set_audit_detail(request, device=device_id)
        await self._gateway.announcements.devices_changed(caller.user.id)
        return json_answer(Confirmation())
