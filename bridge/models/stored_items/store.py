"""The port to the storage of items and responses, implemented in `bridge/storage/chat/items.py`.

Every request names the owner: what belongs to another user is not found.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from bridge.models.stored_items.items import StoredItem, StoredResponse


class StoreUnavailable(Exception):
    """The store can be neither read nor written now; the text says why. An answer continues without it."""


class UserElsewhere(StoreUnavailable):
    """The user is at home in another replica, which goes on with what is stored: nothing was written."""


class ItemStore(Protocol):
    """Stored items and responses. Every method is one transaction, and safe to cancel.

    Raises, each of them:
        StoreUnavailable: the database does not answer, or its circuit breaker is open.
        UserElsewhere: with replicas, the user is not at home here any more.
    """

    async def add_items(self, items: Sequence[StoredItem]) -> None:
        """Store items; committed when it returns. An item that is there already is left unchanged."""
        ...

    async def by_ids(self, user_id: str, ids: Collection[str]) -> Mapping[str, StoredItem]:
        """Return those of the items that the user has and that can be read, by id."""
        ...

    async def by_provider_ids(self, user_id: str, ids: Collection[str]) -> Mapping[str, StoredItem]:
        """Return the user's items whose payloads have these ids; of several with one id, the newest."""
        ...

    async def delete_items(self, user_id: str, ids: Collection[str]) -> None:
        """Delete items of a user."""
        ...

    async def read_chain(self, user_id: str, response_id: str) -> Sequence[StoredItem]:
        """Return the items of a response and of those before it: oldest response first, inputs first."""
        ...

    async def save_response(self, response: StoredResponse, items: Sequence[StoredItem] = ()) -> None:
        """Store a response, replacing its previous state, and items of it as `add_items` does."""
        ...

    async def find_response(self, user_id: str, response_id: str) -> StoredResponse | None:
        """Return one response; None when the user has none of that id."""
        ...

    async def delete_response(self, user_id: str, response_id: str) -> bool:
        """Delete a response with its items and events; False: the user has none of that id."""
        ...

    async def list_unfinished(self, user_id: str | None = None) -> Sequence[StoredResponse]:
        """Return responses of one user, or of all, that are `queued` or `in_progress`, oldest first."""
        ...

    async def add_events(self, user_id: str, response_id: str, first: int, last: int, frames: bytes) -> None:
        """Store stream events with the sequence numbers `first` to `last`, as they were sent."""
        ...

    async def read_events(
        self, user_id: str, response_id: str, after: int, *, limit: int
    ) -> Sequence[tuple[int, bytes]]:
        """Return frames of a response with numbers above `after`, in order, each with its first number.

        `limit`: maximum number of pieces, as they were given to `add_events`.
        """
        ...
