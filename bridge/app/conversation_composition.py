"""What keeps, runs and tells conversations, put together."""

from __future__ import annotations

from dataclasses import dataclass

from bridge.agent.tools.engine_toolbox import Toolboxes
from bridge.agent.turn_runner import TurnRunner
from bridge.catalog.registry import Registry
from bridge.conversation_runs.enabled_tools import ToolChoices
from bridge.conversation_runs.runs import ConversationRuns
from bridge.endpoints.api.conversations.chat import ConversationChatRoutes
from bridge.endpoints.api.conversations.conversations import ConversationRoutes
from bridge.endpoints.api.conversations.messages import ConversationMessageRoutes
from bridge.endpoints.api.conversations.tools import ConversationToolRoutes
from bridge.http.routing import ApiRoute
from bridge.providers.directory import ModelServices
from bridge.storage.call_journal import CallJournal
from bridge.storage.conversations import ConversationTables


@dataclass(frozen=True, slots=True)
class ConversationComponents:
    """The parts that others use."""

    tables: ConversationTables
    runs: ConversationRuns
    tools: ToolChoices

    def list_routes(self) -> list[ApiRoute]:
        """All routes of conversations."""
        tables, runs, tools = self.tables, self.runs, self.tools
        return [
            *ConversationRoutes(tables, runs, tools).list_routes(),
            *ConversationMessageRoutes(tables, runs).list_routes(),
            *ConversationChatRoutes(tables, runs).list_routes(),
            *ConversationToolRoutes(tables, runs, tools).list_routes(),
        ]


def compose_conversations(
    tables: ConversationTables,
    turns: TurnRunner,
    toolboxes: Toolboxes,
    journal: CallJournal,
    *,
    registry: Registry,
    services: ModelServices,
) -> ConversationComponents:
    """The parts of one bridge that serve conversations."""
    runs = ConversationRuns(tables, turns, toolboxes, journal, services)
    return ConversationComponents(tables, runs, ToolChoices(registry))
