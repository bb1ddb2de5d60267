"""What keeps, runs and tells conversations, put together."""

from __future__ import annotations

from dataclasses import dataclass

from bridge.edges.call_journal import CallJournal
from bridge.edges.conversation_chat_http import ConversationChatRoutes
from bridge.edges.conversation_http import ConversationRoutes
from bridge.edges.conversation_messages_http import ConversationMessageRoutes
from bridge.edges.conversation_runs import ConversationRuns
from bridge.edges.conversation_tools import ToolDesk
from bridge.edges.conversation_tools_http import ConversationToolRoutes
from bridge.edges.http_routes import Route
from bridge.edges.identity import Identity
from bridge.edges.model_desk import ModelDesk
from bridge.edges.store_conversations import ConversationTables
from bridge.registry import Registry
from bridge.turns.engine_toolbox import Toolboxes
from bridge.turns.remembering import Remembering


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
