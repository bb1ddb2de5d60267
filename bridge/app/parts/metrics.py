"""What the bridge measures, and the route that reads it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from prometheus_client.registry import Collector

from bridge.app.part import Ground, Observers, Part, UnusablePart
from bridge.auth.identity import Identity
from bridge.http.metrics import MetricsRoute
from bridge.http.routing import Route
from bridge.metrics.call_metrics import CallMetrics
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
        list_metrics: Callable[[], Sequence[Collector]],
    ) -> None:
        """`set_gauges` asks every part for its gauges, when metrics are read, `list_metrics` for others."""
        self.instruments = instruments
        self._calls = CallMetrics(instruments.registry)
        self._ground = ground
        self._identity = identity
        self._set_gauges = set_gauges
        self._list_metrics = list_metrics

    def list_observers(self) -> Observers:
        """Return what measures calls."""
        return Observers(calls=[self._calls.note_move], refusals=[self._calls.note_refusal])

    def list_routes(self) -> Sequence[Route]:
        """Return the route of the metrics."""
        instruments, token = self.instruments, self._ground.settings.telemetry.metrics_token
        return MetricsRoute(
            instruments.registry, lambda: self._set_gauges(instruments.state), self._identity, token=token
        ).list_routes()

    async def start(self) -> None:
        """Take the metrics of other parts, and begin to measure the event loop.

        Raises:
            UnusablePart: a metric has a name that is taken.
        """
        try:
            for each in self._list_metrics():
                self.instruments.registry.register(each)
        except ValueError as error:
            raise UnusablePart(f"The metrics of an installed part cannot be added: {error}.") from error
        lag = self.instruments.loop_lag
        self._ground.tasks.keep_running(lambda: measure_lag(lag), "lag of the event loop")
