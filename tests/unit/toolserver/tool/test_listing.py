"""Which servers are listed and which are searched: hypothesis plays users with servers of any size."""

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.documents.tools import tools_named
from tests.support.examples import examples
from toolserver.tool.catalog import Tool
from toolserver.tool.listing import Listing, decide_listing
from toolserver.tool.meta_tools import META_TOOLS
from toolserver.tool.selection import Selection, offer_tools, tokens_for

MOST = 40
LIMIT = 60
OWN_TOKENS = sum(tokens_for("keywords", meta.name, meta.description, meta.schema_json) for meta in META_TOOLS)


@lru_cache
def server(name: str, count: int) -> tuple[Tool, ...]:
    return tuple(tools_named(*(f"{name}{number}" for number in range(count)), server=name))


def tools_of(sizes: Mapping[str, int]) -> list[Tool]:
    return [tool for name, count in sizes.items() for tool in server(name, count)]


def decide(
    sizes: Mapping[str, int],
    selection: Selection,
    *,
    before: Listing | None = None,
    used: frozenset[str] = frozenset(),
    cost: int = 0,
) -> Listing:
    return decide_listing(
        tools_of(sizes),
        selection,
        before=before,
        used=used,
        choice="",
        tokens_of=lambda _: cost,
        is_settled=lambda _: True,
    )


SIZES = st.dictionaries(st.sampled_from("abcdefg"), st.integers(1, MOST), max_size=6)
USED = st.frozensets(st.sampled_from("abcdefgz"))
LIMITED = Selection(limit=LIMIT)


@pytest.mark.wide
@examples(200)
@given(SIZES, USED, USED, st.integers(1, 5 * MOST), st.booleans())
def test_what_is_listed_stays_listed_when_a_server_is_added(
    sizes: dict[str, int], used: frozenset[str], used_later: frozenset[str], added: int, is_counted: bool
) -> None:
    """Finding F-1: one large API took every other tool away.

    By whatever was used meanwhile, and by tokens as by number; the tools that search need their places.
    """
    bounds = Selection(limit=10_000, max_tokens=OWN_TOKENS + LIMIT) if is_counted else LIMITED
    before = decide(sizes, bounds, used=used, cost=1)
    after = decide({"z": added, **sizes}, bounds, before=before, used=used_later, cost=1)
    if sum(sizes[name] for name in before.listed) <= LIMIT - len(META_TOOLS):
        assert set(before.listed) <= set(after.listed)


@pytest.mark.wide
@examples(200)
@given(SIZES, USED)
def test_a_decision_does_not_depend_on_the_order_of_servers(
    sizes: dict[str, int], used: frozenset[str]
) -> None:
    """Ruling 50: each replica has loaded the servers in an order of its own."""
    turned = dict(reversed(sizes.items()))
    assert decide(sizes, LIMITED, used=used) == decide(turned, LIMITED, used=used)


@pytest.mark.wide
@examples(200)
@given(SIZES, USED, st.lists(st.sampled_from(["a0", "b0", "c1", "g3"]), unique=True), st.integers(3, LIMIT))
def test_a_list_keeps_to_its_bounds_and_shows_servers_whole(
    sizes: dict[str, int], used: frozenset[str], pinned: list[str], room: int
) -> None:
    """Also a list with less room, because its caller brings tools: what is listed goes last first."""
    selection = replace(LIMITED, pinned=tuple(pinned))
    listing = decide(sizes, selection, used=used)
    crowded = replace(selection, limit=room)
    offer = offer_tools(tools_of(sizes), crowded, listed=listing.listed, is_settled=lambda _: True)
    assert len(offer.tools) + len(offer.meta_tools) <= room
    assert set(offer.listed) <= set(listing.listed)
    shown = {tool.name for tool in offer.tools}
    for name, count in sizes.items():
        there = [tool.name in shown for tool in server(name, count) if tool.name not in pinned]
        assert all(there) if name in offer.listed else not any(there)
    assert offer.left_out == 0 or offer.meta_tools == META_TOOLS


@pytest.mark.wide
@examples(100)
@given(SIZES, USED)
def test_a_list_with_the_room_of_the_decision_shows_what_was_decided(
    sizes: dict[str, int], used: frozenset[str]
) -> None:
    """What Tools and the review count is what every program receives."""
    listing = decide(sizes, LIMITED, used=used)
    offer = offer_tools(tools_of(sizes), LIMITED, listed=listing.listed, is_settled=lambda _: True)
    assert offer.listed == listing.listed


def test_servers_in_use_come_first_then_the_smallest() -> None:
    """Ruling 50: of those that are new, what its user works with is listed, and most of the others."""
    sizes = {"large": 40, "medium": 20, "small": 10}
    assert decide(sizes, LIMITED).listed == ("small", "medium")
    assert decide(sizes, LIMITED, used=frozenset({"large"})).listed == ("large", "small")


def test_what_its_user_wants_listed_comes_first_and_what_is_to_be_searched_never() -> None:
    """The review and Tools let a user choose."""
    sizes = {"large": 40, "medium": 20, "small": 10}
    listed = replace(LIMITED, listed=frozenset({"large"}))
    assert decide(sizes, listed, before=decide(sizes, LIMITED)).listed == ("large", "small")
    searched = replace(LIMITED, searched=frozenset({"small"}))
    assert decide({"small": 10, "tiny": 1}, searched).listed == ("tiny",)


def test_a_decision_holds_until_a_server_comes_goes_or_grows_or_its_user_chooses() -> None:
    """Ruling 50: no other event may change a list, and with it the prefix that a model has cached."""
    listing = Listing(("a",), {"a": 3, "b": 90}, "choice")
    assert listing.holds({"a": 3, "b": 90}, "choice")
    assert listing.holds({"a": 2, "b": 10}, "choice"), "a document that shrinks changes no list"
    assert not listing.holds({"a": 4, "b": 90}, "choice")
    assert not listing.holds({"a": 3}, "choice")
    assert not listing.holds({"a": 3, "b": 90, "c": 1}, "choice")
    assert not listing.holds({"a": 3, "b": 90}, "another")


def test_a_narrower_choice_lists_what_is_searched_among_all_where_it_fits() -> None:
    """A chat with one API alone has room for it."""
    listing = Listing(("a",), {"a": 3, "b": 90, "c": 70}, "")
    assert listing.order_of({"b": 90, "c": 70}) == ["c", "b"]
    assert listing.order_of({"b": 90, "a": 3}) == ["a", "b"]
