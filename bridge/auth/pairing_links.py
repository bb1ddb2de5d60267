"""The page link in an error that only a page can mend: for the user of the call only, once, for minutes.

It goes to the verified caller and nowhere else: it is neither logged nor stored. If the user already
has a browser, that browser must confirm the new one (ruling 24).
"""

from __future__ import annotations

import time
from collections.abc import Callable

from bridge.calls.limits.token_bucket import RateLimit
from bridge.errors import BridgeError, ErrorCode, WireError
from bridge.storage.users import UserTables

SAME_LINK_S = 60.0
"""Seconds for which the same link is returned: a model that retries must not invalidate its user's link."""

LINKS_IN_ALL = 600
"""Maximum new links of all users in a minute; beyond it an error has no link."""

MAX_REMEMBERED_LINKS = 10_000

NEEDS_A_PAGE = frozenset({ErrorCode.NO_BROWSER, ErrorCode.NOT_ACCEPTED})
"""Errors for which a user must open a page. A new user has accepted nothing, so the second comes first."""


class PairingLinks:
    """Puts page links into errors."""

    def __init__(
        self,
        users: UserTables,
        base_url: str,
        is_open: Callable[[str], bool],
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`is_open`: whether a page of a user is connected."""
        self._users = users
        self._base_url = base_url
        self._is_open = is_open
        self._clock = clock
        self._links: dict[str, tuple[str, float]] = {}
        self._limit = RateLimit(
            "page links", per_key=LINKS_IN_ALL, in_all=LINKS_IN_ALL, window_s=60, clock=clock
        )

    async def add_link(self, error: WireError, user_id: str) -> WireError:
        """Return the error, with `detail.pairing_url` if no page of the user is open."""
        if error.code not in NEEDS_A_PAGE or self._is_open(user_id):
            return error
        try:
            url = await self._link(user_id)
        except BridgeError:
            return error
        return error.model_copy(update={"detail": {**error.detail, "pairing_url": url}})

    async def _link(self, user_id: str) -> str:
        url, made_at = self._links.get(user_id, ("", 0.0))
        if url and self._clock() < made_at + SAME_LINK_S:
            return url
        self._limit.take_token(user_id)
        url = f"{self._base_url}/#ticket={await self._users.add_ticket(user_id, printed=False)}"
        if len(self._links) >= MAX_REMEMBERED_LINKS:
            self._links.clear()
        self._links[user_id] = (url, self._clock())
        return url
