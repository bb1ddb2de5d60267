"""The models of each user: the operator's, those that the operator shares in the page, and the user's own."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from bridge.errors import BridgeError
from bridge.models.agent.turn import TurnSettings
from bridge.models.providers.directory import ModelDirectory, UnknownModel
from bridge.models.providers.listed_models import ModelEntry, ProviderShelf
from bridge.models.providers.ports import Listed, ProviderStore, Refuse
from bridge.settings.chat.models import DEMO_ID, ModelSettings, ProviderSettings
from bridge.settings.chat.user_providers import UserProvider
from bridge.tasks import Tasks

_log = logging.getLogger(__name__)

RefuseFor = Callable[[str], Refuse]
"""Returns what decides about the addresses that a user's providers are reached at."""


class UserModels:
    """All models of all users. All methods run on one event loop."""

    def __init__(self, operators: ModelDirectory, store: ProviderStore, refuse_for: RefuseFor) -> None:
        self.operators = operators
        """The models of the operator's settings, which every user may name."""
        self.store = store
        """Providers that users set up in the page."""
        self._refuse_for = refuse_for
        self._shelves: dict[UserProvider, ProviderShelf] = {}
        self._of_user: dict[str, list[ProviderShelf]] = {}
        self._changes = 0
        """How often the stored providers have changed."""

    def clear_cache(self) -> None:
        """Read providers again when they are needed next; another replica may have changed them."""
        self._changes += 1
        self._of_user.clear()

    async def close_providers(self) -> None:
        """Close the connections to every provider."""
        await self.operators.close_providers()
        for shelf in self._shelves.values():
            await shelf.provider.close_client()

    async def list_models(self, user_id: str) -> list[ModelEntry]:
        """Return the models that a user may name: the operator's, then those of providers of the page.

        The demo model is listed only as long as there is no other. Of several with the same name, the later
        ones get their provider's name as a prefix. Never fails.
        """
        shelves = await self._shelves_of(user_id)
        entries = await self.operators.list_models()
        if not shelves:
            return entries
        await _refresh(shelves)
        named = {entry.id: entry for entry in entries if entry.id != DEMO_ID}
        for entry in (entry for shelf in shelves for entry in shelf.list):
            name = entry.id if entry.id not in named else f"{entry.owned_by}/{entry.id}"
            named.setdefault(name, _renamed(entry, name))
        return list(named.values()) or entries

    async def find_model(self, user_id: str, name: str) -> ModelEntry:
        """Return the model of a name, as `list_models` lists it, or with a provider's name as its prefix.

        What another user shares is asked only for models that it lists: chats with any other name are none
        of its owner's concern.

        Raises:
            UnknownModel: there is none.
        """
        shelves = await self._shelves_of(user_id)
        if not shelves:
            return await self.operators.find_model(name)
        if (found := self.operators.find_known(name) or _find_listed(shelves, name)) is not None:
            return found
        await _refresh(shelves)
        if (found := _find_listed(shelves, name) or _find_prefixed(shelves, user_id, name)) is not None:
            return found
        try:
            return await self.operators.find_model(name)
        except UnknownModel as error:
            unlisted = [shelf for shelf in shelves if shelf.owner_id == user_id and not shelf.list]
            if len(unlisted) == 1:
                return unlisted[0].entry(ModelSettings(id=name, provider=unlisted[0].name))
            raise error from None

    async def try_provider(
        self, user_id: str, settings: ProviderSettings, key: str | None
    ) -> Sequence[Listed]:
        """Ask a provider that need not be stored for its models, once.

        Raises:
            ModelError: it cannot be asked, refuses, or answers with something else.
        """
        shelf = ProviderShelf(settings, key, refuse=self._refuse_for(user_id))
        try:
            return await shelf.provider.request_models()
        finally:
            await shelf.provider.close_client()

    async def _shelves_of(self, user_id: str) -> list[ProviderShelf]:
        """Return a user's providers; one that did not change keeps its connections and its list.

        Without the database there are none: the operator's models answer on.
        """
        if (known := self._of_user.get(user_id)) is not None:
            return known
        changes = self._changes
        try:
            stored = await self.store.list_providers(user_id)
        except BridgeError as error:
            _log.warning("The providers of a user cannot be read: %s", error.error.message)
            return []
        shelves = [self._shelf(each) for each in stored]
        if changes == self._changes:  # what changed while it was read is read again
            self._of_user[user_id] = shelves
        return shelves

    def _shelf(self, provider: UserProvider) -> ProviderShelf:
        """Return the shelf of a provider. An older one stays until the end: runs may use it."""
        if (shelf := self._shelves.get(provider)) is None:
            shelf = ProviderShelf(
                provider.settings,
                provider.key,
                chosen=provider.models,
                owner_id=provider.owner_id,
                refuse=self._refuse_for(provider.owner_id),
            )
            self._shelves[provider] = shelf
        return shelf


async def _refresh(shelves: Sequence[ProviderShelf]) -> None:
    async with asyncio.TaskGroup() as group:
        for shelf in shelves:
            group.create_task(shelf.refresh(), name=f"list the models of {shelf.name}")


def _find_listed(shelves: Sequence[ProviderShelf], name: str) -> ModelEntry | None:
    return next((entry for shelf in shelves for entry in shelf.list if entry.id == name), None)


def _find_prefixed(shelves: Sequence[ProviderShelf], user_id: str, name: str) -> ModelEntry | None:
    provider, _, model = name.partition("/")
    shelf = next((shelf for shelf in shelves if shelf.name == provider), None) if model else None
    if shelf is None:
        return None
    if (listed := next((entry for entry in shelf.list if entry.id == model), None)) is not None:
        return _renamed(listed, name)
    if shelf.owner_id != user_id:
        return None
    return shelf.entry(ModelSettings(id=name, provider=provider, model=model))


def _renamed(entry: ModelEntry, name: str) -> ModelEntry:
    changes = {"id": name, "model": entry.upstream_name}
    return replace(entry, settings=entry.settings.model_copy(update=changes))


HoldForUser: TypeAlias = Callable[[asyncio.Task[Any], str, Callable[[], object]], None]
"""Calls a function if a user, by id, loses access while a task runs."""


def hold_nothing(_task: asyncio.Task[Any], _user_id: str, _end: Callable[[], object]) -> None:
    """Let work go on whatever becomes of its user, as `HoldForUser`."""


@dataclass(frozen=True, slots=True)
class ModelServices:
    """What responses and conversations need to use models."""

    models: UserModels
    settings_of: Callable[[ModelEntry], TurnSettings]
    """Returns how turns of a model run, by the current settings."""
    tasks: Tasks
    hold_for_user: HoldForUser = hold_nothing
    """Ends what runs in the background for a user who loses access."""
