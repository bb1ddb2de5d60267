"""The users whose pages are open, remembered across a start: their pages come back by themselves."""

from __future__ import annotations

import asyncio
from pathlib import Path

from bridge.browsers.connected_pages import RETURN_S, ConnectedPages
from bridge.storage.open_pages import read_users, write_users
from bridge.tasks import sleep_safely

PAUSE_S = 0.2
"""Seconds between two writings: a bridge that is killed within them has not recorded what changed."""


class ReturningUsers:
    """The users with an open page, in a file."""

    def __init__(self, path: Path, pages: ConnectedPages) -> None:
        self._path = path
        self._pages = pages
        self._expected: frozenset[str] = frozenset()

    async def expect_pages(self) -> None:
        """Have calls wait for the pages that were open when the bridge last ran."""
        self._expected = await asyncio.to_thread(read_users, self._path)
        self._pages.expect_users(self._expected)

    async def keep_file(self) -> None:
        """Write the file whenever a user opens a first page or closes the last one; ends when cancelled.

        It is to be cancelled before the bridge itself disconnects the pages, because those come back. Until
        the expected pages had time to do so, the file says what it said: the bridge may be stopped again.
        """
        if self._expected:
            await sleep_safely(RETURN_S)
        self._pages.users_changed.set()
        while True:
            await self._pages.users_changed.wait()
            self._pages.users_changed.clear()
            await asyncio.to_thread(write_users, self._path, list(self._pages.user_ids()))
            await sleep_safely(PAUSE_S)
