"""Counts model turns, their rounds and their tokens."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias, cast

from bridge.agent.model import ModelError
from bridge.agent.turn import TurnResult
from bridge.agent.turn_runner import TurnEnding
from bridge.errors import BridgeError
from bridge.metrics.instruments import TurnInstruments
from toolserver.json_types import JsonObject, JsonValue

USERS_OWN = "of_users"
"""Stands for every provider that a user has added: their number is not bounded."""

TokenKind: TypeAlias = Literal["input", "cached", "output", "reasoning"]


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

    def _count_usage(self, provider: str, usage: JsonObject) -> None:
        self._instruments.rounds.labels(provider).inc(_number(usage.get("turn_count")))
        for kind, tokens in _tokens(usage).items():
            self._instruments.tokens.labels(provider, kind).inc(tokens)


def _ending(result: TurnEnding) -> tuple[str, str]:
    """The outcome and the bridge's own code: a provider's codes are its own, and many."""
    if isinstance(result, BridgeError):
        return "refused", result.error.code.value
    if isinstance(result, ModelError):
        return "failed", "model_failed"
    return result.status, "" if result.error is None else "model_failed"


def _tokens(usage: JsonObject) -> dict[TokenKind, float]:
    """Tokens by kind. Usage is a provider's: what is no number there counts as nothing."""
    return {
        "input": _number(usage.get("input_tokens")),
        "cached": _number(_member(usage.get("input_tokens_details"), "cached_tokens")),
        "output": _number(usage.get("output_tokens")),
        "reasoning": _number(_member(usage.get("output_tokens_details"), "reasoning_tokens")),
    }


def _member(value: JsonValue, name: str) -> JsonValue:
    return cast(JsonObject, value).get(name) if isinstance(value, dict) else None


def _number(value: JsonValue) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return max(0.0, float(cast(float, value))) if is_number else 0.0
