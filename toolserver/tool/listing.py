"""Decides which servers' tools a model is shown by name, and which it has to search.

One decision is stored for each user and serves every list of that user, until the user's servers or choices
change. A server that has a place keeps it as long as it fits, so that adding one changes no other. Pure.
"""

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass

from toolserver.tool.catalog import Tool
from toolserver.tool.selection import IsSettled, Selection, TokensOf, count_settled, offer_tools


@dataclass(frozen=True, slots=True)
class Listing:
    """A decision, and what it was made for."""

    listed: tuple[str, ...]
    """Ids of servers whose tools are listed; where there is less room, the last ones go first."""
    sizes: Mapping[str, int]
    """Number of tools of each server at the time, by id, without pinned ones; also of those not listed."""
    choice: str
    """Names what its user had chosen."""

    def holds(self, sizes: Mapping[str, int], choice: str) -> bool:
        """Whether it still stands: nothing was chosen, no server came or went, and none has grown."""
        is_same = choice == self.choice and sizes.keys() == self.sizes.keys()
        return is_same and all(sizes[server] <= self.sizes[server] for server in sizes)

    def order_of(self, sizes: Mapping[str, int]) -> list[str]:
        """Servers of a narrower choice, in which more may fit than among all: those listed come first."""
        first = [server for server in self.listed if server in sizes]
        return [*first, *rank_servers({server: sizes[server] for server in sizes.keys() - {*first}})]


def rank_servers(
    sizes: Mapping[str, int],
    *,
    wanted: Set[str] = frozenset(),
    listed: Set[str] = frozenset(),
    used: Set[str] = frozenset(),
) -> list[str]:
    """Servers in the order in which they get a place.

    First those that the user wants listed, then those that are `listed` already; among equals the `used` ones
    first, then the smallest.
    """

    def place(server: str) -> tuple[bool, bool, bool, int, str]:
        return server not in wanted, server not in listed, server not in used, sizes[server], server

    return sorted(sizes, key=place)


def decide_listing(
    tools: Iterable[Tool],
    selection: Selection,
    *,
    before: Listing | None,
    used: Set[str],
    choice: str,
    tokens_of: TokensOf,
    is_settled: IsSettled,
) -> Listing:
    """Decide anew. `before`: what held until now; `used`: ids of servers that were called of late."""
    settled = [tool for tool in tools if is_settled(tool)]
    sizes = count_settled(settled, selection, is_settled=is_settled)
    listed = frozenset(before.listed if before else ())
    order = rank_servers(sizes, wanted=selection.listed, listed=listed, used=used)
    offer = offer_tools(settled, selection, listed=order, tokens_of=tokens_of, is_settled=is_settled)
    return Listing(offer.listed, sizes, choice)
