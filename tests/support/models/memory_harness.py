"""Turns with a memory in memory: a scripted model, played tools, and a store that can fail."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from bridge.calls.call_watch import CallWatch
from bridge.calls.limits.circuit_breaker import Breakers
from bridge.errors import BridgeError, ErrorCode
from bridge.models.agent.items import Item
from bridge.models.agent.loop.pending_turns import PendingRounds
from bridge.models.agent.loop.subquery import NestingToolbox
from bridge.models.agent.memory.recorder import Memory
from bridge.models.agent.memory.turn_memory import TurnMemory
from bridge.models.agent.request_queue import RequestQueue
from bridge.models.agent.toolbox import LocalTool, Toolbox
from bridge.models.agent.turn import Emit, ItemStored, Turn, TurnEvent, TurnRequest, TurnResult, TurnSettings
from bridge.models.agent.turn_runner import TurnRunner
from bridge.models.stored_items.items import StoredItem
from bridge.models.stored_items.retention_preference import MemoryChoice, MemoryChoices
from bridge.models.stored_items.store import StoreUnavailable
from bridge.models.stored_items.ulid import Ulids
from bridge.settings.chat.memory import MemorySettings
from tests.support.calls.memory_limits import controls
from tests.support.models.turn_harness import SETTINGS, FakeToolbox, ScriptedModel, Step, user
from tests.support.stores.memory_item_store import MemoryItemStore


class Clock:
    """Seconds since 1970, which pass only when they are read."""

    def __init__(self) -> None:
        self.now = 1_700_000_000.0

    def __call__(self) -> float:
        self.now += 0.001
        return self.now


@dataclass
class FailingStore(MemoryItemStore):
    """Keeps items until it is told to fail."""

    fails: bool = False
    commits: list[list[str]] = field(default_factory=list[list[str]])
    """Types of the items of each commit."""

    async def add_items(self, items: Sequence[StoredItem]) -> None:
        await self.trouble()
        self.commits.append([str(item.payload.get("type")) for item in items])
        await super().add_items(items)

    async def by_ids(self, user_id: str, ids: Any) -> Any:
        if ids:
            await self.trouble()
        return await super().by_ids(user_id, ids)

    async def trouble(self) -> None:
        if self.fails:
            raise StoreUnavailable("The database is away.")


@dataclass
class FakeNestingToolbox(FakeToolbox):
    """Played tools that take no others in."""

    def for_nested(self) -> Toolbox:
        return self

    def with_local(self, *locals: LocalTool) -> Toolbox:
        raise AssertionError(f"no turn of these tests has {locals}")


@dataclass
class SameToolbox:
    """The same tools for every turn."""

    toolbox: NestingToolbox

    async def toolbox_of_turn(self, request: TurnRequest, settings: TurnSettings) -> NestingToolbox:
        return self.toolbox


@dataclass
class MemoryChoiceStore:
    """What users want kept, until the database is away."""

    chosen: dict[str, MemoryChoice] = field(default_factory=dict[str, MemoryChoice])
    is_away: bool = False
    is_slow: bool = False

    async def memory_choice(self, user_id: str) -> MemoryChoice:
        if self.is_slow:
            await asyncio.sleep(3600)
        if self.is_away:
            raise BridgeError(ErrorCode.DATABASE_UNAVAILABLE, "The database is away.")
        return self.chosen.get(user_id, MemoryChoice())

    async def save_memory_choice(self, user_id: str, choice: MemoryChoice) -> None:
        self.chosen[user_id] = choice


@dataclass
class MemoryHarness:
    """A bridge's memory, and turns that are played with it."""

    store: FailingStore = field(default_factory=FailingStore)
    settings: MemorySettings = field(default_factory=MemorySettings)
    tools: FakeNestingToolbox = field(default_factory=FakeNestingToolbox)
    choices: MemoryChoiceStore = field(default_factory=MemoryChoiceStore)
    wait_s: float = 20
    events: list[TurnEvent] = field(default_factory=list[TurnEvent])
    model: ScriptedModel = field(default_factory=lambda: ScriptedModel([]))
    """The one that was asked last."""

    def __post_init__(self) -> None:
        self.clock = Clock()
        self.restart()

    def restart(self) -> None:
        """Everything but the store is new."""
        limits = controls()
        admission = RequestQueue(lambda: limits.limits.now)
        breakers = Breakers(lambda: limits.limits.now, self.clock, on_change=lambda _user: None)
        self.pending = pending = PendingRounds(self.clock)
        numbers = iter(range(10**9))
        memory = Memory(self.store, Ulids(self.clock, lambda _bits: next(numbers)), self.clock)
        choices = MemoryChoices(self.choices)
        self.memory = TurnMemory(pending, memory, self.settings, choices, wait_s=lambda: self.wait_s)
        tools = SameToolbox(self.tools)
        self.runner = TurnRunner(
            admission, breakers, self.memory, tools, pending, calls=CallWatch(), acts_for=lambda _: True
        )

    async def run(
        self,
        *rounds: Sequence[Step],
        input: Sequence[Item] = (),
        settings: TurnSettings = SETTINGS,
        emit: Emit | None = None,
        **request: Any,
    ) -> TurnResult:
        """One turn; what it told is in `events`, what the model was asked in `model`."""
        self.model = ScriptedModel(rounds)
        self.events = []
        asked = TurnRequest("ann", "turn 1", "gpt", tuple(input) or (user("Hello"),))
        asked = replace(asked, **{"to_store": "output", **request})
        return await self.runner.run_turn(Turn(asked, self.model, settings), emit or self.take)

    async def take(self, event: TurnEvent) -> None:
        self.events.append(event)
        await asyncio.sleep(0)

    @property
    def stored_payloads(self) -> list[Item]:
        """Payloads in the store, oldest first."""
        return [item.payload for item in sorted(self.store.items.values(), key=lambda item: item.id)]

    @property
    def announced_items(self) -> dict[str, Item]:
        """What was told to be kept: id to item."""
        return {event.id: event.item for event in self.events if isinstance(event, ItemStored)}
