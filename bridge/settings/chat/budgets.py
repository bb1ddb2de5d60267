"""How much users may have models do: tokens and cost of a day or a month."""

from __future__ import annotations

import re
from typing import Annotated, ClassVar, Literal, NamedTuple, TypeAlias, TypeVar

from pydantic import AfterValidator, Field

from bridge.settings.declaration import Choice, CommaSeparated, Names, Section

BudgetWindow: TypeAlias = Literal["day", "month"]

NO_LIMIT = "-"
"""Stands for an amount that is not limited."""

_PRICE = re.compile(r"(?P<model>[^\s=][^=]*)=(?P<input>[0-9]+(?:\.[0-9]+)?)/(?P<output>[0-9]+(?:\.[0-9]+)?)")
_BUDGET = re.compile(
    r"(?P<kind>user|group):(?P<name>.+)=(?P<tokens>[0-9]+|-)/(?P<cost>[0-9]+(?:\.[0-9]+)?|-)"
)


class Price(NamedTuple):
    """What a million tokens of a model cost."""

    input: float
    output: float


class Allowance(NamedTuple):
    """How much may be used in one window; None: as much as one likes."""

    tokens: int | None
    cost: float | None


def _check_prices(entries: tuple[str, ...]) -> tuple[str, ...]:
    if not all(_PRICE.fullmatch(entry) for entry in entries):
        raise ValueError("must be entries such as gpt-5=1.25/10: a model, and what a million tokens cost")
    return entries


def _check_budgets(entries: tuple[str, ...]) -> tuple[str, ...]:
    if not all(_BUDGET.fullmatch(entry) for entry in entries):
        raise ValueError("must be entries such as group:staff=2000000/20 or user:ann=-/50")
    return entries


class BudgetSettings(Section):
    """What a user may use of the operator's models, and what that costs."""

    title: ClassVar[str] = "Budgets"

    budget_window: Annotated[BudgetWindow, Choice, Names("TOOL_BRIDGE_BUDGET_WINDOW")] = Field(
        default="month", description="what a budget is for: a day or a month, both in UTC"
    )
    budget_tokens: Annotated[
        int | None, Names("TOOL_BRIDGE_BUDGET_TOKENS", default="none: as many as one likes")
    ] = Field(
        default=None, ge=0, description="tokens of a user in that time, those that are read and those written"
    )
    budget_cost: Annotated[
        float | None, Names("TOOL_BRIDGE_BUDGET_COST", default="none: as much as one likes")
    ] = Field(default=None, ge=0, description="cost of a user in that time, in the currency of the prices")
    budgets: Annotated[
        tuple[str, ...],
        CommaSeparated,
        AfterValidator(_check_budgets),
        Names(
            "TOOL_BRIDGE_BUDGETS",
            range="`group:NAME=TOKENS/COST` and `user:NAME=TOKENS/COST`; `-` for no limit",
            see="[budgets](../how-to/let-a-team-log-in.md#budgets)",
        ),
    ] = Field(default=(), description="other budgets for members of a group, or for one user")
    model_prices: Annotated[
        tuple[str, ...],
        CommaSeparated,
        AfterValidator(_check_prices),
        Names("TOOL_BRIDGE_MODEL_PRICES", range="`MODEL=INPUT/OUTPUT`, of a million tokens each"),
    ] = Field(
        default=(),
        description="what models cost; others cost nothing, or like the dearest if a cost is limited",
    )

    def has_budgets(self) -> bool:
        """Return whether anything is limited or has a price, so that usage must be counted."""
        limited = self.budget_tokens is not None or self.budget_cost is not None
        return limited or bool(self.budgets) or bool(self.model_prices)

    def has_cost_budget(self) -> bool:
        """Return whether the cost of anybody is limited."""
        entries = (match for entry in self.budgets if (match := _BUDGET.fullmatch(entry)))
        return self.budget_cost is not None or any(match["cost"] != NO_LIMIT for match in entries)

    def list_warnings(self) -> list[str]:
        """Return what an operator should be told at the start."""
        if not self.has_cost_budget():
            return []
        if not self.model_prices:
            return [
                "A budget limits the cost of models, but no model has a price: rounds of those whom it "
                "concerns are refused until TOOL_BRIDGE_MODEL_PRICES is set."
            ]
        return [
            "A budget limits the cost of models: those that TOOL_BRIDGE_MODEL_PRICES does not name are "
            "priced like the dearest that it names."
        ]

    def prices(self) -> dict[str, Price]:
        """Return prices by the names of models."""
        found = (match for entry in self.model_prices if (match := _PRICE.fullmatch(entry)))
        return {match["model"]: Price(float(match["input"]), float(match["output"])) for match in found}

    def allowance_of(self, name: str, groups: tuple[str, ...]) -> Allowance:
        """Return a user's own budget, else the largest of the user's groups, else the one for all."""
        own: Allowance | None = None
        of_groups: list[Allowance] = []
        for match in (match for entry in self.budgets if (match := _BUDGET.fullmatch(entry))):
            tokens = None if match["tokens"] == NO_LIMIT else int(match["tokens"])
            allowance = Allowance(tokens, None if match["cost"] == NO_LIMIT else float(match["cost"]))
            if match["kind"] == "user" and match["name"] == name:
                own = allowance
            elif match["kind"] == "group" and match["name"] in groups:
                of_groups.append(allowance)
        if own is not None:
            return own
        if of_groups:
            return Allowance(
                _largest([each.tokens for each in of_groups]), _largest([each.cost for each in of_groups])
            )
        return Allowance(self.budget_tokens, self.budget_cost)


_AmountT = TypeVar("_AmountT", int, float)


def _largest(amounts: list[_AmountT | None]) -> _AmountT | None:
    known = [amount for amount in amounts if amount is not None]
    return max(known) if len(known) == len(amounts) else None
