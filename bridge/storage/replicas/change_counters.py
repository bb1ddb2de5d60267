"""How often what replicas keep in memory was changed, by topic: triggers of PostgreSQL count."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import text

from bridge.storage.store import Store


class ChangeCounters:
    """The counters of all topics."""

    def __init__(self, store: Store) -> None:
        self._session = store.sessions

    async def read_versions(self) -> Mapping[str, int]:
        """Return how often each topic was changed, in one statement; one that never was is missing.

        Raises:
            BridgeError: `database_unavailable`.
        """
        async with self._session() as session:
            rows = await session.execute(text("SELECT topic, version FROM change_counters"))
            return {row.topic: row.version for row in rows}
