"""The pages of all users that are connected and have greeted, and which of them gets a call.

The newest page of a user gets the calls: the one that greeted last, or was brought to the front since.
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
from bridge.limits.settings import range_of

HANDOVER_S = 3.0
"""How long a call waits for a page that may reach its origin while another page is open; a new worker takes a
fraction of a second."""


LONGEST_RESUME_S = CARD_PATIENCE * range_of("PAGE_RESUME_SECONDS")[1]
"""After which no call waits any more for a page that has left."""


@dataclass(frozen=True, slots=True)
class ConnectedPage:
    """A page that has greeted."""

    page: Page
    hello: Hello

    @property
    def is_visible(self) -> bool:
        """Its user sees it."""
        return self.hello.visibility == "visible"

    def may_reach(self, origin: str) -> bool:
        """Whether its content policy lets it, as far as it said."""
        return self.hello.origins is None or not origin or origin in self.hello.origins


class ConnectedPages:
    """All of them. Methods run on one event loop; only those that say so wait."""

    def __init__(self, choices: DeviceChoices) -> None:
        """`choices`: which browser a user wants to run the calls of a server."""
        self._choices = choices
        self._pages: dict[str, dict[str, ConnectedPage]] = {}
        """By user and socket, the newest last."""
        self._left_at: dict[str, float] = {}
        self._changes: dict[str, asyncio.Event] = {}
        """By user, where somebody waits for one of the user's pages."""

    def add_page(self, user_id: str, page: Page, hello: Hello) -> None:
        """A page has greeted; it is its user's newest. `wake` says so to those who wait for it."""
        self._pages.setdefault(user_id, {})[page.sid] = ConnectedPage(page, hello)

    def remove_socket(self, user_id: str, sid: str) -> None:
        """A socket of a user has closed, on which a page may have greeted."""
        pages = self._pages.get(user_id, {})
        if pages.pop(sid, None) is not None and not pages:
            del self._pages[user_id]
            self._remember_leaving(user_id)

    def change_visibility(self, user_id: str, sid: str, seen: Visibility) -> bool:
        """A page came to the front or went to the back; false: nothing changed by that.

        The one in front is the one its user works with.
        """
        pages = self._pages.get(user_id, {})
        if sid not in pages or pages[sid].hello.visibility == seen.visibility:
            return False
        hello = pages[sid].hello.model_copy(update={"visibility": seen.visibility})
        pages[sid] = ConnectedPage(pages[sid].page, hello)
        if seen.visibility == "visible":
            pages[sid] = pages.pop(sid)
        return True

    def wake_waiters(self, user_id: str) -> None:
        """Wake whoever waits for a page of the user; each looks again for itself."""
        if (change := self._changes.pop(user_id, None)) is not None:
            change.set()

    def user_ids(self) -> Sequence[str]:
        """Users who have a page."""
        return list(self._pages)

    def sockets_of_user(self, user_id: str) -> Sequence[str]:
        """The sockets of a user's pages."""
        return list(self._pages.get(user_id, ()))

    def count_pages(self, user_id: str) -> int:
        """How many pages of a user are connected."""
        return len(self._pages.get(user_id, ()))

    def newest_page(self, user_id: str) -> Page | None:
        """The page of a user that was active last: said hello, or was brought to the front."""
        pages = self._pages.get(user_id)
        return next(reversed(pages.values())).page if pages else None

    def presence_of(self, user_id: str) -> list[Presence]:
        """The connected pages of a user, the one active last first."""
        pages = reversed(self._pages.get(user_id, {}).values())
        return [Presence(each.page.device_id, each.is_visible) for each in pages]

    async def page_for(self, user_id: str, origin: str, server_id: str) -> Page | None:
        """A user's page that may reach `origin`: in the server's chosen browser, else the last active."""
        chosen = (await self._choices.choices_of_user(user_id)).get(server_id)
        pages = self._pages.get(user_id, {})
        able = (each.page for each in reversed(pages.values()) if each.may_reach(origin))
        return choose_page(able, chosen)

    async def next_page(self, user_id: str, origin: str, server_id: str, resume_s: float) -> Page | None:
        """The page that comes, or the last active one.

        After an acceptance the page starts a worker with a wider content policy; it is waited for up to
        `HANDOVER_S` before the call goes to a page that will say that its policy forbids it. A page that left
        is waited for until `resume_s` after that: it is being reloaded, or its network stumbles.
        """
        page = await self.page_for(user_id, origin, server_id)
        with suppress(TimeoutError):
            async with asyncio.timeout(self._patience_s(user_id, resume_s)):
                while page is None:
                    change = self._changes.setdefault(user_id, asyncio.Event())
                    page = await self.page_for(user_id, origin, server_id)
                    if page is None:  # nor has it come while that was looked up
                        await change.wait()
        return page or self.newest_page(user_id)

    def _patience_s(self, user_id: str, resume_s: float) -> float:
        if self.count_pages(user_id) > 0:
            return HANDOVER_S
        left_at = self._left_at.get(user_id)
        return 0.0 if left_at is None else left_at + resume_s - asyncio.get_running_loop().time()

    def _remember_leaving(self, user_id: str) -> None:
        now = asyncio.get_running_loop().time()
        self._left_at = {user: at for user, at in self._left_at.items() if now - at < LONGEST_RESUME_S}
        self._left_at[user_id] = now
