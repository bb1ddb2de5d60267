"""Caches that another replica's change empties while they are being filled, over a store that is slow."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from bridge.browsers.device_routing import DeviceChoices
from bridge.calls.approval_policy import Grant
from bridge.calls.approvals import Approvals
from bridge.calls.limits.call_settings import CallSetting, SettingScope, UserCallSettings
from bridge.models.stored_items.retention_preference import MemoryChoice, MemoryChoices
from bridge.settings.approvals import ApprovalMode
from tests.support.calls.memory_approvals import BackgroundWork, FakeAudit

pytestmark = pytest.mark.asyncio

OLD, NEW = "old", "new"


@dataclass
class SlowStore:
    """Reads what stands there, and answers when it is told to."""

    stands: str = OLD
    answer: asyncio.Event = field(default_factory=asyncio.Event)
    reads: int = 0

    async def _read(self) -> str:
        self.reads += 1
        found = self.stands
        await self.answer.wait()
        return found

    async def device_choices(self, _user_id: str) -> Mapping[str, str]:
        return {"shop": await self._read()}

    async def load_approvals(self, _user_id: str) -> tuple[ApprovalMode, Sequence[Grant]]:
        mode: ApprovalMode = "ask" if await self._read() == NEW else "all"
        return mode, ()

    async def call_settings(self, _user_id: str) -> Mapping[SettingScope, CallSetting]:
        return {SettingScope(): CallSetting(deadline_s=1 if await self._read() == NEW else 2)}

    async def memory_choice(self, _user_id: str) -> MemoryChoice:
        return MemoryChoice(keeps_answers=await self._read() == NEW)


Cache = tuple[Callable[[], Awaitable[object]], Callable[[], None]]
"""How it is read, and how it is emptied."""


def device_choices(store: Any) -> Cache:
    choices = DeviceChoices(store)
    return lambda: choices.choices_of_user("ann"), choices.clear_cache


def approvals(store: Any) -> Cache:
    modes = Approvals(store, "safe", FakeAudit(), start=BackgroundWork().start)
    return lambda: modes.mode_of_user("ann"), modes.clear_cache


def call_settings(store: Any) -> Cache:
    settings = UserCallSettings(store)

    async def read() -> object:
        return (await settings.settings_of_user("ann")).entries

    return read, settings.clear_cache


def memory_choices(store: Any) -> Cache:
    choices = MemoryChoices(store)
    return lambda: choices.choice_of_user("ann"), choices.clear_cache


@pytest.mark.parametrize("build", [device_choices, approvals, call_settings, memory_choices])
async def test_what_was_read_before_the_change_is_not_kept(build: Callable[[Any], Cache]) -> None:
    """The look at the counters is not repeated: what is older would be in force for ever."""
    store = SlowStore()
    read, clear = build(store)
    reading = asyncio.ensure_future(read())
    await asyncio.sleep(0)
    store.stands = NEW
    clear()
    store.answer.set()
    await reading
    fresh, _ = build(SlowStore(NEW, store.answer))
    assert await read() == await fresh()


@pytest.mark.parametrize("build", [device_choices, approvals, call_settings, memory_choices])
async def test_what_is_kept_is_read_once_until_it_is_cleared(build: Callable[[Any], Cache]) -> None:
    """No call waits for the database, and each change costs one read."""
    store = SlowStore()
    store.answer.set()
    read, clear = build(store)
    for _ in range(2):
        await read()
    assert store.reads == 1
    clear()
    await read()
    assert store.reads == 2
