"""Users whom a replica asks for because it does not reach their home. Time is virtual."""

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from bridge.errors import BridgeError, ErrorCode
from bridge.homes import Home
from tests.support.cluster.engines import now
from tests.support.cluster.played_homes import USER, Two, two_replicas

pytestmark = [pytest.mark.asyncio, pytest.mark.virtual_time]


@pytest_asyncio.fixture
async def two() -> AsyncIterator[Two]:
    async with two_replicas() as parts:
        yield parts


async def test_a_home_that_is_not_reached_hands_over_who_has_nothing_open(two: Two) -> None:
    """Two replicas that do not reach each other keep nobody out."""
    _, first, second = two
    await first.homes.locate(USER)
    await second.homes.locate(USER)
    began = now()
    found = await second.homes.locate(USER, refused=Home(USER, "a", 1), is_unreached=True)
    assert (found.url, found.home) == ("", Home(USER, "b", 2))
    assert now() - began < 1.5
    assert (first.left, second.entered) == ([USER], [Home(USER, "b", 2)])


async def test_a_home_that_is_not_reached_keeps_who_has_something_open(two: Two) -> None:
    """What is open there ends there; who asks elsewhere is told so at once, and that nothing was sent."""
    _, first, second = two
    await first.homes.locate(USER)
    first.busy.add(USER)
    for _ in range(2):
        began = now()
        with pytest.raises(BridgeError) as refused:
            await second.homes.locate(USER, refused=Home(USER, "a", 1), is_unreached=True)
        assert refused.value.error.code is ErrorCode.CLUSTER_UNAVAILABLE
        assert "Nothing was sent" in refused.value.error.message
        assert now() - began < 1.5
    assert first.homes.epoch_of(USER) == 1
    assert first.left == []


async def test_a_dead_home_that_is_not_reached_is_taken_over(two: Two) -> None:
    """It was killed a moment ago and cannot say no, so that its users wait for their next home."""
    _, first, second = two
    await first.homes.locate(USER)
    await second.homes.locate(USER)
    first.busy.add(USER)
    await first.kill()
    assert (await second.homes.locate(USER, refused=Home(USER, "a", 1), is_unreached=True)).url == ""


async def test_nobody_is_handed_over_to_a_replica_that_stops(two: Two) -> None:
    """It would have to hand the user on at once."""
    _, first, second = two
    home = (await first.homes.locate(USER)).home
    second.state = "draining"
    await asyncio.sleep(2)
    await second.directory.want_user(home, "b")
    await asyncio.sleep(2)
    assert first.homes.epoch_of(USER) == 1
    assert not await second.directory.is_wanted(home)
