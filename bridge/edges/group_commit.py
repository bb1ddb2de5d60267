"""Writing that keeps the event loop free: one thread writes, and all that has gathered in one transaction.

Entries are written in the order they came. While one transaction runs the next entries gather, so that a
hundred at once cost about as many commits as one. What the database does not take now is tried again later,
except for entries whose giver waits: it is told at once.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from sqlalchemy import Connection, Engine

from bridge.edges.dialects import is_unfit, reason_of

BATCH = 256
"""Entries in one transaction, at most."""

MAX_WAITING = 10_000
"""Entries that wait for the database; when it stays away for longer, the oldest are given up."""

GATHER_S = 0.2
"""How long entries that nobody waits for may wait for others to be written with."""

RETRY_S = 1.0

EntryT = TypeVar("EntryT")

_log = logging.getLogger(__name__)


class CommitFailed(Exception):
    """An entry was not written, and will not be."""


class Transactions(Protocol):
    """Who writes."""

    def transact(self, work: Callable[[Connection], None]) -> Future[None]:
        """Do `work` elsewhere in one transaction, after what was asked for before."""
        ...


class WriteThread:
    """A thread of its own that does one transaction after the other, in the order they were asked for."""

    def __init__(self, engine: Engine) -> None:
        """`engine` is closed with the thread."""
        self._engine = engine
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="database")

    def transact(self, work: Callable[[Connection], None]) -> Future[None]:
        """Do `work` in the thread, in one transaction; what it raises stands in the future."""
        return self._thread.submit(self._transact, work)

    def close(self) -> None:
        """End the thread; waits for what it was asked to do."""
        self._thread.shutdown()
        self._engine.dispose()

    def _transact(self, work: Callable[[Connection], None]) -> None:
        with self._engine.begin() as connection:
            work(connection)


@dataclass(slots=True)
class _Waiting(Generic[EntryT]):
    entry: EntryT
    committed: asyncio.Future[None] | None
    """Told when it is committed; None: nobody waits."""


class GroupCommit(Generic[EntryT]):
    """Entries of one kind on their way to the database. All methods run on one event loop."""

    def __init__(
        self, what: str, thread: Transactions, save: Callable[[Connection, Sequence[EntryT]], None]
    ) -> None:
        """`what` names them in the log; `save` runs in the thread, in a transaction."""
        self._what = what
        self._thread = thread
        self._save = save
        self._waiting: deque[_Waiting[EntryT]] = deque()
        self._writing: Sequence[_Waiting[EntryT]] = ()
        self._planned: asyncio.Handle | None = None
        self._start_at = math.inf
        """Time of the loop at which the next transaction may begin at the latest, if the thread is free."""
        self._is_away = False
        """The database did not take the last transaction; until the next one nothing is hurried."""
        self._singly = 0
        """So many entries are written one by one: one of them is unfit."""
        self._given = 0
        self._settled = 0
        self._moved = asyncio.Event()

    def put(self, entry: EntryT) -> None:
        """Have it written some time soon; never waits and never fails."""
        self._add(_Waiting(entry, None), GATHER_S)

    async def commit(self, entry: EntryT, *, within_s: float = 0.0) -> None:
        """Have it written, with whatever waits; returns when that is committed.

        `within_s`: how long it may wait for others to be written with. Cancelling leaves it open whether it
        is written.

        Raises:
            CommitFailed: the database does not take it.
        """
        committed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._add(_Waiting(entry, committed), within_s)
        await committed

    async def caught_up(self) -> None:
        """Return when all that was given so far is written, or the database has just refused it."""
        last = self._given
        while self._settled < last and not self._is_away:
            self._start_within(0.0)
            await self._moved.wait()

    async def flush(self) -> None:
        """As `caught_up`, but try once more where the database is away."""
        if self._is_away:
            self._retry()
        await self.caught_up()

    def _add(self, waiting: _Waiting[EntryT], within_s: float) -> None:
        if len(self._waiting) >= MAX_WAITING:
            _log.error("%s: an entry is given up, because the database does not answer.", self._what)
            self._settle(self._waiting.popleft(), CommitFailed())
        self._waiting.append(waiting)
        self._given += 1
        self._start_within(0.0 if len(self._waiting) >= BATCH else within_s)

    def _start_within(self, seconds: float) -> None:
        """Plan the next transaction; with 0 it has all that comes in this round of the loop."""
        loop = asyncio.get_running_loop()
        start_at = loop.time() + seconds
        if start_at >= self._start_at:
            return
        self._start_at = start_at
        if not self._writing and not self._is_away:
            self._plan(loop.call_at(start_at, self._start) if seconds else loop.call_soon(self._start))

    def _plan(self, handle: asyncio.Handle | None) -> None:
        """What begins the next transaction, in place of what was to begin it."""
        if self._planned is not None:
            self._planned.cancel()
        self._planned = handle

    def _start(self) -> None:
        self._plan(None)
        count = 1 if self._singly else min(BATCH, len(self._waiting))
        batch = self._writing = [self._waiting.popleft() for _ in range(count)]
        if not self._waiting:
            self._start_at = math.inf
        loop, entries = asyncio.get_running_loop(), [waiting.entry for waiting in batch]
        written = self._thread.transact(lambda connection: self._save(connection, entries))
        written.add_done_callback(lambda done: loop.call_soon_threadsafe(self._written, done.exception()))

    def _written(self, failure: BaseException | None) -> None:
        batch, self._writing = self._writing, ()
        self._singly = max(0, self._singly - len(batch))
        if failure is None:
            for waiting in batch:
                self._settle(waiting, None)
        elif not is_unfit(failure):
            self._keep_for_later(batch, failure)
        elif len(batch) > 1:
            self._singly = len(batch)
            self._waiting.extendleft(reversed(batch))
        else:
            _log.error("%s: an entry is dropped: %s", self._what, reason_of(failure))
            self._settle(batch[0], CommitFailed())
        self._moved.set()
        self._moved = asyncio.Event()
        self._go_on()

    def _go_on(self) -> None:
        """The thread is free."""
        if self._is_away:
            return
        if not self._waiting:
            self._start_at = math.inf
            return
        now = asyncio.get_running_loop().time()
        self._start_at = min(self._start_at, now + GATHER_S)
        if self._singly or len(self._waiting) >= BATCH or self._start_at <= now:
            self._start()
        else:
            self._plan(asyncio.get_running_loop().call_at(self._start_at, self._start))

    def _keep_for_later(self, batch: Sequence[_Waiting[EntryT]], failure: BaseException) -> None:
        _log.error("%s cannot be written: %s", self._what, reason_of(failure))
        self._singly = 0
        self._waiting.extendleft(waiting for waiting in reversed(batch) if waiting.committed is None)
        for waiting in batch:
            if waiting.committed is not None:
                self._settle(waiting, CommitFailed())
        self._is_away = True
        self._plan(asyncio.get_running_loop().call_later(RETRY_S, self._retry))

    def _retry(self) -> None:
        self._plan(None)
        self._is_away = False
        self._start_at = 0.0
        self._go_on()

    def _settle(self, waiting: _Waiting[EntryT], failure: CommitFailed | None) -> None:
        self._settled += 1
        if waiting.committed is None or waiting.committed.done():
            return
        if failure is None:
            waiting.committed.set_result(None)
        else:
            waiting.committed.set_exception(failure)
