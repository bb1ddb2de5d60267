"""Where users are at home: claims, hints, death, freezes, and engines that are away. Time is virtual."""

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest
import pytest_asyncio

from bridge.cluster.counters import ReplicaCounters
from bridge.cluster.handovers import HandoverHooks, Handovers
from bridge.cluster.homes import FIRST_LOOK_S, HomeHooks, Homes
from bridge.cluster.membership import LEASE_S, Membership, MembershipPorts
from bridge.cluster.ports import LiveReplica, ReplicaState
from bridge.errors import BridgeError, ErrorCode
from bridge.homes import Home
from bridge.tasks import Tasks
from tests.support.cluster.engines import DirectoryModel, PostgresModel, RedisModel, now

pytestmark = [pytest.mark.asyncio, pytest.mark.virtual_time]

USER = "user-1"


@dataclass
class Replica:
    """A replica whose process can be killed or frozen."""

    name: str
    database: PostgresModel
    redis: RedisModel
    entered: list[Home] = field(default_factory=list[Home])
    left: list[str] = field(default_factory=list[str])
    idle: set[str] = field(default_factory=set[str])
    busy: set[str] = field(default_factory=set[str])
    state: ReplicaState = "ready"
    slept_s: float = 0.0

    def __post_init__(self) -> None:
        self.tasks = Tasks()
        self.counters = ReplicaCounters()
        self.directory = DirectoryModel(self.redis)
        ports = MembershipPorts(self.describe, lambda: now() + self.slept_s, self.check_homes)
        self.membership = Membership(self.directory, ports)
        self.membership.on_lapse(lambda: self.counters.count("lapsed_leases"))
        hooks = HomeHooks(self.enter, self.left.append, self.idle.__contains__)
        self.homes = Homes(
            self.name,
            self.database,
            self.directory,
            self.membership,
            hooks=hooks,
            tasks=self.tasks,
            counters=self.counters,
        )

        hands = HandoverHooks(lambda user_id: user_id not in self.busy, self.move)
        Handovers(self.homes, self.directory, self.membership, hands, self.tasks)

    async def move(self, user_id: str, to: str) -> None:
        self.homes.begin_move(user_id)
        await asyncio.sleep(0.01)  # rows are written
        await self.homes.give_up(user_id, to=to)

    def describe(self) -> LiveReplica:
        users = len(self.homes.user_ids)
        return LiveReplica(self.name, f"http://{self.name}", self.state, users, 0, "1")

    async def check_homes(self) -> None:
        await self.homes.check_homes()

    async def enter(self, home: Home) -> None:
        await asyncio.sleep(0.01)
        self.entered.append(home)

    async def start(self) -> None:
        await self.membership.beat_once()
        self.running = [
            self.tasks.start_task(self.membership.keep_beating(), "heartbeats"),
            self.tasks.start_task(self.homes.keep_homes(), "homes"),
        ]

    async def freeze(self, seconds: float) -> None:
        """Stop the process; when it goes on, its own clock shows the time that has passed."""
        for task in self.running:
            task.cancel()
        await asyncio.sleep(seconds)

    def thaw(self) -> None:
        self.running = [self.tasks.start_task(self.membership.keep_beating(), "heartbeats")]

    async def kill(self) -> None:
        await self.tasks.close()


@dataclass
class Cluster:
    database: PostgresModel = field(default_factory=PostgresModel)
    redis: RedisModel = field(default_factory=RedisModel)
    replicas: list[Replica] = field(default_factory=list[Replica])

    async def start_replica(self, name: str) -> Replica:
        replica = Replica(name, self.database, self.redis)
        await replica.start()
        self.replicas.append(replica)
        return replica


@asynccontextmanager
async def _two() -> AsyncGenerator[tuple[Cluster, Replica, Replica]]:
    cluster = Cluster()
    first, second = await cluster.start_replica("a"), await cluster.start_replica("b")
    await asyncio.sleep(1.5)  # until each has seen the other
    yield cluster, first, second
    for replica in cluster.replicas:
        await replica.kill()


@pytest_asyncio.fixture
async def two() -> AsyncIterator[tuple[Cluster, Replica, Replica]]:
    async with _two() as parts:
        yield parts


Two = tuple[Cluster, Replica, Replica]


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
    died_at = asyncio.get_running_loop().create_future()
    second.membership.on_death(lambda _: died_at.set_result(now()))
    await second.homes.locate(USER, refused=Home(USER, "a", 1))
    assert now() - died_at.result() < FIRST_LOOK_S


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


@pytest.mark.parametrize("later_s", [0.1, 0.3, 0.5, 0.7, 0.9])
async def test_a_replica_is_found_dead_as_its_last_heartbeat_ends(later_s: float) -> None:
    """Up to a second would pass until the next heartbeat of this one, for all users of the other."""
    cluster = Cluster()
    first = await cluster.start_replica("a")
    await asyncio.sleep(later_s)
    second = await cluster.start_replica("b")
    await asyncio.sleep(2)
    died_at = asyncio.get_running_loop().create_future()
    second.membership.on_death(lambda _: died_at.set_result(now()))
    await first.kill()
    last, _ = cluster.redis.heartbeats["a"]
    assert 4.0 <= await died_at - last < 4.1
    await second.kill()


async def test_users_with_open_work_are_taken_over_when_nobody_asks(two: Two) -> None:
    """A background response goes on without its caller."""
    cluster, first, second = two
    await first.homes.locate(USER)
    cluster.database.open_work.add(USER)
    await first.kill()
    await asyncio.sleep(4 + 5 + 1)
    assert second.homes.epoch_of(USER) == 2


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
    await first.freeze(LEASE_S + 0.5)
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
    assert refused.value.error.code is ErrorCode.STORE_UNAVAILABLE


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
