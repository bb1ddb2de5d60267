"""A user's browsers: `/api/devices`, and which of them runs a server's calls."""

from __future__ import annotations

from typing import Annotated

from aiohttp import web
from pydantic import StringConstraints

from bridge.audit import AuditKind
from bridge.auth.identity import Caller
from bridge.browsers.device_routing import DeviceChoices
from bridge.browsers.gateway import BrowserGateway
from bridge.errors import BridgeError, ErrorCode
from bridge.http.access import caller_of
from bridge.http.audit import set_audit_detail
from bridge.http.body import read_body
from bridge.http.declared_routes import DeclaredApiRoutes, api_route, ok
from bridge.http.routing import ApiModel, Confirmation, compressed, json_answer
from bridge.shown_names import SHOWN_NAME
from bridge.storage.users import MAX_DEVICE_NAME_CHARS, Device, UserTables


class DeviceFacts(ApiModel):
    """One browser."""

    id: str
    name: str
    created_at: float
    last_seen_at: float
    """When it last opened a session; a page does so every quarter of an hour."""
    this: bool
    """Whether it is the browser of this request."""
    connected: bool
    visible: bool
    """Whether its page is visible."""
    active: bool
    """Whether it runs the calls of servers without a chosen browser: the one active last."""


class DeviceList(ApiModel):
    """The caller's browsers, oldest first."""

    devices: list[DeviceFacts]
    choices: dict[str, str]
    """Server id to the id of the browser that runs its calls while it is connected."""


class DeviceName(ApiModel):
    """A new name of a browser."""

    name: Annotated[
        str,
        StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_DEVICE_NAME_CHARS),
        SHOWN_NAME,
    ]


class DeviceChoice(ApiModel):
    """A device id, or null: automatic."""

    device_id: str | None


class DeviceRoutes(DeclaredApiRoutes):
    """Handlers of the list of browsers."""

    def __init__(self, users: UserTables, gateway: BrowserGateway, choices: DeviceChoices) -> None:
        self._users = users
        self._gateway = gateway
        self._choices = choices

    @api_route("GET /api/devices", ok("Browsers and choices.", DeviceList), access="page")
    async def list_devices(self, request: web.Request) -> web.Response:
        """List the user's browsers."""
        caller = caller_of(request)
        pages = self._gateway.pages.presence_of(caller.user.id)
        visible = {page.device_id: page.is_visible for page in reversed(pages)}
        active = pages[0].device_id if pages else None
        facts = [
            _facts(device, caller, visible=visible, active=active)
            for device in await self._users.list_devices(caller.user.id)
        ]
        choices = dict(await self._choices.choices_of_user(caller.user.id))
        return compressed(json_answer(DeviceList(devices=facts, choices=choices)))

    @api_route(
        "PATCH /api/devices/{id}",
        ok("Renamed.", Confirmation),
        body=DeviceName,
        access="page",
        errors=(ErrorCode.INVALID_REQUEST, ErrorCode.NOT_FOUND),
        audited=AuditKind.SETTINGS,
    )
    async def rename_device(self, request: web.Request) -> web.Response:
        """Rename a browser."""
        caller = caller_of(request)
        name = (await read_body(request, DeviceName)).name
        if not await self._users.rename_device(caller.user.id, request.match_info["id"], name):
            raise _no_device()
        set_audit_detail(request, renamed_device=request.match_info["id"], name=name)
        await self._gateway.announcements.devices_changed(caller.user.id)
        return json_answer(Confirmation())

    @api_route(
        "PUT /api/servers/{id}/device",
        ok("Chosen.", Confirmation),
        body=DeviceChoice,
        access="page",
        errors=(ErrorCode.INVALID_REQUEST, ErrorCode.NOT_FOUND),
        audited=AuditKind.SETTINGS,
    )
    async def choose_device(self, request: web.Request) -> web.Response:
        """Choose the browser that runs a server's calls."""
        caller = caller_of(request)
        chosen = (await read_body(request, DeviceChoice)).device_id
        if not await self._choices.choose_device(caller.user.id, request.match_info["id"], chosen):
            raise BridgeError(ErrorCode.NOT_FOUND, "There is no such server, or no such browser.")
        set_audit_detail(request, chosen_device=chosen)
        await self._gateway.announcements.devices_changed(caller.user.id)
        return json_answer(Confirmation())


def _facts(
    device: Device, caller: Caller, *, visible: dict[str | None, bool], active: str | None
) -> DeviceFacts:
    return DeviceFacts(
        id=device.id,
        name=device.name,
        created_at=device.created_at,
        last_seen_at=device.last_seen_at,
        this=device.id == caller.device_id,
        connected=device.id in visible,
        visible=visible.get(device.id, False),
        active=device.id == active,
    )


def _no_device() -> BridgeError:
    return BridgeError(ErrorCode.NOT_FOUND, "There is no such browser.")
