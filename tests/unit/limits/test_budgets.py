"""Which budget a user has, for which time, and how tokens are estimated that nobody counted."""

from collections.abc import AsyncGenerator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bridge.agent.budgeted_model import BudgetedModel
from bridge.agent.model import ModelEvent, ModelRequest
from bridge.limits.budgets import RoundUsage, first_day, renewal
from bridge.settings.budgets import Allowance, BudgetSettings
from bridge.settings.declaration import SettingsError
from bridge.settings.sources import read_settings

SETTINGS = BudgetSettings(
    budget_tokens=100, budgets=("group:staff=200/5", "group:lead=50/-", "user:ann=-/1", "user:bob:x=7/-")
)


@pytest.mark.parametrize(
    ("name", "groups", "allowance"),
    [
        ("eve", (), Allowance(100, None)),
        ("eve", ("staff",), Allowance(200, 5)),
        ("eve", ("staff", "lead"), Allowance(200, None)),
        ("ann", ("staff",), Allowance(None, 1)),
        ("bob:x", (), Allowance(7, None)),
    ],
)
def test_the_own_budget_comes_first_then_the_largest_of_the_groups(
    name: str, groups: tuple[str, ...], allowance: Allowance
) -> None:
    """Of two groups the one that gives more counts, for tokens and for cost by themselves."""
    assert SETTINGS.allowance_of(name, groups) == allowance


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("TOOL_BRIDGE_BUDGETS", "staff=100/5"),
        ("TOOL_BRIDGE_BUDGETS", "group:staff=100"),
        ("TOOL_BRIDGE_MODEL_PRICES", "gpt=1"),
        ("TOOL_BRIDGE_MODEL_PRICES", "gpt=-1/1"),
        ("TOOL_BRIDGE_BUDGET_WINDOW", "week"),
        ("TOOL_BRIDGE_BUDGET_COST", "-1"),
    ],
)
def test_a_budget_that_means_nothing_stops_the_start(variable: str, value: str) -> None:
    """Who sets it relies on it."""
    with pytest.raises(SettingsError, match=variable):
        read_settings(Path("/data"), {}, {variable: value})


def test_a_window_begins_and_ends_in_utc() -> None:
    """The last moment of a year, and one in a month of 31 days."""
    last = datetime(2026, 12, 31, 23, 59, 59, tzinfo=UTC)
    assert (first_day("day", last), first_day("month", last)) == ("2026-12-31", "2026-12-01")
    assert renewal("day", last) == renewal("month", last) == datetime(2027, 1, 1, tzinfo=UTC)
    assert renewal("month", datetime(2026, 1, 31, 5, tzinfo=UTC)) == datetime(2026, 2, 1, tzinfo=UTC)


class Ledger:
    """Counts rounds, and refuses none."""

    def __init__(self) -> None:
        self.rounds: list[RoundUsage] = []

    async def check_budget(self, user_id: str) -> None:
        assert user_id == "ann"

    def count_round(self, user_id: str, usage: RoundUsage) -> None:
        assert user_id == "ann"
        self.rounds.append(usage)


class Broken:
    """A model that says 40 characters and no usage."""

    async def stream_round(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        for _ in range(4):
            yield ModelEvent({"type": "response.output_text.delta", "delta": "ten chars."})


@pytest.mark.asyncio
async def test_a_round_without_usage_is_estimated_even_if_its_caller_leaves() -> None:
    """Else a client that hangs up before the end would pay nothing."""
    ledger = Ledger()
    model = BudgetedModel(Broken(), "ann", ledger)
    request = ModelRequest("m", ({"type": "message", "role": "user", "content": "x" * 400},))
    events = model.stream_round(request)
    async for _ in events:
        break
    await events.aclose()
    assert ledger.rounds[0].is_estimated
    assert ledger.rounds[0].output_tokens == 10 // 4 + 1
    assert 100 < ledger.rounds[0].input_tokens < 130
    async for _ in model.stream_round(request):
        pass
    assert ledger.rounds[1].output_tokens == 40 // 4 + 1
