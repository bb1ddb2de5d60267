"""Which budget a user has, for which time, and how tokens are estimated that nobody counted."""

import asyncio
from collections.abc import AsyncGenerator, Coroutine
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from bridge.errors import BridgeError
from bridge.homes import user_elsewhere
from bridge.models.agent.budgeted_model import LONG_S, BudgetedModel
from bridge.models.agent.model import ModelError, ModelEvent, ModelRequest
from bridge.models.budgets.budgets import Budgets, RoundUsage, first_day, renewal
from bridge.settings.chat.budgets import Allowance, BudgetSettings
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
    """Keeps the rounds that budgets count, of a user who may use any number."""

    def __init__(self) -> None:
        self.rounds: list[RoundUsage] = []
        self.budgets = Budgets(BudgetSettings(), self, lambda _: True, start=self.run)

    async def sum_usage(self, user_id: str, since: str) -> None:
        assert user_id == "ann"

    async def add_usage(self, user_id: str, day: str, usage: RoundUsage, cost_micros: int) -> None:
        assert user_id == "ann"
        self.rounds.append(usage)

    def run(self, work: Coroutine[Any, Any, None], _name: str) -> None:
        """Do at once what waits for nothing."""
        with pytest.raises(StopIteration):
            work.send(None)


class Broken:
    """A model that says 40 characters and no usage."""

    async def stream_round(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        for _ in range(4):
            yield ModelEvent({"type": "response.output_text.delta", "delta": "ten chars."})


@pytest.mark.asyncio
async def test_a_round_without_usage_is_estimated_even_if_its_caller_leaves() -> None:
    """Else a client that hangs up before the end would pay nothing."""
    ledger = Ledger()
    model = BudgetedModel(Broken(), "ann", ledger.budgets)
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


class Silent:
    """A model that thinks, and then fails or goes on thinking."""

    def __init__(self, error: Exception | None = None, *, thinking_s: float = 0) -> None:
        self.time = 0.0
        self.is_asked = asyncio.Event()
        self._error = error
        self._thinking_s = thinking_s

    async def stream_round(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        self.is_asked.set()
        self.time += self._thinking_s
        if self._error is None:
            await asyncio.Event().wait()
        else:
            raise self._error
        yield ModelEvent({})


ASKED = ModelRequest("m", ({"type": "message", "role": "user", "content": "x" * 400},))


async def asked(model: Silent) -> list[RoundUsage]:
    """What was counted of a round that ends in an error."""
    ledger = Ledger()
    with pytest.raises((ModelError, BridgeError)):
        _ = [
            event
            async for event in BudgetedModel(
                model, "ann", ledger.budgets, clock=lambda: model.time
            ).stream_round(ASKED)
        ]
    return ledger.rounds


@pytest.mark.asyncio
async def test_a_round_that_is_hung_up_before_its_first_event_is_estimated() -> None:
    """Finding S-L3: the provider may bill it; a client that hung up in time paid nothing."""
    ledger, silent = Ledger(), Silent()
    model = BudgetedModel(silent, "ann", ledger.budgets)
    round_ = asyncio.create_task(anext(model.stream_round(ASKED)))
    await silent.is_asked.wait()
    round_.cancel()
    with pytest.raises(asyncio.CancelledError):
        await round_
    [usage] = ledger.rounds
    assert usage.is_estimated
    assert 100 < usage.input_tokens < 130


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "error",
    [
        ModelError("silent", code="upstream_timeout"),
        ModelError("broke off", code="upstream_disconnected"),
        ModelError("overloaded", code="server_error", status=503),
    ],
)
async def test_a_provider_that_fails_after_a_long_time_is_estimated(error: ModelError) -> None:
    """Finding S-L3: sibling. Minutes of thinking before a failure are billed, and can be asked for again."""
    [usage] = await asked(Silent(error, thinking_s=LONG_S))
    assert usage.is_estimated
    assert await asked(Silent(error, thinking_s=LONG_S / 2)) == []


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "error",
    [
        ModelError("refused", code="invalid_request", status=400),
        ModelError("later", code="rate_limit_exceeded", status=429),
        ModelError("nobody there", code="upstream_unreachable"),
        user_elsewhere(),
    ],
)
async def test_a_round_that_no_model_began_costs_nothing(error: Exception) -> None:
    """Finding S-L3: sibling. A refusal costs nobody anything, even if it came late, after retries."""
    assert await asked(Silent(error, thinking_s=10 * LONG_S)) == []
