"""Budgets of users: what a round may still use, and what it has used. Nothing is reserved.

A round that begins within its budget is finished, and so are those that run beside it: a budget may be passed
by what they use.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol

from bridge.errors import BridgeError, ErrorCode
from bridge.models.budgets.prices import PriceList
from bridge.settings.chat.budgets import Allowance, BudgetSettings, BudgetWindow

_log = logging.getLogger(__name__)

MICROS = 1_000_000
"""Units in which costs are stored, of one unit of the currency."""


@dataclass(frozen=True, slots=True)
class RoundUsage:
    """What one round of a model used."""

    model: str
    input_tokens: int
    output_tokens: int
    is_estimated: bool = False
    """Whether the provider did not say it."""


@dataclass(frozen=True, slots=True)
class UsageSum:
    """What a user has used since some day."""

    name: str
    groups: tuple[str, ...]
    rounds: int = 0
    estimated_rounds: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_micros: int = 0


class UsageStore(Protocol):
    """Where usage is stored. Days are dates in UTC, such as `2026-11-28`.

    Raises, in every coroutine:
        BridgeError: `database_unavailable`.
    """

    async def sum_usage(self, user_id: str, since: str) -> UsageSum | None:
        """Return what a user has used since a day; None: there is no such user."""
        ...

    async def add_usage(self, user_id: str, day: str, usage: RoundUsage, cost_micros: int) -> None:
        """Add what a round used; several replicas may do so at once."""
        ...


@dataclass(frozen=True, slots=True)
class UserBudget:
    """How much of what a user may use is used."""

    window: BudgetWindow
    used: UsageSum
    allowance: Allowance
    renews_at: float
    """UTC seconds since 1970."""

    @property
    def is_used_up(self) -> bool:
        """Whether no further round may begin."""
        tokens, cost = self.allowance
        used_tokens = self.used.input_tokens + self.used.output_tokens
        return (tokens is not None and used_tokens >= tokens) or (
            cost is not None and self.used.cost_micros >= cost * MICROS
        )


class Budgets:
    """The budgets of all users, for the models that the operator's settings name."""

    def __init__(
        self,
        settings: BudgetSettings,
        store: UsageStore,
        is_operators: Callable[[str], bool],
        *,
        start: Callable[[Coroutine[Any, Any, None], str], object],
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """`is_operators`: whether a provider of this name is the operator's; others cost their own users."""
        self._settings = settings
        self._prices = PriceList(settings.prices(), has_cost_budget=settings.has_cost_budget())
        self._store = store
        self._is_operators = is_operators
        self._start = start
        self._now = now
        self._unwritten: dict[str, tuple[RoundUsage, ...]] = {}
        """Rounds that are not stored yet, by user: the next round of a turn begins before they are."""

    def applies_to(self, provider: str) -> bool:
        """Return whether rounds of a provider count."""
        return self._settings.has_budgets() and self._is_operators(provider)

    async def read_budget(self, user_id: str) -> UserBudget:
        """Return the budget of a user.

        Raises:
            BridgeError: `database_unavailable`.
        """
        window, now = self._settings.budget_window, self._now()
        used = await self._store.sum_usage(user_id, first_day(window, now)) or UsageSum("", ())
        allowance = self._settings.allowance_of(used.name, used.groups)
        return UserBudget(window, used, allowance, renewal(window, now).timestamp())

    async def check_budget(self, user_id: str) -> None:
        """Check that a user may begin another round.

        Raises:
            BridgeError: `budget_exceeded`, with `detail.retry_after_s`; `database_unavailable`.
        """
        waiting = self._unwritten.get(user_id, ())
        budget = await self.read_budget(user_id)
        used = budget.used
        for usage in waiting:
            used = replace(
                used,
                input_tokens=used.input_tokens + usage.input_tokens,
                output_tokens=used.output_tokens + usage.output_tokens,
                cost_micros=used.cost_micros + self._cost_of(usage),
            )
        if budget.allowance.cost is not None and not self._settings.model_prices:
            message = (
                "No model has a price here, so that your budget of cost cannot be kept. An operator of the "
                "bridge has to set TOOL_BRIDGE_MODEL_PRICES, or a budget of tokens."
            )
        elif replace(budget, used=used).is_used_up:
            renews = datetime.fromtimestamp(budget.renews_at, UTC)
            message = (
                f"Your budget for models of this {budget.window} is used up. It is renewed at "
                f"{renews:%Y-%m-%d %H:%M} UTC; an operator of the bridge can give you more."
            )
        else:
            return
        detail = {
            "retry_after_s": max(1, round(budget.renews_at - self._now().timestamp())),
            "renews_at": budget.renews_at,
        }
        raise BridgeError(ErrorCode.BUDGET_EXCEEDED, message, detail=detail)

    def count_round(self, user_id: str, usage: RoundUsage) -> None:
        """Count what a round used, in a task of its own: the round may have been cancelled."""
        self._unwritten[user_id] = (*self._unwritten.get(user_id, ()), usage)
        self._start(self._add_usage(user_id, f"{self._now():%Y-%m-%d}", usage), "usage of a model")

    async def _add_usage(self, user_id: str, day: str, usage: RoundUsage) -> None:
        try:
            await self._store.add_usage(user_id, day, usage, self._cost_of(usage))
        except BridgeError as error:
            _log.error("What a model used was not counted: %s", error.error.message)
        finally:
            waiting = tuple(each for each in self._unwritten.pop(user_id) if each is not usage)
            if waiting:
                self._unwritten[user_id] = waiting

    def _cost_of(self, usage: RoundUsage) -> int:
        """Return the cost in millionths; prices are of a million tokens, so that the factors cancel out."""
        price = self._prices.find_price(usage.model)
        return round(usage.input_tokens * price.input + usage.output_tokens * price.output)


def first_day(window: BudgetWindow, now: datetime) -> str:
    """Return the first day of the window that a moment is in."""
    return f"{now:%Y-%m-%d}" if window == "day" else f"{now:%Y-%m}-01"


def renewal(window: BudgetWindow, now: datetime) -> datetime:
    """Return when the next window begins."""
    if window == "day":
        return datetime(now.year, now.month, now.day, tzinfo=UTC) + timedelta(days=1)
    later = datetime(now.year, now.month, 1, tzinfo=UTC) + timedelta(days=32)
    return datetime(later.year, later.month, 1, tzinfo=UTC)
