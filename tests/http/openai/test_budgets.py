"""Budgets of tokens and cost: what a user has used, and what happens when it is used up."""

from pathlib import Path
from typing import Any

import openai
import pytest

from bridge.app.server import Bridge
from tests.support.models.model_answers import calls, text
from tests.support.models.model_bridge import MODEL, client_of, products, shop_bridge
from tests.support.models.scripted_provider import ScriptedProvider
from tests.support.models.wing import wing_of
from tests.support.running_bridge import page_of
from tests.support.waiting import eventually

pytestmark = pytest.mark.asyncio

PRICES = (f"{MODEL}=2/10",)
"""Of a million tokens; an answer of these tests reads 11 and writes 7."""


async def ask(client: openai.AsyncOpenAI, api: str) -> Any:
    """One request of a program."""
    if api == "chat":
        return await client.chat.completions.create(model=MODEL, messages=[{"role": "user", "content": "Hi"}])
    return await client.responses.create(model=MODEL, input="Hi")


async def used(bridge: Bridge) -> Any:
    """What the local user has used."""
    budgets = wing_of(bridge.components).models.budgets
    return (await budgets.read_budget(bridge.local_user.id)).used


async def counted(bridge: Bridge, rounds: int) -> Any:
    """The same, once so many rounds have been counted."""

    async def is_counted() -> bool:
        return (await used(bridge)).rounds == rounds

    await eventually(is_counted)
    return await used(bridge)


@pytest.mark.parametrize("api", ["chat", "responses"])
async def test_a_budget_that_is_used_up_is_refused_as_a_quota_of_openai(
    tmp_path: Path, provider: ScriptedProvider, api: str
) -> None:
    """A round that begins within the budget is finished; its client must not ask again by itself."""
    provider.play(text("Hello."), text("Again."))
    async with shop_bridge(tmp_path, provider, budget_tokens=20) as bridge, client_of(bridge) as client:
        await ask(client, api)
        await counted(bridge, 1)
        await ask(client, api)
        await counted(bridge, 2)
        with pytest.raises(openai.RateLimitError) as refused:
            await ask(client, api)
    assert (refused.value.code, refused.value.type) == ("budget_exceeded", "insufficient_quota")
    assert "budget for models of this month is used up. It is renewed at" in refused.value.message
    headers = refused.value.response.headers
    assert 0 < int(headers["retry-after"]) <= 31 * 86400
    assert headers["x-should-retry"] == "false"
    assert len(provider.requests) == 2


async def test_each_round_of_a_turn_is_counted_and_none_begins_over_the_budget(
    tmp_path: Path, provider: ScriptedProvider
) -> None:
    """A model that calls tools for hours would use up more than a budget otherwise."""
    provider.play(calls(("listProducts", {})), text("Tea."))
    async with (
        shop_bridge(tmp_path, provider, budget_tokens=10) as bridge,
        page_of(bridge, bridge.local_user.id, products),
        client_of(bridge) as client,
    ):
        ended = await ask(client, "responses")
        assert (ended.status, ended.error.code) == ("failed", "budget_exceeded")
        assert (await counted(bridge, 1)).input_tokens == 11
        assert bridge.components.controls.breakers.list_breakers(bridge.local_user.id) == []


async def test_cost_is_counted_by_the_prices_of_the_settings(
    tmp_path: Path, provider: ScriptedProvider
) -> None:
    """11 tokens read at 2 and 7 written at 10 a million: 0.000092."""
    provider.play(text("Hello."))
    settings: dict[str, Any] = {"model_prices": PRICES, "budget_cost": 0.000092}
    async with shop_bridge(tmp_path, provider, **settings) as bridge, client_of(bridge) as client:
        await ask(client, "chat")
        found = await counted(bridge, 1)
        with pytest.raises(openai.RateLimitError):
            await ask(client, "chat")
    assert (found.input_tokens, found.output_tokens, found.cost_micros) == (11, 7, 92)
    assert found.estimated_rounds == 0


async def test_without_budgets_and_prices_nothing_is_counted(
    tmp_path: Path, provider: ScriptedProvider
) -> None:
    """What nobody asked for is not stored."""
    provider.play(text("Hello."))
    async with shop_bridge(tmp_path, provider) as bridge, client_of(bridge) as client:
        await ask(client, "chat")
        assert (await used(bridge)).rounds == 0


async def test_a_user_sees_the_own_usage_and_an_operator_everybodys(
    tmp_path: Path, provider: ScriptedProvider
) -> None:
    """Who pays wants to know; who is limited, too."""
    provider.play(text("Hello."))
    settings: dict[str, Any] = {
        "budgets": ("user:local=1000/-",),
        "model_prices": PRICES,
        "budget_window": "day",
    }
    async with shop_bridge(tmp_path, provider, **settings) as bridge, client_of(bridge) as client:
        await ask(client, "chat")
        await counted(bridge, 1)
        own = await client.get("../api/usage", cast_to=dict[str, Any])
        everybody = await client.get("../api/usage/users", cast_to=dict[str, Any])
    assert (own["window"], own["max_tokens"], own["max_cost"]) == ("day", 1000, None)
    assert own["used"] == everybody["users"][0]
    assert own["used"]["cost"] == pytest.approx(0.000092)
