"""Writing that keeps the event loop free: one thread writes, and all that has gathered in one transaction.

Nobody waits for an entry, except who wants to read it. Entries are written in the order they came; what the
database does not take now is tried again later.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from itertools import chain
from typing import Any, Generic, Protocol, TypeVar

from sqlalchemy import Connection, Engine, Insert
from sqlalchemy.engine import Dialect

from bridge.storage.dialects import driver_text, is_unfit, reason_of

BATCH = 2048
"""Entries in one transaction, at most."""

GATHER_S = 1.0
"""How long entries wait for others to be written with."""

BUSY = 256
"""When more than so many come while they gather, they wait on: what a call costs twice, because thread and
event loop fight for the interpreter lock and the caches, it costs once in a quieter moment."""

PUT_OFF_S = 10.0
"""How long they wait for one at most."""

HELD = 8192
"""When so many wait, they wait no longer."""

MAX_WAITING = 20_000
"""Entries that wait for the database; while it stays away for longer, further ones are given up."""

CATCH_UP_S = 1.0
"""How long a reader waits for what was put before it to be written."""

RETRY_S = 1.0

EntryT = TypeVar("EntryT")

_log = logging.getLogger(__name__)


class Transactions(Protocol):
    """Who writes."""

    def run_transaction(self, work: Callable[[Connection], None]) -> Future[None]:
        """Do `work` elsewhere in one transaction, after what was asked for before."""
        ...


class WriteThread:
    """A thread of its own that does one transaction after the other, in the order they were asked for."""

    def __init__(self, engine: Engine) -> None:
        """`engine` is closed with the thread."""
        self._engine = engine
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="database")

    def run_transaction(self, work: Callable[[Connection], None]) -> Future[None]:
        """Do `work` in the thread, in one transaction; what it raises stands in the future."""
        return self._thread.submit(self._transact, work)

    def close(self) -> None:
        """End the thread; waits for what it was asked to do."""
        self._thread.shutdown()
        self._engine.dispose()

    def _transact(self, work: Callable[[Connection], None]) -> None:
        with self._engine.begin() as connection:
            work(connection)


class GroupCommit(Generic[EntryT]):
    """Entries of one kind on their way to the database. All methods run on one event loop."""

    def __init__(
        self, what: str, thread: Transactions, save: Callable[[Connection, Sequence[EntryT]], None]
    ) -> None:
        """`what` names them in the log; `save` runs in the thread, in a transaction."""
        self.given = 0
        """Entries put so far."""
        self.settled = 0
        """Those of them that are written, or that the database will never take; the first ones, in order."""
        self._what = what
        self._thread = thread
        self._save = save
        self._waiting: deque[EntryT] = deque()
        self._writing: Sequence[EntryT] = ()
        self._timer: asyncio.TimerHandle | None = None
        self._given_before = 0
        """At the beginning of the last `GATHER_S`."""
        self._write_by = 0.0
        """The loop's time at which what waits is written, however busy it is."""
        self.is_away = False
        """The database did not take the last transaction; until the next one nothing is hurried."""
        self._singly = 0
        """So many entries are written one by one: one of them is unfit."""
        self._told = ""
        """Why the database did not take the last transaction, as the log has it."""
        self._given_up = 0
        self._moved = asyncio.Event()

    @property
    def is_behind(self) -> bool:
        """Half of what may wait does: whoever can should wait until it has `caught_up`."""
        return len(self._waiting) > MAX_WAITING // 2

    def put_entry(self, entry: EntryT, *, is_vital: bool = False) -> None:
        """Have it written some time soon; never waits and never fails.

        While `MAX_WAITING` others wait it is given up, unless it is vital: givers of those mind `is_behind`.
        """
        if len(self._waiting) >= MAX_WAITING and not is_vital:
            self._give_up()
            return
        self._waiting.append(entry)
        self.given += 1
        if self._writing or self.is_away:
            return
        if len(self._waiting) >= HELD:
            self._start()
        elif self._timer is None:
            self._gather()

    async def caught_up(self) -> None:
        """Return when all that was put so far is written, or the database has just refused it."""
        last = self.given
        while self.settled < last and not self.is_away:
            if not self._writing:
                self._start()
            await self._moved.wait()

    async def catch_up(self, within_s: float = CATCH_UP_S) -> None:
        """As `caught_up`, but a database that is slow is not waited for longer than that."""
        with suppress(TimeoutError):
            async with asyncio.timeout(within_s):
                await self.caught_up()

    async def flush_entries(self) -> None:
        """As `caught_up`, but try once more where the database is away."""
        self.is_away = False
        await self.caught_up()

    def _gather(self) -> None:
        loop = asyncio.get_running_loop()
        self._write_by = loop.time() + PUT_OFF_S
        self._given_before = self.given - len(self._waiting)
        self._timer = loop.call_later(GATHER_S, self._gathered)

    def _gathered(self) -> None:
        loop = asyncio.get_running_loop()
        came, self._given_before = self.given - self._given_before, self.given
        if came <= BUSY or loop.time() + GATHER_S > self._write_by:
            self._start()
        else:
            self._timer = loop.call_later(GATHER_S, self._gathered)

    def _start(self) -> None:
        """Begin a transaction; something waits, and none runs."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self.is_away = False
        count = 1 if self._singly else min(BATCH, len(self._waiting))
        entries = self._writing = [self._waiting.popleft() for _ in range(count)]
        loop = asyncio.get_running_loop()
        written = self._thread.run_transaction(lambda connection: self._save(connection, entries))
        written.add_done_callback(lambda done: loop.call_soon_threadsafe(self._written, done.exception()))

    def _written(self, failure: BaseException | None) -> None:
        entries, self._writing = self._writing, ()
        self._singly = max(0, self._singly - len(entries))
        if failure is None:
            self._settle(entries)
        elif not is_unfit(failure):
            self._keep_for_later(entries, failure)
        elif len(entries) > 1:
            self._singly = len(entries)
            self._waiting.extendleft(reversed(entries))
        else:
            _log.error("%s: an entry is dropped: %s", self._what, reason_of(failure))
            self._settle(entries)
        self._moved.set()
        self._moved = asyncio.Event()
        if self.is_away:
            self._timer = asyncio.get_running_loop().call_later(RETRY_S, self._start)
        elif self._singly or len(self._waiting) >= BATCH:
            self._start()
        elif self._waiting:
            self._gather()

    def _settle(self, entries: Sequence[EntryT]) -> None:
        self.settled += len(entries)
        if self._told:
            _log.warning("%s can be written again.", self._what)
            self._told = ""
        if self._given_up:
            _log.error("%s: %d entries were given up meanwhile.", self._what, self._given_up)
            self._given_up = 0

    def _keep_for_later(self, entries: Sequence[EntryT], failure: BaseException) -> None:
        if (reason := reason_of(failure)) != self._told:  # it is tried every second
            _log.error("%s cannot be written: %s", self._what, reason)
            self._told = reason
        self._singly = 0
        self._waiting.extendleft(reversed(entries))
        self.is_away = True

    def _give_up(self) -> None:
        if not self._given_up:
            _log.error("%s: entries are given up, because the database does not answer.", self._what)
        self._given_up += 1


SIZES = (256, 32, 4, 1)
"""Rows of one statement. A driver gives the interpreter lock away and waits to have it back for every
statement, and no database takes more than 32,766 values in one."""


class RowWriter:
    """Inserts rows of one kind."""

    def __init__(self, columns: Sequence[str], insert: Callable[[str], Insert]) -> None:
        """`insert`: the statement for one row, by the name of the dialect."""
        self._columns = columns
        self._insert = insert
        self._texts: dict[tuple[str, int], str] = {}

    def write_rows(self, connection: Connection, rows: Sequence[Sequence[Any]]) -> None:
        """Insert rows whose values stand in the order of the columns; no two have the same key."""
        start = 0
        for size in SIZES:
            while len(rows) - start >= size:
                values = tuple(chain.from_iterable(rows[start : start + size]))
                connection.exec_driver_sql(self._text(connection.dialect, size), values)
                start += size

    def _text(self, dialect: Dialect, size: int) -> str:
        key = (dialect.name, size)
        if key not in self._texts:
            statement = self._insert(dialect.name).values([dict.fromkeys(self._columns)] * size)
            self._texts[key] = driver_text(dialect, statement)
        return self._texts[key]
