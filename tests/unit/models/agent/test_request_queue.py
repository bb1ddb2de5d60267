"""Requests to models wait their turn, not for ever, and not behind one busy user."""

import asyncio

import pytest

from bridge.errors import BridgeError, ErrorCode
from bridge.models.agent.request_queue import RequestQueue
from bridge.settings.limits import Limits

pytestmark = [pytest.mark.asyncio, pytest.mark.looptime]


class Requests:
    """Requests that run until they are told to end."""

    def __init__(self, **limits: float) -> None:
        self.limits = Limits.model_validate(limits)
        self.queue = RequestQueue(lambda: self.limits)
        self.begun: list[str] = []
        self.ends: dict[str, asyncio.Event] = {}

    def start(self, name: str) -> asyncio.Task[None]:
        """`name`: the user's, then a number."""
        self.ends[name] = asyncio.Event()
        return asyncio.create_task(self._run(name))

    async def _run(self, name: str) -> None:
        place = await self.queue.take_place(name[:-1])
        try:
            self.begun.append(name)
            await self.ends[name].wait()
        finally:
            self.queue.leave_place(name[:-1], place)

    async def settle(self) -> None:
        for _ in range(10):
            await asyncio.sleep(0)


async def test_a_full_line_is_refused_at_once() -> None:
    """S0-82: one place, one that waits: the third is told that the server is busy and may try again."""
    requests = Requests(max_concurrent_requests=1, request_queue_size=1)
    first, second = requests.start("ann1"), requests.start("ann2")
    await requests.settle()
    with pytest.raises(BridgeError) as refused:
        await requests.queue.take_place("bob")
    error = refused.value.error
    assert (error.code, error.retryable) == (ErrorCode.SERVER_BUSY, True)
    assert "Server busy (503)" in error.message
    requests.ends["ann1"].set()
    await first
    await requests.settle()
    assert requests.begun == ["ann1", "ann2"]
    requests.ends["ann2"].set()
    await second
    assert (requests.queue.running, requests.queue.waiting) == (0, 0)


async def test_users_take_turns() -> None:
    """One user who sends a hundred requests must not keep the next user waiting for all of them."""
    requests = Requests(max_concurrent_requests=1)
    tasks = [requests.start(name) for name in ("ann0", "ann1", "ann2", "ann3")]
    await requests.settle()
    tasks.append(requests.start("bob1"))
    for name in ("ann0", "ann1", "bob1", "ann2", "ann3"):
        await requests.settle()
        assert requests.begun[-1] == name
        requests.ends[name].set()
    await asyncio.gather(*tasks)


async def test_one_user_does_not_hold_every_place() -> None:
    """S0-82: somebody whose program opens a hundred answers must not silence everybody else."""
    requests = Requests(max_concurrent_requests=3, max_concurrent_requests_per_user=2)
    tasks = [requests.start(name) for name in ("ann0", "ann1", "ann2", "bob0", "bob1")]
    await requests.settle()
    assert requests.begun == ["ann0", "ann1", "bob0"]
    requests.ends["bob0"].set()
    await requests.settle()
    assert requests.begun[3:] == ["bob1"], "there is a place, and Ann has had hers"
    requests.ends["ann0"].set()
    await requests.settle()
    assert requests.begun[4:] == ["ann2"]
    for end in requests.ends.values():
        end.set()
    await asyncio.gather(*tasks)
    assert requests.queue.running == 0


async def test_one_user_does_not_hold_the_whole_line() -> None:
    """S0-82: of a full line whoever waits with most gives way, the last request first."""
    requests = Requests(max_concurrent_requests=1, request_queue_size=3)
    tasks = [requests.start(name) for name in ("ann0", "ann1", "ann2", "ann3")]
    await requests.settle()
    tasks.append(requests.start("bob0"))
    with pytest.raises(BridgeError, match="busy"):
        await tasks[3]
    for name in ("ann4", "bob1"):
        with pytest.raises(BridgeError, match="busy"):
            await requests.start(name)
    for name in ("ann0", "ann1", "bob0", "ann2"):
        await requests.settle()
        assert requests.begun[-1] == name
        requests.ends[name].set()
    await asyncio.gather(*tasks[:3], tasks[4])
    assert (requests.queue.running, requests.queue.waiting) == (0, 0)


async def test_the_wait_has_an_end() -> None:
    """Nothing hangs: who waited in vain is told so, and the place goes to the next."""
    requests = Requests(max_concurrent_requests=1, request_queue_wait_seconds=5)
    running, waiting = requests.start("ann1"), requests.start("bob1")
    with pytest.raises(BridgeError) as refused:
        await waiting
    assert refused.value.error.code is ErrorCode.SERVER_BUSY
    assert asyncio.get_running_loop().time() == pytest.approx(5, abs=0.1)
    requests.ends["ann1"].set()
    await running
    assert (requests.queue.running, requests.queue.waiting) == (0, 0)


async def test_who_goes_away_gives_up_the_place_even_at_the_last_moment() -> None:
    """A place that is given to somebody who has just left would be lost for ever."""
    requests = Requests(max_concurrent_requests=1)
    running, leaving, next_one = requests.start("ann1"), requests.start("bob1"), requests.start("cat1")
    await requests.settle()
    requests.ends["ann1"].set()
    await running
    leaving.cancel()
    await requests.settle()
    assert requests.begun[-1] == "cat1"
    requests.ends["cat1"].set()
    await next_one
    assert requests.queue.running == 0


async def test_a_raised_limit_lets_in_who_waits() -> None:
    """Limits are live."""
    requests = Requests(max_concurrent_requests=1)
    tasks = [requests.start("ann1"), requests.start("ann2")]
    await requests.settle()
    requests.limits = Limits(max_concurrent_requests=2)
    requests.queue.limits_changed()
    await requests.settle()
    assert requests.begun == ["ann1", "ann2"]
    for end in requests.ends.values():
        end.set()
    await asyncio.gather(*tasks)


async def test_a_bridge_that_stops_lets_nobody_in() -> None:
    """Who waits is answered instead of being cut off."""
    requests = Requests(max_concurrent_requests=1)
    running, waiting = requests.start("ann1"), requests.start("bob1")
    await requests.settle()
    requests.queue.refuse_requests()
    with pytest.raises(BridgeError, match="stopping"):
        await waiting
    with pytest.raises(BridgeError, match="stopping"):
        await requests.queue.take_place("cat")
    requests.ends["ann1"].set()
    await running
