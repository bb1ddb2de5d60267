"""Browsers that another process has paired, renamed or removed: what that means for those connected here."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

from bridge.auth.identity import Identity
from bridge.browsers.device_routing import DeviceChoices
from bridge.browsers.gateway import BrowserGateway
from bridge.errors import BridgeError
from bridge.storage.users import UserTables
from bridge.tasks import sleep_safely

READ_EVERY_S = 60.0
"""Seconds after which a page notices at the latest that its user's login has ended, or that a command has
removed the browser or disabled the user."""


class FollowedDevices:
    """The browsers that are trusted or connected here. Its method runs once at a time."""

    def __init__(
        self, users: UserTables, identity: Identity, choices: DeviceChoices, gateway: BrowserGateway
    ) -> None:
        self._users = users
        self._identity = identity
        self._choices = choices
        self._gateway = gateway
        self._suspects: set[str] = set()
        """Browsers that may have been removed."""
        self._shown: Mapping[str, frozenset[tuple[str, str]]] = {}
        """Ids and names of the browsers of users with a page, as of the last time."""

    async def keep_reading(self, every_s: float = READ_EVERY_S) -> None:
        """Read now and then, until cancelled: nobody tells when a login ends, nor what a command has done."""
        while True:
            await sleep_safely(every_s)
            with suppress(BridgeError):
                await self.read_devices()

    async def read_devices(self) -> None:
        """Forget credentials, disconnect removed browsers, and tell pages whose users' browsers changed.

        A change of this replica itself costs one statement. Pages that connected since the last time are told
        without need.

        Raises:
            BridgeError: `database_unavailable`; removed browsers stay connected until it succeeds, and cannot
                do anything that looks up who they are.
        """
        users = self._gateway.pages.user_ids()
        self._suspects |= self._identity.cached_devices() | self._gateway.device_ids()
        self._identity.forget_credentials()
        self._choices.clear_cache()
        found = await self._users.find_devices(users, self._suspects)
        removed = self._suspects - {device.id for device in found}
        self._suspects.clear()
        for device_id in removed:
            await self._gateway.disconnect_device(device_id)
        shown = {
            user: frozenset((device.id, device.name) for device in found if device.user.id == user)
            for user in users
        }
        for user, devices in shown.items():
            if self._shown.get(user) != devices:
                await self._gateway.announcements.devices_changed(user)
        self._shown = shown
