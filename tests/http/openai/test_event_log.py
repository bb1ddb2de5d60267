"""Events of a running response: every listener gets each once, in order, and nobody waits for a slow one."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from bridge.endpoints.openai.responses_api import event_log
from bridge.endpoints.openai.responses_api.event_log import EventLog, EventsLost, bodies_of
from bridge.models.stored_items.items import StoredResponse
from bridge.models.stored_items.store import StoreUnavailable
from tests.support.stores.memory_item_store import MemoryItemStore
from tests.support.waiting import eventually

pytestmark = pytest.mark.asyncio


@dataclass
class GuardedStore(MemoryItemStore):
    """One that is away while the test wants that."""

    is_away: bool = False
    added: asyncio.Event = field(default_factory=asyncio.Event)

    async def add_events(self, user_id: str, response_id: str, first: int, last: int, frames: bytes) -> None:
        if self.is_away:
            raise StoreUnavailable
        await super().add_events(user_id, response_id, first, last, frames)
        self.added.set()

    async def read_events(
        self, user_id: str, response_id: str, after: int, *, limit: int
    ) -> Sequence[tuple[int, bytes]]:
        if self.is_away:
            raise StoreUnavailable
        return await super().read_events(user_id, response_id, after, limit=limit)


def frame(number: int, *, kind: str = "response.output_text.delta", padding: int = 0) -> bytes:
    return b'event: %b\ndata: {"sequence_number":%d,"delta":"%b"}\n\n' % (
        kind.encode(),
        number,
        b"x" * padding,
    )


@asynccontextmanager
async def a_log(store: GuardedStore, **chosen: Any) -> AsyncGenerator[EventLog]:
    """A log that is written beside the test, and ended after it."""
    await store.save_response(StoredResponse("r", "ann", "m", "in_progress", {}, {}, 0.0))
    log = EventLog(store, "ann", "r", **chosen)
    async with asyncio.TaskGroup() as group:
        group.create_task(log.write_frames())
        yield log
        log.end_events()


async def read_events(log: EventLog, after: int = -1, *, until: int | None = None) -> list[int]:
    """Numbers that a listener gets, to the end or to a number."""
    numbers: list[int] = []
    async for frames in log.listen_after(after):
        numbers += numbers_of([frames])
        if until is not None and numbers[-1] >= until:
            break
    return numbers


def numbers_of(chunks: Sequence[bytes]) -> list[int]:
    return [int(str(body["sequence_number"])) for body in bodies_of(chunks)]


async def test_listeners_that_come_at_any_time_get_everything_they_have_not_had() -> None:
    """One from the beginning, one amid the events, one at the end, one that has had some of them."""
    async with a_log(GuardedStore()) as log, asyncio.TaskGroup() as group:
        early = group.create_task(read_events(log))
        for number in range(0, 50):
            log.add_frames(frame(number))
        amid = group.create_task(read_events(log, 20))
        await asyncio.sleep(0)
        for number in range(50, 100):
            log.add_frames(frame(number))
        log.end_events()
        late = group.create_task(read_events(log))
    assert early.result() == list(range(100))
    assert amid.result() == list(range(21, 100))
    assert late.result() == list(range(100))
    assert await read_events(log, 99) == []


async def test_a_listener_that_falls_behind_memory_reads_on_from_the_store() -> None:
    """Ten thousand events through a log that keeps a tenth of them: none is missed and none comes twice."""
    store = GuardedStore()
    async with a_log(store) as log:
        slow = log.listen_after(-1)
        log.add_frames(frame(0))
        got = [await anext(slow)]
        for number in range(1, 10_000):
            log.add_frames(frame(number, padding=1000))
            if number % 500 == 0:
                await log.flush_frames()
        await log.flush_frames()
        store.is_away = True
        with pytest.raises(StoreUnavailable):  # so much is not in memory any more
            await read_events(log, 9_999 - event_log.BUFFERED_BYTES // 1000)
        store.is_away = False
        log.end_events()
        got += [frames async for frames in slow]
    assert numbers_of(got) == list(range(10_000))
    assert max(map(len, got)) < 4 * event_log.BUFFERED_BYTES


@pytest.mark.looptime
async def test_events_are_written_together_and_a_new_item_at_once() -> None:
    """Deltas cost the store one write in half a second; what an item's number hangs on is not put off."""
    store = GuardedStore()
    async with a_log(store) as log:
        log.add_frames(frame(0, kind="response.output_item.added"))
        async with asyncio.timeout(event_log.WRITE_S / 2):
            await store.added.wait()
        for number in range(1, 40):
            log.add_frames(frame(number))
            await asyncio.sleep(0)
        await log.flush_frames()
    assert [first for first, _ in await store.read_events("ann", "r", -1, limit=99)] == [0, 1]


async def test_a_store_that_is_away_delays_nobody_and_gets_all_later() -> None:
    """Listeners are served from memory meanwhile."""
    store = GuardedStore(is_away=True)
    async with a_log(store, retry_s=0.01) as log:
        for number in range(10):
            log.add_frames(frame(number, kind="response.output_item.added"))
        assert await read_events(log, until=9) == list(range(10))
        store.is_away = False
        await log.flush_frames()
    assert numbers_of([frames for _, frames in await store.read_events("ann", "r", -1, limit=9)]) == list(
        range(10)
    )


async def test_memory_is_bounded_while_the_store_is_away() -> None:
    """The oldest events are given up; who still needs them is told, and newer ones go on."""
    store = GuardedStore(is_away=True)
    async with a_log(store, unwritten_bytes=100_000, retry_s=0.01) as log:
        for number in range(300):
            log.add_frames(frame(number, padding=1000))
        with pytest.raises(EventsLost):
            await read_events(log)
        with pytest.raises(EventsLost):  # so much is not in memory any more
            await read_events(log, 299 - 100_000 // 1000)
        assert await read_events(log, 290, until=299) == list(range(291, 300))
        store.is_away = False
        await log.flush_frames()
        log.end_events()
        assert (await read_events(log, 290))[-1] == 299


async def test_another_process_goes_on_behind_numbers_that_nobody_knows() -> None:
    """Events that were told and not written before a crash leave a gap, and who saw them misses nothing."""
    store = GuardedStore()
    async with a_log(store) as log:
        for number in range(5):
            log.add_frames(frame(number))
    async with a_log(store, first=1000) as log:
        for number in range(1000, 1003):
            log.add_frames(frame(number))
        everything = [*range(5), 1000, 1001, 1002]
        assert await read_events(log, until=1002) == everything
        assert await read_events(log, 7, until=1002) == [1000, 1001, 1002]
        log.end_events()
        assert await eventually(lambda: read_events(log)) == everything
