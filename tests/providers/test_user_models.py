"""The models of one user, as what he has set up changes."""

import asyncio

import pytest

from bridge.agent.demo.model import DemoModel
from bridge.providers.directory import ModelDirectory
from bridge.providers.user_models import UserModels
from bridge.settings.models import ModelsFile, ProviderSettings
from bridge.settings.user_providers import UserProvider


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
    operators = ModelDirectory(ModelsFile(), {}, demo=DemoModel())
    models = UserModels(operators, store, lambda _user: lambda _host: None)
    reading = asyncio.create_task(models.list_models("ann"))
    await store.is_read.wait()
    settings = ProviderSettings(name="mine", base_url="http://127.0.0.1:1/v1", api="chat")
    await store.save_provider(UserProvider("ann", settings, models=("small",)))
    models.clear_cache()
    store.may_go_on.set()
    assert [entry.id for entry in await reading] == ["demo"]
    assert [entry.id for entry in await models.list_models("ann")] == ["small"]
    await models.close_providers()
