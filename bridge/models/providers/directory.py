"""The directory of models that callers may name: those of the models file, and those that providers list.

Composes provider clients; a request for a model returns a `Model` that already knows its provider's name for
it and its default options.
"""

from __future__ import annotations

import asyncio
import difflib
import logging
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from bridge.models.agent.model import Model
from bridge.models.providers.listed_models import (
    DEMO_PROVIDER_NAME,
    ModelEntry,
    ProviderShelf,
    merge_options,
)
from bridge.settings.chat import model_facts
from bridge.settings.chat.models import DEMO_ID, ModelSettings, ModelsFile, ProviderSettings, key_of

MAX_NEAREST = 3
"""Maximum number of similar names suggested to a caller who asks for a model that does not exist."""

MAX_NAME_CHARS = 200
"""Maximum length of a name that is compared with others: comparing takes longer with the length."""

DEMO = ModelSettings(id=DEMO_ID, provider=DEMO_PROVIDER_NAME, display_name="Demo (no account needed)")
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
            settings.name: ProviderShelf(
                settings, key_of(settings, environ), lists=_is_listed(settings, file), clock=clock
            )
            for settings in file.provider
        }
        for name, shelf in self._shelves.items():
            shelf.learn_dialect([model.model or model.id for model in file.model if model.provider == name])
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

    @property
    def provider_settings(self) -> list[ProviderSettings]:
        """The operator's providers."""
        return [shelf.provider.settings for shelf in self._shelves.values()]

    def find_known(self, name: str) -> ModelEntry | None:
        """Return the model of a name without asking a provider; None: it would have to be asked for."""
        return self._entries_by_name().get(name)

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


def _is_listed(settings: ProviderSettings, file: ModelsFile) -> bool:
    """Return whether to offer what a provider lists."""
    is_named = any(model.provider == settings.name for model in file.model)
    return not is_named if settings.list_models is None else settings.list_models
