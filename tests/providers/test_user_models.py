"""The models of one user, as what he has set up changes."""

import asyncio

import pytest

from bridge.models.agent.demo.model import DemoModel
from bridge.models.providers.directory import ModelDirectory, UnknownModel
from bridge.models.providers.user_models import UserModels
from bridge.settings.chat.models import ModelsFile, ProviderSettings
from bridge.settings.chat.user_providers import UserProvider


class SlowStore:
    """Has what is put in; a reader that is held sees what was there before."""

    def __init__(self) -> None:
        self.providers: list[UserProvider] = []
        self.may_go_on = asyncio.Event()
        self.is_read = asyncio.Event()

    async def list_providers(self, user_id: str) -> list[UserProvider]:
        found = [each for each in self.providers if each.owner_id == user_id]
        self.is_read.set()
        await self.may_go_on.wait()
        return found

    async def save_provider(self, provider: UserProvider) -> None:
        self.providers.append(provider)

    async def delete_provider(self, owner_id: str, name: str) -> bool:
        raise NotImplementedError


@pytest.mark.asyncio
async def test_a_provider_that_is_saved_while_others_are_read_is_not_missed() -> None:
    """What was read before it must not stay, or the provider would be missing until the next change."""
    store = SlowStore()
    models = models_of(store)
    reading = asyncio.create_task(models.list_models("ann"))
    await store.is_read.wait()
    settings = ProviderSettings(name="mine", base_url="http://127.0.0.1:1/v1", api="chat")
    await store.save_provider(UserProvider("ann", settings, models=("small",)))
    models.clear_cache()
    store.may_go_on.set()
    assert [entry.id for entry in await reading] == ["demo"]
    assert [entry.id for entry in await models.list_models("ann")] == ["small"]
    await models.close_providers()


class SharedStore(SlowStore):
    """Every user has his own providers, then those of others."""

    async def list_providers(self, user_id: str) -> list[UserProvider]:
        return sorted(self.providers, key=lambda each: each.owner_id != user_id)


def models_of(store: SlowStore) -> UserModels:
    operators = ModelDirectory(ModelsFile(), {}, demo=DemoModel())
    return UserModels(operators, store, lambda _user: lambda _host: None)


async def provider_of(models: UserModels, user_id: str, name: str) -> str | None:
    """Whom a request with that model's name goes to; None: it is refused."""
    try:
        return (await models.find_model(user_id, name)).provider.name
    except UnknownModel:
        return None


@pytest.mark.asyncio
@pytest.mark.parametrize("name", ["gpt-4o-mini", "openai/gpt-4o-mini"])
async def test_a_shared_provider_is_asked_for_nothing_that_it_does_not_list(name: str) -> None:
    """Finding S-L4: its owner, who chose its name, would read every chat whose model nobody else has."""
    store = SharedStore()
    models = models_of(store)
    nowhere = ProviderSettings(name="openai", base_url="http://127.0.0.1:1/v1", api="chat")
    store.providers.append(UserProvider("eve", nowhere, is_shared=True))
    assert await provider_of(models, "bob", name) is None
    assert await provider_of(models, "eve", name) == "openai"
    store.providers.append(UserProvider("bob", nowhere.model_copy(update={"name": "mine"})))
    models.clear_cache()
    assert await provider_of(models, "bob", "gpt-4o-mini") == "mine"
    await models.close_providers()


@pytest.mark.asyncio
async def test_the_models_that_a_sharer_has_chosen_are_there_for_everybody() -> None:
    """Finding S-L4: a provider that lists nothing can still be shared, for the models that are named."""
    store = SharedStore()
    models = models_of(store)
    settings = ProviderSettings(name="lab", base_url="http://127.0.0.1:1/v1", api="chat")
    store.providers.append(UserProvider("eve", settings, models=("small",), is_shared=True))
    assert [await provider_of(models, "bob", name) for name in ("small", "lab/small")] == ["lab", "lab"]
    assert await provider_of(models, "bob", "lab/large") is None
    await models.close_providers()
