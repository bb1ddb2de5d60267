"""When an answer carries a page link, and which."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from bridge.auth.pairing_links import LINKS_IN_ALL, PairingLinks
from bridge.errors import ErrorCode, WireError

pytestmark = pytest.mark.asyncio

NO_BROWSER = WireError(code=ErrorCode.NO_BROWSER, message="No page is open.", detail={"tool": "x"})


@dataclass
class World:
    """Tickets, open pages and a clock."""

    tickets: list[tuple[str, bool]] = field(default_factory=list[tuple[str, bool]])
    open_pages: set[str] = field(default_factory=set[str])
    now: float = 0.0

    async def add_ticket(self, user_id: str, *, printed: bool) -> str:
        self.tickets.append((user_id, printed))
        return f"{user_id}-{len(self.tickets)}"

    def links(self) -> PairingLinks:
        store: Any = self
        is_open = self.open_pages.__contains__
        return PairingLinks(store, "http://bridge", is_open, clock=lambda: self.now)


async def test_a_call_that_is_not_accepted_carries_the_link_too() -> None:
    """A new user has accepted nothing: his first call would say so, and he had no page to accept it in."""
    refusal = WireError(code=ErrorCode.NOT_ACCEPTED, message="Accept it.", detail={"tool": "x"})
    world = World()
    told = await world.links().add_link(refusal, "ann")
    assert told.detail == {"tool": "x", "pairing_url": "http://bridge/#ticket=ann-1"}
    world.open_pages.add("ann")
    assert await world.links().add_link(refusal, "ann") is refusal


async def test_the_link_is_for_the_user_of_the_call_and_leaves_the_rest_as_it_is() -> None:
    """The other facts of the error stay, and the error that others hold is not changed."""
    world = World()
    told = await world.links().add_link(NO_BROWSER, "ann")
    assert told.detail == {"tool": "x", "pairing_url": "http://bridge/#ticket=ann-1"}
    assert world.tickets == [("ann", False)]
    assert "pairing_url" not in NO_BROWSER.detail


async def test_no_link_is_made_while_a_page_is_open_or_for_another_error() -> None:
    """A page that was lost in mid-call may be back by now."""
    world = World(open_pages={"ann"})
    links = world.links()
    assert await links.add_link(NO_BROWSER, "ann") == NO_BROWSER
    timeout = WireError(code=ErrorCode.TIMEOUT, message="Too slow.")
    assert await links.add_link(timeout, "bob") == timeout
    assert world.tickets == []


async def test_calls_in_a_row_give_one_link() -> None:
    """A model tries three times; its user has the first link open already."""
    world = World()
    links = world.links()
    given = {str((await links.add_link(NO_BROWSER, "ann")).detail) for _ in range(3)}
    world.now = 59
    given.add(str((await links.add_link(NO_BROWSER, "ann")).detail))
    assert len(given) == 1
    world.now = 61
    assert str((await links.add_link(NO_BROWSER, "ann")).detail) not in given


async def test_links_for_many_users_are_limited_and_the_error_comes_without() -> None:
    """The answer must not fail because of it, and a flood must not fill the database."""
    world = World()
    links = world.links()
    for number in range(LINKS_IN_ALL):
        await links.add_link(NO_BROWSER, f"user {number}")
    assert await links.add_link(NO_BROWSER, "one more") == NO_BROWSER
    assert len(world.tickets) == LINKS_IN_ALL
