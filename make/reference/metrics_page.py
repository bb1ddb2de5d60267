"""The table of `docs/reference/metrics.md`, from the declarations."""

from collections.abc import Iterable
from typing import cast

from prometheus_client import Metric
from prometheus_client.metrics import MetricWrapperBase

from bridge.metrics.call_metrics import CallMetrics
from bridge.metrics.metric_definitions import Instruments
from make.reference.parts import table

PAGE = "docs/reference/metrics.md"


def overview() -> Iterable[str]:
    """Every metric, in the order of its declaration."""
    return table(("metric", "type", "labels", "meaning"), map(_row, declared()))


def declared() -> list[tuple[Metric, tuple[str, ...]]]:
    """Every metric of a bridge's own, with the names of its labels."""
    bridge = Instruments()
    calls = CallMetrics(bridge.registry)
    of_calls = [(family, _labels_of(family)) for family in calls.describe()]
    instruments = [
        each
        for group in (bridge.turns, bridge.state, bridge)
        for each in vars(group).values()
        if isinstance(each, MetricWrapperBase)
    ]
    return of_calls + [(each, _labels_of(made)) for made in instruments for each in made.describe()]


def _labels_of(declaration: object) -> tuple[str, ...]:
    return tuple(cast("tuple[str, ...]", vars(declaration)["_labelnames"]))


def sample_name(metric: Metric) -> str:
    """The name by which a query finds it; a histogram has three, of which this is the beginning."""
    return f"{metric.name}_total" if metric.type == "counter" else metric.name


def _row(declaration: tuple[Metric, tuple[str, ...]]) -> tuple[str, str, str, str]:
    metric, labels = declaration
    named = ", ".join(f"`{label}`" for label in labels)
    return f"`{sample_name(metric)}`", metric.type, named, metric.documentation
