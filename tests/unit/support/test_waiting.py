"""The bounded wait that edge and browser tests rest on."""

import asyncio

import pytest

from tests.support.waiting import eventually


@pytest.mark.asyncio
@pytest.mark.looptime
async def test_it_returns_the_first_true_value_of_an_async_look() -> None:
    """Callers use the value, so that they need not look a second time."""
    values = iter([0, 0, 7])

    async def look() -> int:
        await asyncio.sleep(0)
        return next(values)

    assert await eventually(look) == 7


@pytest.mark.asyncio
@pytest.mark.looptime
async def test_it_gives_up_at_the_deadline_and_says_what_it_saw() -> None:
    """A test that waits for ever hides which condition failed."""
    started = asyncio.get_running_loop().time()

    with pytest.raises(AssertionError, match=r"a page did not come within 30 s; last seen: \[\]"):
        await eventually(list[int], within_s=30, what="a page")

    assert 30 <= asyncio.get_running_loop().time() - started < 31
