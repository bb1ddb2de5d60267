"""Database sessions for the event loop, and the error that callers get while the database is unavailable."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from typing import Literal, TypeAlias

from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker

from bridge.errors import BridgeError, ErrorCode
from bridge.storage.dialects import is_damaged, is_unfit, reason_of

PATIENCE_S = 60.0
"""Maximum duration of one session, in seconds; a frozen server keeps its connections and answers nothing."""

Topic: TypeAlias = Literal[
    "keys",
    "devices",
    "servers",
    "acceptances",
    "selections",
    "limits",
    "call_settings",
    "approvals",
    "device_choices",
    "memory_choices",
    "model_providers",
]
"""What replicas keep in memory and count the changes of; revisions 0021 and 0022 say which tables."""

StoreWork: TypeAlias = Literal["read", "transaction", "journal"]
"""Work of the database: a session that reads, a transaction of the event loop, one of the writing thread."""

WorkObserver: TypeAlias = Callable[[StoreWork, float], None]
"""Is told of work that has ended, well or not, and the seconds that it took; in any thread. Must not fail."""

_log = logging.getLogger(__name__)


class Sessions:
    """Opens sessions.

    Raises, if the database does not answer, at any point of the blocks below:
        BridgeError: `database_unavailable`.
    """

    def __init__(
        self,
        make: async_sessionmaker[AsyncSession],
        make_reading: async_sessionmaker[AsyncSession] | None = None,
        *,
        on_commit: Callable[[Topic], object] = lambda _: None,
        on_work: WorkObserver = lambda _work, _seconds: None,
    ) -> None:
        """`make_reading`: what reads without a transaction, which costs PostgreSQL two round trips less.

        `on_commit` is called after each transaction that says what it changes, `on_work` after each session.
        """
        self._make = make
        self._make_reading = make_reading or make
        self._is_away = False
        self._on_commit = on_commit
        self._on_work = on_work

    @asynccontextmanager
    async def __call__(self) -> AsyncGenerator[AsyncSession]:
        """Open a session to read; each statement sees what is committed by then."""
        with self._convert_errors("read"):
            async with asyncio.timeout(PATIENCE_S), self._make_reading() as session:
                yield session

    @asynccontextmanager
    async def begin_transaction(self, *, changes: Topic | None = None) -> AsyncGenerator[AsyncSession]:
        """Run one transaction, committed at the end, rolled back when the block raises or is cancelled.

        `changes`: what other replicas have to hear of at once.
        """
        with self._convert_errors("transaction"):
            async with asyncio.timeout(PATIENCE_S), self._make.begin() as session:
                yield session
        if changes is not None:
            self._on_commit(changes)

    @contextmanager
    def _convert_errors(self, work: StoreWork) -> Generator[None]:
        began = time.monotonic()
        try:
            yield
        except (SQLAlchemyError, OSError) as error:
            if is_unfit(error):
                raise
            if not self._is_away:
                _log.error("The database does not answer: %s", reason_of(error))
            self._is_away = True
            raise (_store_damaged(error) if is_damaged(error) else database_unavailable()) from error
        finally:
            self._on_work(work, time.monotonic() - began)
        if self._is_away:
            _log.warning("The database answers again.")
            self._is_away = False


def database_unavailable() -> BridgeError:
    """Build the error of a request that needs the database while it does not answer."""
    message = "The bridge cannot reach its database, which it needs for this. Try again; see its log."
    return BridgeError(ErrorCode.DATABASE_UNAVAILABLE, message, retryable=True)


def _store_damaged(error: BaseException) -> BridgeError:
    advice = "Stop the bridge and restore a backup of the file, or start with another --data."
    return BridgeError(
        ErrorCode.DATABASE_UNAVAILABLE, f"The database is damaged: {reason_of(error)}. {advice}"
    )
