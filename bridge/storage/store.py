"""The database of one bridge: what opens connections to it, writes to it and claims it.

SQLite or PostgreSQL, through SQLAlchemy. Tables are classes of their own, which a part of
the bridge makes from the store.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from sqlalchemy import URL
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession, async_sessionmaker

from bridge.audit import OriginOf, no_origin
from bridge.homes import EpochOf, no_epoch
from bridge.storage.database import Engines, open_database
from bridge.storage.database_lease import claim_of, serves_replicas
from bridge.storage.dialects import accepts_writes, watch_fence
from bridge.storage.replicas.fenced_writes import FencedWrites
from bridge.storage.sessions import Sessions, Topic, WorkObserver
from bridge.storage.write_thread import WriteThread


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreHooks:
    """What a store calls, made before it. Those that hear of something must not fail or wait."""

    on_work: WorkObserver = lambda _work, _seconds: None
    """Hears of each session and each transaction of the writing thread; not of what replicas decide by."""
    on_commit: Callable[[Topic], object] = lambda _topic: None
    """Hears of each transaction of this process that other replicas have to hear of."""
    on_fence: Callable[[], None] = lambda: None
    """Hears, in any thread, that the database has refused a write under an old claim."""
    epoch_of: EpochOf = no_epoch
    """Returns the claim under which conversations, items and responses of a user are written."""
    origin_of: OriginOf = no_origin
    """Returns where entries of the audit log come from."""
    is_shared: bool = False
    """Whether replicas use the database together: the claim of one leaves it to the others."""


NO_HOOKS = StoreHooks()
"""Those of a command, and of a bridge that is alone."""


class Store:
    """The database of one bridge."""

    def __init__(self, engines: Engines, hooks: StoreHooks = NO_HOOKS) -> None:
        self._engines = engines
        for engine in (engines.reading, engines.fenced):
            if engine is not None:
                watch_fence(engine.sync_engine, hooks.on_fence)
        watch_fence(engines.writing, hooks.on_fence)
        self.epoch_of = hooks.epoch_of
        self.origin_of = hooks.origin_of
        self.thread = WriteThread(engines.writing, partial(hooks.on_work, "journal"))
        self.plain_sessions = async_sessionmaker(engines.reading, expire_on_commit=False)
        """Sessions of tables that handle a database that does not answer themselves."""
        self.sessions = Sessions(
            self.plain_sessions,
            _reading_sessions(engines.reading),
            on_commit=hooks.on_commit,
            on_work=hooks.on_work,
        )
        self.writes = FencedWrites(self.sessions, self.thread, hooks.on_fence)
        self.claim = claim_of(engines.reading, is_shared=hooks.is_shared)
        """Claim of a bridge to the database. Commands work beside a bridge that has it."""

    @property
    def dialect_name(self) -> str:
        """`sqlite` or `postgresql`."""
        return self._engines.reading.dialect.name

    @property
    def fenced_sessions(self) -> Sessions:
        """Sessions for what replicas decide by, in this PostgreSQL database: every statement commits."""
        return fenced_sessions(self._engines)

    @classmethod
    def open_store(cls, where: Path | URL) -> Store:
        """Open a store without hooks, as `open_database` does; blocks."""
        return cls(open_database(where))

    async def serves_replicas(self) -> bool:
        """Return whether replicas use the database now.

        Raises:
            StoreError: the database cannot be used.
        """
        return await serves_replicas(self._engines.reading)

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
        await self._engines.close_connections()


def fenced_sessions(engines: Engines) -> Sessions:
    """Return sessions for what replicas decide by, in a PostgreSQL database: every statement commits."""
    if engines.fenced is None:
        raise ValueError("SQLite has no replicas.")
    return Sessions(async_sessionmaker(engines.fenced))


def _reading_sessions(engine: AsyncEngine) -> async_sessionmaker[AsyncSession] | None:
    """Return what makes sessions that read without a transaction; None: they would gain nothing."""
    if engine.dialect.name != "postgresql":
        return None
    return async_sessionmaker(engine.execution_options(isolation_level="AUTOCOMMIT"), expire_on_commit=False)
