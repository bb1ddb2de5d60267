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
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class Forecast:
    """What would be listed once operations of a server are accepted."""

    is_listed: bool
    giving_way: tuple[str, ...]
    """Ids of the servers that are listed now and would be searched."""
    others_listed: int
    """Number of accepted tools of all other servers that would be listed."""


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

    async def forecast_listing(self, view: UserView, server_id: str, accepted: int) -> Forecast:
        """Return what would be decided if so many operations of a server were accepted.

        With a budget of tokens or a choice by tags and names, the first ones stand for those that will be.

        Raises:
            BridgeError: `not_found`: there is no such server.
        """
        view.find_server(server_id)
        now = await self.listing_of(view)
        others = [tool for tool in view.offerable_tools(None) if tool.server_id != server_id]
        others = [tool for tool in others if view.is_settled(tool)]
        tools = (*others, *view.tools_of(server_id)[:accepted])
        decided, _ = await self._decide(view, tools, now, "")
        listed = {*decided.listed}
        return Forecast(
            is_listed=server_id in listed or server_id not in decided.sizes,
            giving_way=tuple(each for each in now.listed if each not in {*listed, server_id}),
            others_listed=sum(decided.sizes[each] for each in listed - {server_id})
            + sum(tool.has_name_in(view.selection.pinned) for tool in others),
        )

    async def _find(self, view: UserView) -> Listing:
        settled = tuple(tool for tool in view.offerable_tools(None) if view.is_settled(tool))
        counted = partial(count_settled, settled, view.selection, is_settled=_always)
        sizes = await asyncio.to_thread(counted)  # ten thousand tools against a hundred patterns
        choice = _name_choice(view)
        while sizes:
            before = await self._store.load_listing(view.user_id)
            if before is not None:
                # A document that cannot be read for now has no tools; its server is not gone.
                empty = {server: 0 for server in before.sizes if view.has_server(server)}
                if before.holds(empty | sizes, choice):
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
            candidates = find_candidates(settled, view.selection, is_settled=_always)
            costs = await self._count_tokens(view, candidates)
        used: frozenset[str] = frozenset()
        if view.user_id != NOBODY:  # a list that serves all of a forwarder's users knows no use
            since = time.time() - USED_DAYS * 24 * 3600
            used = frozenset(await self._store.used_servers(view.user_id, since))
        decide = partial(decide_listing, settled, view.selection, before=before, used=used, choice=choice)
        decided = await asyncio.to_thread(
            decide, tokens_of=lambda tool: costs.get(tool.name, 0), is_settled=_always
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


def _always(_settled: Tool) -> bool:
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
