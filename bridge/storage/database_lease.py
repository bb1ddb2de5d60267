"""The right of one bridge to a database that others can reach, too.

A bridge that starts ends the calls that its database says are under way, because nobody else can know of
them. So there must be one bridge for a database. On PostgreSQL it is the one that holds an advisory lock,
which the server takes back when the connection ends, however that happens. An SQLite file is in a folder that
one bridge has for itself.
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
"""How long a bridge that starts waits for one that is just being stopped."""

TRY_EVERY_S = 0.5
LOOK_EVERY_S = 5.0
ANSWER_S = 20.0

_NOTICE_DEATH = "SET tcp_keepalives_idle = 15; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3"
"""So that the server knows within half a minute that the machine of a bridge is gone."""

_log = logging.getLogger(__name__)


class Claim(Protocol):
    """What a bridge needs to be the only one."""

    async def take_claim(self) -> None:
        """Become the one.

        Raises:
            StoreError: another bridge is.
        """
        ...

    async def keep_claim(self) -> None:
        """Stay it until cancelled, over a restart of the database."""
        ...

    async def release_claim(self) -> None:
        """Let another one be it."""
        ...


class NoClaim:
    """Of a file that nobody else has."""

    async def take_claim(self) -> None:
        """Nothing to take."""

    async def keep_claim(self) -> None:
        """Nothing to keep."""

    async def release_claim(self) -> None:
        """Nothing to give back."""


class AdvisoryClaim:
    """A lock of PostgreSQL, on a connection of its own."""

    def __init__(
        self, engine: AsyncEngine, *, patience_s: float = TAKE_S, look_every_s: float = LOOK_EVERY_S
    ) -> None:
        """`patience_s`: how long `take` waits for another bridge to end; `look_every_s`: of `keep`."""
        self._engine = engine
        self._patience_s = patience_s
        self._look_every_s = look_every_s
        self._connection: AsyncConnection | None = None

    async def take_claim(self) -> None:
        """Take the lock, or wait a while for it."""
        deadline = asyncio.get_running_loop().time() + self._patience_s
        try:
            while not await self._try():
                if asyncio.get_running_loop().time() >= deadline:
                    raise StoreError(_taken(self._engine))
                await sleep_safely(TRY_EVERY_S)
        except (SQLAlchemyError, OSError) as error:
            raise StoreError(f"{mask_url(self._engine.url)} cannot be used: {reason_of(error)}") from None

    async def keep_claim(self) -> None:
        """Look every few seconds whether the connection is there; take the lock again where it was lost."""
        while True:
            await sleep_safely(self._look_every_s)
            if self._connection is not None and await self._is_there(self._connection):
                continue
            await self.release_claim()
            await self._take_again()

    async def release_claim(self) -> None:
        """Close the connection, and with it give the lock back."""
        connection, self._connection = self._connection, None
        if connection is not None:
            await _closed(connection)

    async def _take_again(self) -> None:
        """A restart of the database let go of the lock. No call is ended here: this bridge knows its own."""
        has_said = False
        while True:
            try:
                if await self._try():
                    return
                if not has_said:
                    _log.error("%s. One of the two has to be stopped.", _taken(self._engine))
                    has_said = True
            except (SQLAlchemyError, OSError) as error:
                _log.debug("the claim to the database cannot be taken: %s", reason_of(error))
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
            _log.warning("The connection that holds the claim to the database is lost: %s", reason_of(error))
            return False
        return True


def claim_of(engine: AsyncEngine) -> Claim:
    """The claim to the database of an engine."""
    return AdvisoryClaim(engine) if engine.dialect.name == "postgresql" else NoClaim()


def _taken(engine: AsyncEngine) -> str:
    return (
        f"another bridge uses {mask_url(engine.url)}; a database serves one bridge: stop the other one, or "
        "give this one a database of its own"
    )


async def _closed(connection: AsyncConnection) -> None:
    try:
        await run_within(ANSWER_S, connection.invalidate())  # not back to the others, with its lock
        await connection.close()
    except (SQLAlchemyError, OSError, TimeoutError) as error:
        _log.debug("a connection did not close: %s", reason_of(error))
