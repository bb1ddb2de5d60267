"""Saved requests that are shared, in the database. Each method is one transaction."""

from __future__ import annotations

import hashlib
from typing import NamedTuple

from sqlalchemy import delete

from bridge.storage.dialects import build_upsert, dialect_of, lock_server
from bridge.storage.store import Store
from bridge.storage.tables import SharedRequestsRow


class SharedRequestsText(NamedTuple):
    """The shared requests of a server, as JSON text."""

    text: str
    """"" for none."""

    @property
    def version(self) -> str:
        """A name for these requests, another one for others."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:32]


class SharedRequestTables:
    """Keeps the requests of each server as one text: they are read and replaced together."""

    def __init__(self, store: Store) -> None:
        self._session = store.sessions

    async def load_requests(self, server_id: str) -> SharedRequestsText:
        """Return the shared requests of a server."""
        async with self._session() as session:
            row = await session.get(SharedRequestsRow, server_id)
            return SharedRequestsText("" if row is None else row.requests)

    async def replace_requests(self, server_id: str, text: str, *, version: str | None) -> bool:
        """Replace the shared requests of a server; "" deletes them.

        False, and nothing is changed: the server is gone, or `version` is given and theirs is another one.
        """
        async with self._session.begin_transaction() as session:
            if not await lock_server(session, server_id):
                return False
            row = await session.get(SharedRequestsRow, server_id)
            found = SharedRequestsText("" if row is None else row.requests)
            if version not in (None, found.version):
                return False
            if text:
                values = {"server_id": server_id, "requests": text}
                await session.execute(build_upsert(dialect_of(session), SharedRequestsRow), values)
            else:
                gone = SharedRequestsRow.server_id == server_id
                await session.execute(delete(SharedRequestsRow).where(gone))
            return True
