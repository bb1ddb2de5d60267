"""Which of a user's servers are listed and which are searched: decided, stored, and the same for every list.

It is decided anew when a server was added, removed or has grown, or when its user chose. A call changes
nothing, whatever it used. Replicas agree through the store: the first decision stands.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from typing import TypeAlias

import orjson

from bridge.catalog.ports import ListingStore
from bridge.catalog.server_view import DECLINED, NOBODY, UserView
from bridge.errors import BridgeError, ErrorCode
from toolserver.tool.catalog import Tool
from toolserver.tool.listing import Listing, decide_listing
from toolserver.tool.selection import count_settled, find_candidates

USED_DAYS = 30
"""A server counts as used if it was called within so many days before the decision."""

CountTokens: TypeAlias = Callable[[UserView, Iterable[Tool]], Awaitable[dict[str, int]]]
"""Returns the tokens of tools, by name, as far as their schemas are ready."""


class Listings:
    """The decisions for all users."""

    def __init__(self, store: ListingStore, count_tokens: CountTokens) -> None:
        self._store = store
        self._count_tokens = count_tokens

    async def listing_of(self, view: UserView) -> Listing:
        """Return the decision that holds for a view; made and stored, if there is none.

        Raises:
            BridgeError: `database_unavailable`: it cannot be read what was decided before.
        """
        if view.listing is None:
            view.listing = await self._find(view)
        return view.listing

    async def _find(self, view: UserView) -> Listing:
        settled = tuple(tool for tool in view.offerable_tools(None) if view.is_settled(tool))
        counted = partial(count_settled, settled, view.selection, is_settled=view.is_settled)
        sizes = await asyncio.to_thread(counted)  # ten thousand tools against a hundred patterns
        choice = _name_choice(view)
        while sizes:
            before = await self._store.load_listing(view.user_id)
            if before is not None and before.holds(sizes, choice):
                return before
            decided, is_final = await self._decide(view, settled, before, choice)
            if not is_final or await self._has_stored(view.user_id, decided, before):
                return decided
        return Listing((), {}, choice)

    async def _decide(
        self, view: UserView, settled: tuple[Tool, ...], before: Listing | None, choice: str
    ) -> tuple[Listing, bool]:
        """Return a decision, and whether the tokens of all tools that it is about were known."""
        candidates: tuple[Tool, ...] = ()
        costs: dict[str, int] = {}
        if view.selection.max_tokens is not None:
            candidates = find_candidates(settled, view.selection, is_settled=view.is_settled)
            costs = await self._count_tokens(view, candidates)
        used: frozenset[str] = frozenset()
        if view.user_id != NOBODY:  # a list that serves all of a forwarder's users knows no use
            since = time.time() - USED_DAYS * 24 * 3600
            used = frozenset(await self._store.used_servers(view.user_id, since))
        decide = partial(decide_listing, settled, view.selection, before=before, used=used, choice=choice)
        decided = await asyncio.to_thread(
            decide, tokens_of=lambda tool: costs.get(tool.name, 0), is_settled=view.is_settled
        )
        return decided, len(costs) == len(candidates)

    async def _has_stored(self, user_id: str, decided: Listing, before: Listing | None) -> bool:
        """Whether a decision stands; without the database it does for as long as the view."""
        try:
            return await self._store.save_listing(user_id, decided, seen=before)
        except BridgeError as error:
            if error.error.code is not ErrorCode.DATABASE_UNAVAILABLE:
                raise
            return True


def _name_choice(view: UserView) -> str:
    """Name what a user has chosen: what to show, and how many operations of each server to accept."""
    chosen = view.selection
    accepted = Counter(server_id for (server_id, _), digest in view.accepted.items() if digest != DECLINED)
    told = [
        *map(sorted, (chosen.servers, chosen.tags, chosen.listed, chosen.searched, accepted.items())),
        chosen.names,
        chosen.pinned,
        chosen.limit,
        chosen.max_tokens,
    ]
    return hashlib.sha256(orjson.dumps(told)).hexdigest()[:32]
