"""Users' settings for calls: deadlines and parallelism, for all calls, for a server's, or for one tool's.

The most specific setting wins: the call's own, then its tool's, its server's, its user's, then the bridge's
limit. Reads settings from a store and hands them to whatever runs a call. Knows nothing of HTTP and SQL.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from bridge.calls.limits.settings import Deadline, SetBy
from bridge.errors import BridgeError, ErrorCode
from bridge.settings.limits import Limits, range_of

MAX_SETTINGS = 1000
"""Maximum number of settings of one user."""


class SettingScope(NamedTuple):
    """What a setting applies to; an empty part means all servers, or all operations of the server."""

    server_id: str = ""
    operation_key: str = ""


@dataclass(frozen=True, slots=True)
class CallSetting:
    """The settings of one scope; None: not set."""

    deadline_s: float | None = None
    max_parallel: int | None = None
    """Maximum number of parallel calls of a server or of one tool. Has no meaning for all servers
    together."""
    in_order: bool | None = None
    """For a server: its calls that change something run one after another."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing is set."""
        return self == CallSetting()


class CallSettings:
    """All settings of one user at one moment."""

    def __init__(self, entries: Mapping[SettingScope, CallSetting]) -> None:
        self.entries = dict(entries)

    def deadline_of(self, server_id: str, operation_key: str, limits: Limits) -> Deadline:
        """Return the deadline of a call that does not name one itself."""
        if not self.entries:
            return Deadline(limits.tool_timeout_seconds, "TOOL_TIMEOUT_SECONDS")
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
        """Return what is set for a server as a whole."""
        return self.entries.get(SettingScope(server_id), _NOTHING) if self.entries else _NOTHING

    def of_operation(self, server_id: str, operation_key: str) -> CallSetting:
        """Return what is set for one operation."""
        if not self.entries:
            return _NOTHING
        return self.entries.get(SettingScope(server_id, operation_key), _NOTHING)


_NOTHING = CallSetting()


class CallSettingStore(Protocol):
    """Stores the settings of calls across restarts."""

    async def call_settings(self, user_id: str) -> Mapping[SettingScope, CallSetting]:
        """Return what a user has set."""
        ...

    async def save_call_setting(self, user_id: str, scope: SettingScope, setting: CallSetting) -> None:
        """Store a setting, or delete it when it is empty; committed when this returns."""
        ...


class UserCallSettings:
    """The settings of all users, read from the store once per user. All methods run on one event loop."""

    def __init__(self, store: CallSettingStore) -> None:
        self._store = store
        self._known: dict[str, CallSettings] = {}
        self._clearings = 0
        self._lock = asyncio.Lock()

    def known_settings(self, user_id: str) -> CallSettings | None:
        """Return a user's settings; None: `settings_of_user` reads them first."""
        return self._known.get(user_id)

    async def settings_of_user(self, user_id: str) -> CallSettings:
        """Return a user's settings; reads the store the first time only."""
        known = self._known.get(user_id)
        if known is not None:
            return known
        async with self._lock:
            if user_id in self._known:
                return self._known[user_id]
            clearings = self._clearings
            settings = CallSettings(await self._store.call_settings(user_id))
            if clearings == self._clearings:  # else this may be older than what the cache was cleared for
                self._known[user_id] = settings
            return settings

    async def save_setting(self, user_id: str, scope: SettingScope, setting: CallSetting) -> CallSettings:
        """Replace what is set for a scope.

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
        """Drop all cached settings: another replica, or a removed server, has changed some."""
        self._clearings += 1
        self._known.clear()

    async def _keep(self, user_id: str, scope: SettingScope, setting: CallSetting) -> None:
        """Store the setting and drop the cache; shielded, so that a client hanging up cannot part the two."""
        async with self._lock:
            await self._store.save_call_setting(user_id, scope, setting)
            self._known.pop(user_id, None)


def checked_deadline(seconds: float, field: str = "deadline_s") -> float:
    """Return the deadline that a caller requested in `field`, after checking its range.

    Raises:
        BridgeError: `invalid_request`, naming the range; NaN is outside of it.
    """
    least, most = range_of("TOOL_TIMEOUT_SECONDS")
    if not least <= seconds <= most:
        message = f"A deadline must be a number of seconds from {least:g} to {most:g}, not {seconds:g}."
        detail = {"field": field, "minimum": least, "maximum": most}
        raise BridgeError(ErrorCode.INVALID_REQUEST, message, detail=detail)
    return seconds
