"""One provider and the models that it offers, each as an entry that callers may name."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass, replace
from typing import cast

from bridge.models.agent.chat_completions.options import unsayable_in_responses
from bridge.models.agent.chat_completions.upstream_request import ChatDialect, find_unsupported_paths
from bridge.models.agent.messages import upstream_request as messages
from bridge.models.agent.model import Model, ModelError, ModelEvent, ModelRequest
from bridge.models.agent.text_calls.model import TextCallModel
from bridge.models.providers.http_provider import HttpProvider
from bridge.models.providers.models import ChatModel, MessagesModel, ResponsesModel
from bridge.models.providers.ports import Listed, Refuse
from bridge.settings.chat import model_facts
from bridge.settings.chat.models import DEMO_ID, ModelSettings, ProviderSettings, WebSearch
from bridge.settings.chat.provider_rules import guess_dialect, known_dialect
from toolserver.json_types import JsonObject

DEMO_PROVIDER_NAME = "tool-bridge"

LISTED_S = 300.0
"""Seconds for which a provider's list of models counts as current. Chosen."""

LIST_AGAIN_S = 30.0
"""Seconds until a provider that could not list its models is asked again. Chosen."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ModelEntry:
    """One model that callers may name."""

    model: Model
    """Accepts requests under any name; asks its provider under the provider's own."""
    settings: ModelSettings
    provider: ProviderSettings
    created: int = 0
    """Creation time in seconds since 1970; 0 when unknown."""

    @property
    def id(self) -> str:
        """The callers' name for it."""
        return self.settings.id

    @property
    def owned_by(self) -> str:
        """The name of its provider."""
        return self.provider.name

    @property
    def upstream_name(self) -> str:
        """The provider's name for it."""
        return self.settings.model or self.settings.id

    @property
    def options(self) -> JsonObject:
        """The request options that apply where a caller gives none."""
        return cast(JsonObject, self.settings.options)

    @property
    def reasons(self) -> bool:
        """Whether it reasons before it answers."""
        requested = self.settings.reasons
        if requested is not None:
            return requested
        return self._is_claude or model_facts.is_reasoning_model(self.upstream_name)

    @property
    def sees_images(self) -> bool:
        """Whether it is shown images that calls return."""
        requested = self.settings.sees_images
        if requested is not None:
            return requested
        return self._is_claude or model_facts.sees_images(self.upstream_name)

    @property
    def _is_claude(self) -> bool:
        """Whether it is one of the models for which the Messages API was made: all of them think and see."""
        return self.provider.api == "messages" and "claude" in self.upstream_name.lower()

    @property
    def parameters(self) -> tuple[str, ...]:
        """What may be set of it in a conversation, as `bridge.models.conversations.model_parameters` has it.

        Models that reason refuse a temperature, and the Messages API has no word for it.
        """
        if self.settings.id == DEMO_ID and self.provider.name == DEMO_PROVIDER_NAME:
            return ()
        samples = () if self.provider.api == "messages" else ("temperature", "top_p")
        return ("max_output_tokens", *(("reasoning_effort",) if self.reasons else samples))

    @property
    def web_search(self) -> WebSearch | None:
        """How it is asked to search the web; None: it cannot."""
        if (own := self.settings.web_search) is not None:
            return None if own == "none" else own
        form = self.provider.web_search
        return None if form == "tool" and not model_facts.can_search_web(self.upstream_name) else form

    @property
    def searches_tools(self) -> bool:
        """Whether it is offered the search of its provider's API instead of `find_operations`."""
        settings, provider = self.settings, self.provider
        if provider.api != "responses" or settings.text_calls or not settings.can_call_functions:
            return False
        requested = provider.tool_search if settings.tool_search is None else settings.tool_search
        return model_facts.can_search_tools(self.upstream_name) if requested is None else requested

    def left_out(self, request: ModelRequest) -> tuple[str, ...]:
        """Return what of a caller's request the protocol cannot express: paths such as `truncation`."""
        if self.provider.api == "chat":
            return tuple(find_unsupported_paths(request))
        if self.provider.api == "messages":
            return tuple(messages.find_unsupported_paths(request))
        return tuple(unsayable_in_responses(request.chat_options))


class NamedModel:
    """A provider's model under the callers' name, with default options."""

    def __init__(self, inner: Model, name: str, options: JsonObject) -> None:
        """`name`: the provider's name for the model."""
        self._inner = inner
        self._name = name
        self._options = options

    def stream_round(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """Run one round, as `Model.stream_round` says. A caller's options win, objects member by member."""
        options = merge_options(self._options, request.options)
        return self._inner.stream_round(replace(request, model=self._name, options=options))


class ProviderShelf:
    """One provider and its models."""

    def __init__(
        self,
        settings: ProviderSettings,
        key: str | None,
        *,
        lists: bool = True,
        chosen: Sequence[str] = (),
        owner_id: str | None = None,
        refuse: Refuse | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`lists`: whether to offer what the provider lists; `chosen`: of these only the named ones.

        `owner_id`: the user who set it up; None: the operator's settings did. `refuse`: decides about the
        addresses that are connected to; None: all are good.
        """
        self.name = settings.name
        self.owner_id = owner_id
        self._told = settings
        self.provider = HttpProvider(settings, key, clock=clock, refuse=refuse)
        self.lists = lists
        self._model = _client_of(self.provider)
        self._clock = clock
        self._chosen = tuple(chosen)
        self.list: list[ModelEntry] = [self._entry_named(name) for name in self._chosen]
        """The models that the provider listed last; empty when it never did."""
        self._renew_at = 0.0
        self._asking = asyncio.Lock()

    def entry(self, settings: ModelSettings, created: int = 0) -> ModelEntry:
        """Build the entry of one model of this provider, listed or not."""
        options = cast(JsonObject, settings.options)
        if self.provider.settings.api == "messages" and settings.max_completion_tokens is not None:
            options = {"max_output_tokens": settings.max_completion_tokens, **options}
        model: Model = NamedModel(self._model, settings.model or settings.id, options)
        if settings.text_calls:
            model = TextCallModel(model, tells_tools=not settings.can_call_functions)
        return ModelEntry(model, settings, self.provider.settings, created)

    async def refresh(self) -> None:
        """Request the list again if it is old. Never fails: without a new list, the last one stays."""
        async with self._asking:
            if self.lists and self._clock() >= self._renew_at:
                self._renew_at = self._clock() + await self._renew()

    async def _renew(self) -> float:
        """Request the list; returns the seconds until it is worth requesting again."""
        try:
            listed = await self.provider.request_models()
        except ModelError as error:
            _log.warning("The models of %s cannot be listed: %s", self.name, error.message)
            return LIST_AGAIN_S
        self.learn_dialect([model.name for model in listed])
        entries = {model.name: self._listed_entry(model) for model in listed}
        chosen = self._chosen or entries
        self.list = [entries.get(name) or self._entry_named(name) for name in chosen]
        return LISTED_S

    def learn_dialect(self, names: Sequence[str]) -> None:
        """Keep the rules of those whose models these are, where neither settings nor address say whose hold.

        What a user has set up is left as it is: the page asked for the list before it was stored.
        """
        settings = self._told
        if self.owner_id is not None or settings.dialect or known_dialect(settings.base_url, settings.api):
            return
        guessed = guess_dialect(names)
        if guessed != self.provider.settings.dialect:
            _log.info("By its models, %s is sent tools as for %s.", self.name, guessed or "any provider")
            self.provider.settings = settings.model_copy(update={"dialect": guessed})
            self._model = _client_of(self.provider)

    def _entry_named(self, name: str) -> ModelEntry:
        return self.entry(ModelSettings(id=name, provider=self.name))

    def _listed_entry(self, model: Listed) -> ModelEntry:
        settings = ModelSettings.model_validate({**model.facts, "id": model.name, "provider": self.name})
        return self.entry(settings, model.created)


def merge_options(defaults: JsonObject, requested: JsonObject) -> JsonObject:
    """Return the options with a caller's on top; objects in them are merged member by member."""
    both = {**defaults, **requested}
    for name, value in requested.items():
        default = defaults.get(name)
        if isinstance(value, dict) and isinstance(default, dict):
            both[name] = {**default, **value}
    return both


def _client_of(provider: HttpProvider) -> Model:
    settings = provider.settings
    if settings.api == "responses":
        return ResponsesModel(provider)
    if settings.api == "messages":
        return MessagesModel(provider)
    dialect = ChatDialect(settings.max_tokens_name, settings.stream_usage, settings.return_reasoning)
    return ChatModel(provider, dialect)
