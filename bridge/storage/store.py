"""Everything that survives a restart: users, keys, tickets, devices, servers, names, acceptances, selections.

SQLite or PostgreSQL (see `database`), through SQLAlchemy. Every method is one transaction, committed when it
returns; cancelling one rolls it back.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from pathlib import Path

from sqlalchemy import URL
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession, async_sessionmaker

from bridge.audit import OriginOf, no_origin
from bridge.homes import EpochOf, no_epoch
from bridge.storage.database import (
    Engines,
    open_fenced,
    open_postgresql,
    open_sqlite,
)
from bridge.storage.database_lease import AdvisoryClaim, Claim, claim_of, serves_replicas
from bridge.storage.dialects import (
    accepts_writes,
    watch_fence,
)
from bridge.storage.replicas.fenced_writes import FencedWrites
from bridge.storage.sessions import Sessions, Topic, WorkObserver
from bridge.storage.write_thread import WriteThread


class Store:
    """The database of one bridge."""

    def __init__(self, engines: Engines) -> None:
        self._engine = engines.reading
        self._connections = engines.connections
        self.thread = WriteThread(engines.writing)
        self.plain_sessions = async_sessionmaker(engines.reading, expire_on_commit=False)
        self.sessions = Sessions(self.plain_sessions, _reading_sessions(engines.reading))
        self._fenced: AsyncEngine | None = None
        self.epoch_of: EpochOf = no_epoch
        """Claim under which a user's rows are written."""
        self.origin_of: OriginOf = no_origin
        self._on_fence: Callable[[], None] = lambda: None
        self.writes = FencedWrites(self.sessions, self.thread, self._note_fence)
        self.claim: Claim = claim_of(engines.reading)
        """Claim of a bridge to the database, exclusive unless `share_claim` was called.

        Commands work beside a bridge that has it.
        """

    @property
    def database(self) -> str:
        """`sqlite` or `postgresql`."""
        return self._engine.dialect.name

    @classmethod
    def open_store(cls, where: Path | URL) -> Store:
        """Create or migrate the SQLite file, or the tables in the PostgreSQL database; blocks.

        Call it before the loop runs.

        Raises:
            StoreError: it cannot be used; the text says why and what to do.
        """
        return cls(open_sqlite(where) if isinstance(where, Path) else open_postgresql(where))

    def stamp_writes(self, epoch_of: EpochOf) -> None:
        """Write conversations, items and responses under claims, in all tables that are made after this."""
        self.epoch_of = epoch_of

    def mark_origin(self, origin_of: OriginOf) -> None:
        """Write where each entry of the audit log comes from, in all logs that are made after this."""
        self.origin_of = origin_of

    def on_fence(self, listener: Callable[[], None]) -> None:
        """Call `listener`, in any thread, whenever the database refuses a write under an old claim.

        Call it once, before anything is written; `listener` must not fail.
        """
        self._on_fence = listener
        watch_fence(self._engine.sync_engine, listener)
        self.thread.watch_fence(listener)

    def _note_fence(self) -> None:
        self._on_fence()

    def on_work(self, listener: WorkObserver) -> None:
        """Call `listener`, in any thread, after each session and each transaction of the writing thread.

        What replicas decide by is not among them. Call it once; `listener` must not fail.
        """
        self.sessions.on_work(listener)
        self.thread.on_work(partial(listener, "journal"))

    def share_claim(self) -> None:
        """Make `claim` that of a replica, beside others, in this PostgreSQL database; before it is taken."""
        self.claim = AdvisoryClaim(self._engine, shared=True)

    def on_commit(self, listener: Callable[[Topic], None]) -> None:
        """Call `listener` after each transaction of this process that other replicas have to hear of."""
        self.sessions.on_commit(listener)

    async def serves_replicas(self) -> bool:
        """Return whether replicas use the database now.

        Raises:
            StoreError: the database cannot be used.
        """
        return await serves_replicas(self._engine)

    async def accepts_writes(self) -> bool:
        """Return whether the database can be written now, as far as it says so without a write.

        Raises:
            BridgeError: `database_unavailable`.
        """
        async with self.sessions() as session:
            return await accepts_writes(session)

    async def close(self) -> None:
        """Close all connections, after pending writes."""
        await asyncio.to_thread(self.thread.close)
        await self.claim.release_claim()
        await self._engine.dispose()
        if self._connections is not None:
            await self._connections.wait_ended()
        if self._fenced is not None:
            await self._fenced.dispose()

    @property
    def fenced_sessions(self) -> Sessions:
        """Sessions for what replicas decide by, in this PostgreSQL database: every statement commits."""
        if self._fenced is None:
            self._fenced = open_fenced(self._engine.url)
            watch_fence(self._fenced.sync_engine, self._note_fence)
        return Sessions(async_sessionmaker(self._fenced))


def _reading_sessions(engine: AsyncEngine) -> async_sessionmaker[AsyncSession] | None:
    """Return what makes sessions that read without a transaction; None: they would gain nothing."""
    if engine.dialect.name != "postgresql":
        return None
    return async_sessionmaker(engine.execution_options(isolation_level="AUTOCOMMIT"), expire_on_commit=False)
