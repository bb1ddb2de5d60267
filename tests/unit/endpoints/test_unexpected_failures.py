"""Background responses whose store fails as nobody expects: each ends, and nobody waits for it for ever."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from bridge.endpoints.openai.responses_api.background_run import FLUSH_S, BackgroundTurn, ResponseInProgress
from bridge.endpoints.openai.responses_api.event_log import EventLog
from bridge.endpoints.openai.responses_api.running import RunningResponse, RunningResponses
from bridge.models.agent.memory.recorder import Memory
from bridge.models.agent.memory.response_record import Progress, ResponseRecord
from bridge.models.agent.responses.response_object import response_shell
from bridge.models.agent.responses.writer import AnswerStyle, ResponsesWriter
from bridge.models.agent.turn import Emit, Settled, TurnResult
from bridge.models.stored_items.items import StoredItem, StoredResponse
from bridge.models.stored_items.ulid import Ulids
from bridge.tasks import Tasks
from tests.support.stores.memory_item_store import MemoryItemStore

pytestmark = [pytest.mark.asyncio, pytest.mark.looptime]

ID = "resp_1"


@dataclass
class BrokenStore(MemoryItemStore):
    """Raises what is no trouble of a database, at some of its writes."""

    fails: dict[str, range] = field(default_factory=dict[str, range])
    """By the name of the method, which of its calls."""
    calls: dict[str, int] = field(default_factory=dict[str, int])

    def note(self, name: str) -> None:
        number = self.calls[name] = self.calls.get(name, 0) + 1
        if number in self.fails.get(name, range(0)):
            raise TypeError("a bug")

    async def save_response(self, response: StoredResponse, items: Sequence[StoredItem] = ()) -> None:
        self.note("save_response")
        await super().save_response(response, items)

    async def add_events(self, user_id: str, response_id: str, first: int, last: int, frames: bytes) -> None:
        self.note("add_events")
        await super().add_events(user_id, response_id, first, last, frames)


class Scene:
    """A response in the background, of two rounds, and one who listens to it."""

    def __init__(self, **fails: range) -> None:
        self.store, self.tasks = BrokenStore(fails=fails), Tasks()
        self.running = RunningResponses(self.tasks)
        body = response_shell(ID, 0, "gpt", {})
        stored = StoredResponse(ID, "ann", "gpt", "in_progress", body, {}, created_at=0.0, background=True)
        self.store.responses[ID] = stored
        answer = ResponsesWriter(body, AnswerStyle("hidden"), now=lambda: 0.0)
        memory = Memory(self.store, Ulids(lambda: 0.0, lambda _bits: 0), lambda: 0.0)
        record = ResponseRecord(memory, stored, is_stored=True)
        log = EventLog(self.store, "ann", ID)
        one = RunningResponse("ann", ID, answer, log)
        making = ResponseInProgress(answer, record, "error-1", lambda _: None, _nothing)
        self.turn = BackgroundTurn(making, log, (self.running, one), Progress())
        self.running.start_background(one, self.turn.run_in_background(_two_rounds))
        self.listening = asyncio.create_task(_listen(log))

    async def over(self) -> bytes:
        """What the listener was told, once the response runs no more."""
        heard = await asyncio.wait_for(self.listening, 30)
        if (one := self.running.find_running("ann", ID)) is not None:
            await asyncio.wait_for(one.wait_gone(), 30)
        self.running.check_room("ann")
        await self.tasks.close()
        return heard

    @property
    def status(self) -> str:
        return self.store.responses[ID].status


async def _nothing() -> None: ...


async def _two_rounds(emit: Emit) -> TurnResult:
    for _ in range(2):
        await emit(Settled((), {}))
    return TurnResult("completed", (), (), frozenset(), {}, {}, is_stored=True)


async def _listen(log: EventLog) -> bytes:
    return b"".join([frames async for frames in log.listen_after(-1)])


async def test_a_response_whose_events_cannot_be_written_is_answered_and_ends() -> None:
    """Finding R-1: the events in memory reach who listens; only a late listener misses them."""
    scene = Scene(add_events=range(1, 1000))
    assert b"response.completed" in await scene.over()
    assert scene.status == "completed"


async def test_nobody_waits_for_events_that_are_not_written_any_more() -> None:
    """Finding R-1: the turn would wait for them at the end of each round."""
    began = asyncio.get_running_loop().time()
    await Scene(add_events=range(1, 1000)).over()
    assert asyncio.get_running_loop().time() - began < FLUSH_S


@pytest.mark.parametrize("number", [1, 2])
async def test_a_response_whose_progress_cannot_be_stored_has_failed(number: int) -> None:
    """Finding R-1: its listeners hear the end, and it is kept."""
    scene = Scene(save_response=range(number, number + 1))
    assert b"response.failed" in await scene.over()
    assert scene.status == "failed"


async def test_a_response_whose_end_cannot_be_stored_for_what_it_is_has_failed() -> None:
    """Finding R-1: whoever reads it hears of a failure, and whoever listens no other end than that."""
    scene = Scene(save_response=range(3, 4))
    assert b"response.completed" not in await scene.over()
    assert scene.status == "failed"


async def test_a_response_of_which_nothing_can_be_stored_lets_everybody_go() -> None:
    """Finding R-1: its place and its listeners are free, though nothing is kept."""
    scene = Scene(save_response=range(1, 1000), add_events=range(1, 1000))
    assert b"response.completed" not in await scene.over()
    assert scene.status == "in_progress"
