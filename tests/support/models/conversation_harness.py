"""Runs of conversations with a scripted model and a store that can fail."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from bridge.calls.ports import JournalEntry
from bridge.calls.request import Asker
from bridge.homes import EpochOf, no_epoch
from bridge.models.agent.toolbox import BridgeTool
from bridge.models.agent.tools.engine_toolbox import Toolboxes
from bridge.models.agent.turn import TurnSettings
from bridge.models.conversation_runs.locks import RunEnd
from bridge.models.conversation_runs.runs import ChatPrompt, ConversationRuns
from bridge.models.conversations.conversation import Conversation
from bridge.models.conversations.ports import ConversationStore
from bridge.models.providers.listed_models import ModelEntry
from bridge.models.providers.user_models import ModelServices, UserModels
from bridge.tasks import Tasks
from tests.support.models.memory_harness import FakeNestingToolbox, MemoryHarness, SameToolbox
from tests.support.models.turn_harness import SETTINGS, ScriptedModel, Step

CHAT = Conversation("conv-1", "ann", 1.0, 1.0)


@dataclass
class PlannedToolbox(FakeNestingToolbox):
    """Played tools as a run is planned with."""

    absent: tuple[BridgeTool, ...] = ()

    @property
    def tools(self) -> tuple[BridgeTool, ...]:
        return tuple(tool for name in self.own_names if (tool := self.find_own_tool(name)) is not None)


@dataclass
class PlayedEntry:
    """A model that callers may name."""

    model: Any
    id: str = "gpt"
    parameters: tuple[str, ...] = ()


@dataclass
class OneModel:
    """The directory of models."""

    entry: PlayedEntry

    async def find_model(self, _user_id: str, _name: str) -> ModelEntry:
        return cast("ModelEntry", self.entry)

    async def list_models(self, _user_id: str) -> list[ModelEntry]:
        return [cast("ModelEntry", self.entry)]


class NoJournal:
    """The journal, which knows no call."""

    async def of_turn(self, user_id: str, turn_id: str, *, since: float) -> Mapping[str, JournalEntry]:
        return {}


class ConversationHarness:
    """The runs of one process."""

    def __init__(
        self,
        store: ConversationStore,
        model: Any,
        own_names: Sequence[str] = (),
        epoch_of: EpochOf = no_epoch,
    ) -> None:
        tools = PlannedToolbox(own_names)
        turns = MemoryHarness(tools=tools).runner
        entry = PlayedEntry(model)
        self.tasks = Tasks()
        services = ModelServices(cast("UserModels", OneModel(entry)), _settings, self.tasks)
        toolboxes = cast("Toolboxes", SameToolbox(tools))
        self.runs = ConversationRuns(store, turns, toolboxes, NoJournal(), services, epoch_of=epoch_of)

    async def ask(self, content: str = "Hello") -> RunEnd:
        """Ask in the conversation, and wait for the end."""
        begun = await self.runs.begin_run("ann", CHAT.id, ChatPrompt(Asker("key laptop", "k1"), content))
        await asyncio.wait_for(begun.run.ended.wait(), 60)
        assert begun.run.end is not None
        return begun.run.end

    def has_run(self) -> bool:
        """Whether the conversation is still being answered, for callers or for listeners."""
        feed = self.runs.feeds.open_feed("ann", CHAT.id)
        return self.runs.locks.run_of(CHAT.id) is not None or not feed.is_idle


def scripted(*rounds: Sequence[Step]) -> ScriptedModel:
    """A model that answers these rounds."""
    return ScriptedModel(rounds)


def _settings(_entry: ModelEntry) -> TurnSettings:
    return replace(SETTINGS)
