"""Numbers of events: a client that has read some must never find lower ones, at whatever replica."""

from itertools import product

import pytest

from bridge.homes import user_elsewhere
from bridge.models.conversation_runs.event_feed import EventFeed, EventFeeds

AT = 1_800_000_000.0
"""Seconds since 1970."""

SKEW_S = 30.0
"""How wrong the clock of a replica may be, in seconds."""


class Claims:
    """The epochs of users, as one replica knows them."""

    def __init__(self, **epochs: int) -> None:
        self.epochs = epochs

    def __call__(self, user_id: str) -> int:
        if user_id not in self.epochs:
            raise user_elsewhere()
        return self.epochs[user_id]


def feeds_at(epochs: Claims, clock_s: float) -> EventFeeds:
    return EventFeeds(epochs, lambda: clock_s)


def emit(feed: EventFeed) -> int:
    feed.emit_event("message", {})
    return feed.last


@pytest.mark.parametrize(("older_s", "newer_s"), [*product((-SKEW_S, 0, SKEW_S), repeat=2)])
def test_numbers_of_a_new_home_are_above_those_of_the_old_one(older_s: float, newer_s: float) -> None:
    """Its clock may be behind; the client would take its events for some that it has."""
    older = feeds_at(Claims(ann=7), AT + older_s).open_feed("ann", "chat")
    told = [emit(older) for _ in range(1000)]
    newer = feeds_at(Claims(ann=8), AT + newer_s).open_feed("ann", "chat")
    assert emit(newer) > told[-1] > told[0]


def test_numbers_are_exact_in_a_browser_for_a_million_claims() -> None:
    """Beyond 2^53 JavaScript reads two of them as one."""
    assert emit(feeds_at(Claims(ann=1_000_000), AT).open_feed("ann", "chat")) < 2**53


def test_a_user_who_comes_back_gets_higher_numbers_than_elsewhere() -> None:
    """The feed of the first stay is still in memory, with its numbers and its events."""
    claims = Claims(ann=1)
    feeds = feeds_at(claims, AT)
    first = feeds.open_feed("ann", "chat")
    elsewhere = emit(feeds_at(Claims(ann=2), AT).open_feed("ann", "chat"))
    claims.epochs["ann"] = 3
    again = feeds.open_feed("ann", "chat")
    assert again is not first
    assert emit(again) > elsewhere
    assert feeds.open_feed("ann", "chat") is again


def test_the_last_event_of_a_user_who_has_just_left_goes_to_the_feed_that_was() -> None:
    """Its message is stored; the answer to it must not fail because its user moved meanwhile."""
    claims = Claims(ann=1)
    feeds = feeds_at(claims, AT)
    feed = feeds.open_feed("ann", "chat")
    claims.epochs.clear()
    assert feeds.open_feed("ann", "chat") is feed


@pytest.mark.asyncio
async def test_listeners_of_a_user_who_leaves_are_disconnected() -> None:
    """They connect again, and reach the new home."""
    feeds = feeds_at(Claims(ann=1, bob=1), AT)
    feed, other = feeds.open_feed("ann", "chat"), feeds.open_feed("bob", "chat of bob")
    frames = feed.listen_after(None, {})
    assert b"event: connected" in await anext(frames)
    feeds.close_user("ann")
    assert [frame async for frame in frames] == []
    assert feeds.open_feed("bob", "chat of bob") is other
