"""Whose document is read when: slow ones of any number of users keep nobody else waiting for long."""

import asyncio
from dataclasses import dataclass, field
from typing import cast

import pytest

from bridge.documents.children import PATIENCE_S, SLOW_PLACES, Children, Places
from bridge.documents.piped_child import Child
from bridge.errors import BridgeError, ErrorCode
from bridge.log_lines import name_user
from bridge.timings import USUAL_TIMINGS

pytestmark = [pytest.mark.asyncio, pytest.mark.looptime]

SPAWN_S = 0.5
DEADLINE_S = 60.0


@dataclass(eq=False)
class PlayedChild:
    """A process that does nothing."""

    returncode: int | None = None


@dataclass
class Readers:
    """Processes that are played, and who had one."""

    running: set[PlayedChild] = field(default_factory=set[PlayedChild])
    most_at_once: int = 0
    begun: list[str] = field(default_factory=list[str])
    """Names of documents, each time that one was begun."""
    ended_at: dict[str, float] = field(default_factory=dict[str, float])

    def __post_init__(self) -> None:
        self.children = Children(self.spawn, self.end)

    async def spawn(self) -> Child:
        child = PlayedChild()
        self.running.add(child)
        self.most_at_once = max(self.most_at_once, len(self.running))
        await asyncio.sleep(SPAWN_S)
        return cast("Child", child)

    async def end(self, child: Child) -> None:
        played = cast("PlayedChild", child)
        played.returncode = -9
        self.running.discard(played)

    async def read(self, user_id: str, name: str, seconds: float) -> None:
        """Read a document that takes so long, within the deadline."""
        name_user(user_id)

        async def take_time(_child: Child) -> None:
            self.begun.append(name)
            async with asyncio.timeout(DEADLINE_S):
                await asyncio.sleep(seconds)

        try:
            await self.children.use_child(take_time)
        finally:
            self.ended_at[name] = now()

    def start(self, user_id: str, name: str, seconds: float) -> asyncio.Task[None]:
        return asyncio.create_task(self.read(user_id, name, seconds))


def now() -> float:
    return asyncio.get_running_loop().time()


async def test_a_good_document_is_read_in_time_beside_slow_ones_of_three_users() -> None:
    """Finding O-3: two slow documents had places, and a third one kept its turn for up to a minute."""
    readers = Readers()
    slow = [readers.start(user, f"slow of {user}", 1_000) for user in ("ann", "bob", "eve")]
    good = readers.start("dan", "good", 1)
    await good
    assert readers.ended_at["good"] < USUAL_TIMINGS.list_wait_s
    assert not any(task.done() for task in slow)
    assert readers.most_at_once <= 1 + SLOW_PLACES
    results = await asyncio.gather(*slow, return_exceptions=True)
    assert [type(result) for result in results] == [TimeoutError] * 3
    assert sorted(readers.begun) == ["good", "slow of ann", "slow of bob", "slow of eve", "slow of eve"]
    await readers.children.close()
    assert readers.running == set()


async def test_any_number_of_slow_documents_of_one_user_is_one_for_the_others() -> None:
    """Finding O-3: who sends twenty at once waits for them alone."""
    readers = Readers()
    slow = [readers.start("eve", f"slow {number}", 1_000) for number in range(20)]
    await asyncio.sleep(1)
    for number in range(5):
        started = now()
        await readers.start("dan", f"good {number}", 1)
        assert now() - started < USUAL_TIMINGS.list_wait_s / 2
    for task in slow:
        task.cancel()
    await asyncio.gather(*slow, return_exceptions=True)
    await readers.start("dan", "afterwards", 1)
    await readers.children.close()
    assert readers.running == set()


async def test_a_slow_document_of_another_user_gets_a_place_in_rotation() -> None:
    """Finding O-3: what takes 16 s is none that nobody may have, whoever fills the slow places."""
    readers = Readers()
    slow = [readers.start("eve", f"slow {number}", 1_000) for number in range(10)]
    await asyncio.sleep(4 * (PATIENCE_S + SPAWN_S))
    await readers.start("dan", "large", 16)
    assert readers.ended_at["large"] < DEADLINE_S + 16 + 4 * (PATIENCE_S + SPAWN_S)
    assert readers.begun.count("large") == 2
    for task in slow:
        task.cancel()
    await asyncio.gather(*slow, return_exceptions=True)


async def test_a_document_that_loses_its_turn_is_begun_once_more_and_not_again() -> None:
    """Finding O-3: its second process is its own until it ends, however many wait."""
    readers = Readers()
    slow = [readers.start(user, user, seconds) for user, seconds in (("ann", 30), ("bob", 30), ("eve", 20))]
    for number in range(10):
        await readers.start("dan", f"good {number}", 1.5)
    await asyncio.gather(*slow)
    assert {name: readers.begun.count(name) for name in ("ann", "bob", "eve")} == {
        "ann": 1,
        "bob": 1,
        "eve": 2,
    }


async def test_what_a_process_reports_costs_it_nothing() -> None:
    """A bad document is an answer; the next one has the same process."""
    readers = Readers()

    async def refuse(_child: Child) -> None:
        raise BridgeError(ErrorCode.INVALID_DOCUMENT, "Bad.")

    await readers.start("ann", "good", 1)
    with pytest.raises(BridgeError):
        await readers.children.use_child(refuse)
    assert (len(readers.running), readers.most_at_once) == (1, 1)


async def test_a_place_whose_taker_gave_up_goes_to_the_next() -> None:
    """In the moment in which it is given, too."""
    places = Places(1)
    await places.take_place("ann")
    gave_up, waits = (asyncio.create_task(places.take_place(user)) for user in ("bob", "eve"))
    await asyncio.sleep(0)
    places.leave_place()
    gave_up.cancel()
    await asyncio.wait_for(waits, 1)
    assert places.is_full
    places.leave_place()
    assert not places.is_full
