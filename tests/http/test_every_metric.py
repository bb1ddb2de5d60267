"""Every metric of the reference is one that a bridge really gives: with a value, and its labels."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import pytest_asyncio
from prometheus_client import Metric
from prometheus_client.parser import text_string_to_metric_families

from bridge.app.server import Bridge
from make.reference.metrics_page import declared, sample_name
from tests.support.models.model_answers import calls, text
from tests.support.models.model_bridge import MODEL, client_of, shop_bridge
from tests.support.models.scripted_provider import ScriptedProvider
from tests.support.running_bridge import json_answer, page_of, status_of_call
from tests.support.stores.full_disk import limit_disk
from tests.support.waiting import eventually

pytestmark = pytest.mark.asyncio

TOKEN = "a-token-for-prometheus-alone"
HELLO: Any = [{"role": "user", "content": "Which products are there?"}]
OPENS_AFTER = 5
"""Failures after which the breaker of a tool opens."""

ELSEWHERE = {"tool_bridge_homes", "tool_bridge_model_tool_searches_total"}
"""Seen by other tests: tests/replicas/test_homes_of_users.py, as they are 0 at a bridge alone, and
tests/http/openai/tool_search/test_tool_search.py, with a model that searches by itself."""


@pytest_asyncio.fixture
async def bridge(tmp_path: Path, provider: ScriptedProvider) -> AsyncIterator[Bridge]:
    """One that asks its users before calls that change something."""
    settings: dict[str, Any] = {"metrics_token": TOKEN, "approve": "safe", "deadline_s": 20}
    async with shop_bridge(tmp_path, provider, **settings) as running:
        yield running


async def families(bridge: Bridge) -> dict[str, Metric]:
    """What the bridge tells, by the name of each family."""
    headers = {"Authorization": f"Bearer {TOKEN}"}
    async with (
        aiohttp.ClientSession(headers=headers) as http,
        http.get(f"{bridge.base_url}/metrics") as answer,
    ):
        return {family.name: family for family in text_string_to_metric_families(await answer.text())}


@dataclass
class Shop:
    """The page's API: it breaks, and keeps whoever adds a product waiting."""

    is_broken: bool = False
    may_add: asyncio.Event = field(default_factory=asyncio.Event)

    async def answer(self, sent: dict[str, Any]) -> dict[str, Any]:
        if self.is_broken and sent["name"] == "POST /products":
            await self.may_add.wait()
        return {**json_answer([], status=503 if self.is_broken else 200), "phases_ms": [0.5, 1, 0.5, 0.5]}


async def test_every_metric_of_the_reference_is_seen_with_its_labels(
    bridge: Bridge, provider: ScriptedProvider
) -> None:
    """A panel or a rule for one that never comes shows nothing, and nobody learns that it never will."""
    for _ in range(2):
        provider.play(calls(("addProduct", {"name": "tea"})).costing(10, 2), text("Tea."))
    shop = Shop()

    async def unseen() -> set[str]:
        found = await families(bridge)
        return {name for name, labels in documented() if not has_value(found, name, labels)}

    async def is_away() -> bool:
        return "tool_bridge_journal_unavailable" not in await unseen()

    async with page_of(bridge, bridge.local_user.id, shop.answer) as page, client_of(bridge) as client:
        page.asks_user = True
        ask = partial(client.chat.completions.create, model=MODEL, messages=HELLO)
        await ask()
        assert await status_of_call(bridge, "noSuchTool") == 404
        assert await status_of_call(bridge, "listProducts", '{"result_select": "[0]"}') == 200
        shop.is_broken = True
        async with asyncio.TaskGroup() as group:
            group.create_task(ask())
            await eventually(lambda: len(page.calls) == 3)
            with limit_disk(0):
                for _ in range(OPENS_AFTER):
                    assert await status_of_call(bridge, "listProducts") == 502
                await eventually(is_away)
                assert await unseen() == ELSEWHERE
            shop.may_add.set()


def documented() -> Iterator[tuple[str, tuple[str, ...]]]:
    """Names of samples, and of their labels."""
    for metric, labels in declared():
        yield sample_name(metric), labels


def has_value(found: dict[str, Metric], name: str, labels: tuple[str, ...]) -> bool:
    """Whether a family has counted anything under these labels; a bucket's bound is none of them."""
    family = found.get(name.removesuffix("_total"))
    return family is not None and any(
        sample.value > 0 and set(sample.labels) - {"le"} == set(labels) for sample in family.samples
    )
