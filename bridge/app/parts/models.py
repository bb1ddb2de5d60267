"""Models: who asks them, what they remember, and the model API."""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping, Sequence
from functools import partial

from bridge.app.part import Ground, Part
from bridge.app.parts.accounts import AccountsPart
from bridge.app.parts.calls import CallsPart
from bridge.browsers.connected_pages import ConnectedPages
from bridge.calls.admission import Controls
from bridge.calls.call_watch import CallWatch
from bridge.cluster.changes import Followed
from bridge.documents.fetch import refuse_internal, refuse_link_local
from bridge.endpoints.api.providers import ProviderRoutes
from bridge.endpoints.api.stored_items import MemoryChoiceRoutes
from bridge.endpoints.api.usage import UsageRoutes
from bridge.endpoints.openai.chat_completions import ChatCompletionRoutes
from bridge.endpoints.openai.debug_logs import RequestLogs
from bridge.endpoints.openai.request import RequestReader
from bridge.http.answer_files import TurnFiles
from bridge.http.routing import Route
from bridge.metrics.metric_definitions import StateGauges, TurnInstruments
from bridge.models.agent.demo.model import DemoModel
from bridge.models.agent.loop.pending_turns import PendingRounds
from bridge.models.agent.memory.recorder import Memory
from bridge.models.agent.memory.turn_memory import TurnMemory
from bridge.models.agent.request_queue import RequestQueue
from bridge.models.agent.tools.catalog_tools import CatalogTools
from bridge.models.agent.tools.engine_toolbox import CallServices, Toolboxes
from bridge.models.agent.turn_runner import TurnRunner
from bridge.models.agent.turn_stages import TurnEndObserver
from bridge.models.budgets.budgets import Budgets
from bridge.models.providers.directory import ModelDirectory
from bridge.models.providers.listed_models import DEMO_PROVIDER_NAME
from bridge.models.providers.turn_settings import turn_settings
from bridge.models.providers.user_models import ModelServices, UserModels
from bridge.models.stored_items.retention_preference import MemoryChoices
from bridge.models.stored_items.ulid import Ulids
from bridge.models.turn_metrics import TurnMetrics
from bridge.storage.chat.items import ItemTables
from bridge.storage.chat.memory_choices import MemoryChoiceTable
from bridge.storage.chat.model_providers import ModelProviderTable
from bridge.storage.chat.resilient_items import ResilientItemStore
from bridge.storage.chat.usage import UsageTable
from bridge.tracing.tracer import Tracer
from toolserver.json_types import JsonObject


class ModelsPart(Part):
    """Runs turns of models."""

    def __init__(
        self,
        ground: Ground,
        accounts: AccountsPart,
        controls: Controls,
        calls: CallsPart,
        pages: ConnectedPages,
        *,
        instruments: TurnInstruments,
        watch: CallWatch,
        on_end: Sequence[TurnEndObserver],
        tracer: Tracer | None,
    ) -> None:
        """`instruments` measure turns; `watch` observes calls; `on_end` is called with ends of turns."""
        self._ground = ground
        self._controls = controls
        self._registry = calls.registry
        self._catalog_tools = CatalogTools(self._registry)
        settings, store, limits = ground.settings, ground.store, controls.limits
        own = {provider.name for provider in settings.models.provider} | {DEMO_PROVIDER_NAME}
        measured = TurnMetrics(instruments, own.__contains__)
        self.requests = RequestQueue(lambda: limits.now)
        self._usage = UsageTable(store)
        self.budgets = Budgets(settings.budgets, self._usage, own.__contains__, start=ground.tasks.start_task)
        self.memory = self._make_memory()
        self.choices = MemoryChoices(MemoryChoiceTable(store))
        self.toolboxes = self._make_toolboxes(calls, pages)
        pending = PendingRounds(time.monotonic)
        self.turns = TurnRunner(
            self.requests,
            controls.breakers,
            TurnMemory(pending, self.memory, settings.memory, self.choices, wait_s=self._database_wait),
            self.toolboxes,
            pending,
            calls=watch,
            acts_for=calls.dispatcher.may_begin_for,
            budgets=self.budgets,
            on_end=[measured.note_turn, *on_end],
            tracer=tracer,
        )
        operator = ground.operator  # who may name servers of the own network; others only public ones
        self.models = UserModels(
            ModelDirectory(settings.models, settings.environ, demo=DemoModel()),
            ModelProviderTable(store, settings.storage, ground.secret),
            lambda user_id: refuse_link_local if user_id == operator.id else refuse_internal,
        )
        settings_of = partial(turn_settings, settings, limits)
        self.services = ModelServices(self.models, settings_of, ground.tasks, accounts.access.hold_for_user)
        self.reader = RequestReader(
            self.models, settings_of, settings.model_defaults, RequestLogs(), self._registry
        )
        """Reads the requests of the model API, and keeps their logs."""

    def _make_memory(self) -> Memory:
        settings = self._ground.settings
        stored = ItemTables(self._ground.store, settings.storage)
        items = ResilientItemStore(stored, self._controls.breakers, wait_s=self._database_wait)
        is_shared = bool(settings.cluster.redis_url)
        return Memory(items, Ulids(time.time, secrets.randbits), time.time, is_shared=is_shared)

    def _make_toolboxes(self, calls: CallsPart, pages: ConnectedPages) -> Toolboxes:
        limits, base_url = self._controls.limits, self._ground.base_url

        async def wait_for_page(user_id: str) -> bool:
            return await pages.wait_for_page(user_id, "", "", limits.now.page_resume_seconds) is not None

        services = CallServices(calls.engine, lambda: limits.now, TurnFiles(calls.files, base_url))
        return Toolboxes(self._catalog_tools, services, wait_for_page, page_url=f"{base_url}/")

    async def define_tools(self, user_id: str) -> Mapping[str, JsonObject]:
        """Return the definitions that a model gets of a user's tools, by name.

        Raises:
            BridgeError: `invalid_document`: the schemas of a document cannot be built.
        """
        offered = await self._catalog_tools.tools_of_user(user_id, taken=0, strictness="unsaid")
        return {tool.name: tool.definition for tool in offered}

    def _database_wait(self) -> float:
        return self._controls.limits.now.database_wait_seconds

    def list_routes(self) -> Sequence[Route]:
        """Return the routes of Chat Completions, and of providers, usage and memory."""
        settings = self._ground.settings
        return [
            *UsageRoutes(self.budgets, self._usage, settings.budgets).list_routes(),
            *ProviderRoutes(self.models, settings.users.sharing, self.define_tools).list_routes(),
            *MemoryChoiceRoutes(self.choices, settings.memory).list_routes(),
            *ChatCompletionRoutes(self.reader, self.turns).list_routes(),
        ]

    def list_followed(self) -> Sequence[Followed]:
        """Return the caches of choices and providers."""
        return [
            (["memory_choices"], self.choices.clear_cache),
            (["model_providers"], self.models.clear_cache),
        ]

    def apply_limits(self) -> None:
        """Admit the requests that may run now."""
        self.requests.limits_changed()

    def set_gauges(self, gauges: StateGauges) -> None:
        """Count the requests in the queue."""
        gauges.queued.labels("requests", "running").set(self.requests.running)
        gauges.queued.labels("requests", "waiting").set(self.requests.waiting)

    def is_serving(self, user_id: str) -> bool:
        """Return whether requests run or wait."""
        return bool(self.requests.count_user(user_id))

    def refuse_work(self) -> None:
        """Admit no more requests."""
        self.requests.refuse_requests()

    async def close(self) -> None:
        """Close the connections to providers."""
        await self.models.close_providers()
