"""What `/metrics` says of model turns."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import openai
import pytest
import pytest_asyncio
from openai import AsyncOpenAI

from bridge.app.server import Bridge
from tests.support.models.model_answers import calls, text
from tests.support.models.model_bridge import MODEL, products, shop_bridge
from tests.support.models.scripted_provider import ScriptedProvider, fails
from tests.support.prometheus import metric
from tests.support.running_bridge import page_of

pytestmark = pytest.mark.asyncio

HELLO: Any = [{"role": "user", "content": "Which products are there?"}]


@pytest_asyncio.fixture
async def bridge(tmp_path: Path, provider: ScriptedProvider) -> AsyncGenerator[Bridge]:
    async with shop_bridge(tmp_path, provider) as running:
        yield running


async def test_a_turn_its_rounds_and_its_tokens_are_counted_for_its_provider(
    bridge: Bridge, client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """A turn with a call has two rounds, whose tokens add up."""
    provider.play(calls(("listProducts", {})).costing(10, 2), text("Tea.").costing(30, 4))
    async with page_of(bridge, bridge.local_user.id, products):
        await client.chat.completions.create(model=MODEL, messages=HELLO)
    here = {"provider": "scripted"}
    registry = bridge.components.metrics.instruments.registry
    assert metric(registry, "model_turns_total", outcome="completed", code="", **here) == 1
    assert metric(registry, "model_rounds_total", **here) == 2
    assert metric(registry, "model_tokens_total", kind="input", **here) == 40
    assert metric(registry, "model_tokens_total", kind="output", **here) == 6
    assert metric(registry, "model_turn_seconds_count", **here) == 1
    assert metric(registry, "calls_total", kind="safe", outcome="succeeded", code="") == 1


async def test_a_turn_that_its_provider_fails_is_counted_as_failed(
    bridge: Bridge, client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """Under a code of the bridge's own: those of providers are many."""
    provider.play(fails(400))
    with pytest.raises(openai.APIStatusError):
        await client.with_options(max_retries=0).chat.completions.create(model=MODEL, messages=HELLO)
    registry = bridge.components.metrics.instruments.registry
    failed = {"provider": "scripted", "outcome": "failed", "code": "model_failed"}
    assert metric(registry, "model_turns_total", **failed) == 1
