"""Which of a user's browsers runs a server's calls: the one chosen for it, else the most recently active."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from bridge.calls.open_call import Page
from bridge.storage.users import UserTables

MAX_CACHED_USERS = 10_000
"""Maximum number of users whose choices are cached; the cache is emptied beyond it."""


class Presence(NamedTuple):
    """A connected page, as its user sees it."""

    device_id: str | None
    is_visible: bool


def choose_page(pages: Sequence[Page], device_id: str | None) -> Page | None:
    """Return the page to run a call, out of `pages`, the most recently active first.

    When the chosen browser is not connected, another one runs the call, and the page shows that.
    """
    for page in pages:
        if page.device_id == device_id:
            return page
    return pages[0] if pages else None


class DeviceChoices:
    """The browsers that users have chosen, cached so that no call waits for the database."""

    def __init__(self, users: UserTables) -> None:
        self._users = users
        self._cache: dict[str, Mapping[str, str]] = {}
        self._clearings = 0

    async def choices_of_user(self, user_id: str) -> Mapping[str, str]:
        """Return a user's choices: server id to device id."""
        choices = self._cache.get(user_id)
        if choices is None:
            clearings = self._clearings
            choices = await self._users.device_choices(user_id)
            if len(self._cache) >= MAX_CACHED_USERS:
                self._cache.clear()
            if clearings == self._clearings:  # else this may be older than what the cache was cleared for
                self._cache[user_id] = choices
        return choices

    async def choose_device(self, user_id: str, server_id: str, device_id: str | None) -> bool:
        """Choose a browser for a server, or None: automatic. False: there is no such server or browser."""
        is_known = await self._users.choose_device(user_id, server_id, device_id)
        self.forget_choices(user_id)
        return is_known

    def forget_choices(self, user_id: str) -> None:
        """Drop a user's cached choices, because one of the user's browsers was removed."""
        self._clearings += 1
        self._cache.pop(user_id, None)

    def clear_cache(self) -> None:
        """Drop all cached choices: another replica has changed some of them."""
        self._clearings += 1
        self._cache.clear()
