"""Keeps a sick database from delaying answers: a time limit for each call, and a circuit breaker (S0-96)."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Coroutine, Mapping, Sequence
from typing import Any, TypeVar

from sqlalchemy.exc import SQLAlchemyError

from bridge.calls.limits.circuit_breaker import BreakerKey, Breakers, BreakerVerdict, Passage
from bridge.errors import BridgeError, ErrorCode, WireError
from bridge.models.stored_items.items import StoredItem, StoredResponse
from bridge.models.stored_items.store import ItemStore, StoreUnavailable, UserElsewhere
from bridge.storage.dialects import reason_of
from bridge.tasks import run_within

NAME = "the database"

ALL_USERS = "*"
"""User id of the circuit breaker for calls that concern no single user."""

ResultT = TypeVar("ResultT")

_log = logging.getLogger(__name__)


class ResilientItemStore:
    """An `ItemStore` that answers soon or raises `StoreUnavailable`. Circuit breakers are per user."""

    def __init__(self, inner: ItemStore, breakers: Breakers, *, wait_s: Callable[[], float]) -> None:
        """`wait_s`: returns how many seconds one call may take; called for each."""
        self._inner = inner
        self._breakers = breakers
        self._wait_s = wait_s

    async def add_items(self, items: Sequence[StoredItem]) -> None:
        """Store items."""
        if items:
            await self._run_limited(items[0].user_id, self._inner.add_items(items))

    async def by_ids(self, user_id: str, ids: Collection[str]) -> Mapping[str, StoredItem]:
        """Return those of the items that the user has and that can be read, by id."""
        return await self._run_limited(user_id, self._inner.by_ids(user_id, ids)) if ids else {}

    async def by_provider_ids(self, user_id: str, ids: Collection[str]) -> Mapping[str, StoredItem]:
        """Return the user's items whose payloads have these ids."""
        return await self._run_limited(user_id, self._inner.by_provider_ids(user_id, ids)) if ids else {}

    async def delete_items(self, user_id: str, ids: Collection[str]) -> None:
        """Delete items of a user."""
        if ids:
            await self._run_limited(user_id, self._inner.delete_items(user_id, ids))

    async def read_chain(self, user_id: str, response_id: str) -> Sequence[StoredItem]:
        """Return all items of a response and of those before it."""
        return await self._run_limited(user_id, self._inner.read_chain(user_id, response_id))

    async def save_response(self, response: StoredResponse, items: Sequence[StoredItem] = ()) -> None:
        """Store a response, or its new state, and items of it."""
        await self._run_limited(response.user_id, self._inner.save_response(response, items))

    async def find_response(self, user_id: str, response_id: str) -> StoredResponse | None:
        """Return one response; None when the user has none of that id."""
        return await self._run_limited(user_id, self._inner.find_response(user_id, response_id))

    async def delete_response(self, user_id: str, response_id: str) -> bool:
        """Delete a response with its items and events."""
        return await self._run_limited(user_id, self._inner.delete_response(user_id, response_id))

    async def list_unfinished(self, user_id: str | None = None) -> Sequence[StoredResponse]:
        """Return responses of one user, or of all, that have not ended."""
        return await self._run_limited(user_id or ALL_USERS, self._inner.list_unfinished(user_id))

    async def add_events(self, user_id: str, response_id: str, first: int, last: int, frames: bytes) -> None:
        """Store stream events."""
        adding = self._inner.add_events(user_id, response_id, first, last, frames)
        await self._run_limited(user_id, adding)

    async def read_events(
        self, user_id: str, response_id: str, after: int, *, limit: int
    ) -> Sequence[tuple[int, bytes]]:
        """Return frames of a response in order."""
        return await self._run_limited(
            user_id, self._inner.read_events(user_id, response_id, after, limit=limit)
        )

    async def _run_limited(self, user_id: str, work: Coroutine[Any, Any, ResultT]) -> ResultT:
        try:
            with self._breakers.pass_breaker(BreakerKey(user_id, kind="store"), NAME) as passage:
                return await self._record_outcome(passage, work)
        except BridgeError as refused:  # by the breaker, before the work started, or by the fence of replicas
            work.close()
            is_fenced = refused.error.code is ErrorCode.REPLICA_LOST
            raise (UserElsewhere if is_fenced else StoreUnavailable)(refused.error.message) from None

    async def _record_outcome(self, passage: Passage, work: Coroutine[Any, Any, ResultT]) -> ResultT:
        wait_s = self._wait_s()
        try:
            result = await run_within(wait_s, work)
        except TimeoutError:
            raise self._failed(passage, f"no answer within {wait_s:g} s") from None
        except (SQLAlchemyError, OSError) as error:
            raise self._failed(passage, reason_of(error)) from None
        passage.record_ending(BreakerVerdict.WORKED, None)
        return result

    def _failed(self, passage: Passage, reason: str) -> StoreUnavailable:
        message = f"Stored answers cannot be read or written: {reason}."
        _log.error(message)
        passage.record_ending(
            BreakerVerdict.FAILED, WireError(code=ErrorCode.DATABASE_UNAVAILABLE, message=message)
        )
        return StoreUnavailable(message)
