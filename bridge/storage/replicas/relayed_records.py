"""What is stored under the ids of requests that replicas passed on to each other."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import select

from bridge.calls.fenced_journal import KnownCall
from bridge.storage.call_mapping import known_call
from bridge.storage.chat.item_tables import StoredResponseRow
from bridge.storage.store import Store
from bridge.storage.tables import CallRow


class RelayedRecords:
    """Reads calls and responses by their request.

    Raises, in every coroutine:
        BridgeError: `database_unavailable`.
    """

    def __init__(self, store: Store) -> None:
        self._session = store.sessions

    async def find_relayed(self, user_id: str, request_id: str) -> Sequence[KnownCall]:
        """Return the unsafe calls of a request; safe ones are written when they have ended, or not at all."""
        wanted = select(CallRow).where(
            CallRow.user_id == user_id, CallRow.request_id == request_id, CallRow.safe.is_(False)
        )
        async with self._session() as session:
            return [known_call(row) for row in await session.scalars(wanted.order_by(CallRow.opened_at))]

    async def find_response(self, user_id: str, request_id: str) -> str | None:
        """Return the id of the response that a request made."""
        wanted = select(StoredResponseRow.id).where(
            StoredResponseRow.user_id == user_id, StoredResponseRow.request_id == request_id
        )
        async with self._session() as session:
            return await session.scalar(wanted)
