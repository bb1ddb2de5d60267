"""When a user's calls went to each server last, in the database."""

from __future__ import annotations

import time
from collections.abc import Mapping

from sqlalchemy import func, select

from bridge.storage.calls.refused_calls import KEEP_SECONDS
from bridge.storage.store import Store
from bridge.storage.tables import CallRow


class LatestCallTables:
    """Reads the newest call of each server; the database picks it, so that few rows come back."""

    def __init__(self, store: Store) -> None:
        self._session = store.sessions

    async def find_latest(self, user_id: str) -> Mapping[str, float]:
        """Return when the newest written call of each server was opened, by its id; UTC seconds since 1970.

        Raises:
            BridgeError: `database_unavailable`.
        """
        is_wanted = (CallRow.user_id == user_id, CallRow.opened_at >= time.time() - KEEP_SECONDS)
        newest = select(CallRow.server_id, func.max(CallRow.opened_at).label("at")).where(*is_wanted)
        async with self._session() as session:
            rows = await session.execute(newest.group_by(CallRow.server_id))
            return {row.server_id: row.at for row in rows}
