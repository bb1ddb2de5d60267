"""Where users are at home: claims, hints, death, freezes, and engines that are away. Time is virtual."""

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from bridge.errors import BridgeError, ErrorCode
from bridge.homes import Home
from bridge.timings import USUAL_TIMINGS
from tests.support.cluster.played_homes import USER, Replica, Two, two_replicas

pytestmark = [pytest.mark.asyncio, pytest.mark.virtual_time]


@pytest_asyncio.fixture
async def two() -> AsyncIterator[Two]:
    async with two_replicas() as parts:
        yield parts


async def test_the_replica_that_is_asked_first_becomes_the_home(two: Two) -> None:
    """Everything of a user lives in one place; the others know the way there."""
    _, first, second = two
    assert (await first.homes.locate(USER)).url == ""
    there = await second.homes.locate(USER)
    assert (there.url, there.home) == ("http://a", Home(USER, "a", 1))
    assert first.homes.epoch_of(USER) == 1
    assert second.homes.epoch_of(USER) is None


async def test_two_replicas_that_claim_at_once_agree(two: Two) -> None:
    """The database decides; the slower one passes on."""
    _, first, second = two
    async with asyncio.TaskGroup() as group:
        asked = [group.create_task(each.homes.locate(USER)) for each in (first, second) for _ in range(5)]
    assert len({task.result().home for task in asked}) == 1
    assert len(first.entered) + len(second.entered) == 1


async def test_a_known_home_costs_no_question(two: Two) -> None:
    """Neither engine is on the path of a call, at home or passed on."""
    cluster, first, second = two
    await first.homes.locate(USER)
    await second.homes.locate(USER)
    before = (cluster.database.questions, first.directory.questions, second.directory.questions)
    await first.homes.locate(USER)
    await second.homes.locate(USER)
    assert (cluster.database.questions, first.directory.questions, second.directory.questions) == before


async def test_a_home_that_is_hinted_at_costs_one_question_to_redis(two: Two) -> None:
    """The database is asked when a hint was wrong."""
    cluster, first, second = two
    await first.homes.locate(USER)
    before = (cluster.database.questions, second.directory.questions)
    await second.homes.locate(USER)
    assert (cluster.database.questions, second.directory.questions) == (before[0], before[1] + 1)


async def test_a_frozen_replica_acts_for_nobody_before_it_has_looked(two: Two) -> None:
    """It was dead for the others, so the user may be at home elsewhere."""
    _, first, second = two
    await first.homes.locate(USER)
    await first.freeze(10)
    await second.homes.locate(USER, refused=Home(USER, "a", 1))
    assert first.homes.epoch_of(USER) is None
    first.thaw()
    await asyncio.sleep(1)
    assert first.homes.epoch_of(USER) is None
    assert first.left == [USER]
    assert (await first.homes.locate(USER)).url == "http://b"


async def test_a_freeze_that_nobody_noticed_costs_nothing_but_a_look(two: Two) -> None:
    """A pause a little longer than the lease; nobody took over."""
    _, first, _ = two
    await first.homes.locate(USER)
    await first.freeze(USUAL_TIMINGS.lease_s + 0.5)
    assert first.homes.epoch_of(USER) is None
    first.thaw()
    await asyncio.sleep(0.5)
    assert first.homes.epoch_of(USER) == 1
    assert first.left == []


async def test_a_freeze_while_redis_is_asked_is_noticed(two: Two) -> None:
    """When it goes on, that question has timed out, which is not the same as a Redis that is away."""
    _, first, second = two
    await first.homes.locate(USER)
    first.directory.is_cut = True
    beating = asyncio.create_task(first.membership.beat_once())
    await asyncio.sleep(0.5)
    first.slept_s = 10  # by the machine's clock; the task below runs as soon as it goes on
    await second.homes.locate(USER)
    second.database.homes[USER] = Home(USER, "b", 2)
    await beating
    assert first.homes.epoch_of(USER) is None
    assert first.left == [USER]


async def test_a_clock_that_runs_while_the_machine_sleeps_ends_the_lease(two: Two) -> None:
    """A suspended machine's own monotonic clock would show no pause."""
    _, first, _ = two
    await first.homes.locate(USER)
    first.slept_s = 60
    assert first.homes.epoch_of(USER) is None


async def test_without_redis_homes_stay_and_nobody_is_claimed(two: Two) -> None:
    """Each unsafe call is checked in the database, so who is at home goes on."""
    cluster, first, second = two
    await first.homes.locate(USER)
    await second.homes.locate(USER)
    cluster.redis.is_away = True
    await asyncio.sleep(20)
    assert first.homes.epoch_of(USER) == 1
    assert (await second.homes.locate(USER)).url == "http://a", "what is known is still passed on"
    with pytest.raises(BridgeError) as refused:
        await second.homes.locate("user-2")
    assert refused.value.error.code is ErrorCode.CLUSTER_UNAVAILABLE
    assert refused.value.error.retryable


async def test_a_flushed_redis_kills_nobody(two: Two) -> None:
    """A missing heartbeat proves nothing while Redis is younger than two of them."""
    cluster, first, second = two
    await first.homes.locate(USER)
    cluster.database.open_work.add(USER)
    first.directory.is_cut = True  # so that its next heartbeats are late
    cluster.redis.flush()
    await asyncio.sleep(3)
    first.directory.is_cut = False
    assert (await second.homes.locate(USER)).url == "http://a"
    await asyncio.sleep(20)
    assert first.homes.epoch_of(USER) == 1
    assert second.entered == []


async def test_a_replica_that_is_cut_off_from_redis_loses_its_users_by_epoch(two: Two) -> None:
    """It cannot know that it is dead for the others; the database tells it."""
    _, first, second = two
    await first.homes.locate(USER)
    first.directory.is_cut = True
    await asyncio.sleep(6)
    assert (await second.homes.locate(USER, refused=Home(USER, "a", 1))).url == ""
    await asyncio.sleep(6)
    assert first.homes.epoch_of(USER) is None
    assert first.left == [USER]


async def test_a_user_who_is_handed_over_is_at_home_there_at_once(two: Two) -> None:
    """The one who hands over chooses, so requests need no search."""
    _, first, second = two
    await first.homes.locate(USER)
    first.homes.begin_move(USER)
    waiting = asyncio.create_task(first.homes.locate(USER))
    await asyncio.sleep(0.5)
    assert not waiting.done()
    await first.homes.give_up(USER, to=first.homes.choose_successor())
    assert (await waiting).url == "http://b"
    assert await second.homes.admits(USER, 2)
    assert second.entered == [Home(USER, "b", 2)]


async def test_a_replica_that_stops_claims_for_another_one(two: Two) -> None:
    """A balancer may still send it requests of users who are nowhere."""
    _, first, second = two
    first.state = "draining"
    first.homes.refuse_users()
    assert (await first.homes.locate(USER)).url == "http://b"
    assert await second.homes.admits(USER, 1)


async def test_the_users_of_a_replica_that_stops_are_spread_over_the_others(two: Two) -> None:
    """One of them would have them all, because it says only with its next heartbeat how many it has."""
    cluster, first, _ = two
    await cluster.start_replica("c")
    await asyncio.sleep(2)
    chosen = [first.homes.choose_successor() for _ in range(4)]
    assert sorted(chosen) == ["b", "b", "c", "c"]


async def test_an_idle_user_is_released(two: Two) -> None:
    """So that the next page may choose its own replica."""
    cluster, first, second = two
    await first.homes.locate(USER)
    first.idle.add(USER)
    await asyncio.sleep(6)
    assert first.left == [USER]
    assert cluster.database.homes[USER].replica == ""
    assert (await second.homes.locate(USER)).url == ""


async def test_a_request_waits_while_a_home_moves(two: Two) -> None:
    """Who was refused by the old home finds the new one, and no error."""
    _, first, second = two
    await first.homes.locate(USER)
    home = (await second.homes.locate(USER)).home
    first.homes.begin_move(USER)
    assert not await first.homes.admits(USER, home.epoch)
    waiting = asyncio.create_task(second.homes.locate(USER, refused=home))
    await asyncio.sleep(1)
    assert not waiting.done()
    await first.homes.give_up(USER)
    assert (await waiting).home == Home(USER, "b", 3)


async def test_work_for_an_older_epoch_is_refused(two: Two) -> None:
    """Who sent it has an outdated idea, and looks again."""
    _, first, _ = two
    await first.homes.locate(USER)
    assert await first.homes.admits(USER, 1)
    assert not await first.homes.admits(USER, 0)
    assert not await first.homes.admits(USER, 7)


async def test_a_claim_whose_settling_failed_is_tried_again(two: Two) -> None:
    """Otherwise the user would be at home nowhere while the replica lives."""
    cluster, first, _ = two
    cluster.database.homes[USER] = Home(USER, "a", 4)  # claimed in the database, and not served
    await asyncio.sleep(6)
    assert first.homes.epoch_of(USER) == 4


async def test_a_caller_who_goes_away_does_not_end_the_claim(two: Two) -> None:
    """Others wait for the same answer."""
    _, first, _ = two
    gone = asyncio.create_task(first.homes.locate(USER))
    await asyncio.sleep(0.002)
    gone.cancel()
    assert (await first.homes.locate(USER)).home.epoch == 1
    assert len(first.entered) == 1


async def test_without_the_database_nobody_is_claimed_and_homes_stay(two: Two) -> None:
    """Users who are at home are served as one process serves them."""
    cluster, first, _ = two
    await first.homes.locate(USER)
    cluster.database.is_away = True
    await asyncio.sleep(12)
    assert first.homes.epoch_of(USER) == 1
    with pytest.raises(BridgeError) as refused:
        await first.homes.locate("user-2")
    assert refused.value.error.code is ErrorCode.DATABASE_UNAVAILABLE


async def test_a_frozen_replica_serves_nobody_until_the_database_answers(two: Two) -> None:
    """Only the database knows who took over meanwhile."""
    cluster, first, _ = two
    await first.homes.locate(USER)
    cluster.database.is_away = True
    await first.freeze(10)
    first.thaw()
    await asyncio.sleep(3)
    assert first.homes.epoch_of(USER) is None
    cluster.database.is_away = False
    await asyncio.sleep(2)
    assert first.homes.epoch_of(USER) == 1


def counted(replica: Replica) -> dict[str, int]:
    """The counters of a replica that are not zero."""
    return {name: number for name, number in replica.counters.read_counts().items() if number}


async def test_claims_are_counted_by_their_reason(two: Two) -> None:
    """New users, users who were idle, and users of a lost replica mean different things to an operator."""
    cluster, first, second = two
    await first.homes.locate(USER)
    first.idle.add(USER)
    await asyncio.sleep(6)
    await first.homes.locate(USER)
    assert counted(first) == {"claims_first": 1, "claims_released": 1}
    cluster.database.open_work.add("user-2")
    await first.homes.locate("user-2")
    await second.homes.locate(USER)
    await first.kill()
    await second.homes.locate(USER, refused=Home(USER, "a", 3))
    await asyncio.sleep(6)
    assert counted(second) == {"claims_lost": 1, "claims_left_behind": 1}
    third = await cluster.start_replica("c")
    await asyncio.sleep(1.5)
    await second.homes.give_up(USER, to="c")
    assert await third.homes.admits(USER, 5)
    assert counted(second)["claims_handed_over"] == 1
    assert counted(third) == {}, "who is handed a user claims nobody"


async def test_a_lapsed_lease_and_the_users_it_cost_are_counted(two: Two) -> None:
    """Both say that a replica gets too little of its machine."""
    _, first, second = two
    await first.homes.locate(USER)
    await first.homes.locate("user-2")
    await first.freeze(10)
    await second.homes.locate(USER, refused=Home(USER, "a", 1))
    assert counted(first) == {"claims_first": 2}
    first.thaw()
    await asyncio.sleep(1)
    assert counted(first) == {"claims_first": 2, "lapsed_leases": 1, "homes_differed": 1}
