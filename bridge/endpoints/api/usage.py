"""What users have had models do: `/api/usage`."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Literal

from aiohttp import web

from bridge.errors import BridgeError, ErrorCode
from bridge.http.access import caller_of
from bridge.http.declared_routes import DeclaredApiRoutes, api_route, ok
from bridge.http.routing import ApiModel, json_answer
from bridge.models.budgets.budgets import MICROS, Budgets, UsageSum, first_day
from bridge.settings.chat.budgets import BudgetSettings
from bridge.storage.chat.usage import UsageTable


class UsageFacts(ApiModel):
    """What one user has had the operator's models do in this day or month."""

    user: str
    rounds: int
    estimated_rounds: int
    """Rounds whose tokens the provider did not say."""
    input_tokens: int
    output_tokens: int
    cost: float
    """By the prices of the settings."""


class OwnUsage(ApiModel):
    """The caller's usage and budget."""

    window: Literal["day", "month"]
    counted: bool
    """Whether the settings have budgets or prices; otherwise nothing is counted."""
    renews_at: float
    used: UsageFacts
    max_tokens: int | None
    """Null: as many as one likes."""
    max_cost: float | None


class UsageList(ApiModel):
    """Usage of all users who have used anything, by name."""

    since: str
    """First day, in UTC."""
    users: list[UsageFacts]


class UsageRoutes(DeclaredApiRoutes):
    """Handlers of usage."""

    def __init__(self, budgets: Budgets, table: UsageTable, settings: BudgetSettings) -> None:
        self._budgets = budgets
        self._table = table
        self._settings = settings

    @api_route("GET /api/usage", ok("Usage and budget.", OwnUsage), errors=(ErrorCode.DATABASE_UNAVAILABLE,))
    async def show_usage(self, request: web.Request) -> web.Response:
        """Show what the caller has had models do, and the budget for it."""
        budget = await self._budgets.read_budget(caller_of(request).user.id)
        return json_answer(
            OwnUsage(
                window=budget.window,
                counted=self._settings.has_budgets(),
                renews_at=budget.renews_at,
                used=usage_facts(budget.used),
                max_tokens=budget.allowance.tokens,
                max_cost=budget.allowance.cost,
            )
        )

    @api_route(
        "GET /api/usage/users",
        ok("Usage by user.", UsageList),
        errors=(ErrorCode.OPERATOR_ONLY, ErrorCode.DATABASE_UNAVAILABLE),
    )
    async def list_usage(self, request: web.Request) -> web.Response:
        """List what each user has had models do in this day or month."""
        if not caller_of(request).user.is_operator:
            message = "Only an operator of the bridge may see what others have used."
            raise BridgeError(ErrorCode.OPERATOR_ONLY, message)
        since = first_day(self._settings.budget_window, datetime.now(UTC))
        found = await self._table.list_usage(since)
        return json_answer(UsageList(since=since, users=[usage_facts(each) for each in found]))


def usage_facts(used: UsageSum) -> UsageFacts:
    """Return usage in the form of the API."""
    return UsageFacts(
        user=used.name,
        rounds=used.rounds,
        estimated_rounds=used.estimated_rounds,
        input_tokens=used.input_tokens,
        output_tokens=used.output_tokens,
        cost=used.cost_micros / MICROS,
    )
