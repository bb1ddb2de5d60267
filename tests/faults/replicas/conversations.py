"""Conversations of one replica: the real runs and turns, over a played store with unique indexes.

Their model calls a tool that takes its time, and answers when it has the output.
"""

import asyncio
import re
from collections.abc import AsyncGenerator, Callable, Collection, Coroutine, Sequence
from typing import Any, TypeVar, cast

from bridge.calls.admission import Controls
from bridge.calls.call_watch import CallWatch
from bridge.calls.request import Asker
from bridge.errors import BridgeError, ErrorCode
from bridge.homes import EpochOf, HomeOf, held_epochs, user_elsewhere
from bridge.models.agent.items import Item, answered_call_id
from bridge.models.agent.loop.pending_turns import PendingRounds
from bridge.models.agent.memory.recorder import Memory
from bridge.models.agent.memory.turn_memory import TurnMemory
from bridge.models.agent.model import ModelEvent, ModelRequest
from bridge.models.agent.request_queue import RequestQueue
from bridge.models.agent.tools.engine_toolbox import Toolboxes
from bridge.models.agent.turn_runner import TurnRunner
from bridge.models.conversation_runs.locks import RunEnd
from bridge.models.conversation_runs.runs import ChatPrompt, ConversationRuns
from bridge.models.conversations.conversation import Conversation, Message
from bridge.models.conversations.ports import ConversationStore
from bridge.models.providers.user_models import ModelServices, UserModels
from bridge.models.stored_items.retention_preference import MemoryChoices
from bridge.models.stored_items.ulid import Ulids
from bridge.settings.chat.memory import MemorySettings
from bridge.tasks import Tasks, sleep_safely
from tests.faults.replicas.engines import EngineLost, Way
from tests.faults.replicas.plan import ChatPlan
from tests.support.cluster.tables import Tables
from tests.support.models.conversation_harness import NoJournal, OneModel, PlannedToolbox, PlayedEntry
from tests.support.models.memory_harness import MemoryChoiceStore, SameToolbox
from tests.support.models.turn_harness import SETTINGS, call, round_of, text
from tests.support.stores.memory_conversations import UniqueViolation
from tests.support.stores.memory_item_store import MemoryItemStore
from toolserver.json_types import JsonObject, dump_json

T = TypeVar("T")

_NUMBER = re.compile(rb"chat (\d+)")


class FarConversations:
    """Conversations over a network, as far as runs use them. Follows `ConversationTables`."""

    def __init__(self, tables: Tables, way: Way, epoch_of: EpochOf) -> None:
        self._tables, self._way, self._epoch_of = tables, way, epoch_of
        self._turn = asyncio.Lock()
        self._writes: set[asyncio.Task[Any]] = set()

    async def find_conversation(self, user_id: str, conversation_id: str) -> Conversation | None:
        kept = self._tables.conversations
        return await self._ask("find", lambda: _at_once(kept.find_conversation(user_id, conversation_id)))

    async def list_messages(self, conversation_id: str) -> list[Message]:
        kept = self._tables.conversations
        return await self._ask("list_messages", lambda: _at_once(kept.list_messages(conversation_id)))

    async def list_running(self, user_id: str | None = None) -> list[Conversation]:
        kept = self._tables.conversations
        return await self._ask("list_running", lambda: _at_once(kept.list_running(user_id)))

    async def save_conversation(
        self, conversation: Conversation, messages: Sequence[Message] = (), gone: Collection[str] = ()
    ) -> None:
        save = self._tables.conversations.save_conversation
        await self._write(conversation, lambda: save(conversation, messages, gone))

    async def advance_run(
        self, conversation: Conversation, messages: Sequence[Message] = (), gone: Collection[str] = ()
    ) -> None:
        save = self._tables.conversations.advance_run
        await self._write(conversation, lambda: save(conversation, messages, gone))

    async def _write(self, conversation: Conversation, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        user_id, epoch = conversation.user_id, self._epoch_of(conversation.user_id)
        write = self._tables.write_conversation
        writing = asyncio.get_running_loop().create_task(
            self._write_in_turn(lambda: write(user_id, epoch, lambda: _at_once(work())))
        )
        self._writes.add(writing)
        writing.add_done_callback(self._forget_write)
        refused = await asyncio.shield(writing)
        if isinstance(refused, UniqueViolation) and await self.is_own_fault(user_id, epoch):
            raise refused
        if refused is not None:
            raise user_elsewhere()

    async def _write_in_turn(self, statement: Callable[[], T]) -> T:
        """As the one thread that writes: in order, also when nobody waits any more."""
        async with self._turn:
            return await self._ask("advance_run", statement)

    def _forget_write(self, writing: asyncio.Task[Any]) -> None:
        self._writes.discard(writing)
        if not writing.cancelled():
            writing.exception()  # whoever waited has heard of it

    async def is_own_fault(self, user_id: str, epoch: int | None) -> bool:
        """Whether a constraint was broken under a claim that holds."""
        return await self._ask("find_home", lambda: self._tables.holds(user_id, epoch))

    async def _ask(self, name: str, statement: Callable[[], T]) -> T:
        try:
            return await self._way.ask(name, statement)
        except EngineLost:
            raise BridgeError(ErrorCode.DATABASE_UNAVAILABLE, "No answer.", retryable=True) from None


class _CallingModel:
    """Calls a tool in the first round, and answers in the second."""

    async def stream_round(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        items = cast("Sequence[Item]", request.input)
        number = _number_in(items)
        has_output = any(answered_call_id(item) for item in items)
        said: Item = text(f"answer to chat {number}") if has_output else call("a", "{}", f"c{number}")
        for event in round_of(said):
            yield ModelEvent(cast("JsonObject", event))


class PlayedConversations:
    """The conversations of one replica."""

    def __init__(
        self,
        homes: HomeOf,
        store: FarConversations,
        takes_s: Callable[[], float],
        controls: Controls,
    ) -> None:
        """`takes_s`: how long the next call of a tool takes."""

        def clock() -> float:
            return asyncio.get_running_loop().time()

        async def during() -> None:
            await sleep_safely(takes_s())

        self.tasks = Tasks()
        limits, pending = controls.limits, PendingRounds(clock)
        memory = Memory(MemoryItemStore(), Ulids(clock, lambda _bits: 0), clock)
        choices = MemoryChoices(MemoryChoiceStore())
        tools = PlannedToolbox(["a"], during=during)
        turns = TurnRunner(
            RequestQueue(lambda: limits.now),
            controls.breakers,
            TurnMemory(pending, memory, MemorySettings(), choices, wait_s=lambda: 5.0),
            SameToolbox(tools),
            pending,
            calls=CallWatch(),
            acts_for=lambda user_id: homes.epoch_of(user_id) is not None,
        )
        directory = cast("UserModels", OneModel(PlayedEntry(_CallingModel())))
        services = ModelServices(directory, lambda _entry: SETTINGS, self.tasks)
        self.runs = ConversationRuns(
            cast("ConversationStore", store),
            turns,
            cast("Toolboxes", SameToolbox(tools)),
            NoJournal(),
            services,
            epoch_of=held_epochs(homes),
        )
        self.take_over = self.runs.take_over_left

    async def answer(self, plan: ChatPlan) -> RunEnd:
        """Follows `POST /conversations/{id}/chat`. Raises `BridgeError`."""
        begun = await self.runs.begin_run(
            plan.user, plan.conversation_id, ChatPrompt(Asker("key", "k1"), plan.words)
        )
        try:
            await begun.run.ended.wait()
        except BaseException:
            begun.run.request_stop("user")
            raise
        end = begun.run.end or RunEnd("failed")
        if end.error is not None:
            raise BridgeError(end.error.code, end.error.message, retryable=end.error.retryable)
        return end

    def is_running(self, user_id: str) -> bool:
        """Whether a conversation of a user is being answered here."""
        return any(run.user_id == user_id for run in self.runs.locks.runs)


def _number_in(items: Sequence[Item]) -> int:
    return [int(found) for item in items for found in _NUMBER.findall(dump_json(item))][-1]


def _at_once(work: Coroutine[Any, Any, T]) -> T:
    """Run what waits for nothing."""
    try:
        work.send(None)
    except StopIteration as ended:
        return ended.value
    raise AssertionError("a model of a database does not wait")
