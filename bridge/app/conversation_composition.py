"""The composition of the components that store, run and announce conversations."""

from __future__ import annotations

from dataclasses import dataclass

from bridge.agent.tools.engine_toolbox import Toolboxes
from bridge.agent.turn_runner import TurnRunner
from bridge.calls.dispatcher import Dispatcher
from bridge.catalog.registry import Registry
from bridge.conversation_runs.enabled_tools import ToolChoices
from bridge.conversation_runs.runs import ConversationRuns
from bridge.conversations.ports import ConversationStore
from bridge.endpoints.api.conversations.chat import ConversationChatRoutes
from bridge.endpoints.api.conversations.conversations import ConversationRoutes
from bridge.endpoints.api.conversations.messages import ConversationMessageRoutes
from bridge.endpoints.api.conversations.tools import ConversationToolRoutes
from bridge.homes import EpochOf
from bridge.http.routing import ApiRoute
from bridge.providers.user_models import ModelServices
from bridge.settings.quotas import QuotaSettings
from bridge.storage.call_journal import CallJournal


@dataclass(frozen=True, slots=True)
class ConversationComponents:
    """The components that others use."""

    store: ConversationStore
    runs: ConversationRuns
    tools: ToolChoices

    def list_routes(self, quotas: QuotaSettings) -> list[ApiRoute]:
        """All routes of conversations."""
        store, runs, tools = self.store, self.runs, self.tools
        return [
            *ConversationRoutes(store, runs, tools, quotas).list_routes(),
            *ConversationMessageRoutes(store, runs).list_routes(),
            *ConversationChatRoutes(store, runs).list_routes(),
            *ConversationToolRoutes(store, runs, tools).list_routes(),
        ]


def compose_conversations(
    store: ConversationStore,
    turns: TurnRunner,
    toolboxes: Toolboxes,
    journal: CallJournal,
    dispatcher: Dispatcher,
    *,
    registry: Registry,
    services: ModelServices,
    epoch_of: EpochOf,
) -> ConversationComponents:
    """Build the components that serve conversations."""
    runs = ConversationRuns(store, turns, toolboxes, journal, services, epoch_of=epoch_of)
    dispatcher.observers.of_followed.append(runs.forward_call)
    return ConversationComponents(store, runs, ToolChoices(registry))
