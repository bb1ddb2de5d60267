"""Connections of the event loop to one SQLite file, whose threads can be waited for.

A connection of aiosqlite has a thread of its own. It goes on with a statement whose task was cancelled, and
answers to the event loop then, which raises in the thread if it has closed by that time.
"""

from __future__ import annotations

import asyncio
import sqlite3
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import aiosqlite

ROWS_AHEAD = 64
"""Number of rows that a cursor fetches from its thread at a time; aiosqlite's own default."""

END_S = 5.0
"""How long the threads are waited for at most, in seconds; they are daemons and do not keep a process."""


class SqliteConnections:
    """The connections that were opened, as the threads they run in."""

    def __init__(self) -> None:
        self._threads: set[threading.Thread] = set()

    def open_connection(self, database: str, **options: Any) -> aiosqlite.Connection:
        """Return a connection to the file `database`, still to be awaited.

        `options` are those of `sqlite3.connect`.
        """
        connection = _Connection(partial(sqlite3.connect, database, **options))
        self._threads = {each for each in self._threads if each.ident is None or each.is_alive()}
        self._threads.add(connection.thread)
        return connection

    async def wait_ended(self) -> None:
        """Wait, for `END_S` at most, until the threads of all connections have ended; close them before."""
        await asyncio.to_thread(self._join, time.monotonic() + END_S)

    def _join(self, deadline: float) -> None:
        for each in self._threads:
            if each.ident is not None:
                each.join(max(0.0, deadline - time.monotonic()))


class _Connection(aiosqlite.Connection):
    def __init__(self, connector: Callable[[], sqlite3.Connection]) -> None:
        super().__init__(connector, ROWS_AHEAD)
        self.thread = self._thread
        self.thread.daemon = True
