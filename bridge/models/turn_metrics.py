"""Counts model turns, their rounds and their tokens."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from bridge.errors import BridgeError
from bridge.metrics.metric_definitions import TurnInstruments
from bridge.models.agent.items import SEARCH_OUTPUT, Item
from bridge.models.agent.model import ModelError
from bridge.models.agent.token_usage import read_count, read_tokens
from bridge.models.agent.turn import TurnResult
from bridge.models.agent.turn_stages import TurnEnding
from toolserver.json_types import JsonObject

USERS_OWN = "of_users"
"""Stands for every provider that a user has added: their number is not bounded."""


class TurnMetrics:
    """Measures model turns. None of its methods waits or fails."""

    def __init__(self, instruments: TurnInstruments, is_operators: Callable[[str], bool]) -> None:
        """`is_operators`: whether the operator has named a provider, so that its name may be a label."""
        self._instruments = instruments
        self._is_operators = is_operators

    def note_turn(self, provider: str, result: TurnEnding, seconds: float) -> None:
        """Count a turn that has ended, and what it used. As a `TurnEndObserver`."""
        name = provider if self._is_operators(provider) else USERS_OWN
        outcome, code = _ending(result)
        self._instruments.ended.labels(name, outcome, code).inc()
        self._instruments.seconds.labels(name).observe(seconds)
        if isinstance(result, TurnResult):
            self._count_usage(name, result.usage)
            self._count_searches(name, result.output)

    def _count_usage(self, provider: str, usage: JsonObject) -> None:
        self._instruments.rounds.labels(provider).inc(read_count(usage.get("turn_count")) or 0)
        for kind, tokens in read_tokens(usage).items():
            self._instruments.tokens.labels(provider, kind).inc(tokens or 0)

    def _count_searches(self, provider: str, output: Iterable[Item]) -> None:
        for item in output:
            if item.get("type") == SEARCH_OUTPUT:
                ending = "loaded" if item.get("tools") else "nothing"
                self._instruments.searches.labels(provider, ending).inc()


def _ending(result: TurnEnding) -> tuple[str, str]:
    """The outcome and the bridge's own code: a provider's codes are its own, and many."""
    if isinstance(result, BridgeError):
        return "refused", result.error.code.value
    if isinstance(result, ModelError):
        return "failed", "model_failed"
    return result.status, "" if result.error is None else "model_failed"
