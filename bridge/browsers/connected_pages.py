"""The connected pages of all users that have completed the handshake, and which of them gets a call.

The newest page of a user gets the calls: the one that sent its handshake or came to the front last.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from bridge.browser_protocol import Hello, Visibility
from bridge.browsers.device_routing import DeviceChoices, Presence, choose_page
from bridge.calls.dispatcher import CARD_PATIENCE
from bridge.calls.open_call import Page
from bridge.settings.limits import range_of

HANDOVER_S = 3.0
"""Seconds that a call waits for a page that may reach its origin while another page is open; a new
worker takes a fraction of a second."""


RETURN_S = 6.0
"""Seconds after a start within which the pages that were open before are back: they try every 5 s at least
(`static/connection/connection_policy.js`), and a handshake takes a fraction of a second."""

LONGEST_RESUME_S = CARD_PATIENCE * range_of("PAGE_RESUME_SECONDS")[1]
"""Seconds after which no call still waits for a page that has left."""


@dataclass(frozen=True, slots=True)
class ConnectedPage:
    """A page that has completed the handshake."""

    page: Page
    hello: Hello

    @property
    def is_visible(self) -> bool:
        """Whether its user sees it."""
        return self.hello.visibility == "visible"

    def may_reach(self, origin: str) -> bool:
        """Whether the page's content policy allows `origin`, as far as the page has said."""
        return self.hello.origins is None or not origin or origin in self.hello.origins


class ConnectedPages:
    """All connected pages. Methods run on one event loop; only the coroutines wait."""

    def __init__(self, choices: DeviceChoices) -> None:
        """`choices`: the browser that a user has chosen to run the calls of a server."""
        self._choices = choices
        self._pages: dict[str, dict[str, ConnectedPage]] = {}
        """By user and socket, the newest last."""
        self._left_at: dict[str, float] = {}
        self._changes: dict[str, asyncio.Event] = {}
        """By user, for users with a waiting call."""
        self._expected_since: dict[str, float] = {}
        """By user whose pages come back by themselves, since when they are expected."""
        self.users_changed = asyncio.Event()
        """Set when the first page of a user was added, or the last one removed; whoever waits clears it."""

    def add_page(self, user_id: str, page: Page, hello: Hello) -> None:
        """Add a page that completed the handshake, as its user's newest; `wake_waiters` must follow."""
        if user_id not in self._pages:
            self.users_changed.set()
        self._pages.setdefault(user_id, {})[page.sid] = ConnectedPage(page, hello)

    def remove_socket(self, user_id: str, sid: str) -> None:
        """Remove the page of a socket that has closed, if there is one."""
        pages = self._pages.get(user_id, {})
        if pages.pop(sid, None) is not None and not pages:
            del self._pages[user_id]
            self._remember_leaving(user_id)
            self.users_changed.set()

    def expect_users(self, user_ids: frozenset[str]) -> None:
        """Have calls wait from now on for the pages of these users, which were open before the start."""
        for user_id in user_ids:
            self.expect_user(user_id)

    def expect_user(self, user_id: str) -> None:
        """Have calls wait from now on for the page of a user, which was open at another replica or before."""
        self._left_at.pop(user_id, None)
        self._expected_since[user_id] = asyncio.get_running_loop().time()

    def change_visibility(self, user_id: str, sid: str, change: Visibility) -> bool:
        """Record that a page came to the front or went to the back; false: nothing changed by that.

        The page in front becomes its user's newest, because it is the one that the user works with.
        """
        pages = self._pages.get(user_id, {})
        if sid not in pages or pages[sid].hello.visibility == change.visibility:
            return False
        hello = pages[sid].hello.model_copy(update={"visibility": change.visibility})
        pages[sid] = ConnectedPage(pages[sid].page, hello)
        if change.visibility == "visible":
            pages[sid] = pages.pop(sid)
        return True

    def wake_waiters(self, user_id: str) -> None:
        """Wake the calls that wait for a page of the user; each looks again for itself."""
        if (change := self._changes.pop(user_id, None)) is not None:
            change.set()

    def user_ids(self) -> Sequence[str]:
        """Return the users who have a connected page."""
        return list(self._pages)

    def sockets_of_user(self, user_id: str) -> Sequence[str]:
        """Return the sockets of a user's pages."""
        return list(self._pages.get(user_id, ()))

    def count_pages(self, user_id: str) -> int:
        """Return how many pages of a user are connected."""
        return len(self._pages.get(user_id, ()))

    def newest_page(self, user_id: str) -> Page | None:
        """Return the page of a user that was active last: sent its handshake, or came to the front."""
        pages = self._pages.get(user_id)
        return next(reversed(pages.values())).page if pages else None

    def presence_of(self, user_id: str) -> list[Presence]:
        """Return the connected pages of a user, the most recently active first."""
        pages = reversed(self._pages.get(user_id, {}).values())
        return [Presence(each.page.device_id, each.is_visible) for each in pages]

    async def choose_page(self, user_id: str, origin: str, server_id: str) -> Page | None:
        """Return a user's page that may reach `origin`: in the chosen browser, else the last active one."""
        chosen = (await self._choices.choices_of_user(user_id)).get(server_id)
        pages = self._pages.get(user_id, {})
        candidates = [each.page for each in reversed(pages.values()) if each.may_reach(origin)]
        return choose_page(candidates, chosen)

    async def wait_for_page(self, user_id: str, origin: str, server_id: str, resume_s: float) -> Page | None:
        """Wait for a page that may reach `origin`; if none comes, return the last active page or None.

        After an acceptance, the page starts a worker with a wider content policy; the call waits up to
        `HANDOVER_S` for it before it goes to a page that will report that its policy forbids the request.
        When a user's last page has left, the call waits until `resume_s` seconds after that: the page may be
        reloading, or its network failing. After a start, it waits up to `RETURN_S` for a page that was open
        before.
        """
        page = await self.choose_page(user_id, origin, server_id)
        if page is not None:
            return page
        with suppress(TimeoutError):
            async with asyncio.timeout(self._max_wait_s(user_id, resume_s)):
                while page is None:
                    change = self._changes.setdefault(user_id, asyncio.Event())
                    page = await self.choose_page(user_id, origin, server_id)
                    if page is None:  # it may have connected during the lookup
                        await change.wait()
        return page or self.newest_page(user_id)

    def _max_wait_s(self, user_id: str, resume_s: float) -> float:
        if self.count_pages(user_id) > 0:
            return HANDOVER_S
        now = asyncio.get_running_loop().time()
        if (left_at := self._left_at.get(user_id)) is not None:
            return left_at + resume_s - now
        if (since := self._expected_since.get(user_id)) is None:
            return 0.0
        if (left_s := since + max(resume_s, RETURN_S) - now) <= 0:
            del self._expected_since[user_id]
        return left_s

    def _remember_leaving(self, user_id: str) -> None:
        now = asyncio.get_running_loop().time()
        self._left_at = {user: at for user, at in self._left_at.items() if now - at < LONGEST_RESUME_S}
        self._left_at[user_id] = now
