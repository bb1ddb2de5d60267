"""What is done around the time in which a user is at home in a replica. On a virtual clock."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import pytest
import pytest_asyncio

from bridge.cluster.residents import IDLE_S, Residents, ResidentWork
from bridge.errors import BridgeError, ErrorCode
from bridge.homes import Home
from bridge.tasks import Tasks

pytestmark = [pytest.mark.asyncio, pytest.mark.looptime]


@dataclass
class Work:
    """Notes what is done, in order."""

    done: list[str] = field(default_factory=list[str])
    settle_s: float = 0.5
    end_s: float = 0.0
    fails: int = 0
    busy: bool = False

    async def settle(self, home: Home) -> None:
        await asyncio.sleep(self.settle_s)
        if self.fails:
            self.fails -= 1
            raise BridgeError(ErrorCode.DATABASE_UNAVAILABLE, "The database is away.", retryable=True)
        self.done.append(f"settle {home.epoch}")

    async def end_work(self, user_id: str) -> None:
        await asyncio.sleep(self.end_s)
        self.done.append("end")


@dataclass
class Scene:
    work: Work
    residents: Residents

    async def serve(self) -> None:
        async with self.residents.serve_user("ann"):
            self.work.done.append("serve")


@pytest_asyncio.fixture
async def scene() -> AsyncIterator[Scene]:
    work, tasks = Work(), Tasks()
    done = ResidentWork(work.settle, work.end_work, lambda _: work.busy, list[str]().append)
    residents = Residents(tasks, lambda: done)
    yield Scene(work, residents)
    await tasks.close()


async def test_a_request_waits_until_what_others_left_is_settled(scene: Scene) -> None:
    """Its user's calls of a lost home have an ending by then."""
    await scene.residents.enter(Home("ann", "a", 2))
    await scene.serve()
    assert scene.work.done == ["settle 2", "serve"]


async def test_settling_is_tried_until_the_database_answers(scene: Scene) -> None:
    """Nothing that a lost home left stays open for ever."""
    scene.work.fails = 3
    await scene.residents.enter(Home("ann", "a", 2))
    await scene.serve()
    assert scene.work.done == ["settle 2", "serve"]


async def test_a_user_who_comes_back_is_served_when_the_earlier_stay_has_ended(scene: Scene) -> None:
    """What an earlier stay still writes must not carry the new claim."""
    await scene.residents.enter(Home("ann", "a", 2))
    await scene.serve()
    scene.work.end_s = 3.0
    scene.residents.leave("ann")
    await scene.residents.enter(Home("ann", "a", 4))
    await scene.serve()
    assert scene.work.done == ["settle 2", "serve", "end", "settle 4", "serve"]


async def test_settling_ends_with_the_stay(scene: Scene) -> None:
    """Another home does it now."""
    await scene.residents.enter(Home("ann", "a", 2))
    scene.residents.leave("ann")
    await asyncio.sleep(5)
    assert scene.work.done == ["end"]


async def test_a_user_is_idle_when_nothing_was_open_for_a_while(scene: Scene) -> None:
    """Then any replica may take the user."""
    await scene.residents.enter(Home("ann", "a", 1))
    async with scene.residents.serve_user("ann"):
        await asyncio.sleep(2 * IDLE_S)
        assert not scene.residents.is_idle("ann")
    await asyncio.sleep(IDLE_S - 1)
    assert not scene.residents.is_idle("ann")
    scene.work.busy = True
    await asyncio.sleep(2)
    assert not scene.residents.is_idle("ann")
    scene.work.busy = False
    await asyncio.sleep(IDLE_S - 1)
    assert not scene.residents.is_idle("ann")
    await asyncio.sleep(1)
    assert scene.residents.is_idle("ann")


async def test_a_user_is_free_as_soon_as_nothing_is_open(scene: Scene) -> None:
    """Another replica that asks for the user need not wait until nobody comes back."""
    residents = scene.residents
    await residents.enter(Home("ann", "a", 2))
    assert not residents.is_free("ann"), "what others left is being settled"
    async with residents.serve_user("ann"):
        assert not residents.is_free("ann")
    assert residents.is_free("ann")
    assert not residents.is_idle("ann")
    scene.work.busy = True
    assert not residents.is_free("ann")
