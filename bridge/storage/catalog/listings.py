"""Decisions about which servers are listed, in the database. Each method is one transaction."""

from __future__ import annotations

from collections.abc import Set

from sqlalchemy import select

from bridge.storage.dialects import build_upsert, dialect_of, lock_name
from bridge.storage.store import Store
from bridge.storage.tables import CallRow, ListingRow
from toolserver.tool.listing import Listing


class ListingTables:
    """Implements the port `ListingStore`."""

    def __init__(self, store: Store) -> None:
        self._session = store.sessions

    async def load_listing(self, user_id: str) -> Listing | None:
        """Return what was decided last for a user; None: nothing yet."""
        async with self._session() as session:
            return _listing(await session.get(ListingRow, user_id))

    async def save_listing(self, user_id: str, listing: Listing, *, seen: Listing | None) -> bool:
        """Store a decision; False, and nothing is stored: another one was made since that was `seen`."""
        row = {
            "scope": user_id,
            "listed": list(listing.listed),
            "sizes": dict(listing.sizes),
            "choice": listing.choice,
        }
        async with self._session.begin_transaction() as session:
            await lock_name(session, f"listing {user_id}")
            if _listing(await session.get(ListingRow, user_id)) != seen:
                return False
            await session.execute(build_upsert(dialect_of(session), ListingRow), row)
            return True

    async def used_servers(self, user_id: str, since: float) -> Set[str]:
        """Return the ids of servers that a user's calls went to since a time, in UTC seconds since 1970."""
        called = select(CallRow.server_id).where(CallRow.user_id == user_id, CallRow.opened_at >= since)
        async with self._session() as session:
            return set(await session.scalars(called.distinct()))


def _listing(row: ListingRow | None) -> Listing | None:
    return None if row is None else Listing(tuple(row.listed), row.sizes, row.choice)
