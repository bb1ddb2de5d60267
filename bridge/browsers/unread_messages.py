"""What the pages have not read yet, in bytes, and the limits beyond which a page is disconnected.

A page that reads nothing would otherwise make the bridge keep every call that it is sent, also those that
have ended since.
"""

from __future__ import annotations

import sys
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class UnreadLimits:
    """Maximum bytes of memory of messages that were not written yet; chosen.

    The arguments of all open calls of a user, which have a limit of their own, fit into `page_bytes`.
    """

    page_bytes: int = 128 * 1024 * 1024
    user_bytes: int = 256 * 1024 * 1024
    """Of all pages of one user."""
    total_bytes: int = 512 * 1024 * 1024
    """Of all pages of all users."""


class UnreadMessages:
    """The messages that one page has not read yet, oldest first."""

    def __init__(self, all_pages: AllUnread, disconnect: Callable[[], None]) -> None:
        """`disconnect` is called once, when the page has to go; it must not wait."""
        self._all = all_pages
        self._sizes: deque[int] | None = None  # most pages have read everything
        self.disconnect = disconnect
        self.user_id = ""
        self.bytes = 0

    def enter_page(self, user_id: str) -> None:
        """Begin to count: the page belongs to this user."""
        self.user_id = user_id
        self._all.pages[self] = None

    def message_queued(self, text: str) -> None:
        """Count a message that will be written."""
        size = sys.getsizeof(text)
        if self._sizes is None:
            self._sizes = deque()
        self._sizes.append(size)
        self._all.change_bytes(self, size)

    def message_written(self) -> None:
        """Forget the oldest message: the connection has taken it."""
        if self._sizes is None:
            return
        size = self._sizes.popleft()
        if not self._sizes:
            self._sizes = None
        self._all.change_bytes(self, -size)

    def leave_page(self) -> None:
        """Forget all: the page has gone."""
        self._all.remove_page(self)


class AllUnread:
    """The unread messages of all pages. Methods run on one event loop and never wait."""

    def __init__(self, limits: UnreadLimits | None = None) -> None:
        self.limits = limits or UnreadLimits()
        self._of_users: Counter[str] = Counter()
        self.total_bytes = 0
        self.pages: dict[UnreadMessages, None] = {}

    def change_bytes(self, page: UnreadMessages, change: int) -> None:
        """Count more or less of a page; disconnect the page that has the most where that is too much."""
        if page not in self.pages:
            return
        self._add(page, change)
        if change > 0 and (candidates := self._beyond_limit(page)):
            largest = max(candidates, key=lambda each: each.bytes)
            self.remove_page(largest)
            largest.disconnect()

    def remove_page(self, page: UnreadMessages) -> None:
        """Stop counting a page."""
        if page in self.pages:
            self._add(page, -page.bytes)
            del self.pages[page]

    def _add(self, page: UnreadMessages, change: int) -> None:
        page.bytes += change
        self.total_bytes += change
        self._of_users[page.user_id] += change
        if not self._of_users[page.user_id]:
            del self._of_users[page.user_id]

    def _beyond_limit(self, page: UnreadMessages) -> list[UnreadMessages]:
        """Return the pages of which one has to go."""
        if page.bytes > self.limits.page_bytes:
            return [page]
        if self._of_users[page.user_id] > self.limits.user_bytes:
            return [each for each in self.pages if each.user_id == page.user_id]
        return list(self.pages) if self.total_bytes > self.limits.total_bytes else []
