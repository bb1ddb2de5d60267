"""What another replica changed: noticed by a bell at once, by a look every five seconds. Time is virtual."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field

import pytest
import pytest_asyncio

from bridge.cluster.changes import LOOK_S, Changes, Followed, ring_with
from bridge.errors import BridgeError
from bridge.storage.sessions import Topic, database_unavailable
from bridge.tasks import Tasks
from tests.support.waiting import eventually

pytestmark = [pytest.mark.asyncio, pytest.mark.virtual_time]


@dataclass
class Counters:
    """The counters of a database, which may be away."""

    versions: dict[str, int] = field(default_factory=dict[str, int])
    is_away: bool = False
    answer_s: float = 0.0

    async def read_versions(self) -> Mapping[str, int]:
        if self.is_away:
            raise database_unavailable()
        versions = dict(self.versions)
        await asyncio.sleep(self.answer_s)
        return versions

    def raise_version(self, topic: str) -> None:
        self.versions[topic] = self.versions.get(topic, 0) + 1


@dataclass
class SharedBell:
    """A bell of which every replica hears the others; one that is mute loses every ring."""

    listeners: list[tuple["SharedBell", Callable[[str | None], None]]] = field(
        default_factory=list[tuple["SharedBell", Callable[[str | None], None]]]
    )
    is_mute: bool = False

    def of_replica(self) -> "SharedBell":
        return SharedBell(self.listeners, self.is_mute)

    async def ring(self, topic: str) -> None:
        for bell, hear in self.listeners:
            if bell is not self and not self.is_mute:
                hear(topic)

    async def listen(self, hear: Callable[[str | None], None]) -> None:
        self.listeners.append((self, hear))


@dataclass
class Cluster:
    counters: Counters = field(default_factory=Counters)
    bell: SharedBell = field(default_factory=SharedBell)
    tasks: Tasks = field(default_factory=Tasks)

    def changes(self, *followed: Followed) -> Changes:
        """Those of a replica that hears the others."""
        bell = self.bell.of_replica()
        changes = Changes(self.counters, bell, self.tasks, followed)
        bell.listeners.append((bell, changes.hear_ring))
        return changes

    async def listening(self, topic: Topic = "keys") -> list[str]:
        """A replica that listens to a topic; returns what it heard."""
        heard: list[str] = []
        changes = self.changes(([topic], lambda: heard.append(topic)))
        await changes.read_first()
        self.tasks.start_task(changes.keep_looking(), "changes")
        return heard


@pytest_asyncio.fixture
async def cluster() -> AsyncIterator[Cluster]:
    made = Cluster()
    yield made
    await made.tasks.close()


async def test_a_ring_is_followed_by_a_look_at_once(cluster: Cluster) -> None:
    """A revoked key must not open anything on another replica for seconds."""
    heard, ring = await cluster.listening(), ring_with(cluster.bell.of_replica(), cluster.tasks)
    cluster.counters.raise_version("keys")
    ring("keys")
    await eventually(lambda: heard == ["keys"], within_s=0.5)


async def test_without_a_bell_a_change_is_noticed_within_five_seconds(cluster: Cluster) -> None:
    """Redis may be away, or lose a ring; a command of the operator rings no bell."""
    heard = await cluster.listening()
    cluster.counters.raise_version("keys")
    await asyncio.sleep(LOOK_S + 0.1)
    assert heard == ["keys"]
    assert LOOK_S <= 5


async def test_only_the_topics_that_moved_are_told_once(cluster: Cluster) -> None:
    """Every replica would read everything again at each change of anything."""
    heard, others = await cluster.listening("keys"), await cluster.listening("limits")
    cluster.counters.raise_version("limits")
    await asyncio.sleep(3 * LOOK_S)
    assert (heard, others) == ([], ["limits"])


async def test_what_changed_before_the_first_look_is_not_told(cluster: Cluster) -> None:
    """Nothing older is held in memory then."""
    cluster.counters.raise_version("keys")
    heard = await cluster.listening()
    await asyncio.sleep(2 * LOOK_S)
    assert heard == []


async def test_a_change_made_while_the_database_was_away_is_told_afterwards(cluster: Cluster) -> None:
    """A look that fails must neither end the looking nor lose the change."""
    heard = await cluster.listening()
    cluster.counters.raise_version("keys")
    cluster.counters.is_away = True
    await asyncio.sleep(3 * LOOK_S)
    assert heard == []
    cluster.counters.is_away = False
    await asyncio.sleep(LOOK_S)
    assert heard == ["keys"]


async def test_a_listener_that_could_not_read_is_told_again(cluster: Cluster) -> None:
    """A shared document that could not be read this time would stay the old one for ever."""
    answers: list[BridgeError | None] = [database_unavailable(), None]
    told: list[float] = []

    async def read_again() -> None:
        told.append(asyncio.get_running_loop().time())
        answer = answers.pop(0)
        if answer is not None:
            raise answer

    changes = cluster.changes((["servers"], read_again))
    await changes.read_first()
    cluster.tasks.start_task(changes.keep_looking(), "changes")
    cluster.counters.raise_version("servers")
    await asyncio.sleep(3 * LOOK_S)
    assert len(told) == 2


async def test_a_ring_during_a_look_leads_to_another_look(cluster: Cluster) -> None:
    """The look under way may have read before the change was committed."""
    heard, ring = await cluster.listening(), ring_with(cluster.bell.of_replica(), cluster.tasks)
    cluster.counters.answer_s = 0.2
    ring("keys")
    await asyncio.sleep(0.1)
    cluster.counters.raise_version("keys")
    ring("keys")
    await eventually(lambda: heard == ["keys"], within_s=0.5)
