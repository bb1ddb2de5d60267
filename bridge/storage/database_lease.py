"""Claim of a bridge, or of several replicas, to a database that other bridges could reach, too.

A single bridge that starts ends the calls that its database says are running, because nobody else can know of
them. So it must be alone: on PostgreSQL it holds an advisory lock, which the server releases when the
connection ends, however that happens. Replicas know of each other, and hold the same lock shared: any number
of them, but none beside a single bridge. An SQLite file is in a folder that belongs to one bridge.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Protocol

from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from bridge.storage.database import mask_url
from bridge.storage.dialects import reason_of
from bridge.storage.errors import StoreError
from bridge.tasks import run_within, sleep_safely

CLAIM_LOCK = 0x746F6F6C_6F6E6521
"""Key of the advisory lock."""

TAKE_S = 10.0
"""How long a starting bridge waits for one that is being stopped, in seconds."""

TRY_EVERY_S = 0.5
LOOK_EVERY_S = 5.0
ANSWER_S = 20.0

_NOTICE_DEATH = "SET tcp_keepalives_idle = 15; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3"
"""Settings by which the server notices within half a minute that a bridge's machine is gone."""

_TRY_ALONE = text("SELECT pg_try_advisory_lock(:key)")
_TRY_SHARED = text("SELECT pg_try_advisory_lock_shared(:key)")
_UNLOCK = "SELECT pg_advisory_unlock_all()"

_HOLDERS = (
    "FROM pg_locks JOIN pg_database ON pg_database.oid = pg_locks.database"
    " WHERE datname = current_database() AND locktype = 'advisory' AND granted"
    " AND classid = :high AND objid = :low AND objsubid = 1"
)
_COUNT_HOLDERS = text(f"SELECT count(*) {_HOLDERS}")
_IS_HELD_SHARED = text(f"SELECT EXISTS (SELECT {_HOLDERS} AND mode = 'ShareLock')")
_LOCK_PARTS = {"high": CLAIM_LOCK >> 32, "low": CLAIM_LOCK & 0xFFFFFFFF}
"""The key as `pg_locks` shows it, in two halves."""

_REDIS = "--redis and --replica-url"

_log = logging.getLogger(__name__)


class DatabaseInUse(StoreError):
    """A bridge or replicas use a database that is to be used alone; the text is for a bridge that starts."""

    def __init__(self, text: str, where: str, *, by_replicas: bool) -> None:
        """`where`: address of the database, without a password."""
        super().__init__(text)
        self.where = where
        self.by_replicas = by_replicas


class Claim(Protocol):
    """The port by which a bridge becomes the only one at its database, or one of several replicas."""

    async def take_claim(self) -> None:
        """Become the only bridge, or one of the replicas.

        Raises:
            StoreError: another bridge uses the database in a way that does not go with this one.
        """
        ...

    async def keep_claim(self) -> None:
        """Hold the claim until cancelled, across restarts of the database."""
        ...

    async def release_claim(self) -> None:
        """Release the claim for another bridge."""
        ...

    async def is_alone(self) -> bool:
        """Return whether nobody else holds the claim, after it was taken.

        A replica that has just lost its connection to the database is not seen.
        """
        ...


class NoClaim:
    """Claim to a file that nobody else uses."""

    async def take_claim(self) -> None:
        """Do nothing: there is nothing to take."""

    async def keep_claim(self) -> None:
        """Do nothing: there is nothing to hold."""

    async def release_claim(self) -> None:
        """Do nothing: there is nothing to release."""

    async def is_alone(self) -> bool:
        """Return True: nobody else reaches the file."""
        return True


class AdvisoryClaim:
    """An advisory lock of PostgreSQL, on a connection of its own."""

    def __init__(
        self,
        engine: AsyncEngine,
        *,
        shared: bool = False,
        patience_s: float | None = None,
        look_every_s: float = LOOK_EVERY_S,
    ) -> None:
        """`shared`: beside other replicas.

        `patience_s`: how long `take_claim` waits (None: `TAKE_S`); `look_every_s`: period of `keep_claim`;
        both in seconds.
        """
        self._engine = engine
        self._try_lock = _TRY_SHARED if shared else _TRY_ALONE
        self._is_shared = shared
        self._patience_s = TAKE_S if patience_s is None else patience_s
        self._look_every_s = look_every_s
        self._connection: AsyncConnection | None = None

    async def take_claim(self) -> None:
        """Take the lock, waiting for another bridge to release it.

        Raises:
            StoreError: another bridge still holds it, or the database cannot be used.
        """
        deadline = asyncio.get_running_loop().time() + self._patience_s
        try:
            while not await self._try():
                if asyncio.get_running_loop().time() >= deadline:
                    raise await self._explain()
                await sleep_safely(TRY_EVERY_S)
        except (SQLAlchemyError, OSError) as error:
            raise StoreError(f"{mask_url(self._engine.url)} cannot be used: {reason_of(error)}") from None

    async def keep_claim(self) -> None:
        """Check the connection periodically, and take the lock again if it was lost."""
        while True:
            await sleep_safely(self._look_every_s)
            if self._connection is not None and await self._is_there(self._connection):
                continue
            await self.release_claim()
            await self._take_again()

    async def release_claim(self) -> None:
        """Release the lock and close its connection.

        The server would notice the closed connection on its own, but only some time after this returned.
        """
        connection, self._connection = self._connection, None
        if connection is not None:
            await _unlock(connection)
            await _closed(connection)

    async def is_alone(self) -> bool:
        """Return whether this connection is the only one that holds the lock.

        Raises:
            StoreError: the database cannot be used.
        """
        try:
            async with self._engine.connect() as connection:
                return await connection.scalar(_COUNT_HOLDERS, _LOCK_PARTS) == (self._connection is not None)
        except (SQLAlchemyError, OSError) as error:
            raise StoreError(f"{mask_url(self._engine.url)} cannot be used: {reason_of(error)}") from None

    async def _take_again(self) -> None:
        """Take the lock that a restart of the database released. Ends no calls: this bridge knows its own."""
        has_said = False
        while True:
            try:
                if await self._try():
                    return
                if not has_said:
                    _log.error("%s. Stop one of the two.", await self._explain())
                    has_said = True
            except (SQLAlchemyError, OSError) as error:
                _log.debug("the database lease cannot be acquired: %s", reason_of(error))
            await sleep_safely(self._look_every_s)

    async def _try(self) -> bool:
        connection = await self._engine.connect()
        try:
            await connection.execution_options(isolation_level="AUTOCOMMIT")
            await connection.exec_driver_sql(_NOTICE_DEATH)
            if await connection.scalar(self._try_lock, {"key": CLAIM_LOCK}):
                self._connection = connection
        finally:
            if self._connection is not connection:
                await _closed(connection)
        return self._connection is connection

    async def _explain(self) -> DatabaseInUse:
        """Say who is in the way, and what to do about it."""
        where = mask_url(self._engine.url)
        if self._is_shared:
            text = (
                f"a single bridge uses {where}, which replicas cannot share with it: stop it, or start it as "
                f"one of them, with {_REDIS}"
            )
            return DatabaseInUse(text, where, by_replicas=False)
        async with self._engine.connect() as connection:
            held_shared = await connection.scalar(_IS_HELD_SHARED, _LOCK_PARTS)
        if held_shared:
            text = (
                f"replicas use {where}, beside which no single bridge may run: stop all of them, or start "
                f"this one as one of them, with {_REDIS}"
            )
        else:
            text = (
                f"another bridge uses {where}; a database serves one bridge: stop the other one, or "
                "give this one a database of its own"
            )
        return DatabaseInUse(text, where, by_replicas=bool(held_shared))

    async def _is_there(self, connection: AsyncConnection) -> bool:
        try:
            await run_within(ANSWER_S, connection.exec_driver_sql("SELECT 1"))
        except (SQLAlchemyError, OSError, TimeoutError) as error:
            _log.warning("The connection that holds the database lease is lost: %s", reason_of(error))
            return False
        return True


async def serves_replicas(engine: AsyncEngine) -> bool:
    """Return whether replicas use a database now, at whichever machine.

    Raises:
        StoreError: the database cannot be used.
    """
    if engine.dialect.name != "postgresql":
        return False
    try:
        async with engine.connect() as connection:
            return bool(await connection.scalar(_IS_HELD_SHARED, _LOCK_PARTS))
    except (SQLAlchemyError, OSError) as error:
        raise StoreError(f"{mask_url(engine.url)} cannot be used: {reason_of(error)}") from None


def claim_of(engine: AsyncEngine, *, is_shared: bool = False) -> Claim:
    """Return the claim to the database of an engine; `is_shared`: beside other replicas."""
    return AdvisoryClaim(engine, shared=is_shared) if engine.dialect.name == "postgresql" else NoClaim()


async def _unlock(connection: AsyncConnection) -> None:
    try:
        await run_within(ANSWER_S, connection.exec_driver_sql(_UNLOCK))
    except (SQLAlchemyError, OSError, TimeoutError) as error:
        _log.debug("the database lease is released by closing its connection: %s", reason_of(error))


async def _closed(connection: AsyncConnection) -> None:
    try:
        await run_within(ANSWER_S, connection.invalidate())  # not back to the pool, with its lock
        await connection.close()
    except (SQLAlchemyError, OSError, TimeoutError) as error:
        _log.debug("a connection did not close: %s", reason_of(error))
