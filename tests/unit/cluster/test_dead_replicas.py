"""How the death of a replica is noticed, and what becomes of its users. Time is virtual."""

import asyncio
import logging
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from bridge.cluster.homes import FIRST_LOOK_S
from bridge.homes import Home
from tests.support.cluster.engines import now
from tests.support.cluster.played_homes import USER, Cluster, Two, two_replicas

pytestmark = [pytest.mark.asyncio, pytest.mark.virtual_time]


@pytest_asyncio.fixture
async def two() -> AsyncIterator[Two]:
    async with two_replicas() as parts:
        yield parts


async def test_users_of_a_dead_replica_find_a_home_elsewhere(two: Two) -> None:
    """Within the time that a heartbeat lasts, and under a higher epoch."""
    _, first, second = two
    await first.homes.locate(USER)
    await second.homes.locate(USER)
    await first.kill()
    began = now()
    assert (await second.homes.locate(USER, refused=Home(USER, "a", 1))).url == ""
    assert now() - began < 6.5
    assert second.entered == [Home(USER, "b", 2)]


async def test_users_of_a_replica_that_may_be_dead_hardly_ask_the_database(two: Two) -> None:
    """A thousand users are lost at once, and their claims need the database a moment later."""
    cluster, first, second = two
    await first.homes.locate(USER)
    before = cluster.database.questions
    await first.kill()
    await second.homes.locate(USER, refused=Home(USER, "a", 1))
    waiting, claiming = 11, 3  # at 0, 0.1, 0.3, 0.7, 1.2 s and each 0.5 s after that, for 4.1 s
    assert cluster.database.questions - before <= waiting + claiming


async def test_who_waits_for_a_home_hears_at_once_that_its_replica_is_dead(two: Two) -> None:
    """Nobody waits for the next look then."""
    _, first, second = two
    await first.homes.locate(USER)
    await first.kill()
    await second.homes.locate(USER, refused=Home(USER, "a", 1))
    assert now() - second.buried.result() < FIRST_LOOK_S


@pytest.mark.parametrize("later_s", [0.1, 0.3, 0.5, 0.7, 0.9])
async def test_a_replica_is_found_dead_as_its_last_heartbeat_ends(later_s: float) -> None:
    """Up to a second would pass until the next heartbeat of this one, for all users of the other."""
    cluster = Cluster()
    first = await cluster.start_replica("a")
    await asyncio.sleep(later_s)
    second = await cluster.start_replica("b")
    await asyncio.sleep(2)
    await first.kill()
    last, _ = cluster.redis.heartbeats["a"]
    assert 4.0 <= await second.buried - last < 4.1
    await second.kill()


async def test_users_with_open_work_are_taken_over_when_nobody_asks(two: Two) -> None:
    """A background response goes on without its caller."""
    cluster, first, second = two
    await first.homes.locate(USER)
    cluster.database.open_work.add(USER)
    await first.kill()
    await asyncio.sleep(4 + 5 + 1)
    assert second.homes.epoch_of(USER) == 2


async def test_who_stops_is_told_from_who_is_lost(two: Two, caplog: pytest.LogCaptureFixture) -> None:
    """A restart is no reason to look at the log; the loss of a replica is."""
    caplog.set_level(logging.INFO, "bridge.cluster.membership")
    cluster, first, second = two
    third = await cluster.start_replica("c")
    third.state = "draining"
    await asyncio.sleep(2.5)
    await third.kill()
    await first.kill()
    await asyncio.sleep(6)
    assert sorted(second.membership.live) == ["b"]
    told = {(each.levelname, each.message) for each in caplog.records if "Replica" in each.message}
    assert told == {("INFO", "Replica c has stopped."), ("WARNING", "Replica a is gone.")}


async def test_a_page_is_sent_to_a_home_that_is_heard_of_at_once(two: Two) -> None:
    """As long as all is well nothing waits."""
    _, first, second = two
    await first.homes.locate(USER)
    began = now()
    assert (await second.homes.locate_for_page(USER)).url == "http://a"
    assert now() - began < 0.1


async def test_a_page_is_not_sent_to_a_home_that_may_be_frozen(two: Two) -> None:
    """It would wait there in vain, and come back later than the replica is found dead."""
    _, first, second = two
    await first.homes.locate(USER)
    await second.homes.locate(USER)
    await first.freeze(3.0)
    began = now()
    assert (await second.homes.locate_for_page(USER)).home == Home(USER, "b", 2)
    assert now() - began < 1.5


async def test_a_page_is_not_sent_to_a_home_that_took_no_connection(two: Two) -> None:
    """It was killed a moment ago, and its last heartbeat still counts."""
    _, first, second = two
    await first.homes.locate(USER)
    found = await second.homes.locate(USER)
    await first.kill()
    asking = asyncio.create_task(second.homes.locate(USER, refused=found.home, is_unreached=True))
    await asyncio.sleep(0.5)
    assert (await second.homes.locate_for_page(USER)).home == Home(USER, "b", 2)
    assert (await asking).home == Home(USER, "b", 2)


async def test_a_page_is_sent_to_a_home_that_is_heard_of_again(two: Two) -> None:
    """A pause is no death."""
    _, first, second = two
    await first.homes.locate(USER)
    await second.homes.locate(USER)
    await first.freeze(3.0)
    asking = asyncio.create_task(second.homes.locate_for_page(USER))
    await asyncio.sleep(0.3)
    first.thaw()
    assert (await asking).url == "http://a"


async def test_while_redis_is_away_pages_are_still_sent_to_known_homes(two: Two) -> None:
    """Nobody is heard of then, which says nothing about the homes (36)."""
    cluster, first, second = two
    await first.homes.locate(USER)
    await second.homes.locate(USER)
    cluster.redis.is_away = True
    await asyncio.sleep(5)
    began = now()
    assert (await second.homes.locate_for_page(USER)).url == "http://a"
    assert now() - began < 0.1
