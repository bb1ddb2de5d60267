"""What several look up at the same time is looked up once, and nobody waits for somebody who has gone."""

import asyncio

import pytest

from bridge.errors import BridgeError, ErrorCode
from bridge.shared_work import SingleFlight

pytestmark = pytest.mark.asyncio


class Store:
    """Answers when it is told to."""

    def __init__(self) -> None:
        self.reads = 0
        self.answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    async def look(self) -> str:
        self.reads += 1
        return await asyncio.shield(self.answer)


async def test_who_comes_meanwhile_gets_the_same_value_and_who_comes_later_looks_again() -> None:
    """What was read may have changed since."""
    store, flights = Store(), SingleFlight[str]()
    waiting = [asyncio.create_task(flights.run("ann", store.look)) for _ in range(3)]
    await asyncio.sleep(0)
    store.answer.set_result("found")
    assert [await each for each in waiting] == ["found"] * 3
    assert store.reads == 1
    assert await flights.run("ann", store.look) == "found"
    assert store.reads == 2


async def test_another_looks_when_the_one_who_looked_is_cancelled() -> None:
    """A page that left must not take those of its user with it."""
    store, flights = Store(), SingleFlight[str]()
    first, second = (asyncio.create_task(flights.run("ann", store.look)) for _ in range(2))
    await asyncio.sleep(0)
    first.cancel()
    await asyncio.wait({first})
    store.answer.set_result("found")
    assert await second == "found"
    assert store.reads == 2


async def test_an_error_of_the_store_is_everybodys() -> None:
    """If each tried again in turn, the last would wait for all the others."""
    store, flights = Store(), SingleFlight[str]()
    waiting = [asyncio.create_task(flights.run("ann", store.look)) for _ in range(3)]
    await asyncio.sleep(0)
    store.answer.set_exception(BridgeError(ErrorCode.DATABASE_UNAVAILABLE, "It is away."))
    for each in waiting:
        with pytest.raises(BridgeError, match="away"):
            await each
    assert store.reads == 1
