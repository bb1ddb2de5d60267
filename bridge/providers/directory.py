"""The directory of models that callers may name: those of the models file, and those that providers list.

Composes provider clients; a request for a model returns a `Model` that already knows its provider's name for
it and its default options.
"""

from __future__ import annotations

import asyncio
import difflib
import logging
import time
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import cast

from bridge.agent.chat_completions.options import unsayable_in_responses
from bridge.agent.chat_completions.upstream_request import ChatDialect, find_unsupported_paths
from bridge.agent.model import Model, ModelError, ModelEvent, ModelRequest
from bridge.agent.text_calls.model import TextCallModel
from bridge.agent.turn import TurnSettings
from bridge.lazy_modules import load_lazily
from bridge.providers.models import ChatModel, ResponsesModel
from bridge.providers.ports import Listed, Provider
from bridge.settings import model_facts
from bridge.settings.models import ModelSettings, ModelsFile, ProviderSettings, WebSearch, key_of
from bridge.tasks import Tasks
from toolserver.json_types import JsonObject

LISTED_S = 300.0
"""Seconds for which a provider's list of models counts as current. Chosen."""

LIST_AGAIN_S = 30.0
"""Seconds until a provider that could not list its models is asked again. Chosen."""

MAX_NEAREST = 3
"""Maximum number of similar names suggested to a caller who asks for a model that does not exist."""

MAX_NAME_CHARS = 200
"""Maximum length of a name that is compared with others: comparing takes longer with the length."""

DEMO_ID = "demo"
DEMO = ModelSettings(id=DEMO_ID, provider="tool-bridge", display_name="Demo (no account needed)")
DEMO_PROVIDER = ProviderSettings(name=DEMO.provider, base_url="http://127.0.0.1", list_models=False)

_log = logging.getLogger(__name__)


class UnknownModel(Exception):
    """There is no model of that name."""

    def __init__(self, model: str, nearest: tuple[str, ...]) -> None:
        """`nearest`: similar names, best first."""
        near = f" Did you mean {' or '.join(nearest)}?" if nearest else ""
        super().__init__(
            f"There is no model {model[:MAX_NAME_CHARS]!r} here.{near} GET /v1/models lists all."
        )
        self.model = model
        self.nearest = nearest


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
        return model_facts.is_reasoning_model(self.upstream_name) if requested is None else requested

    @property
    def web_search(self) -> WebSearch | None:
        """How it is asked to search the web; None: it cannot."""
        if (own := self.settings.web_search) is not None:
            return None if own == "none" else own
        form = self.provider.web_search
        return None if form == "tool" and not model_facts.can_search_web(self.upstream_name) else form

    def left_out(self, request: ModelRequest) -> tuple[str, ...]:
        """Return what of a caller's request the protocol cannot express: paths such as `truncation`."""
        if self.provider.api == "chat":
            return tuple(find_unsupported_paths(request))
        return tuple(unsayable_in_responses(request.chat_options))


class NamedModel:
    """A provider's model under the callers' name, with default options."""

    def __init__(self, inner: Model, name: str, options: JsonObject) -> None:
        """`name`: the provider's name for the model."""
        self._inner = inner
        self._name = name
        self._options = options

    async def stream_round(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """Run one round, as `Model.stream_round` says. A caller's options win, objects member by member."""
        upstream_request = replace(
            request, model=self._name, options=merge_options(self._options, request.options)
        )
        async with aclosing(self._inner.stream_round(upstream_request)) as events:
            async for event in events:
                yield event


class ModelDirectory:
    """All models. All methods run on one event loop."""

    def __init__(
        self,
        file: ModelsFile,
        environ: Mapping[str, str],
        *,
        demo: Model,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`demo` is the only model when there is no provider.

        Raises:
            ModelsFileError: the key of a provider is missing.
        """
        self._shelves = {
            settings.name: _Shelf(settings, key_of(settings, environ), file, clock)
            for settings in file.provider
        }
        self._named = {
            settings.id: self._shelves[settings.provider].entry(settings) for settings in file.model
        }
        self._all: dict[str, ModelEntry] | None = None
        self._read: list[list[ModelEntry]] = []
        """The lists that `_all` was built from."""
        if not self._shelves:
            self._named[DEMO_ID] = ModelEntry(demo, DEMO, DEMO_PROVIDER)

    async def close_providers(self) -> None:
        """Close the connections to every provider."""
        for shelf in self._shelves.values():
            await shelf.provider.close_client()

    async def list_models(self) -> list[ModelEntry]:
        """Return all models: the file's in its order, then those that providers list. Never fails.

        Of several models with the same name, the later ones get their provider's name as a prefix.
        """
        async with asyncio.TaskGroup() as group:
            for shelf in self._shelves.values():
                group.create_task(shelf.refresh(), name=f"list the models of {shelf.name}")
        return list(self._entries_by_name().values())

    async def find_model(self, name: str) -> ModelEntry:
        """Return the model of a name: one of `list_models`, or any with a provider's name as its prefix.

        Names that were listed once are not looked up again. When only one provider cannot list its models, it
        is asked for any unknown name.

        Raises:
            UnknownModel: there is none.
        """
        if (entry := self._entries_by_name().get(name)) is not None:
            return entry
        entries = {entry.id: entry for entry in await self.list_models()}
        if name in entries:
            return entries[name]
        provider, _, model = name.partition("/")
        if model and provider in self._shelves:
            return self._shelves[provider].entry(ModelSettings(id=name, provider=provider, model=model))
        unlisted = [shelf for shelf in self._shelves.values() if shelf.lists and not shelf.list]
        if len(unlisted) == 1:
            return unlisted[0].entry(ModelSettings(id=name, provider=unlisted[0].name))
        near = difflib.get_close_matches(name, entries, MAX_NEAREST) if len(name) <= MAX_NAME_CHARS else ()
        raise UnknownModel(name, tuple(near))

    def _entries_by_name(self) -> dict[str, ModelEntry]:
        """Return every model by its name; rebuilt only when a list is new, since every request looks here."""
        lists = [shelf.list for shelf in self._shelves.values()]
        if self._all is None or any(one is not other for one, other in zip(lists, self._read, strict=True)):
            self._all, self._read = self._build_entries(), lists
        return self._all

    def _build_entries(self) -> dict[str, ModelEntry]:
        found = dict(self._named)
        for entry in (entry for shelf in self._shelves.values() for entry in shelf.list):
            name = entry.id if entry.id not in found else f"{entry.owned_by}/{entry.id}"
            settings = entry.settings.model_copy(update={"id": name, "model": entry.upstream_name})
            found.setdefault(name, replace(entry, settings=settings))
        for entry in list(found.values()):
            for pseudo in self._pseudo_entries(entry):
                found.setdefault(pseudo.id, pseudo)
        return found

    def _pseudo_entries(self, entry: ModelEntry) -> Iterator[ModelEntry]:
        """Yield the same model under names that stand for other options."""
        vendor, slash, model = entry.id.rpartition("/")
        shelf = self._shelves.get(entry.settings.provider)
        if shelf is None or not entry.provider.pseudo_models:
            return
        for name, options in model_facts.PSEUDO_MODELS.get(model, {}).items():
            changes = {
                "id": f"{vendor}{slash}{name}",
                "model": entry.upstream_name,
                "display_name": None,
                "options": merge_options(entry.options, options),
            }
            yield shelf.entry(entry.settings.model_copy(update=changes), entry.created)


class _Shelf:
    """One provider and its models."""

    def __init__(
        self, settings: ProviderSettings, key: str | None, file: ModelsFile, clock: Callable[[], float]
    ) -> None:
        self.name = settings.name
        self.provider: Provider = load_lazily("http_provider")(settings, key, clock=clock)
        is_named = any(model.provider == settings.name for model in file.model)
        self.lists = not is_named if settings.list_models is None else settings.list_models
        self._model = _client_of(self.provider)
        self._clock = clock
        self.list: list[ModelEntry] = []
        """The models that the provider listed last; empty when it never did."""
        self._renew_at = 0.0
        self._asking = asyncio.Lock()

    def entry(self, settings: ModelSettings, created: int = 0) -> ModelEntry:
        options = cast(JsonObject, settings.options)
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
        self.list = [self._listed_entry(model) for model in listed]
        return LISTED_S

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


def _client_of(provider: Provider) -> Model:
    settings = provider.settings
    if settings.api == "responses":
        return ResponsesModel(provider)
    dialect = ChatDialect(settings.max_tokens_name, settings.stream_usage, settings.return_reasoning)
    return ChatModel(provider, dialect)


@dataclass(frozen=True, slots=True)
class ModelServices:
    """What responses and conversations need to use models."""

    models: ModelDirectory
    settings_of: Callable[[ModelEntry], TurnSettings]
    """Returns how turns of a model run, by the current settings."""
    tasks: Tasks
