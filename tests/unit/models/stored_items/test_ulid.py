"""ULIDs sort by the time they were made, and are never given twice."""

from __future__ import annotations

import random

from bridge.models.stored_items.ulid import ALPHABET, LENGTH, Ulids


def test_an_id_is_26_characters_of_crockfords_base_32() -> None:
    """S0-133: the first ten characters are the milliseconds since 1970."""
    made = Ulids(lambda: 1469918176.385, lambda _: 0).make_ulid()

    assert made == "01ARYZ6S41" + "0" * 16
    assert len(made) == LENGTH
    assert set(made) <= set(ALPHABET)


def test_ids_of_one_millisecond_differ_and_keep_their_order() -> None:
    """S0-133: sortable by time, unique in ten thousand."""
    ulids = Ulids(lambda: 1.0, random.Random(1).getrandbits)
    made = [ulids.make_ulid() for _ in range(10_000)]

    assert made == sorted(set(made))


def test_a_clock_that_goes_back_does_not_disturb_the_order() -> None:
    """The last id counts on."""
    times = iter([5.0, 4.0, 6.0])
    ulids = Ulids(lambda: next(times), lambda _: 7)

    first, second, third = (ulids.make_ulid() for _ in range(3))

    assert first < second < third
