"""Conversations: stored, answered by runs, and exported with everything else of a user."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from bridge.app.part import Ground, Part
from bridge.app.parts.models import ModelsPart
from bridge.auth.access_watch import HoldWork
from bridge.calls.ports import CallKnowledge
from bridge.catalog.registry import Registry
from bridge.endpoints.api.conversations.chat import ConversationChatRoutes
from bridge.endpoints.api.conversations.conversations import ConversationRoutes
from bridge.endpoints.api.conversations.messages import ConversationMessageRoutes
from bridge.endpoints.api.conversations.tools import ConversationToolRoutes
from bridge.endpoints.api.stored_items import StoredItemRoutes
from bridge.homes import Home
from bridge.http.routing import Route
from bridge.models.conversation_runs.enabled_tools import ToolChoices
from bridge.models.conversation_runs.locks import ConversationLocks
from bridge.models.conversation_runs.runs import ConversationRuns
from bridge.models.conversations.ports import ConversationStore
from bridge.storage.accounts.account_tables import AccountTables
from bridge.storage.chat.conversations import ConversationTables
from bridge.storage.chat.user_items import UserItems
from bridge.storage.replicas.left_work import LeftWork

_log = logging.getLogger(__name__)


class ConversationsPart(Part):
    """Answers conversations."""

    def __init__(
        self,
        ground: Ground,
        models: ModelsPart,
        journal: CallKnowledge,
        registry: Registry,
        locks: ConversationLocks,
        *,
        hold_work: HoldWork,
    ) -> None:
        """`locks` forwards calls to the runs that made them; `hold_work` ends runs of who lost access."""
        self._ground = ground
        self._hold_work = hold_work
        self.store: ConversationStore = ConversationTables(ground.store, ground.settings.storage)
        self.runs = ConversationRuns(
            self.store,
            models.turns,
            models.toolboxes,
            journal,
            models.services,
            locks=locks,
            epoch_of=ground.store.epoch_of,
        )
        self.tools = ToolChoices(registry)

    def list_routes(self) -> Sequence[Route]:
        """Return the routes of conversations, and of what is stored of a user."""
        store, runs, tools = self.store, self.runs, self.tools
        tables, kept = self._ground.store, self._ground.settings.storage
        items = StoredItemRoutes(
            UserItems(tables, kept),
            store,
            AccountTables(tables, kept),
            days=kept.cleanup_days,
            max_bytes=kept.bytes_per_user,
        )
        return [
            *items.list_routes(),
            *ConversationRoutes(store, runs, tools, self._ground.settings.quotas).list_routes(),
            *ConversationMessageRoutes(store, runs).list_routes(),
            *ConversationChatRoutes(store, runs, self._hold_work).list_routes(),
            *ConversationToolRoutes(store, runs, tools).list_routes(),
        ]

    async def start(self) -> None:
        """End or go on with what another process left, unless replicas do so for each user."""
        if self._ground.homes is None and (interrupted := await self.runs.take_over_left()):
            _log.warning("%d conversations were being answered when the bridge last stopped.", interrupted)

    async def take_over_user(self, home: Home, left: LeftWork) -> str:
        """Go on with runs that a home gave up, and end those that a lost one left."""
        ended = await self.runs.take_over_left(home.user_id) if left.has_runs else 0
        return f"{ended} conversations ended" if ended else ""

    def move_user(self, user_id: str) -> None:
        """Give runs that go on in the background up after their present round."""
        self.runs.move_user(user_id)

    async def end_user(self, user_id: str) -> None:
        """Stop the user's runs; they can be continued."""
        await self.runs.stop_user(user_id)

    def is_busy(self, user_id: str) -> bool:
        """Return whether a conversation is being answered."""
        return any(run.user_id == user_id for run in self.runs.locks.runs)

    async def stop_work(self) -> None:
        """Stop all runs; they can be continued."""
        await self.runs.stop_all()
