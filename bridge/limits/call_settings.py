"""What a user has set for calls: deadlines and how many at once, for all calls, a server's, or one tool's.

The closest setting wins: one call's own, its tool's, its server's, its user's, then the limit of the bridge.
Receives settings from a store, gives them to whoever runs a call. Knows nothing of HTTP and SQL.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from bridge.errors import BridgeError, ErrorCode
from bridge.limits.settings import Deadline, Limits, SetBy, range_of

MAX_SETTINGS = 1000
"""Of one user."""


class SettingScope(NamedTuple):
    """What a setting is for; empty parts: all of them."""

    server_id: str = ""
    operation_key: str = ""


@dataclass(frozen=True, slots=True)
class CallSetting:
    """What is set for one scope; None: nothing."""

    deadline_s: float | None = None
    max_parallel: int | None = None
    """Calls of a server, or of one tool, that run at once. Means nothing for all servers together."""
    in_order: bool | None = None
    """Of a server: its calls that change something run one after another."""

    @property
    def is_empty(self) -> bool:
        """Nothing is set."""
        return self == CallSetting()


class CallSettings:
    """All settings of one user, as of now."""

    def __init__(self, entries: Mapping[SettingScope, CallSetting]) -> None:
        self.entries = dict(entries)

    def deadline_of(self, server_id: str, operation_key: str, limits: Limits) -> Deadline:
        """The deadline of a call that names none itself."""
        scopes: tuple[tuple[SetBy, SettingScope], ...] = (
            ("tool", SettingScope(server_id, operation_key)),
            ("server", SettingScope(server_id)),
            ("user", SettingScope()),
        )
        for set_by, scope in scopes:
            setting = self.entries.get(scope)
            if setting is not None and setting.deadline_s is not None:
                return Deadline(setting.deadline_s, set_by)
        return Deadline(limits.tool_timeout_seconds, "TOOL_TIMEOUT_SECONDS")

    def of_server(self, server_id: str) -> CallSetting:
        """What is set for a server itself."""
        return self.entries.get(SettingScope(server_id), _NOTHING)

    def of_operation(self, server_id: str, operation_key: str) -> CallSetting:
        """What is set for an operation itself."""
        return self.entries.get(SettingScope(server_id, operation_key), _NOTHING)


_NOTHING = CallSetting()


class CallSettingStore(Protocol):
    """Where settings survive a restart."""

    async def call_settings(self, user_id: str) -> Mapping[SettingScope, CallSetting]:
        """What a user has set."""
        ...

    async def save_call_setting(self, user_id: str, scope: SettingScope, setting: CallSetting) -> None:
        """Put a setting in place, or delete it when it is empty; committed when it returns."""
        ...


class UserCallSettings:
    """The settings of all users; read once for each. All methods run on one event loop."""

    def __init__(self, store: CallSettingStore) -> None:
        self._store = store
        self._known: dict[str, CallSettings] = {}
        self._lock = asyncio.Lock()

    async def settings_of_user(self, user_id: str) -> CallSettings:
        """A user's settings; cheap once they were read."""
        known = self._known.get(user_id)
        if known is not None:
            return known
        async with self._lock:
            if user_id not in self._known:
                self._known[user_id] = CallSettings(await self._store.call_settings(user_id))
            return self._known[user_id]

    async def save_setting(self, user_id: str, scope: SettingScope, setting: CallSetting) -> CallSettings:
        """Set something for a scope, in place of what was set there.

        Raises:
            BridgeError: `invalid_request`: the user has too many settings.
        """
        settings = await self.settings_of_user(user_id)
        if scope not in settings.entries and len(settings.entries) >= MAX_SETTINGS:
            message = f"There are {MAX_SETTINGS:,} settings already; remove some."
            raise BridgeError(ErrorCode.INVALID_REQUEST, message)
        await asyncio.shield(self._keep(user_id, scope, setting))
        return await self.settings_of_user(user_id)

    def clear_cache(self) -> None:
        """Read everything again: servers, and with them their settings, have come or gone."""
        self._known.clear()

    async def _keep(self, user_id: str, scope: SettingScope, setting: CallSetting) -> None:
        """Shielded: a caller who hangs up must not leave memory and store different."""
        async with self._lock:
            await self._store.save_call_setting(user_id, scope, setting)
            self._known.pop(user_id, None)


def checked_deadline(seconds: float, field: str = "deadline_s") -> float:
    """A deadline that somebody asks for in `field`.

    Raises:
        BridgeError: `invalid_request`, naming the range; not a number is out of it.
    """
    least, most = range_of("TOOL_TIMEOUT_SECONDS")
    if not least <= seconds <= most:
        message = f"A deadline must be a number of seconds from {least:g} to {most:g}, not {seconds:g}."
        detail = {"field": field, "minimum": least, "maximum": most}
        raise BridgeError(ErrorCode.INVALID_REQUEST, message, detail=detail)
    return seconds
