"""What a round costs, whatever name its user found for the model."""

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest

from bridge.errors import BridgeError, ErrorCode
from bridge.models.budgets.budgets import MICROS, Budgets, RoundUsage, UsageSum
from bridge.settings.chat.budgets import BudgetSettings


class Sums:
    """Usage of one user."""

    def __init__(self) -> None:
        self.cost_micros = 0

    async def sum_usage(self, user_id: str, since: str) -> UsageSum:
        return UsageSum("ann", (), cost_micros=self.cost_micros)

    async def add_usage(self, user_id: str, day: str, usage: RoundUsage, cost_micros: int) -> None:
        self.cost_micros += cost_micros


async def cost_of(settings: BudgetSettings, model: str) -> float:
    """What a million tokens read of a model cost a user, in units of the currency."""
    sums, running = Sums(), set[asyncio.Task[None]]()

    def start(work: Coroutine[Any, Any, None], _name: str) -> None:
        running.add(asyncio.create_task(work))

    budgets = Budgets(settings, sums, lambda _provider: True, start=start)
    budgets.count_round("ann", RoundUsage(model, 1_000_000, 0))
    await asyncio.gather(*running)
    return sums.cost_micros / MICROS


def never(_work: Coroutine[Any, Any, None], _name: str) -> None:
    raise AssertionError("nothing is counted")


LIMITED = BudgetSettings(budget_cost=2, model_prices=("gpt-5=2/10", "gpt-5-mini=0.25/2", "own=0/0"))
FOR_GROUPS = BudgetSettings(budgets=("group:staff=-/5",), model_prices=LIMITED.model_prices)
COUNTED = BudgetSettings(budget_tokens=5, budgets=("user:bob=7/-",), model_prices=LIMITED.model_prices)


@pytest.mark.asyncio
@pytest.mark.parametrize("settings", [LIMITED, FOR_GROUPS])
@pytest.mark.parametrize(
    ("model", "cost"),
    [
        ("gpt-5", 2),
        ("GPT-5", 2),
        (" gpt-5-mini ", 0.25),
        ("gpt-5-mini-2025-08-07", 0.25),
        ("gpt-5-mini-latest", 0.25),
        ("own", 0),
        ("o9-pro", 2),
        ("gpt-5-mini-pro", 2),
        ("", 2),
    ],
)
async def test_no_name_of_a_model_is_a_way_around_a_cost_budget(
    settings: BudgetSettings, model: str, cost: float
) -> None:
    """Finding S-L2: any name behind the provider's goes through, and one without a price cost nothing."""
    assert await cost_of(settings, model) == cost


@pytest.mark.asyncio
async def test_without_a_cost_budget_a_model_without_a_price_costs_nothing() -> None:
    """Finding S-L2: sibling. Then costs are only shown, and an invented one would be wrong."""
    assert await cost_of(COUNTED, "o9-pro") == 0
    assert await cost_of(COUNTED, "GPT-5-mini") == 0.25


@pytest.mark.asyncio
async def test_a_cost_budget_without_any_price_refuses() -> None:
    """Finding S-L2: sibling. Nothing could ever use it up, and who set it relies on it."""
    budgets = Budgets(BudgetSettings(budget_cost=2), Sums(), lambda _provider: True, start=never)
    with pytest.raises(BridgeError, match="No model has a price") as refused:
        await budgets.check_budget("ann")
    assert refused.value.error.code is ErrorCode.BUDGET_EXCEEDED
    assert refused.value.error.detail["retry_after_s"] > 0


def test_the_start_says_what_models_without_a_price_cost() -> None:
    """Finding S-L2: an operator who forgot a model would be surprised by either answer."""
    [guessed] = LIMITED.list_warnings()
    assert "like the dearest" in guessed
    [refused] = BudgetSettings(budgets=("user:ann=-/1",)).list_warnings()
    assert "TOOL_BRIDGE_MODEL_PRICES" in refused
    assert "refused" in refused
    assert COUNTED.list_warnings() == []
    assert BudgetSettings().list_warnings() == []
