"""Exclusive claim of one bridge to a database that other bridges could reach, too.

A bridge that starts ends the calls that its database says are running, because nobody else can know of them.
So only one bridge may use a database. On PostgreSQL it is the one that holds an advisory lock, which the
server releases when the connection ends, however that happens. An SQLite file is in a folder that belongs to
one bridge.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Protocol

from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from bridge.storage.database import StoreError, mask_url
from bridge.storage.dialects import reason_of
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

_log = logging.getLogger(__name__)


class Claim(Protocol):
    """The port by which a bridge becomes the only one at its database."""

    async def take_claim(self) -> None:
        """Become the only bridge.

        Raises:
            StoreError: another bridge is.
        """
        ...

    async def keep_claim(self) -> None:
        """Hold the claim until cancelled, across restarts of the database."""
        ...

    async def release_claim(self) -> None:
        """Release the claim for another bridge."""
        ...


class NoClaim:
    """Claim to a file that nobody else uses."""

    async def take_claim(self) -> None:
        """Do nothing: there is nothing to take."""

    async def keep_claim(self) -> None:
        """Do nothing: there is nothing to hold."""

    async def release_claim(self) -> None:
        """Do nothing: there is nothing to release."""


class AdvisoryClaim:
    """An advisory lock of PostgreSQL, on a connection of its own."""

    def __init__(
        self, engine: AsyncEngine, *, patience_s: float = TAKE_S, look_every_s: float = LOOK_EVERY_S
    ) -> None:
        """`patience_s`: how long `take_claim` waits; `look_every_s`: period of `keep_claim`, in seconds."""
        self._engine = engine
        self._patience_s = patience_s
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
                    raise StoreError(_taken(self._engine))
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
        """Close the connection, which releases the lock."""
        connection, self._connection = self._connection, None
        if connection is not None:
            await _closed(connection)

    async def _take_again(self) -> None:
        """Take the lock that a restart of the database released. Ends no calls: this bridge knows its own."""
        has_said = False
        while True:
            try:
                if await self._try():
                    return
                if not has_said:
                    _log.error("%s. Stop one of the two.", _taken(self._engine))
                    has_said = True
            except (SQLAlchemyError, OSError) as error:
                _log.debug("the database lease cannot be acquired: %s", reason_of(error))
            await sleep_safely(self._look_every_s)

    async def _try(self) -> bool:
        connection = await self._engine.connect()
        try:
            await connection.execution_options(isolation_level="AUTOCOMMIT")
            await connection.exec_driver_sql(_NOTICE_DEATH)
            if await connection.scalar(text("SELECT pg_try_advisory_lock(:key)"), {"key": CLAIM_LOCK}):
                self._connection = connection
        finally:
            if self._connection is not connection:
                await _closed(connection)
        return self._connection is connection

    async def _is_there(self, connection: AsyncConnection) -> bool:
        try:
            await run_within(ANSWER_S, connection.exec_driver_sql("SELECT 1"))
        except (SQLAlchemyError, OSError, TimeoutError) as error:
            _log.warning("The connection that holds the database lease is lost: %s", reason_of(error))
            return False
        return True


def claim_of(engine: AsyncEngine) -> Claim:
    """Return the claim to the database of an engine."""
    return AdvisoryClaim(engine) if engine.dialect.name == "postgresql" else NoClaim()


def _taken(engine: AsyncEngine) -> str:
    return (
        f"another bridge uses {mask_url(engine.url)}; a database serves one bridge: stop the other one, or "
        "give this one a database of its own"
    )


async def _closed(connection: AsyncConnection) -> None:
    try:
        await run_within(ANSWER_S, connection.invalidate())  # not back to the pool, with its lock
        await connection.close()
    except (SQLAlchemyError, OSError, TimeoutError) as error:
        _log.debug("a connection did not close: %s", reason_of(error))
