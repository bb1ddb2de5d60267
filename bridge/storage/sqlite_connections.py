"""The connections of the event loop to one SQLite file."""

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

THREADS_END_S = 5.0
"""How long the threads are waited for at most, in seconds; they are daemons and do not keep a process."""


class SqliteConnections:
    """The connections of the event loop to one SQLite file, as the threads they run in.

    A thread goes on with a statement whose task was cancelled, and answers to the event loop then, which
    raises in the thread if it has closed by that time.
    """

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
        """Wait, for `THREADS_END_S` at most, until all threads have ended; close the connections before."""
        await asyncio.to_thread(self._join, time.monotonic() + THREADS_END_S)

    def _join(self, deadline: float) -> None:
        for each in self._threads:
            if each.ident is not None:
                each.join(max(0.0, deadline - time.monotonic()))


class _Connection(aiosqlite.Connection):
    """Also closes a file that it opened for a cancelled task; aiosqlite leaves that to the collector."""

    def __init__(self, connector: Callable[[], sqlite3.Connection]) -> None:
        super().__init__(self._open, ROWS_AHEAD)
        self._connect_file = connector
        self._opened: sqlite3.Connection | None = None
        self.thread = self._thread
        self.thread.daemon = True

    def stop(self) -> asyncio.Future[Any] | None:
        """Close the file after what its thread still does, and end the thread."""
        self._tx.put_nowait((None, self._close_file))  # pyright: ignore[reportUnknownMemberType]
        return super().stop()  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]

    def _open(self) -> sqlite3.Connection:
        self._opened = self._connect_file()
        return self._opened

    def _close_file(self) -> None:
        if self._opened is not None:
            self._opened.close()
