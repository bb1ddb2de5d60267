"""All metrics of one bridge, and who is told what happens."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bridge.metrics.call_metrics import CallMetrics
from bridge.metrics.instruments import Instruments
from bridge.metrics.turn_metrics import TurnMetrics


@dataclass(frozen=True, slots=True)
class BridgeMetrics:
    """The metrics of one bridge."""

    instruments: Instruments
    calls: CallMetrics
    turns: TurnMetrics

    def note_store_work(self, work: str, seconds: float) -> None:
        """Measure work of the database; `work`: one of a few kinds. In any thread."""
        self.instruments.store_seconds.labels(work).observe(seconds)


def build_metrics(replica: str, is_operators: Callable[[str], bool]) -> BridgeMetrics:
    """Return the metrics of a bridge.

    `replica`: its id, "" for a bridge alone; `is_operators`: whether the operator has named a provider.
    """
    instruments = Instruments(replica)
    return BridgeMetrics(
        instruments, CallMetrics(instruments.registry), TurnMetrics(instruments.turns, is_operators)
    )
