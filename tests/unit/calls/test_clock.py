"""Alarms on one timer, clocks that stop, and waking a task."""

import asyncio

import pytest

from bridge.calls.clock import Alarms, Clock, Wakeup

pytestmark = [pytest.mark.asyncio, pytest.mark.looptime]


def now() -> float:
    return asyncio.get_running_loop().time()


async def test_alarms_ring_at_their_times_in_whatever_order_they_were_set() -> None:
    """One timer serves them all."""
    rung: list[tuple[str, float]] = []
    alarms, began = Alarms(), now()
    for key, seconds in (("c", 30), ("a", 10), ("b", 20), ("gone", 5)):
        alarms.set_alarm(key, began + seconds, lambda key=key: rung.append((key, now() - began)))
    alarms.cancel_alarm("gone")
    await asyncio.sleep(100)
    assert [key for key, _ in rung] == ["a", "b", "c"]
    assert [at for _, at in rung] == pytest.approx([10, 20, 30], abs=0.01)


async def test_an_alarm_that_is_set_anew_rings_once_and_then() -> None:
    """A page of which something was heard has its time again."""
    rung: list[float] = []
    alarms, began = Alarms(), now()
    alarms.set_alarm("a", began + 10, lambda: rung.append(now() - began))
    await asyncio.sleep(9)
    alarms.set_alarm("a", now() + 10, lambda: rung.append(now() - began))
    await asyncio.sleep(100)
    assert rung == pytest.approx([19], abs=0.01)


async def test_a_bug_in_one_alarm_keeps_no_other_from_ringing() -> None:
    """They belong to different calls, of different users."""
    errors: list[object] = []
    asyncio.get_running_loop().set_exception_handler(
        lambda _loop, context: errors.append(context["exception"])
    )
    rung: list[str] = []
    alarms, at = Alarms(), now() + 1

    def fail() -> None:
        raise RuntimeError("a bug")

    alarms.set_alarm("bad", at, fail)
    alarms.set_alarm("same time", at, lambda: rung.append("same time"))
    alarms.set_alarm("later", at + 5, lambda: rung.append("later"))
    await asyncio.sleep(10)
    assert rung == ["same time", "later"]
    assert [str(error) for error in errors] == ["a bug"]


async def test_thousands_of_alarms_are_not_looked_at_thousands_of_times() -> None:
    """Each look is at all of them: with 10,000 calls that end one after the other it would hold the loop."""
    times: list[float] = []
    alarms, began = Alarms(), now()
    for number in range(1000):
        alarms.set_alarm(number, began + 1 + number / 10_000, lambda: times.append(now() - began))
    await asyncio.sleep(2)
    assert len(times) == 1000
    assert len(set(times)) < 15  # looks, within a tenth of a second
    assert max(times) < 1.12


async def test_an_alarm_may_set_and_cancel_others() -> None:
    """The end of one call is the slot of the next."""
    rung: list[str] = []
    alarms, at = Alarms(), now() + 1

    def first() -> None:
        rung.append("first")
        alarms.cancel_alarm("second")
        alarms.set_alarm("third", now() + 1, lambda: rung.append("third"))

    alarms.set_alarm("first", at, first)
    alarms.set_alarm("second", at, lambda: rung.append("second"))
    await asyncio.sleep(10)
    assert rung == ["first", "third"]


async def test_a_clock_counts_only_while_it_runs() -> None:
    """The time in which a user decides is not the call's."""
    rung: list[float] = []
    began = now()

    def ring() -> None:
        rung.append(now() - began)

    clock = Clock(Alarms(), 10)
    await asyncio.sleep(50)
    clock.resume_time(ring)
    await asyncio.sleep(4)
    clock.pause_time()
    clock.pause_time()
    await asyncio.sleep(50)
    assert clock.left_s == pytest.approx(6, abs=0.01)
    clock.resume_time(ring)
    clock.resume_time(ring)
    await asyncio.sleep(100)
    assert rung == pytest.approx([110], abs=0.01)
    assert clock.left_s == 0


async def test_being_woken_before_the_wait_is_not_lost_and_counts_once() -> None:
    """A result may come before anybody waits for it."""
    wakeup = Wakeup()
    wakeup.set()
    wakeup.set()
    await wakeup.wait()
    waiting = asyncio.create_task(wakeup.wait())
    await asyncio.sleep(0)
    assert not waiting.done()
    wakeup.set()
    await waiting


async def test_a_cancelled_wait_leaves_the_next_one_unharmed() -> None:
    """A caller that goes away cancels it."""
    wakeup = Wakeup()
    waiting = asyncio.create_task(wakeup.wait())
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.wait({waiting})
    wakeup.set()
    await asyncio.wait_for(wakeup.wait(), 1)
