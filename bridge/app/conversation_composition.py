"""What keeps, runs and tells conversations, put together."""

from __future__ import annotations

from dataclasses import dataclass

from bridge.agent.memory.remembering_runner import Remembering
from bridge.agent.tools.engine_toolbox import Toolboxes
from bridge.auth.identity import Identity
from bridge.catalog.registry import Registry
from bridge.conversation_runs.enabled_tools import ToolDesk
from bridge.conversation_runs.runs import ConversationRuns
from bridge.endpoints.api.conversations.chat import ConversationChatRoutes
from bridge.endpoints.api.conversations.conversations import ConversationRoutes
from bridge.endpoints.api.conversations.messages import ConversationMessageRoutes
from bridge.endpoints.api.conversations.tools import ConversationToolRoutes
from bridge.http.routing import Route
from bridge.providers.directory import ModelDesk
from bridge.storage.call_journal import CallJournal
from bridge.storage.conversations import ConversationTables


@dataclass(frozen=True, slots=True)
class ConversationRoom:
    """The parts that others use."""

    tables: ConversationTables
    runs: ConversationRuns
    tools: ToolDesk

    def routes(self, identity: Identity) -> list[Route]:
        """All routes of conversations."""
        tables, runs, tools = self.tables, self.runs, self.tools
        return [
            *ConversationRoutes(identity, tables, runs, tools).routes(),
            *ConversationMessageRoutes(identity, tables, runs).routes(),
            *ConversationChatRoutes(identity, tables, runs).routes(),
            *ConversationToolRoutes(identity, tables, runs, tools).routes(),
        ]


def compose_conversations(
    tables: ConversationTables,
    turns: Remembering,
    toolboxes: Toolboxes,
    journal: CallJournal,
    *,
    registry: Registry,
    desk: ModelDesk,
) -> ConversationRoom:
    """The room of one bridge."""
    runs = ConversationRuns(tables, turns, toolboxes, journal, desk)
    return ConversationRoom(tables, runs, ToolDesk(registry))
