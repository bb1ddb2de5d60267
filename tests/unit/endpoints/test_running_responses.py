"""Background responses whose user goes to another replica before their ending is stored."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import pytest

from bridge.endpoints.openai.responses_api.background_run import BackgroundTurn, ResponseInProgress
from bridge.endpoints.openai.responses_api.event_log import EventLog
from bridge.endpoints.openai.responses_api.retrieve import ResponseReader
from bridge.endpoints.openai.responses_api.running import STOP_S, RunningResponse, RunningResponses
from bridge.models.agent.memory.recorder import Memory
from bridge.models.agent.memory.response_record import Progress, ResponseRecord
from bridge.models.agent.responses.response_object import response_shell
from bridge.models.agent.responses.writer import AnswerStyle, ResponsesWriter
from bridge.models.agent.turn import Emit, TurnResult
from bridge.models.stored_items.items import StoredItem, StoredResponse
from bridge.models.stored_items.store import StoreUnavailable, UserElsewhere
from bridge.models.stored_items.ulid import Ulids
from bridge.openai_errors import ApiFailure
from bridge.tasks import Tasks
from tests.support.stores.memory_item_store import MemoryItemStore

pytestmark = [pytest.mark.asyncio, pytest.mark.looptime]

ID = "resp_1"


@dataclass
class RefusingStore(MemoryItemStore):
    """Refuses what is written while its user is at home elsewhere."""

    is_elsewhere: bool = False
    is_away: bool = False
    takes_s: float = 0.0
    refused: asyncio.Event = field(default_factory=asyncio.Event)

    async def save_response(self, response: StoredResponse, items: Sequence[StoredItem] = ()) -> None:
        await asyncio.sleep(self.takes_s)
        if self.is_elsewhere or self.is_away:
            self.refused.set()
            kind = UserElsewhere if self.is_elsewhere else StoreUnavailable
            raise kind("The user is at home in another replica, or the database away.")
        await super().save_response(response, items)


def start_response(store: RefusingStore, running: RunningResponses, *, is_shared: bool = False) -> EventLog:
    """A response in the background whose model answers at once; `is_shared`: of one of several replicas."""
    body = response_shell(ID, 0, "gpt", {})
    stored = StoredResponse(ID, "ann", "gpt", "in_progress", body, {}, created_at=0.0, background=True)
    store.responses[ID] = stored
    answer = ResponsesWriter(body, AnswerStyle("hidden"), now=lambda: 0.0)
    memory = Memory(store, Ulids(lambda: 0.0, lambda _bits: 0), lambda: 0.0, is_shared=is_shared)
    record = ResponseRecord(memory, stored, is_stored=True)
    log = EventLog(store, "ann", ID)
    one = RunningResponse("ann", ID, answer, log)

    async def interrupted() -> None: ...

    making = ResponseInProgress(answer, record, "error-1", lambda _: None, interrupted)
    turn = BackgroundTurn(making, log, (running, one), Progress())
    running.start_background(one, turn.run_in_background(answered))
    return log


async def answered(_emit: Emit) -> TurnResult:
    return TurnResult("completed", (), (), frozenset(), {}, {}, is_stored=True)


async def test_an_ending_that_was_not_stored_before_its_user_left_never_is() -> None:
    """Another home has gone on with the response since: the user may come back, and its ending must stay."""
    store, tasks = RefusingStore(is_elsewhere=True), Tasks()
    running = RunningResponses(tasks)
    start_response(store, running)
    await asyncio.wait_for(store.refused.wait(), 60)

    await running.stop_user("ann")
    kept = replace(store.responses[ID], status="completed", body={"output": "of the other home"})
    store.responses[ID], store.is_elsewhere = kept, False
    await asyncio.sleep(600)

    assert store.responses[ID] == kept
    assert running.count_user("ann") == 0
    await tasks.close()


async def test_an_ending_is_stored_late_while_its_user_stays() -> None:
    """The database was away, and nobody else has the response."""
    store, tasks = RefusingStore(is_away=True), Tasks()
    running = RunningResponses(tasks)
    start_response(store, running)
    await asyncio.wait_for(store.refused.wait(), 60)

    store.is_away = False
    await asyncio.sleep(STOP_S * 2)

    assert store.responses[ID].status == "completed"
    assert running.count_user("ann") == 0
    await tasks.close()


async def listen(log: EventLog) -> bytes:
    """All that a listener gets."""
    return b"".join([frames async for frames in log.listen_after(-1)])


async def test_an_ending_is_told_once_it_is_stored() -> None:
    """If the replica were lost before, another home would end the response, perhaps otherwise."""
    store, tasks = RefusingStore(takes_s=1.5), Tasks()
    running = RunningResponses(tasks)
    log, reader = start_response(store, running), ResponseReader(store, running)
    listening = asyncio.create_task(listen(log))
    await asyncio.sleep(0.5)  # the model has answered
    reading = asyncio.create_task(reader.read_response("ann", ID))
    await asyncio.sleep(0.5)
    assert not reading.done()
    assert not listening.done()

    assert (await reading)["status"] == "completed"
    assert b"response.completed" in await listening
    assert store.responses[ID].status == "completed"
    await tasks.close()


async def test_while_the_database_is_away_an_ending_is_told_from_memory() -> None:
    """A bridge that is alone ends it itself, and a caller should not wait for an operator."""
    store, tasks = RefusingStore(is_away=True), Tasks()
    running = RunningResponses(tasks)
    log = start_response(store, running)
    assert b"response.completed" in await asyncio.wait_for(listen(log), 10)
    assert (await ResponseReader(store, running).read_response("ann", ID))["status"] == "completed"
    await tasks.close()


async def test_a_replica_tells_no_ending_that_the_database_has_not_stored() -> None:
    """Another home may take the user over as soon as it is back, and ends the response as it is stored."""
    store, tasks = RefusingStore(is_away=True), Tasks()
    running = RunningResponses(tasks)
    log, reader = start_response(store, running, is_shared=True), ResponseReader(store, running)
    listening = asyncio.create_task(listen(log))
    await asyncio.wait_for(store.refused.wait(), 60)
    with pytest.raises(ApiFailure) as refused:
        await asyncio.wait_for(reader.read_response("ann", ID), 10)
    assert refused.value.error.status == 503
    assert not listening.done()

    store.is_away = False
    assert b"response.completed" in await asyncio.wait_for(listening, 10)
    assert (await reader.read_response("ann", ID))["status"] == "completed"
    await tasks.close()


async def test_an_ending_that_another_home_decides_is_not_told_here() -> None:
    """Whoever listens or asks here is sent on: the stream ends without an end, the answer is an error."""
    store, tasks = RefusingStore(is_elsewhere=True, takes_s=1.5), Tasks()
    running = RunningResponses(tasks)
    log, reader = start_response(store, running), ResponseReader(store, running)
    await asyncio.sleep(0.5)  # the model has answered
    reading = asyncio.create_task(reader.read_response("ann", ID))
    assert b"response.completed" not in await asyncio.wait_for(listen(log), 10)
    with pytest.raises(ApiFailure) as refused:
        await reading
    assert (refused.value.error.status, refused.value.error.code) == (503, "replica_lost")
    assert running.count_user("ann") == 0
    await tasks.close()
