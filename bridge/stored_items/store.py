"""The port to where items and responses are kept. Implemented in `bridge/storage/items.py`.

Everything is asked for by its owner: what belongs to another user is not there.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from bridge.stored_items.items import StoredItem, StoredResponse


class StoreUnavailable(Exception):
    """What is kept can be neither read nor written now; the text says why. An answer goes on without it."""


class ItemStore(Protocol):
    """Kept items and responses. Every method is one transaction, and safe to be cancelled.

    Raises, each of them:
        StoreUnavailable: the database does not answer, or has failed so often that it is left alone.
    """

    async def add_items(self, items: Sequence[StoredItem]) -> None:
        """Keep items; committed when it returns. One that is there already stays as it is."""
        ...

    async def by_ids(self, user_id: str, ids: Collection[str]) -> Mapping[str, StoredItem]:
        """Those of the items that the user has, and that can be read."""
        ...

    async def by_provider_ids(self, user_id: str, ids: Collection[str]) -> Mapping[str, StoredItem]:
        """Those of the user's items whose payloads have these ids; of several with one id the newest."""
        ...

    async def delete_items(self, user_id: str, ids: Collection[str]) -> None:
        """Delete items of a user."""
        ...

    async def read_chain(self, user_id: str, response_id: str) -> Sequence[StoredItem]:
        """All items of a response and of those before it, oldest response first, inputs before outputs."""
        ...

    async def save_response(self, response: StoredResponse) -> None:
        """Keep a response, or put its new state in place of the old one."""
        ...

    async def find_response(self, user_id: str, response_id: str) -> StoredResponse | None:
        """One response."""
        ...

    async def delete_response(self, user_id: str, response_id: str) -> bool:
        """Delete a response with its items and events; False: the user has none of that id."""
        ...

    async def list_unfinished(self) -> Sequence[StoredResponse]:
        """Responses of all users that are `queued` or `in_progress`, oldest first."""
        ...

    async def add_events(self, response_id: str, first: int, last: int, frames: bytes) -> None:
        """Keep stream events with the sequence numbers `first` to `last`, as they were sent."""
        ...

    async def read_events(
        self, user_id: str, response_id: str, after: int, *, limit: int
    ) -> Sequence[tuple[int, bytes]]:
        """Frames of a response that hold numbers above `after`, in order, each with its first number.

        `limit`: pieces at most, as `add_events` was given them.
        """
        ...
