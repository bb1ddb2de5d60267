"""Waiting with a bound, and what a pause of the process does to it."""

import asyncio

import pytest

from bridge.tasks import run_while_awake, run_within
from tests.faults.virtual_time import VirtualLoop

pytestmark = [pytest.mark.asyncio, pytest.mark.virtual_time]

STEPS = 5
"""Turns of the loop that a driver takes from the bytes that have come to its answer."""


async def answer_after(seconds: float) -> str:
    await asyncio.sleep(seconds)
    for _ in range(STEPS):
        await asyncio.sleep(0)
    return "answer"


def pause_in(seconds: float, *, for_s: float) -> None:
    loop = asyncio.get_running_loop()
    assert isinstance(loop, VirtualLoop)
    loop.call_later(seconds, loop.stand_still, for_s)


async def test_a_pause_is_no_silence_of_what_is_awaited() -> None:
    """The answer came meanwhile, and lies in the socket when the process goes on."""
    pause_in(0.2, for_s=2.5)
    assert await run_while_awake(1.0, answer_after(0.5)) == "answer"
    pause_in(0.2, for_s=2.5)
    with pytest.raises(TimeoutError):
        await run_within(1.0, answer_after(0.5))


async def test_what_does_not_answer_is_given_up_when_the_time_is_over() -> None:
    """Nobody waits for ever."""
    began = asyncio.get_running_loop().time()
    with pytest.raises(TimeoutError):
        await run_while_awake(1.0, answer_after(60))
    assert asyncio.get_running_loop().time() - began == pytest.approx(1.0)
