"""Admission: who may run next. Waits run on a virtual clock; hypothesis plays callers that come and go."""

import asyncio
from collections import Counter
from collections.abc import Generator
from contextlib import ExitStack, contextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.calls.limits.call_rules import MAX_OPEN_CALLS, MIB, CallRules, SlotKey
from bridge.calls.limits.fair_queue import FairQueue, QueueEntry
from bridge.errors import BridgeError, ErrorCode
from bridge.settings.limits import Limits
from tests.support.examples import examples

pytestmark = [pytest.mark.asyncio, pytest.mark.looptime]


def key(user: str = "ann", group: str | None = None, **more: object) -> SlotKey:
    plain = SlotKey(user, group, "http://api.example", "shop", "GET /products")
    return plain._replace(**more)


class QueueHarness:
    """A queue and its callers."""

    def __init__(self, *, max_open: int = 1000, **limits: float) -> None:
        self.limits = Limits.model_validate(limits)
        self.queue = FairQueue(CallRules(lambda: self.limits, max_open_calls_per_user=max_open))
        self.began: list[str] = []
        self.ended: list[str] = []

    def call(self, name: str, wanted: SlotKey | None = None, seconds: float = 1) -> "asyncio.Task[None]":
        async def run() -> None:
            with self.open(wanted or key()) as entry:
                await self.turn(entry)
                self.began.append(name)
                await asyncio.sleep(seconds)
                self.ended.append(name)

        return asyncio.create_task(run())

    @contextmanager
    def open(self, wanted: SlotKey, size: int = 0) -> Generator[QueueEntry]:
        entry = self.queue.enter_queue(wanted, size)
        try:
            yield entry
        finally:
            self.queue.leave_queue(entry)

    async def turn(self, entry: QueueEntry) -> None:
        await self.queue.wait_for_grant(entry, self.limits.tool_queue_wait_seconds)

    async def close(self, grace_s: float) -> None:
        """As the bridge does when it stops."""
        self.queue.close_queue()
        await self.queue.wait_until_idle(grace_s)

    def change(self, **limits: float) -> None:
        self.limits = self.limits.model_copy(update=limits)
        self.queue.limits_changed()


async def settle() -> None:
    await asyncio.sleep(0.001)


async def test_of_one_request_five_calls_run_at_once() -> None:
    """S0-71: twenty slow calls of one request, five at a time; another request is not held up."""
    harness = QueueHarness()
    calls = [harness.call(f"a{number}", key(group="a")) for number in range(20)]
    await settle()
    assert len(harness.began) == 5
    other = harness.call("b", key(group="b"))
    await other
    assert harness.ended.count("b") == 1
    started = asyncio.get_running_loop().time()
    await asyncio.wait(calls)
    assert asyncio.get_running_loop().time() - started < 3.1
    assert harness.began[:5] == ["a0", "a1", "a2", "a3", "a4"]


async def test_all_of_sixty_calls_of_one_request_run() -> None:
    """S0-70: those beyond the queue of fifty wait at its door."""
    harness = QueueHarness()
    calls = [harness.call(f"{number}", key(group="a")) for number in range(60)]
    await asyncio.gather(*calls)
    assert harness.began == [f"{number}" for number in range(60)]


async def test_a_global_limit_holds_for_all_users_together_and_users_take_turns() -> None:
    """S0-72: two at once; whoever asks for much does not keep the other waiting."""
    harness = QueueHarness(max_parallel_tools_global=2)
    calls = [harness.call(f"ann{number}", key("ann")) for number in range(6)]
    calls += [harness.call(f"bob{number}", key("bob")) for number in range(2)]
    await settle()
    assert harness.began == ["ann0", "ann1"]
    await asyncio.gather(*calls)
    assert set(harness.began[2:6]) == {"bob0", "bob1", "ann2", "ann3"}


async def test_a_user_who_comes_back_has_the_same_limits_again() -> None:
    """What the queue remembers of a user without calls is no call; and of very many it remembers few."""
    harness = QueueHarness()
    one_at_a_time = [key(f"user{number}", operation_parallel=1) for number in range(300)]
    for _ in range(2):
        for wanted in (*one_at_a_time, one_at_a_time[0]._replace(operation_key="GET /orders")):
            with harness.open(wanted) as first, harness.open(wanted) as second:
                assert (harness.queue.grant_now(first), harness.queue.grant_now(second)) == (True, False)
            assert harness.queue.waiting_by_user() == {}
            assert harness.queue.running == 0


async def test_limits_that_are_raised_or_lowered_work_at_once() -> None:
    """S0-72: lowering too, without a restart; what runs goes on."""
    harness = QueueHarness(max_parallel_tools_global=1)
    calls = [harness.call(f"{number}", seconds=10) for number in range(8)]
    await settle()
    harness.change(max_parallel_tools_global=4)
    await settle()
    assert len(harness.began) == 4
    harness.change(max_parallel_tools_global=1)
    await asyncio.wait(calls, timeout=15)
    assert len(harness.began) == 5
    await asyncio.gather(*calls)


async def test_a_call_with_room_passes_one_that_has_to_wait() -> None:
    """W-13: no head-of-line blocking; a busy host holds up only calls to itself."""
    harness = QueueHarness(max_parallel_tools_per_host=1)
    calls = [harness.call(f"slow{number}", seconds=10) for number in range(3)]
    await harness.call("fast", key(origin="http://other.example"))
    assert harness.began == ["slow0", "fast"]
    await asyncio.gather(*calls)


@pytest.mark.parametrize("closer", ["server_parallel", "operation_parallel"])
async def test_a_user_can_limit_a_server_and_a_tool(closer: str) -> None:
    """W-12: an API that takes two calls at once gets two."""
    harness = QueueHarness()
    calls = [harness.call(f"{number}", key()._replace(**{closer: 2})) for number in range(4)]
    await settle()
    assert harness.began == ["0", "1"]
    await asyncio.gather(*calls)


async def test_calls_in_order_run_one_after_another() -> None:
    """W-12: what changes something can be made to run in the order it was asked for."""
    harness = QueueHarness()
    calls = [
        harness.call(f"{n}", key(in_order=True, operation_key=f"POST /{n}"), seconds=4 - n) for n in range(4)
    ]
    await settle()
    assert harness.began == ["0"]
    await asyncio.gather(*calls)
    assert harness.ended == ["0", "1", "2", "3"]


async def test_a_call_that_waits_too_long_is_refused_with_the_limit_that_is_full() -> None:
    """Bounded waiting: the caller learns what to wait for, and nothing was sent."""
    harness = QueueHarness(max_parallel_tools_per_user=1, tool_queue_wait_seconds=3)
    running = harness.call("running", seconds=10)
    await settle()
    started = asyncio.get_running_loop().time()
    with pytest.raises(BridgeError) as refused:
        await harness.call("waits")
    assert asyncio.get_running_loop().time() - started == pytest.approx(3, abs=0.1)
    error = refused.value.error
    assert error.code is ErrorCode.QUEUE_FULL
    assert error.detail == {"full": "MAX_PARALLEL_TOOLS_PER_USER", "waited_s": 3}
    assert error.retryable
    await running
    assert (harness.queue.running, harness.queue.waiting) == (0, 0)


async def test_a_user_with_too_many_open_calls_is_refused_at_once() -> None:
    """A million pending calls cost their caller a refusal, and nobody else anything."""
    harness = QueueHarness(max_open=3)
    calls = [harness.call(f"{number}", seconds=10) for number in range(3)]
    await settle()
    with pytest.raises(BridgeError, match="3 calls of this user") as refused:
        await harness.call("one more")
    assert refused.value.error.code is ErrorCode.QUEUE_FULL
    await harness.call("bob", key("bob"))
    await asyncio.gather(*calls)
    await harness.call("there is room again")


async def test_so_are_all_users_together() -> None:
    """Many users cannot do what one user cannot."""
    harness = QueueHarness()
    calls = [harness.call("x", key(f"user{number % 20}")) for number in range(MAX_OPEN_CALLS)]
    await settle()
    with pytest.raises(BridgeError) as refused:
        await harness.call("one more", key("bob"))
    assert refused.value.error.detail == {"limit": MAX_OPEN_CALLS}
    for call in calls:
        call.cancel()
    await asyncio.gather(*calls, return_exceptions=True)
    assert (harness.queue.running, harness.queue.waiting) == (0, 0)


async def test_open_calls_of_a_user_with_too_many_bytes_are_refused_however_few_they_are() -> None:
    """900 calls of a mebibyte each were open at once, and the bridge held a gibibyte for them."""
    harness = QueueHarness()
    with ExitStack() as opened:
        for _ in range(64):
            opened.enter_context(harness.open(key(), MIB))
        with pytest.raises(BridgeError, match="of this user would have more than 64 MiB") as refused:
            harness.queue.enter_queue(key(), 1)
        assert refused.value.error.code is ErrorCode.QUEUE_FULL
        assert refused.value.error.detail == {"limit_bytes": 64 * MIB}
        harness.queue.leave_queue(harness.queue.enter_queue(key("bob"), MIB))
    for _ in range(2):
        harness.queue.leave_queue(harness.queue.enter_queue(key(), 64 * MIB))


async def test_so_are_those_of_all_users_together() -> None:
    """The memory of the bridge is everybody's."""
    harness = QueueHarness()
    with ExitStack() as opened:
        for user in ("ann", "bob", "eve", "joe"):
            opened.enter_context(harness.open(key(user), 64 * MIB))
        with pytest.raises(BridgeError, match="open calls would have more than 256 MiB"):
            harness.queue.enter_queue(key("zoe"), 1)


async def test_a_waiting_call_that_is_passed_again_and_again_gets_its_turn() -> None:
    """It needs room in two places that are never free at the same time, unless they are kept free for it."""
    harness = QueueHarness(max_parallel_tools_per_host=1)
    far = {"origin": "http://far.example"}
    both = key(server_id="slow", server_parallel=1)
    harness.call("host", seconds=1.5)
    harness.call("server", key(server_id="slow", server_parallel=1, **far), seconds=1)
    await settle()
    wanted = harness.call("wanted", both)
    crowd: list[asyncio.Task[None]] = []
    for _ in range(200):
        crowd.append(harness.call("host", seconds=1.5))
        crowd.append(harness.call("server", key(server_id="slow", server_parallel=1, **far), seconds=1))
    await wanted
    assert len(harness.began) < 150
    for call in crowd:
        call.cancel()


async def test_a_call_that_rests_holds_nothing_but_is_still_open() -> None:
    """While its user thinks, others run; no user can have more open calls for that."""
    harness = QueueHarness(max_open=2, max_parallel_tools_per_user=1)
    with harness.open(key()) as resting:
        await harness.turn(resting)
        harness.queue.revoke_grant(resting)
        await harness.call("passes")
        assert harness.began == ["passes"]
        with harness.open(key()), pytest.raises(BridgeError, match="2 calls of this user"):
            await harness.call("one too many")
        await harness.turn(resting)
        assert (resting.holds, harness.queue.running) == (True, 1)
    assert harness.queue.running == 0


async def test_a_wait_that_nobody_wants_any_more_ends_without_a_slot() -> None:
    """A call that is stopped while it waits must not take the place of the next one."""
    harness = QueueHarness(max_parallel_tools_per_user=1)
    first = harness.call("first", seconds=5)
    await settle()
    with harness.open(key()) as entry:
        waiting = asyncio.create_task(harness.turn(entry))
        await settle()
        behind = harness.call("behind")
        await settle()
        harness.queue.revoke_grant(entry)
        await waiting
        assert (entry.holds, harness.queue.waiting) == (False, 1)
        await asyncio.gather(first, behind)
    assert harness.began == ["first", "behind"]


async def test_closing_sends_away_who_waits_and_lets_end_what_runs() -> None:
    """S0-80: bounded by the grace; a bridge without calls stops at once."""
    harness = QueueHarness(max_parallel_tools_per_user=1)
    running, waiting = harness.call("running", seconds=5), harness.call("waiting")
    await settle()
    loop = asyncio.get_running_loop()
    started = loop.time()
    await harness.close(10)
    assert loop.time() - started == pytest.approx(5, abs=0.1)
    await running
    with pytest.raises(BridgeError, match="stopping"):
        await waiting
    with pytest.raises(BridgeError, match="stopping"):
        await harness.call("late")


async def test_closing_does_not_wait_longer_than_its_grace() -> None:
    """S0-80: 0 ends everything at once."""
    harness = QueueHarness()
    running = harness.call("running", seconds=50)
    await settle()
    loop = asyncio.get_running_loop()
    started = loop.time()
    await harness.close(0)
    await harness.close(3)
    assert loop.time() - started == pytest.approx(3, abs=0.1)
    running.cancel()


keys = st.builds(
    SlotKey,
    st.sampled_from(["ann", "bob"]),
    st.sampled_from([None, "g1", "g2"]),
    st.sampled_from(["", "http://a", "http://b"]),
    st.sampled_from(["s1", "s2"]),
    st.sampled_from(["GET /1", "POST /2"]),
    st.sampled_from([None, 2]),
    st.sampled_from([None, 1]),
    st.booleans(),
)
callers = st.lists(
    st.tuples(keys, st.floats(0, 5), st.floats(0, 4), st.none() | st.floats(0, 8)), min_size=1, max_size=60
)


@pytest.mark.wide
@examples(150)
@given(callers, st.integers(1, 6), st.integers(1, 4), st.integers(1, 3))
async def test_no_limit_is_ever_exceeded_and_no_slot_is_lost(
    arrivals: list[tuple[SlotKey, float, float, float | None]], everybody: int, user: int, request: int
) -> None:
    """Whoever comes, ends or gives up in whatever order: all get their turn, and then nothing is held."""
    harness = QueueHarness(
        max_parallel_tools_global=everybody,
        max_parallel_tools_per_user=user,
        max_parallel_tools_per_request=request,
        max_parallel_tools_per_host=2,
        tool_queue_size=3,
        tool_queue_wait_seconds=3600,
    )
    running: Counter[object] = Counter()
    done: list[int] = []

    async def caller(number: int, wanted: SlotKey, comes: float, stays: float) -> None:
        await asyncio.sleep(comes)
        places = _places_of(wanted)
        with harness.open(wanted) as entry:
            for _ in range(2):  # in between its user is asked, and it holds nothing
                await harness.turn(entry)
                running.update(places)
                assert running["all"] <= everybody
                for place, capacity in _rooms_of(wanted, user, request):
                    assert running[place] <= capacity
                try:
                    await asyncio.sleep(stays / 2)
                finally:
                    running.subtract(places)
                harness.queue.revoke_grant(entry)
        done.append(number)

    tasks = [
        asyncio.create_task(caller(number, wanted, comes, stays))
        for number, (wanted, comes, stays, _) in enumerate(arrivals)
    ]
    loop = asyncio.get_running_loop()
    for task, (_, _, _, gives_up) in zip(tasks, arrivals, strict=True):
        if gives_up is not None:
            loop.call_later(gives_up, task.cancel)
    ends = await asyncio.gather(*tasks, return_exceptions=True)
    assert all(end is None or isinstance(end, asyncio.CancelledError) for end in ends), ends
    cancelled = sum(end is not None for end in ends)
    assert len(done) + cancelled == len(arrivals)
    assert (harness.queue.running, harness.queue.waiting) == (0, 0)
    assert all(number == 0 for number in running.values())
    await asyncio.wait_for(harness.call("after"), 2)


def _places_of(wanted: SlotKey) -> list[object]:
    return ["all", *(place for place, _ in _rooms_of(wanted, 99, 99))]


def _rooms_of(wanted: SlotKey, user: int, request: int) -> list[tuple[object, int]]:
    who = wanted.user_id
    rooms: list[tuple[object, int]] = [(who, user)]
    if wanted.group:
        rooms.append(((who, wanted.group), request))
    if wanted.origin:
        rooms.append(((who, wanted.origin), 2))
    if wanted.in_order:
        rooms.append(((who, wanted.server_id, "in order"), 1))
    return rooms
