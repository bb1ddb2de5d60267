"""Writing off the event loop: one thread writes, and commits gathered entries in one transaction.

Nobody waits for an entry, except who wants to read it. Entries are written in the order they came; what the
database refuses now is tried again later.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from itertools import chain
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import orjson
from sqlalchemy import Boolean, Connection, Engine, Insert, Table
from sqlalchemy.engine import Dialect

from bridge.storage.dialects import is_fenced, is_unfit, multi_row_text, reason_of

BATCH = 2048
"""Maximum number of entries in one transaction."""

GATHER_S = 1.0
"""How long entries wait for others to be written with, in seconds."""

BUSY = 256
"""Number of new entries per `GATHER_S` above which writing is put off: what a call costs twice, because
thread and event loop compete for the interpreter lock and the caches, it costs once in a quieter moment."""

PUT_OFF_S = 10.0
"""How long writing is put off at most, in seconds."""

HELD = 8192
"""Number of waiting entries from which they are written immediately."""

MAX_WAITING = 20_000
"""Maximum number of entries that wait for the database; while it stays unavailable, further ones are
dropped."""

CATCH_UP_S = 1.0
"""How long a reader waits until earlier entries are written, in seconds."""

RETRY_S = 1.0

EntryT = TypeVar("EntryT")

_ELSEWHERE = "another replica has claimed their users, as after a freeze."

_log = logging.getLogger(__name__)


class Transactions(Protocol):
    """Runs transactions on the database, one after the other."""

    def run_transaction(self, work: Callable[[Connection], None]) -> Future[None]:
        """Run `work` in one transaction outside the event loop, after those submitted before."""
        ...


class WriteThread:
    """A thread that runs one transaction after the other, in the order of submission."""

    def __init__(self, engine: Engine, on_work: Callable[[float], None] = lambda _: None) -> None:
        """`engine` is closed with the thread.

        `on_work` is called, in the thread, with the seconds of each transaction; it must not fail.
        """
        self._engine = engine
        self._on_work = on_work
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="database")

    def run_transaction(self, work: Callable[[Connection], None]) -> Future[None]:
        """Run `work` in the thread, in one transaction; the future receives what it raises."""
        return self._thread.submit(self._transact, work)

    def close(self) -> None:
        """End the thread, after the transactions submitted so far."""
        self._thread.shutdown()
        self._engine.dispose()

    def _transact(self, work: Callable[[Connection], None]) -> None:
        began = time.monotonic()
        try:
            with self._engine.begin() as connection:
                work(connection)
        finally:
            self._on_work(time.monotonic() - began)


class Backlog(NamedTuple):
    """What is on its way to the database."""

    waiting: int
    """Number of entries that are not written yet."""
    is_away: bool
    """Whether the database refuses them."""


class GroupCommit(Generic[EntryT]):
    """Entries of one kind on their way to the database. All methods run on one event loop."""

    def __init__(
        self, what: str, thread: Transactions, save: Callable[[Connection, Sequence[EntryT]], None]
    ) -> None:
        """`what` names the entries in the log; `save` runs in the thread, in a transaction."""
        self.accepted = 0
        """Number of entries put so far."""
        self.settled = 0
        """Number of the first entries that are written, or that the database will never accept."""
        self._what = what
        self._thread = thread
        self._save = save
        self._waiting: deque[EntryT] = deque()
        self._writing: Sequence[EntryT] = ()
        self._timer: asyncio.TimerHandle | None = None
        self._accepted_before = 0
        """Value of `accepted` at the start of the last `GATHER_S`."""
        self._write_by = 0.0
        """The loop's time at which waiting entries are written, however busy it is."""
        self.is_away = False
        """Whether the database refused the last transaction; until the retry, no write is started early."""
        self._singly = 0
        """Number of entries to write one by one: one of them is unfit."""
        self._last_reason = ""
        """Reason of the last failed transaction, as logged; "" after a successful one."""
        self._dropped = 0
        self._fenced = 0
        """Number of entries not written since the last line about them: their users are at home elsewhere."""
        self._moved = asyncio.Event()

    @property
    def backlog(self) -> Backlog:
        """What is still to be written."""
        return Backlog(self.accepted - self.settled, self.is_away)

    @property
    def is_behind(self) -> bool:
        """Whether more than half of `MAX_WAITING` entries wait: callers that can should await `caught_up`."""
        return len(self._waiting) > MAX_WAITING // 2

    def put_entry(self, entry: EntryT, *, is_vital: bool = False) -> int:
        """Queue an entry to be written soon, and return its number; never waits and never fails.

        While `MAX_WAITING` others wait it is dropped, and 0 returned, unless it is vital: callers with vital
        ones check `is_behind`.
        """
        waiting = self._waiting
        if len(waiting) >= MAX_WAITING and not is_vital:
            self._give_up()
            return 0
        waiting.append(entry)
        self.accepted = number = self.accepted + 1
        if self._writing or self.is_away:
            return number
        if len(waiting) >= HELD:
            self._start()
        elif self._timer is None:
            self._gather()
        return number

    def is_waiting(self, number: int) -> bool:
        """Return whether the entry that was put as that number, from 1 on, may still be changed in place."""
        return number > self.settled + len(self._writing)

    async def caught_up(self) -> None:
        """Wait until all entries put so far are written, or the database has just refused them."""
        last = self.accepted
        while self.settled < last and not self.is_away:
            if not self._writing:
                self._start()
            await self._moved.wait()

    async def catch_up(self, within_s: float = CATCH_UP_S) -> None:
        """As `caught_up`, but wait for a slow database no longer than `within_s` seconds."""
        with suppress(TimeoutError):
            async with asyncio.timeout(within_s):
                await self.caught_up()

    async def flush_entries(self) -> None:
        """As `caught_up`, but try again first if the database is unavailable."""
        self.is_away = False
        await self.caught_up()

    def _gather(self) -> None:
        loop = asyncio.get_running_loop()
        self._write_by = loop.time() + PUT_OFF_S
        self._accepted_before = self.accepted - len(self._waiting)
        self._timer = loop.call_later(GATHER_S, self._gathered)

    def _gathered(self) -> None:
        loop = asyncio.get_running_loop()
        came, self._accepted_before = self.accepted - self._accepted_before, self.accepted
        if came <= BUSY or loop.time() + GATHER_S > self._write_by:
            self._start()
        else:
            self._timer = loop.call_later(GATHER_S, self._gathered)

    def _start(self) -> None:
        """Start a transaction; something waits, and none is running."""
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
            self._drop_unfit(entries, failure)
        if self._fenced and not self._singly:
            _log.info("%s: %d entries are left out; %s", self._what, self._fenced, _ELSEWHERE)
            self._fenced = 0
        self._moved.set()
        self._moved = asyncio.Event()
        if self.is_away:
            self._timer = asyncio.get_running_loop().call_later(RETRY_S, self._start)
        elif self._singly or len(self._waiting) >= BATCH:
            self._start()
        elif self._waiting:
            self._gather()

    def _drop_unfit(self, entries: Sequence[EntryT], failure: BaseException) -> None:
        if is_fenced(failure):
            self._fenced += len(entries)
        else:
            _log.error("%s: an entry is dropped: %s", self._what, reason_of(failure))
        self._settle(entries)

    def _settle(self, entries: Sequence[EntryT]) -> None:
        self.settled += len(entries)
        if self._last_reason:
            _log.warning("%s can be written again.", self._what)
            self._last_reason = ""
        if self._dropped:
            _log.error("%s: %d entries were dropped in the meantime.", self._what, self._dropped)
            self._dropped = 0

    def _keep_for_later(self, entries: Sequence[EntryT], failure: BaseException) -> None:
        if (reason := reason_of(failure)) != self._last_reason:  # it is tried every second
            _log.error("%s cannot be written: %s", self._what, reason)
            self._last_reason = reason
        self._singly = 0
        self._waiting.extendleft(reversed(entries))
        self.is_away = True

    def _give_up(self) -> None:
        if not self._dropped:
            _log.error("%s: entries are dropped, because the database does not answer.", self._what)
        self._dropped += 1


SIZES = (256, 32, 4, 1)
"""Numbers of rows in one statement. For every statement a driver releases the interpreter lock and waits to
get it back, and no database accepts more than 32,766 values in one."""

MANY = SIZES[1]
"""Number of rows from which the driver is given them in the form that it takes fastest."""

MAX_TEXTS = 64
"""Maximum number of statements that are kept: there is one for each choice of columns and number of rows."""


class RowWriter:
    """Inserts rows of one table, and spends little of the interpreter's time on many of them.

    SQLite's driver binds texts and numbers at once, but looks for an adapter for every other value, also for
    null; PostgreSQL's looks at the type of each value. So many rows name only the columns that any of them
    has, SQLite gets numbers for booleans, and PostgreSQL one JSON text. A row takes half the time with SQLite
    and a thirtieth with PostgreSQL (measured, Python 3.11).
    """

    def __init__(self, table: Table, names: Sequence[str], insert: Callable[[str], Insert]) -> None:
        """`names`: columns without defaults, in the order of the table.

        `insert`: returns the statement for one row, by the name of the dialect.
        """
        self._table = table
        self._names = tuple(names)
        self._flags = frozenset(name for name in names if isinstance(table.c[name].type, Boolean))
        self._insert = insert
        self._texts: dict[tuple[str, Sequence[str], int], str] = {}

    def write_rows(self, connection: Connection, rows: Sequence[Sequence[Any]]) -> None:
        """Insert rows with values in the order of the columns; no two rows have the same key."""
        if len(rows) < MANY:
            self._insert_values(connection, self._names, rows)
            return
        filled = {
            name: values
            for name, values in zip(self._names, zip(*rows, strict=True), strict=True)
            if values[0] is not None or values.count(None) < len(values)
        }
        is_sqlite = connection.dialect.name == "sqlite"
        if is_sqlite:
            filled |= {name: _numbers(filled[name]) for name in self._flags & filled.keys()}
        write = self._insert_values if is_sqlite else self._insert_json
        write(connection, tuple(filled), list(zip(*filled.values(), strict=True)))

    def _insert_values(
        self, connection: Connection, names: Sequence[str], rows: Sequence[Sequence[Any]]
    ) -> None:
        start = 0
        for size in SIZES:
            while len(rows) - start >= size:
                values = tuple(chain.from_iterable(rows[start : start + size]))
                connection.exec_driver_sql(self._text(connection.dialect, names, size), values)
                start += size

    def _insert_json(
        self, connection: Connection, names: Sequence[str], rows: Sequence[Sequence[Any]]
    ) -> None:
        for start in range(0, len(rows), SIZES[0]):
            some = rows[start : start + SIZES[0]]
            text = orjson.dumps([dict(zip(names, row, strict=True)) for row in some]).decode()
            if _ESCAPED_NUL in text:  # PostgreSQL refuses it; among values it is replaced (`without_nul`)
                self._insert_values(connection, names, some)
            else:
                connection.exec_driver_sql(self._text(connection.dialect, names, 0), (text,))

    def _text(self, dialect: Dialect, names: Sequence[str], size: int) -> str:
        """Return the statement for `size` rows; 0: for any number of them, as JSON."""
        key = (dialect.name, names, size)
        if key not in self._texts:
            if len(self._texts) >= MAX_TEXTS:
                self._texts.clear()
            statement = self._insert(dialect.name).values([dict.fromkeys(names)])
            columns = [self._table.c[name] for name in names]
            self._texts[key] = multi_row_text(dialect, statement, columns, size)
        return self._texts[key]


_ESCAPED_NUL = r"\u0000"


def _numbers(flags: Sequence[bool | None]) -> Sequence[int | None]:
    return [None if flag is None else int(flag) for flag in flags]
