"""All metrics of one bridge, and who is told what happens."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bridge.metrics.call_metrics import CallMetrics
from bridge.metrics.metric_definitions import Instruments
from bridge.metrics.turn_metrics import TurnMetrics


@dataclass(frozen=True, slots=True)
class BridgeMetrics:
    """The metrics of one bridge."""

    instruments: Instruments
    calls: CallMetrics
    turns: TurnMetrics


def build_metrics(instruments: Instruments, is_operators: Callable[[str], bool]) -> BridgeMetrics:
    """Return the metrics of a bridge; `is_operators`: whether the operator has named a provider."""
    return BridgeMetrics(
        instruments, CallMetrics(instruments.registry), TurnMetrics(instruments.turns, is_operators)
    )
