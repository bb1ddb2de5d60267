"""What models cost, also those that the settings do not name: users choose the names. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping

from bridge.settings.chat.budgets import Price

_SNAPSHOT = re.compile(r"-(?:\d{4}-\d{2}-\d{2}|\d{8}|latest)$")
"""Ends of names under which providers offer a dated state of a model, at the model's own price."""

FREE = Price(0, 0)


class PriceList:
    """The prices of models by their providers' names."""

    __slots__ = ("_by_name", "_else", "_exact")

    def __init__(self, prices: Mapping[str, Price], *, has_cost_budget: bool) -> None:
        """`has_cost_budget`: a model without a price costs as much as the dearest, in each direction.

        Else it costs nothing.
        """
        self._exact = prices
        self._by_name: dict[str, Price] = {}
        for name, price in prices.items():
            known = self._by_name.get(_plain(name), FREE)
            self._by_name[_plain(name)] = _dearer(known, price)
        self._else = FREE
        if has_cost_budget:
            for price in prices.values():
                self._else = _dearer(self._else, price)

    def find_price(self, model: str) -> Price:
        """Return the price of a model: of its name, in any case and with any spaces, or of its snapshot's."""
        if (exact := self._exact.get(model)) is not None:
            return exact
        plain = _plain(model)
        if (price := self._by_name.get(plain)) is not None:
            return price
        return self._by_name.get(_SNAPSHOT.sub("", plain), self._else)


def _plain(name: str) -> str:
    return name.strip().casefold()


def _dearer(one: Price, other: Price) -> Price:
    return Price(max(one.input, other.input), max(one.output, other.output))
