"""Tells whoever listens that a user's servers, tools or selection may have changed."""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from contextlib import contextmanager


class CatalogChanges:
    """Who listens to the changes of which user. All methods run on one event loop."""

    def __init__(self) -> None:
        self._listeners: dict[str, set[asyncio.Event]] = {}
        self.is_over = False
        """Whether nothing is announced any more, because the bridge stops."""

    def announce_change(self, user_id: str | None) -> None:
        """Wake the listeners of a user; None: of every user."""
        users = list(self._listeners) if user_id is None else [user_id]
        for user in users:
            for listener in self._listeners.get(user, ()):
                listener.set()

    @contextmanager
    def watch_user(self, user_id: str) -> Generator[asyncio.Event]:
        """Give an event that is set by each change; who waits for it clears it."""
        changed = asyncio.Event()
        listeners = self._listeners.setdefault(user_id, set())
        listeners.add(changed)
        try:
            yield changed
        finally:
            listeners.discard(changed)
            if not listeners:
                self._listeners.pop(user_id, None)

    def close(self) -> None:
        """Wake every listener for the last time."""
        self.is_over = True
        self.announce_change(None)
