"""Writes of a user's rows in several statements, which count only while the user is at home here.

The fence is a trigger that runs in the commit. What the next home has written may break a constraint before
that: a message with the same number, a row with the same key. Such an error then says the same as the fence.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future

from sqlalchemy import Connection, text
from sqlalchemy.exc import IntegrityError

from bridge.homes import user_elsewhere
from bridge.storage.dialects import is_fenced
from bridge.storage.sessions import Sessions
from bridge.storage.write_thread import Transactions

_IS_OVER = text("SELECT epoch <> :epoch FROM homes WHERE user_id = :user_id")
"""No row: the user was deleted, and is nowhere else."""


class FencedWrites:
    """Runs transactions in the writing thread, under claims."""

    def __init__(
        self, session: Sessions, thread: Transactions, on_fence: Callable[[], None] = lambda: None
    ) -> None:
        """`on_fence` is called when a constraint has refused what the fence would have refused."""
        self._session = session
        self._thread = thread
        self._on_fence = on_fence

    async def write_rows(self, user_id: str, epoch: int | None, work: Callable[[Connection], None]) -> None:
        """Run one transaction, all of whose rows are one user's; `epoch`: None for a bridge that is alone.

        Raises:
            BridgeError: `replica_lost`: the claim of `epoch` is over, and nothing was written;
                `database_unavailable`: the database refuses, and does not say whether it is.
            SQLAlchemyError, OSError: what the database raises otherwise.
        """
        try:
            await asyncio.wrap_future(self.start_transaction(work))
        except IntegrityError as error:
            if is_fenced(error):
                raise user_elsewhere() from None
            if epoch is None or not await self._is_over(user_id, epoch):
                raise
            self._on_fence()
            raise user_elsewhere() from None

    def start_transaction(self, work: Callable[[Connection], None]) -> Future[None]:
        """Run a transaction that no claim is needed for."""
        return self._thread.run_transaction(work)

    async def _is_over(self, user_id: str, epoch: int) -> bool:
        async with self._session() as session:
            return bool(await session.scalar(_IS_OVER, {"user_id": user_id, "epoch": epoch}))
