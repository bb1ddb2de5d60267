"""Background responses of one replica: the real maker, continuer, turns and records, over a played store.

Their model answers one round after a while; what it answers names the replica and how often it was asked.
"""

import asyncio
import re
from collections.abc import AsyncGenerator, Callable, Collection, Coroutine, Mapping, Sequence
from typing import Any, Protocol, TypeVar, cast

from bridge.auth.access_watch import hold_nothing
from bridge.calls.admission import Controls
from bridge.calls.call_watch import CallWatch
from bridge.calls.ports import JournalEntry
from bridge.endpoints.openai.responses_api.create import ResponseMaker, build_order
from bridge.endpoints.openai.responses_api.resume import ResponseContinuer
from bridge.endpoints.openai.responses_api.retrieve import ResponseReader
from bridge.endpoints.openai.responses_api.running import RunningResponses
from bridge.homes import EpochOf, HomeOf, user_elsewhere
from bridge.models.agent.loop.pending_turns import PendingRounds
from bridge.models.agent.memory.recorder import Memory
from bridge.models.agent.memory.turn_memory import TurnMemory
from bridge.models.agent.model import ModelEvent, ModelRequest
from bridge.models.agent.request_queue import RequestQueue
from bridge.models.agent.responses.request_parser import parse_responses_request
from bridge.models.agent.responses.response_object import response_shell
from bridge.models.agent.turn_runner import TurnRunner
from bridge.models.providers.listed_models import ModelEntry
from bridge.models.providers.user_models import UserModels
from bridge.models.stored_items.items import StoredItem, StoredResponse
from bridge.models.stored_items.retention_preference import MemoryChoices
from bridge.models.stored_items.ulid import Ulids
from bridge.openai_errors import ApiFailure
from bridge.settings.chat.memory import MemorySettings
from bridge.storage.chat.resilient_items import ResilientItemStore
from bridge.tasks import Tasks, sleep_safely
from tests.faults.replicas.engines import EngineLost, Way
from tests.faults.replicas.plan import ResponsePlan
from tests.support.cluster.tables import Tables
from tests.support.models.memory_harness import FakeNestingToolbox, MemoryChoiceStore, SameToolbox
from tests.support.models.turn_harness import SETTINGS, round_of, text
from toolserver.json_types import JsonObject, dump_json, text_at

T = TypeVar("T")

_NUMBER = re.compile(rb'"(?:text|content)": ?"(\d+)"')
"""The whole input of a response: its number."""

STORE_S = 5.0
"""As answers wait for the database."""


class ResponseSurroundings(Protocol):
    """What responses need of their world."""

    def asked_model(self, replica: str, number: int, *, is_at_home: bool) -> int:
        """A model is asked for a response; returns for the how manieth time.

        `is_at_home`: whether its user is there, as far as the replica may know since it last looked.
        """
        ...

    def model_answered(self, replica: str, number: int, *, is_at_home: bool) -> None:
        """The round is over. `is_at_home`: as before, under the same claim."""
        ...

    def response_plan(self, number: int) -> ResponsePlan: ...


class FarItems:
    """What is kept of answers, over a network. Each write counts only under the present claim."""

    def __init__(self, tables: Tables, way: Way, epoch_of: EpochOf) -> None:
        self._tables, self._way, self._epoch_of = tables, way, epoch_of
        self._turn = asyncio.Lock()
        self._writes: set[asyncio.Task[bool]] = set()

    async def add_items(self, items: Sequence[StoredItem]) -> None:
        await self._write("add_items", items[0].user_id, lambda: self._tables.items.add_items(items))

    async def save_response(self, response: StoredResponse, items: Sequence[StoredItem] = ()) -> None:
        keep = self._tables.items.save_response
        await self._write("save_response", response.user_id, lambda: keep(response, items))

    async def add_events(self, user_id: str, response_id: str, first: int, last: int, frames: bytes) -> None:
        keep = self._tables.items.add_events
        await self._write("add_events", user_id, lambda: keep(user_id, response_id, first, last, frames))

    async def by_ids(self, user_id: str, ids: Collection[str]) -> Mapping[str, StoredItem]:
        return await self._ask("by_ids", lambda: self._tables.items.by_ids(user_id, ids))

    async def by_provider_ids(self, user_id: str, ids: Collection[str]) -> Mapping[str, StoredItem]:
        return await self._ask("by_ids", lambda: self._tables.items.by_provider_ids(user_id, ids))

    async def delete_items(self, user_id: str, ids: Collection[str]) -> None:
        await self._write("delete", user_id, lambda: self._tables.items.delete_items(user_id, ids))

    async def read_chain(self, user_id: str, response_id: str) -> Sequence[StoredItem]:
        return await self._ask("read_chain", lambda: self._tables.items.read_chain(user_id, response_id))

    async def find_response(self, user_id: str, response_id: str) -> StoredResponse | None:
        return await self._ask("find", lambda: self._tables.items.find_response(user_id, response_id))

    async def delete_response(self, user_id: str, response_id: str) -> bool:
        return await self._write(
            "delete", user_id, lambda: self._tables.items.delete_response(user_id, response_id)
        )

    async def list_unfinished(self, user_id: str | None = None) -> Sequence[StoredResponse]:
        return await self._ask("list_unfinished", lambda: self._tables.items.list_unfinished(user_id))

    async def read_events(
        self, user_id: str, response_id: str, after: int, *, limit: int
    ) -> Sequence[tuple[int, bytes]]:
        read = self._tables.items.read_events
        return await self._ask("read_events", lambda: read(user_id, response_id, after, limit=limit))

    async def _write(self, name: str, user_id: str, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        epoch, results = self._epoch_of(user_id), list[T]()

        def statement() -> bool:
            if self._tables.holds(user_id, epoch):
                results.append(_at_once(work()))
                return True
            return False

        writing = asyncio.get_running_loop().create_task(self._write_in_turn(name, statement))
        self._writes.add(writing)
        writing.add_done_callback(self._forget_write)
        try:
            is_written = await asyncio.shield(writing)
        except EngineLost:
            raise OSError("no answer") from None
        if not is_written:
            raise user_elsewhere()
        return results[0]

    async def _write_in_turn(self, name: str, statement: Callable[[], bool]) -> bool:
        """As the one thread that writes: in order, also when nobody waits any more."""
        async with self._turn:
            return await self._way.ask(name, statement)

    def _forget_write(self, writing: asyncio.Task[bool]) -> None:
        self._writes.discard(writing)
        if not writing.cancelled():
            writing.exception()  # whoever waited has heard of it

    async def _ask(self, name: str, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        try:
            return await self._way.ask(name, lambda: _at_once(work()))
        except EngineLost:
            raise OSError("no answer") from None


def _at_once(work: Coroutine[Any, Any, T]) -> T:
    """Run what waits for nothing."""
    try:
        work.send(None)
    except StopIteration as ended:
        return ended.value
    raise AssertionError("a model of a database does not wait")


class _SlowModel:
    """Answers a response's only round."""

    def __init__(self, homes: HomeOf, around: ResponseSurroundings) -> None:
        self._homes, self._around = homes, around

    async def stream_round(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        number = next(int(found) for item in request.input for found in _NUMBER.findall(dump_json(item)))
        plan = self._around.response_plan(number)
        replica, epoch = self._homes.replica, self._homes.epoch_of(plan.user)
        nth = self._around.asked_model(replica, number, is_at_home=epoch is not None)
        await sleep_safely(plan.takes_s / 2)
        *events, ending = round_of(text(f"answer {nth} to {number} by {replica}"))
        for event in events:
            yield ModelEvent(cast("JsonObject", event))
        await sleep_safely(plan.takes_s / 2)
        is_at_home = self._homes.held_epoch(plan.user) == epoch
        self._around.model_answered(replica, number, is_at_home=is_at_home)
        yield ModelEvent(cast("JsonObject", ending))


class _OneModel:
    """The directory of models."""

    def __init__(self, entry: ModelEntry) -> None:
        self._entry = entry

    async def find_model(self, _user_id: str, name: str) -> ModelEntry:
        return self._entry


class _NoCalls:
    """The journal as far as turns without calls read it."""

    async def of_turn(self, user_id: str, turn_id: str, *, since: float) -> Mapping[str, JournalEntry]:
        return {}


class PlayedResponses:
    """The responses of one replica."""

    def __init__(
        self, homes: HomeOf, store: FarItems, around: ResponseSurroundings, controls: Controls
    ) -> None:
        def clock() -> float:
            return asyncio.get_running_loop().time()

        self._numbers = 0
        limits, breakers = controls.limits, controls.breakers
        resilient = ResilientItemStore(store, breakers, wait_s=lambda: STORE_S)
        memory, pending = (
            Memory(resilient, Ulids(clock, self._next_number), clock, is_shared=True),
            PendingRounds(clock),
        )
        turn_memory = TurnMemory(
            pending, memory, MemorySettings(), MemoryChoices(MemoryChoiceStore()), wait_s=lambda: STORE_S
        )
        self._tasks = Tasks()
        self.requests = RequestQueue(lambda: limits.now)
        tools = SameToolbox(FakeNestingToolbox())
        turns = TurnRunner(
            self.requests,
            breakers,
            turn_memory,
            tools,
            pending,
            calls=CallWatch(),
            acts_for=lambda user_id: homes.epoch_of(user_id) is not None,
        )
        self._model = cast("ModelEntry", _EntryOf(_SlowModel(homes, around)))
        self.running = RunningResponses(self._tasks)
        self._maker = ResponseMaker(
            turns, memory, _NoCalls(), self.running, lambda _: SETTINGS, hold_work=hold_nothing
        )
        models = cast("UserModels", _OneModel(self._model))
        continuer = ResponseContinuer(memory, _NoCalls(), models, self._maker, _wait_for_nobody)
        self.resume_user, self.stop_user = continuer.resume_orphaned, self.running.stop_user
        self._reader = ResponseReader(resilient, self.running)

    def _next_number(self, _bits: int) -> int:
        self._numbers += 1
        return self._numbers

    async def start(self, plan: ResponsePlan, response_id: str, relayed_id: str | None) -> None:
        """Follows `POST /v1/responses` in the background. Raises `ApiFailure`."""
        body: JsonObject = {"model": "gpt", "input": str(plan.number), "background": True}
        shell = response_shell(response_id, 0, "gpt", body)
        request: JsonObject = {"body": {"model": "gpt", "background": True}, "relayed_id": relayed_id}
        shell["status"] = "queued"
        stored = StoredResponse(response_id, plan.user, "gpt", "queued", shell, request, 0.0, background=True)
        await self._maker.start_response(
            build_order(stored, parse_responses_request(body), self._entry, lambda _: None)
        )

    async def _entry(self) -> ModelEntry:
        return self._model

    async def read(self, user_id: str, response_id: str) -> tuple[str, str] | None:
        """Status and output as `GET /v1/responses/{id}` tells them; None: nobody can say now."""
        try:
            body = await self._reader.read_response(user_id, response_id)
        except ApiFailure:
            return None
        return read_body(body)


class _EntryOf:
    def __init__(self, model: _SlowModel) -> None:
        self.model = model


async def _wait_for_nobody(user_id: str) -> None:
    """These responses have no tools."""


def read_body(body: JsonObject) -> tuple[str, str]:
    """What of a response must not change once it has ended."""
    return text_at(body, "status"), dump_json(body.get("output")).decode()
