"""What the bridge measures, and the route that reads it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bridge.app.part import Ground, Observers, Part
from bridge.auth.identity import Identity
from bridge.http.metrics import MetricsRoute
from bridge.http.routing import Route
from bridge.metrics.bridge_metrics import build_metrics
from bridge.metrics.loop_lag import measure_lag
from bridge.metrics.metric_definitions import Instruments, StateGauges


class MetricsPart(Part):
    """The instruments of one bridge, which other parts are observed by."""

    def __init__(
        self,
        ground: Ground,
        instruments: Instruments,
        identity: Identity,
        set_gauges: Callable[[StateGauges], None],
    ) -> None:
        """`set_gauges` asks every part for its gauges, when the metrics are read."""
        self.metrics = build_metrics(instruments, ground.own_providers.__contains__)
        self._ground = ground
        self._identity = identity
        self._set_gauges = set_gauges

    def list_observers(self) -> Observers:
        """Return what measures calls and turns."""
        metrics = self.metrics
        return Observers(
            calls=[metrics.calls.note_move],
            refusals=[metrics.calls.note_refusal],
            turns=[metrics.turns.note_turn],
        )

    def list_routes(self) -> Sequence[Route]:
        """Return the route of the metrics."""
        instruments, token = self.metrics.instruments, self._ground.settings.telemetry.metrics_token
        return MetricsRoute(
            instruments.registry, lambda: self._set_gauges(instruments.state), self._identity, token=token
        ).list_routes()

    async def start(self) -> None:
        """Begin to measure the event loop."""
        lag = self.metrics.instruments.loop_lag
        self._ground.tasks.keep_running(lambda: measure_lag(lag), "lag of the event loop")
